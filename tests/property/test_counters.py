"""Fluents that take ever new values: counters, sums, thresholds, and what is built on them.

Their values cannot be laid out beforehand; the engine works them out as it meets them.
"""

from __future__ import annotations

from hypothesis import given, settings

from tests.strategies.counters import counter_program
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.families import family_scenarios


@settings(max_examples=80)
@given(family_scenarios(counter_program, late=6, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=80)
@given(family_scenarios(counter_program, late=6, windowed=True))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)
