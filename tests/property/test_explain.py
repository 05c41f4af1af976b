"""Explanations: every interval has a proof that replays, every point outside a refutation that does.

Proofs are checked by the small slow evaluator over all records, not only over those that the question was narrowed to.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.explain.asking import Explainer
from holdsfor.explain.known import Frame
from holdsfor.reference import IntervalRow
from tests.core.families import FAMILIES, written
from tests.strategies.engine_runs import Scenario, on_reference, scenarios
from tests.strategies.families import Writer, family_scenarios
from tests.strategies.filter_programs import filter_program
from tests.strategies.replay import Replay, replay
from tests.strategies.scenarios import EVERYTHING, INTERVALS, MIXED, MIXED_WINDOWED, WINDOWED, Features
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.value_programs import value_program

MOST = 8
"""Questions to a scenario."""
KINDS = {
    "everything": (EVERYTHING, False),
    "windows": (WINDOWED, True),
    "whole intervals": (INTERVALS, True),
    "metric rules": (MIXED, False),
    "metric rules and windows": (MIXED_WINDOWED, True),
}


def sample_points(held: list[tuple[float, float]], border: float) -> list[int]:
    """The first, last and middle time-points of some intervals, and those right before and after them."""
    found: set[int] = set()
    for start, end in held[:3]:
        first = start if start > -math.inf else end - 3 if end < math.inf else 0
        last = end if end < math.inf else first + 5
        found |= {int(first) - 1, int(first), int((first + last) // 2), int(last) - 1, int(last)}
    return sorted(time for time in found if time > border)


def check(scenario: Scenario, choose: st.DataObject) -> None:
    reasoner, span = scenario.reasoner, scenario.span
    dictionary = Dictionary()
    windows = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    stream = from_records(scenario.records, reasoner.analysis.entities, dictionary)
    rows = on_reference(reasoner, scenario.records, span).intervals
    assume(rows)
    query = max(row.query_time for row in rows)
    border = -math.inf if windows is None or windows.size is None else query - windows.size
    pairs: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row.query_time == query:
            pairs.setdefault(_pair(row), []).append((row.start, row.end))
    questions = [
        (pair, time, any(start <= time < end for start, end in held))
        for pair, held in pairs.items()
        for time in sample_points(held, border)
    ]
    assume(questions)
    asked = Explainer(reasoner.plan, stream, dictionary, windows)
    checker = Replay(reasoner.analysis, scenario.records, Frame.of(stream, windows), query)
    for pair, time, holds in choose.draw(st.lists(st.sampled_from(questions), min_size=1, max_size=MOST, unique=True)):
        found = asked.explain(pair, time, query_time=None if windows is None else query, depth=None)
        assert found.holds is holds, (pair, time)
        assert "no rule was found" not in found.root.text, (pair, time)
        assert checker.problems(found.root) == [], found.text()
    assert replay(found) == []


def _pair(row: IntervalRow) -> str:
    return f"{row.fluent}={row.value}"


def _features(kind: str) -> tuple[Features, bool]:
    return KINDS[kind]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=18)
@given(data=st.data())
def test_proofs_and_refutations_replay(kind: str, data: st.DataObject) -> None:
    features, windowed = _features(kind)
    check(data.draw(scenarios(features, windowed=windowed, late=12)), data)


@pytest.mark.parametrize("windowed", [False, True])
@pytest.mark.parametrize("write", [value_program, filter_program, sliding_program])
@settings(max_examples=15)
@given(data=st.data())
def test_families(write: Writer, windowed: bool, data: st.DataObject) -> None:
    check(data.draw(family_scenarios(write, windowed=windowed)), data)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != "clock ticks"])
@settings(max_examples=4)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_whatever_the_core_evaluates_is_explained(family: str, seed: int, data: st.DataObject) -> None:
    scenario = written(family, seed, windowed=seed % 2 == 0)
    assume(scenario is not None)
    assert isinstance(scenario, Scenario)
    check(scenario, data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=300)
@given(data=st.data())
def test_proofs_and_refutations_replay_at_length(kind: str, data: st.DataObject) -> None:
    features, windowed = _features(kind)
    check(data.draw(scenarios(features, windowed=windowed, late=12)), data)
