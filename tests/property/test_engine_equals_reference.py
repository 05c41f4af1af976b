"""The engine reports exactly what the reference evaluator does: random programs, streams and windows.

A few hundred examples run every time, always the same ones. `tests/core/test_random_programs.py` has thousands of seeds.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario, check_engine, scenarios
from tests.strategies.scenario_bodies import Allowed
from tests.strategies.scenario_statics import POINTWISE_KIND
from tests.strategies.scenarios import INTERVALS, WINDOWED

PLAIN = replace(WINDOWED, allowed=Allowed(look_back=False, collect=False), cycles=False)
CYCLIC = replace(WINDOWED, statics=replace(POINTWISE_KIND, equal=WINDOWED.statics.equal))
HINDSIGHT = replace(INTERVALS, read_whole=True)
"""Rules about time-points read what is known only later."""
LATE = 12


@settings(max_examples=120)
@given(scenarios(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=120)
@given(scenarios(WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=60)
@given(scenarios(PLAIN, windowed=True, late=LATE))
def test_without_cycles(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=60)
@given(scenarios(INTERVALS, windowed=True, late=LATE))
def test_whole_intervals(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=60)
@given(scenarios(HINDSIGHT, windowed=True, late=LATE))
def test_hindsight(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(HINDSIGHT, windowed=True, late=LATE))
def test_hindsight_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(CYCLIC, windowed=True, late=LATE))
def test_cycles_at_length(scenario: Scenario) -> None:
    check_engine(scenario)
