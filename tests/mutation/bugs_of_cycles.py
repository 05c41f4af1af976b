"""Planted bugs that the random cycles must find: initial values, the order inside a time-point, deadlines, long gaps.

Some are in what engine and reference evaluator share, so only an oracle of its own can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from holdsfor.compiler.analysis.instant import InstantGraph
from holdsfor.engine.cyclic import moments
from holdsfor.engine.cyclic.grounding import Grounding
from holdsfor.engine.cyclic.moments import SLOT, Moments
from holdsfor.engine.cyclic.rows import RowWriter
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.kernels import EMPTY
from holdsfor.ir import DelayRule
from holdsfor.reference.component import Component
from holdsfor.reference.evaluator import World
from tests.mutation.planting import Plant, Planted, method

CYCLE_BUGS: list[Planted] = []


def planted(where: str) -> Callable[[Plant], Plant]:
    """Add a bug to the list; its name is that of the function."""

    def add(plant: Plant) -> Plant:
        CYCLE_BUGS.append(Planted(plant.__name__.replace("_", " "), where, plant))
        return plant

    return add


# Initial values


@planted("reference.evaluator")
def initial_values_have_a_start_event_in_the_reference_evaluator(patch: pytest.MonkeyPatch) -> None:
    method(patch, World, "_is_there_at_first", lambda _: lambda _self, _pair: False)


@planted("engine.evaluation")
def initial_values_have_a_start_event(patch: pytest.MonkeyPatch) -> None:
    method(patch, Evaluation, "_there_at_first", lambda _: lambda _self, _symbol, _table: EMPTY)


@planted("engine.cyclic.rows")
def initial_values_have_a_start_event_in_a_cycle(patch: pytest.MonkeyPatch) -> None:
    method(patch, RowWriter, "_without_initial", lambda _: lambda _self, _condition, slot, _value, _frame: slot)


@planted("engine.evaluation")
def initial_values_begin_where_the_stream_does(patch: pytest.MonkeyPatch) -> None:
    def changed(_: Any) -> Any:
        def initial_points(self: Evaluation, symbol: Any) -> list[Any]:
            if self.moment.border >= self.moment.origin - 1:
                return []
            found = self.initial_pairs(symbol)
            return [type(found)(found.args, found.value, np.full(len(found), self.moment.origin - 1))]

        return initial_points

    method(patch, Evaluation, "initial_points", changed)


# The order inside a time-point


@planted("engine.cyclic.rows")
def an_open_termination_is_decided_after_all_that_it_may_end(patch: pytest.MonkeyPatch) -> None:
    def changed(_: Any) -> Any:
        def rank(self: Any, _rule: Any, kind: str, heads: Any) -> int:
            known = self._evaluation.prepared.notes.ranks
            return max((known.get(type(next(iter(known)))(kind, head), 0) for head in heads), default=0)

        return rank

    method(patch, RowWriter, "_rank", changed)


@planted("compiler.analysis.instant")
def the_end_of_a_deadline_does_not_wait_for_its_renewal(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def add_postponed(self: InstantGraph, rule: DelayRule) -> None:
            if rule.effect is not None:
                original(self, rule)

        return add_postponed

    method(patch, InstantGraph, "_add_postponed", changed)


@planted("compiler.analysis.instant")
def the_start_of_a_value_does_not_wait_for_what_breaks_it(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda self, vertex, edge, positive: list(original(self, vertex, edge, positive))[-1:]

    method(patch, InstantGraph, "_boundary", changed)


@planted("reference.component")
def a_renewal_at_the_deadline_comes_too_late_in_the_reference_evaluator(patch: pytest.MonkeyPatch) -> None:
    def changed(_: Any) -> Any:
        return lambda self, attempt: self._last_initiated[attempt.trigger] > attempt.initiated

    method(patch, Component, "_is_renewed", changed)


# Delayed effects


@planted("engine.cyclic.moments")
def delayed_effects_in_a_cycle_are_followed_twice_and_no_further(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(moments, "_FIRST_ROUNDS", 2)
    method(patch, Moments, "are_left_out", lambda _: lambda _self, _touched: False)


@planted("engine.cyclic.grounding")
def only_one_solution_of_a_delayed_effect_counts(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def delay_frame(self: Grounding, rule: DelayRule, frame: Any) -> Any:
            found = original(self, rule, frame)
            if not rule.body or not found[0].rows:
                return found
            _, first = np.unique(found[0].ints(SLOT), return_index=True)
            value = None if found[3] is None else found[3][first]
            return found[0].take(first), [column[first] for column in found[1]], len(first), value

        return delay_frame

    method(patch, Grounding, "_delay_frame", changed)
