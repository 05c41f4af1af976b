"""What metric rules carry over a border: saved, read elsewhere, cut apart by instance and put together again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.report import interval_rows
from holdsfor.engine.run import Run
from holdsfor.engine.saved import from_table, merged, split, to_table
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan
from holdsfor.loading import Reasoner
from holdsfor.reference import IntervalRow, Occurrence
from holdsfor.reference.history import event_term
from tests.strategies.engine_runs import Scenario, loaded, scenarios
from tests.strategies.scenarios import MIXED_WINDOWED
from tests.unit.engine.test_saved import check_halves

RULES = """
    initiatedAt(moving(V)=true, T) :- happensAt(go(V), T).
    terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T).
    initiatedAt(alarm(V)=true, T) :- happensAt(start('Long'(V)=true), T).
"""
METRIC = """
    Long(V) :- Boxminus[0,20] moving(V)
    Recent(V) :- Diamondminus[0,45/2] stop(V)
    Ever(V) :- moving(V) Since[0,inf) mark(V)
    Step(V) :- Diamondminus[7,7] Step(V), not moving(V)
    Step(V) :- stop(V)
"""
LONG = Symbol(EntityKind.FLUENT, "Long", 1)


@settings(max_examples=60)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=12), st.integers(1, 6))
def test_two_halves_are_one_run(scenario: Scenario, queries: int) -> None:
    check_halves(scenario, queries)


def occurrences() -> Iterator[Occurrence]:
    for place, (name, who, time) in enumerate(
        [("go", "a", 2), ("mark", "a", 5), ("go", "b", 9), ("stop", "b", 21), ("stop", "a", 64), ("go", "b", 66)]
    ):
        yield Occurrence(event_term(name, [who]), time, time + place % 3)


WINDOWS = WindowPlan(10, 4, 0, 100)


def answered(reasoner: Reasoner, *, cut_apart: bool) -> tuple[list[IntervalRow], int]:
    """The rows of a run whose state goes through a table at every query time, and the most metric facts in one."""
    dictionary = Dictionary()
    prepared = Prepared(reasoner.plan, dictionary)
    run = Run(reasoner.plan, dictionary, from_records(occurrences(), reasoner.analysis.entities, dictionary), WINDOWS)
    rows: list[IntervalRow] = []
    most = 0
    for answer in run:
        rows += interval_rows([answer], dictionary)
        table = to_table(run.state, prepared)
        if cut_apart:
            first = np.array([hash(args[0]) % 3 for args in table["args"].to_pylist()], np.int64)
            table = merged(list(reversed(split(table, first).values()))) if len(table) else table
        run.state = from_table(table, prepared)
        carried = (one for strata in run.state.kept.metric.values() for one in strata)
        most = max(most, sum(one.facts for one in carried))
    return sorted(rows), most


def test_a_state_is_cut_apart_by_instance() -> None:
    reasoner = loaded(RULES, METRIC)
    whole, _ = answered(reasoner, cut_apart=False)
    assert {row.fluent.partition("(")[0] for row in whole} >= {"'Long'", "'Recent'", "'Ever'", "'Step'", "alarm"}
    assert answered(reasoner, cut_apart=True)[0] == whole


def test_little_is_carried_on() -> None:
    _, most = answered(loaded(RULES, METRIC), cut_apart=False)
    assert 0 < most <= 20
