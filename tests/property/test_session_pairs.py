"""Sessions about pairs, which read by one of the two: the answers are those of a run from scratch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.engine.retention import retention
from holdsfor.incremental.links import Links
from holdsfor.spreading.stages import stage_plan
from tests.property.test_incremental import check_history
from tests.property.test_session import check_sitting
from tests.strategies.edits import Round, Step, rounds, steps
from tests.strategies.engine_runs import Scenario
from tests.strategies.pairs import pair_scenario
from tests.strategies.scenario_words import Pen


@st.composite
def pair_sittings(draw: Callable[..., int]) -> tuple[Scenario, list[Step]]:
    """A scenario, and what is done with its records."""
    pen = Pen.of(draw)
    one = _linked(pair_scenario(pen))
    return one, steps(pen, one)


@st.composite
def pair_histories(draw: Callable[..., int]) -> tuple[Scenario, list[Round]]:
    """A scenario, and a history of its records."""
    pen = Pen.of(draw)
    one = _linked(pair_scenario(pen))
    return one, rounds(pen, one)


def _linked(one: Scenario | None) -> Scenario:
    """Only those where something is read by a part of the key."""
    assume(one is not None)
    assert one is not None
    plan = one.reasoner.plan
    assume(any(Links(stage, retention(plan)).places for stage in stage_plan(plan, tied=False).stages))
    return one


@settings(max_examples=35)
@given(pair_sittings())
def test_sessions(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)


@settings(max_examples=30)
@given(pair_histories())
def test_histories(found: tuple[Scenario, list[Round]]) -> None:
    check_history(*found)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(pair_sittings())
def test_sessions_at_length(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(pair_histories())
def test_histories_at_length(found: tuple[Scenario, list[Round]]) -> None:
    check_history(*found)
