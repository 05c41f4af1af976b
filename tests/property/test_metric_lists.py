"""Metric operators in `holdsFor` rules: the engine reports what the reference evaluator does, windows or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario, check_engine, scenarios
from tests.strategies.scenario_statics import METRIC, SETS
from tests.strategies.scenarios import INTERVALS

LOOKING = replace(
    INTERVALS, statics=replace(INTERVALS.statics, operators=(*METRIC, *METRIC, *SETS, "intDurGreater", "seq"))
)
BACK = replace(INTERVALS, statics=replace(INTERVALS.statics, operators=(*METRIC[:3], *SETS)))
LATE = 12


@settings(max_examples=60)
@given(scenarios(LOOKING, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=70)
@given(scenarios(LOOKING, windowed=True, late=LATE))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=50)
@given(scenarios(BACK, windowed=True, late=LATE))
def test_looking_back(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(LOOKING, windowed=True, late=LATE))
def test_at_every_query_time_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=600)
@given(scenarios(BACK, windowed=True, late=LATE))
def test_looking_back_at_length(scenario: Scenario) -> None:
    check_engine(scenario)
