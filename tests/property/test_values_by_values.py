"""Values of one fluent that are defined by others, by events and by intervals: all evaluators agree."""

from __future__ import annotations

from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario
from tests.strategies.families import check_everywhere, family_scenarios, share_accepted
from tests.strategies.value_programs import value_program


def test_programs_are_accepted() -> None:
    assert share_accepted(value_program) >= 0.95


@settings(max_examples=40)
@given(family_scenarios(value_program, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=35)
@given(family_scenarios(value_program, windowed=True, late=12))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_everywhere(scenario)
