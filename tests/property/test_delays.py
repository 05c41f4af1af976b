"""Delayed effects outside cycles: found all at once where they can be, and then equal to the reference."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from holdsfor.engine.cyclic import cycles
from tests.strategies.delays import delay_program
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.families import family_scenarios


@given(family_scenarios(delay_program, late=6, windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@given(family_scenarios(delay_program, late=6, windowed=True))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(family_scenarios(delay_program, late=6, windowed=True))
def test_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


def test_most_need_no_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above are about what is found at once: a sweep is needed only where effects come together."""
    outcomes = []

    def watched(*args: object) -> object:
        outcomes.append(settled(*args))  # type: ignore[arg-type]
        return outcomes[-1]

    settled = cycles.settled
    monkeypatch.setattr(cycles, "settled", watched)

    @settings(max_examples=50)
    @given(family_scenarios(delay_program, late=6, windowed=True))
    def run(scenario: Scenario) -> None:
        check_engine(scenario)

    run()
    assert sum(found is not None for found in outcomes) > len(outcomes) // 2
