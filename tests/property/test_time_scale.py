"""A unit of time changes how times are written, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.metric_scaled import moment_text
from holdsfor.io.scaled import EVENT_TIMES, INTERVAL_TIMES, with_texts
from holdsfor.loading import Reasoner
from holdsfor.metric.reasoner import from_metric_program
from holdsfor.result import Result
from holdsfor.times import UNITS, TimeScale
from tests.strategies.engine_runs import Scenario, sampled, scenarios
from tests.strategies.metric_programs import STREAMABLE
from tests.strategies.metric_programs import Scenario as MetricScenario
from tests.strategies.metric_programs import scenarios as metric_scenarios
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.time_scales import metric_tables, quiet, scaled, scaled_metric, tables, time_scales

FEW = settings(max_examples=30)


def found(scenario: Scenario, reasoner: Reasoner, scale: TimeScale | None) -> Result:
    """What is found, with all times written as the scale has them."""
    time, length = (int, int) if scale is None else (scale.text, scale.duration_text)
    span: dict[str, Any] = {}
    if scenario.span is not None:
        given = scenario.span
        span = {
            "window": length(given.size),
            "step": length(given.step),
            "start": time(given.start),
            "end": time(given.end),
        }
    with quiet():
        return reasoner.recognise(tables(scenario.records, time), **span)


def assert_timestamps(dated: pa.Table, plain: pa.Table, scale: TimeScale, times: Sequence[str]) -> None:
    """Assert that a table has timestamps where another has numbers of time-points, and is the same elsewhere."""
    assert dated.column_names == plain.column_names
    for name in plain.column_names:
        if name not in times:
            assert dated[name] == plain[name]
            continue
        kind = dated[name].type
        assert kind.tz == scale.zone
        found = [None if one.value is None else one.value * UNITS[kind.unit] for one in dated[name]]
        assert found == [None if point is None else point * scale.size for point in plain[name].to_pylist()]


def check(scenario: Scenario, scale: TimeScale) -> bool:
    """Assert that only the writing of times differs; False if the scenario says nothing."""
    names = {symbol.name for symbol in scenario.reasoner.plan.inputs}
    if not names & tables(scenario.records, int).keys():
        return False
    without = found(scenario, scenario.reasoner, None)
    scaled_reasoner = scaled(scenario.reasoner, scale)
    assert scaled_reasoner.diagnostics == scenario.reasoner.diagnostics
    with_scale = found(scenario, scaled_reasoner, scale)
    assert without.time_scale is None
    assert with_scale.time_scale == scale
    assert_timestamps(with_scale.to_arrow(), without.to_arrow(), scale, INTERVAL_TIMES)
    assert_timestamps(with_scale.derived_events, without.derived_events, scale, EVENT_TIMES)
    assert list(with_scale) == list(without)
    shown = with_texts(without.to_arrow(), scale, INTERVAL_TIMES)
    assert [scale.text(row.query_time) for row in with_scale] == shown["query_time"].to_pylist()
    assert {line.split()[0] for line in repr(with_scale).splitlines()[2:12]} <= {*shown["query_time"].to_pylist(), "…"}
    return True


@FEW
@given(scenarios(EVERYTHING, windowed=False), time_scales())
def test_whole_history(scenario: Scenario, scale: TimeScale) -> None:
    assume(check(scenario, scale))


@FEW
@given(scenarios(WINDOWED, windowed=True, late=12), time_scales())
def test_at_every_query_time(scenario: Scenario, scale: TimeScale) -> None:
    assume(check(scenario, scale))


@pytest.mark.slow
@settings(max_examples=500)
@given(scenarios(WINDOWED, windowed=True, late=12), time_scales())
def test_at_every_query_time_at_length(scenario: Scenario, scale: TimeScale) -> None:
    assume(check(scenario, scale))


@FEW
@given(scenarios(EVERYTHING, windowed=False), time_scales(("ms", "s", "min")), st.data())
def test_sessions(scenario: Scenario, scale: TimeScale, data: st.DataObject) -> None:
    names = {symbol.name for symbol in scenario.reasoner.plan.inputs}
    events = [record for record in scenario.records if record.arrival == getattr(record, "time", record.arrival)]
    assume(events)
    given = tables(events, int)
    assume(given.keys() <= names)
    last = max(record.arrival for record in events)
    assume(last < 1_000_000)
    try:
        with quiet():
            plain = scenario.reasoner.session()
            plain.push({name: [_without_arrival(row) for row in rows] for name, rows in given.items()})
            without = plain.changes(last)
    except HoldsforError:
        assume(False)
        raise
    with quiet():
        dated = scaled(scenario.reasoner, scale).session()
        shown = tables(events, scale.text)
        dated.push({name: [_without_arrival(row) for row in rows] for name, rows in shown.items()})
        with_scale = dated.changes(scale.text(last))
    assert list(with_scale) == list(without)
    assert with_scale.to_arrow(points=True).drop_columns("causes") == without.to_arrow().drop_columns("causes")
    times = ("start", "end", "query_time", "previous_start", "previous_end")
    changed = (one.to_arrow().drop_columns("causes") for one in (with_scale, without))
    assert_timestamps(*changed, scale, times)


def _without_arrival(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "arrival"}


@FEW
@given(metric_scenarios(STREAMABLE), time_scales(("ms", "s", "min", "h", "d")))
def test_metric_programs(scenario: MetricScenario, scale: TimeScale) -> None:
    plain, dated = from_metric_program(scenario.program), from_metric_program(scaled_metric(scenario.program, scale))
    assume(not [one for one in plain.diagnostics if one.severity == "error"])
    with quiet():
        without = plain.materialise(metric_tables(scenario.facts, None), start=scenario.start, end=scenario.end)
        start, end = moment_text(scenario.start, scale), moment_text(scenario.end, scale)
        with_scale = dated.materialise(metric_tables(scenario.facts, scale), start=start, end=end)
    assert list(with_scale) == list(without)
    assert with_scale.to_arrow(points=True, exact=True) == without.to_arrow(exact=True)
    bounds = [row.end for row in without]
    expected = pa.array([None if bound is None else moment_text(bound, scale) for bound in bounds], pa.string())
    assert with_scale.to_arrow(exact=True)["end"].combine_chunks() == expected


def test_a_unit_makes_no_program_unacceptable() -> None:
    """Programs that are accepted without a unit are accepted with one."""
    accepted = 0
    for seed in range(40):
        scenario = sampled(seed, EVERYTHING, windowed=False)
        if scenario is not None:
            found = scaled(scenario.reasoner, TimeScale("s", "Europe/Athens"))
            found.require_no_errors()
            accepted += 1
    assert accepted >= 20
