"""Planted bugs: compound values and arguments. Programs about terms find them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from holdsfor.engine import bodies, patterns
from holdsfor.engine.asked import ROW
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.cyclic.residual import Splitter
from holdsfor.engine.folding import Folding
from holdsfor.engine.frames import Codes, Frame
from holdsfor.engine.kernels import EMPTY
from holdsfor.ir import Compare, Instance
from holdsfor.syntax.terms import Compound, Var
from tests.mutation.planting import method, planted
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_terms import attempt
from tests.strategies.scenario_words import Pen


def _scenario(seed: int) -> Scenario | None:
    return attempt(Pen(random.Random(seed).randint), windowed=seed % 2 == 1, late=6).scenario


@planted("folding", _scenario)
def a_termination_of_some_compound_values_ends_all(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def folded(self: Folding, body: Any, head: Any) -> Any:
            return original(self, tuple(literal for literal in body if not isinstance(literal, Instance)), head)

        return folded

    method(patch, Folding, "folded", changed)


@planted("bodies", _scenario)
def rows_are_numbered_twice_under_one_name(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bodies, "_row_name", lambda _: ROW)


@planted("bodies", _scenario)
def a_fluent_without_rows_leaves_parts_of_its_value_out(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def looked_up(self: Bodies, asked: Any, time: Var, table: Any, frame: Frame) -> Frame:
            if len(table):
                found: Frame = original(self, asked, time, table, frame)
                return found
            missing = {} if asked.value_name is None else {asked.value_name: Codes(EMPTY)}
            return Frame(0, {**missing, **frame.take(EMPTY).columns})

        return looked_up

    method(patch, Bodies, "_looked_up", changed)


@planted("patterns", _scenario)
def a_variable_twice_in_a_term_is_two_variables(patch: pytest.MonkeyPatch) -> None:
    def apart(term: Any, seen: set[str]) -> Any:
        if isinstance(term, Var):
            name = f"{term.name}{'~' if term.name in seen else ''}"
            seen.add(term.name)
            return Var(name)
        return Compound(term.name, tuple(apart(arg, seen) for arg in term.args)) if hasattr(term, "args") else term

    original = patterns._taken_apart
    patch.setattr(
        patterns, "_taken_apart", lambda frame, slot, term, *rest: original(frame, slot, apart(term, set()), *rest)
    )


@planted("residual", _scenario)
def heads_of_intervals_in_a_cycle_say_nothing_of_values(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def definitions(self: Splitter, literal: Any) -> Iterator[Any]:
            for body in original(self, literal):
                yield tuple(one for one in body if not (isinstance(one, Compare) and one.span == literal.span))

        return definitions

    method(patch, Splitter, "_definitions", changed)
