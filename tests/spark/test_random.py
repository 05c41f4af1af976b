"""Random programs and streams: stages over buckets, and Spark itself, report what the engine does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.core.program import encoded
from holdsfor.core.run import RecordedRun
from holdsfor.physical.model import FOREVER
from holdsfor.spark.job import Span
from tests.spark.on_spark import on_spark
from tests.spark.simulated import conflicts_on_buckets, on_buckets
from tests.strategies.engine_runs import Rows, Scenario, differences, on_engine, sampled, scenarios
from tests.strategies.scenario_terms import term_scenarios
from tests.strategies.scenarios import WINDOWED

LATE = 12
pytestmark = pytest.mark.filterwarnings("ignore")


def _engine(scenario: Scenario) -> Rows:
    """What is reported in one process."""
    return on_engine(scenario.reasoner, scenario.records, scenario.span)


def _span(scenario: Scenario) -> Span:
    span = scenario.span
    return Span() if span is None else Span(span.size, span.step, span.start, span.end)


def check_buckets(scenario: Scenario, count: int) -> None:
    found = on_buckets(scenario.reasoner, scenario.records, _span(scenario), count)
    engine = _engine(scenario)
    assert differences(found, engine) == []


@settings(max_examples=40)
@given(scenarios(windowed=False), st.integers(1, 4))
def test_conflicts_are_counted_once(scenario: Scenario, count: int) -> None:
    dictionary = Dictionary()
    stream = from_records(scenario.records, scenario.reasoner.analysis.entities, dictionary)
    alone = sum(answer.conflicts for answer in RecordedRun(scenario.reasoner.plan, dictionary, stream))
    found = conflicts_on_buckets(scenario.reasoner, scenario.records, count)
    assert found == alone


def test_conflicts_of_fluents_that_another_stage_makes() -> None:
    scenario = sampled(352, WINDOWED, windowed=True, late=LATE)
    assert scenario is not None
    check_buckets(scenario, 2)


@settings(max_examples=40)
@given(scenarios(windowed=False), st.integers(1, 4))
def test_whole_history(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@settings(max_examples=40)
@given(scenarios(WINDOWED, windowed=True, late=LATE), st.integers(1, 4))
def test_at_every_query_time(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@settings(max_examples=20)
@given(term_scenarios(windowed=True, late=LATE), st.integers(1, 4))
def test_compound_terms(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


def check_pieces(scenario: Scenario, count: int, rows: int) -> None:
    assume(encoded(scenario.reasoner.plan).lowered.plan.settle != FOREVER)
    found = on_buckets(scenario.reasoner, scenario.records, Span(), count, rows)
    engine = _engine(scenario)
    assert differences(found, engine) == []


@settings(max_examples=40)
@given(scenarios(WINDOWED, windowed=False), st.integers(1, 3), st.integers(1, 9))
def test_piece_by_piece(scenario: Scenario, count: int, rows: int) -> None:
    check_pieces(scenario, count, rows)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scenarios(WINDOWED, windowed=False), st.integers(1, 3), st.integers(1, 9))
def test_piece_by_piece_at_length(scenario: Scenario, count: int, rows: int) -> None:
    check_pieces(scenario, count, rows)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scenarios(windowed=False), st.integers(2, 6))
def test_whole_history_at_length(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), st.integers(2, 6))
def test_at_every_query_time_at_length(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@pytest.mark.slow
@pytest.mark.parametrize("windowed", [False, True])
def test_on_spark(spark: Any, windowed: bool) -> None:
    @settings(max_examples=40)
    @given(scenarios(WINDOWED, windowed=windowed, late=LATE), st.integers(1, 3))
    def check(scenario: Scenario, partitions: int) -> None:
        found = on_spark(spark, scenario.reasoner, scenario.records, _span(scenario), partitions)
        engine = _engine(scenario)
        assert differences(found, engine) == []

    check()
