"""Facts and instances: random programs with facts that are written twice or have variables, groundings, domains that input
fills and initial values in both forms. Engine, sessions, buckets and the reference evaluator agree on all of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_explain import check as check_explanations
from tests.property.test_session import check_sitting, check_windows
from tests.strategies.domains import domain_scenario, domain_scenarios
from tests.strategies.edits import Step, steps
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.scenario_words import Pen

LATE = 12
_ANY = st.one_of(*(domain_scenarios(dynamic=dynamic, windowed=False) for dynamic in (False, True)))
_WINDOWED = st.one_of(*(domain_scenarios(dynamic=dynamic, windowed=True, late=LATE) for dynamic in (False, True)))


@pytest.mark.parametrize("dynamic", [False, True], ids=["facts", "domains"])
def test_nearly_all_programs_are_accepted(dynamic: bool) -> None:
    found = [domain_scenario(Pen(random.Random(seed).randint), dynamic=dynamic, windowed=False) for seed in range(100)]
    assert sum(one is None for one in found) <= 5
    readers = sum(bool(one.reasoner.plan.domain_readers) for one in found if one is not None)
    assert readers >= 60 if dynamic else readers == 0


@settings(max_examples=50)
@given(_ANY)
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=50)
@given(_WINDOWED)
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=20)
@given(_WINDOWED, st.booleans())
def test_sessions_with_windows(one: Scenario, with_changes: bool) -> None:
    check_windows(one, with_changes=with_changes)


@st.composite
def sittings(draw: Callable[..., int]) -> tuple[Scenario, list[Step]]:
    """A scenario, and what is done with its records."""
    one = draw(_ANY)
    assert isinstance(one, Scenario)
    pen = Pen.of(draw)
    return one, [step for step in steps(pen, one) if step.facts is None]


@settings(max_examples=20)
@given(sittings())
def test_sessions(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)


@pytest.mark.slow
@settings(max_examples=500)
@given(sittings())
def test_sessions_at_length(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)


@settings(max_examples=15)
@given(st.one_of(_ANY, _WINDOWED), st.data())
def test_proofs_and_refutations_replay(scenario: Scenario, data: st.DataObject) -> None:
    check_explanations(scenario, data)
