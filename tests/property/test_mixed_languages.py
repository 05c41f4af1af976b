"""Event descriptions with metric rules: the engine reports what the reference evaluators do together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario, check_engine, scenarios
from tests.strategies.scenarios import MIXED, MIXED_WINDOWED

LATE = 12


@settings(max_examples=150)
@given(scenarios(MIXED, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=200)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=4_000)
@given(scenarios(MIXED, windowed=False))
def test_whole_history_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=8_000)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time_at_length(scenario: Scenario) -> None:
    check_engine(scenario)
