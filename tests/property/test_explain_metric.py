"""Explanations of metric programs: every interval has a derivation that replays, every point outside a refutation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, note, reject, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.report import Row
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.explain.asking import MetricExplainer
from holdsfor.explain.limits import MOST_STEPS
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import Atom, Range
from holdsfor.syntax.terms import Const
from tests.strategies.metric_engine import by_reference, columns
from tests.strategies.metric_programs import BACKWARD, EVERYTHING, FOREVER, PAPER, MetricFeatures, Scenario, scenarios
from tests.strategies.replay import replay
from tests.strategies.replay_metric import replay_metric

KINDS = {"everything": EVERYTHING, "backward": BACKWARD, "paper": PAPER, "no recursion": FOREVER}
MOST = 8
MOST_NODES = 10 * MOST_STEPS
"""A step has a few nodes: the conditions of its rule."""


def sample_points(rows: list[Row], scenario: Scenario) -> list[Fraction]:
    """Ends of intervals, what lies inside them and right outside."""
    found: set[Fraction] = set()
    for row in rows[:3]:
        low = scenario.start if row.start is None else row.start
        high = scenario.end if row.end is None else row.end
        found |= {low, high, (low + high) / 2, low - Fraction(1, 4), high + Fraction(1, 4)}
    return sorted(time for time in found if scenario.start <= time <= scenario.end)


def check(scenario: Scenario, choose: st.DataObject) -> None:
    program = scenario.program
    try:
        make_metric_plan(program)
    except HoldsforError:
        reject()
    note(metric_text(program) + "\n".join(map(metric_text, scenario.facts)))
    note(f"from {scenario.start} to {scenario.end}")
    rows: dict[str, list[Row]] = {}
    for row in sorted(by_reference(program, scenario.facts, scenario.start, scenario.end), key=str):
        rows.setdefault(metric_text(Atom(row.predicate, tuple(map(Const, row.args)))), []).append(row)
    questions = [
        (fact, time, any(time in during(row) for row in found))
        for fact, found in rows.items()
        for time in sample_points(found, scenario)
    ]
    assume(questions)
    dictionary = Dictionary()
    asked = MetricExplainer(program, columns(scenario.facts, dictionary), dictionary, (scenario.start, scenario.end))
    for fact, time, holds in choose.draw(st.lists(st.sampled_from(questions), min_size=1, max_size=MOST, unique=True)):
        found = asked.explain(fact, time, depth=None)
        assert found.holds is holds, (fact, time)
        assert sum(1 for _ in found.root.walk()) <= MOST_NODES
        assert replay_metric(found.root, program, list(scenario.facts)) == [], found.text()
        assert replay(found) == []


def during(row: Row) -> Range:
    return Range(row.start, row.end, not row.start_closed, not row.end_closed)


@pytest.mark.parametrize("features", KINDS.values(), ids=KINDS)
@settings(max_examples=18)
@given(data=st.data())
def test_derivations_and_refutations_replay(features: MetricFeatures, data: st.DataObject) -> None:
    check(data.draw(scenarios(features)), data)


@pytest.mark.slow
@pytest.mark.parametrize("features", KINDS.values(), ids=KINDS)
@settings(max_examples=250)
@given(data=st.data())
def test_derivations_and_refutations_replay_at_length(features: MetricFeatures, data: st.DataObject) -> None:
    check(data.draw(scenarios(features)), data)
