"""Sliding aggregates: all evaluators agree, and say what counting by hand says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.strategies.engine_runs import Scenario
from tests.strategies.families import check_everywhere, family_scenarios, share_accepted
from tests.strategies.sliding_programs import sliding_program


def test_programs_are_accepted() -> None:
    assert share_accepted(sliding_program) >= 0.95


@settings(max_examples=60)
@given(family_scenarios(sliding_program, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=60)
@given(family_scenarios(sliding_program, windowed=True, late=12))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_everywhere(scenario)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(family_scenarios(sliding_program, windowed=True, late=12))
def test_at_every_query_time_at_length(scenario: Scenario) -> None:
    check_everywhere(scenario)
