"""Interval filters that programs define themselves mean what their Prolog says, on all evaluators."""

from __future__ import annotations

from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario
from tests.strategies.families import check_everywhere, family_scenarios, share_accepted
from tests.strategies.filter_programs import filter_program


def test_programs_are_accepted() -> None:
    assert share_accepted(filter_program, 100) >= 0.95


@settings(max_examples=30)
@given(family_scenarios(filter_program, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=20)
@given(family_scenarios(filter_program, windowed=True, late=12))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_everywhere(scenario)
