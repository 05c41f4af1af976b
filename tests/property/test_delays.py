"""Delayed effects outside cycles: found all at once where they can be, and then equal to the reference."""

from __future__ import annotations

from hypothesis import given

from tests.strategies.delays import delay_program
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.families import family_scenarios


@given(family_scenarios(delay_program, late=6, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@given(family_scenarios(delay_program, late=6, windowed=True))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)
