"""Event descriptions with metric rules: the engine reports what the reference evaluators do together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from holdsfor.compiler.analysis.entities import Role
from holdsfor.reference import IntervalRow
from tests.strategies.engine_runs import Scenario, check_engine, loaded, on_engine, scenarios
from tests.strategies.scenario_statics import SETS
from tests.strategies.scenarios import MIXED, MIXED_WINDOWED, WINDOWED

LATE = 12
COPIED = replace(WINDOWED, statics=replace(WINDOWED.statics, operators=SETS), groundings=False)
"""Fluents that events make, and sets of them: nothing knows more of the future than the query time."""


@settings(max_examples=80)
@given(scenarios(MIXED, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=90)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=35)
@given(scenarios(COPIED, windowed=True, late=LATE))
def test_a_metric_copy_is_a_copy_by_intervals(scenario: Scenario) -> None:
    """`metric_f(X) :- f(X)` says of every fluent that events make what a `holdsFor` rule does."""
    simple = [e.symbol for e in scenario.reasoner.analysis.entities.with_role(Role.SIMPLE_FLUENT) if not e.symbol.inner]
    assume(simple)
    metric, intervals = [], []
    for symbol in simple:
        args = ",".join(f"X{place}" for place in range(symbol.arity))
        terms = f"({args})" if args else ""
        metric.append(f"metric_{symbol.name}{terms} :- {symbol.name}{terms}")
        rule = f"holdsFor(by_list_{symbol.name}{terms}=true, I) :- holdsFor({symbol.name}{terms}=true, I)."
        intervals.append(rule)
    reasoner = loaded("\n".join([scenario.text, *intervals]), "\n".join(metric))
    found = on_engine(reasoner, scenario.records, scenario.span).intervals
    copies = {kind: _named(found, kind) for kind in ("metric_", "by_list_")}
    assert copies["metric_"] == copies["by_list_"]


def _named(rows: tuple[IntervalRow, ...], kind: str) -> list[tuple[object, ...]]:
    return sorted(
        (row.query_time, row.fluent.removeprefix(kind), row.start, row.end)
        for row in rows
        if row.fluent.startswith(kind)
    )


@pytest.mark.slow
@settings(max_examples=600)
@given(scenarios(MIXED, windowed=False))
def test_whole_history_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time_at_length(scenario: Scenario) -> None:
    check_engine(scenario)
