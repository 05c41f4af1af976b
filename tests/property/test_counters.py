"""Fluents that take ever new values: counters, sums, thresholds, and what is built on them.

Their values cannot be laid out beforehand; the engine works them out as it meets them.
"""

from __future__ import annotations

import pytest
from holdsfor.engine.cyclic import sweep
from hypothesis import given, settings
from hypothesis import strategies as st

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


@pytest.mark.slow
@settings(max_examples=4_000)
@given(family_scenarios(counter_program, late=6, windowed=True))
def test_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


def test_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled loop gives the same as the plain one."""
    monkeypatch.setattr(sweep._METER, "pays", lambda _: True)

    @settings(max_examples=25)
    @given(st.booleans().flatmap(lambda windowed: family_scenarios(counter_program, late=6, windowed=windowed)))
    def compiled(scenario: Scenario) -> None:
        check_engine(scenario)

    compiled()
