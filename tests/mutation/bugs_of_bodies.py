"""Planted bugs: interval filters of a program, and values of a fluent that are worked out apart."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from holdsfor.compiler.analysis import variants
from holdsfor.engine import operators, written
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.frames import Frame
from holdsfor.ir import Boundary, Holds, Intervals, OpenLength, Or
from tests.mutation.planting import everywhere, method, planted
from tests.strategies.engine_runs import Scenario
from tests.strategies.families import family_scenario
from tests.strategies.filter_programs import filter_program
from tests.strategies.scenario_words import Pen
from tests.strategies.value_programs import value_program


def _filters(seed: int) -> Scenario | None:
    return family_scenario(Pen(random.Random(seed).randint), filter_program, windowed=seed % 2 == 1, late=12)


def _values(seed: int) -> Scenario | None:
    return family_scenario(Pen(random.Random(seed).randint), value_program, windowed=seed % 2 == 1, late=12)


@planted("operators", _filters)
def every_filter_measures_open_intervals_as_the_built_in_does(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def of_duration(node: Any, *rest: Any) -> Any:
            return original(replace(node, open_length=OpenLength.SO_FAR), *rest)

        return of_duration

    everywhere(patch, operators, "of_duration", changed)


@planted("operators", _filters)
def an_interval_that_is_left_out_while_open_is_kept(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def of_duration(node: Any, *rest: Any) -> Any:
            is_out = node.open_length is OpenLength.LEFT_OUT
            return original(replace(node, open_length=OpenLength.KEPT) if is_out else node, *rest)

        return of_duration

    everywhere(patch, operators, "of_duration", changed)


@planted("written", _filters)
def a_list_predicate_sees_the_first_interval_alone(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda intervals: original(intervals[:1])

    everywhere(patch, written, "encode", changed)


@planted("written", _filters)
def list_predicates_ask_one_time_point_late(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def begin(self: written.Goals, evaluation: Any) -> None:
            original(self, evaluation)
            self._solver.now += 1

        return begin

    method(patch, written.Goals, "__init__", changed)


@planted("bodies", _values)
def a_variable_for_a_value_reads_the_first_part_alone(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def either(self: Bodies, literal: Or, frame: Frame) -> Frame:
            found: Frame = original(self, replace(literal, branches=_first_part(literal)), frame)
            return found

        return either

    method(patch, Bodies, "_or", changed)


@planted("variants", _values)
def a_rule_for_any_value_reads_the_first_part_alone(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda literal: _first_part(literal) if isinstance(literal, Or) else original(literal)

    everywhere(patch, variants, "_branches", changed)


def _first_part(literal: Or) -> tuple[Any, ...]:
    first = literal.branches[0][0] if literal.branches and literal.branches[0] else None
    is_split = isinstance(first, Holds | Boundary | Intervals) and first.fvp.part is not None
    return literal.branches[:1] if is_split else literal.branches
