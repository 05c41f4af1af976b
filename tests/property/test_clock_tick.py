"""Programs whose time-points are a clock tick apart: the engine counts ticks, the reference evaluator goes through time."""

from __future__ import annotations

import random

from hypothesis import given, settings

from holdsfor.diagnostics import HoldsforError
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.ticks import TickScenario, reported, tick_scenario, tick_scenarios

LATE = 12


def check(scenario: TickScenario) -> None:
    reference = reported(scenario, by_reference=True)
    engine = reported(scenario, by_reference=False)
    assert engine == reference


@settings(max_examples=60)
@given(tick_scenarios(EVERYTHING, windowed=False))
def test_whole_history(scenario: TickScenario) -> None:
    check(scenario)


@settings(max_examples=60)
@given(tick_scenarios(WINDOWED, windowed=True, late=LATE))
def test_at_every_query_time(scenario: TickScenario) -> None:
    check(scenario)


def test_a_clock_tick_makes_no_program_unacceptable() -> None:
    """Of the programs that are accepted without a clock tick, at least 95 of 100 are accepted with one."""
    refused = []
    for seed in range(100):
        try:
            found = tick_scenario(Pen(random.Random(seed).randint), EVERYTHING, windowed=False)
            if found is not None:
                assert found.reasoner.plan
        except HoldsforError as problem:
            refused.append(str(problem))
    assert len(refused) <= 5, refused
