"""Metric streams whose facts come late and are taken back: at every stop, the answer is that of all that is known."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.report import Row, rows
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.core.metric_feed import MetricFeed, compared
from holdsfor.ir.metric import MetricFact
from tests.property.test_metric_engine import shown
from tests.strategies.metric_engine import by_batch, columns
from tests.strategies.metric_programs import STREAMABLE, Scenario, scenarios

FAR = Fraction(10_000)


def check(scenario: Scenario, stops: list[Fraction], data: st.DataObject) -> None:
    facts = list(scenario.facts)
    often = Counter((fact.predicate, fact.args) for fact in facts)
    arrivals = [data.draw(st.integers(0, len(stops) - 1)) for _ in facts]
    # Time is taken back, whoever reported it: here only what one fact says.
    gone = [
        data.draw(st.integers(arrival + 1, 2 * len(stops))) if often[fact.predicate, fact.args] == 1 else len(stops)
        for fact, arrival in zip(facts, arrivals, strict=True)
    ]
    dictionary = Dictionary()
    stream = MetricFeed(make_metric_plan(scenario.program), dictionary, FAR)
    known: list[MetricFact] = []
    seen: set[Row] = set()
    told = FactSet(1, {})
    for place, stop in enumerate(stops):
        back = [fact for fact, when in zip(facts, gone, strict=True) if when == place]
        new = [fact for fact, when in zip(facts, arrivals, strict=True) if when == place]
        known = [fact for fact in known if fact not in back] + new
        stream.retract(columns(back, dictionary))
        stream.push(columns(new, dictionary))
        stream.advance(stop)
        found = stream.answer()
        revision, told = compared(told, found), found
        answer = set(rows(found, dictionary))
        assert answer == by_batch(scenario.program, known, end=stop)
        assert (answer == seen) == (
            not any(table.rows for one in (revision.added, revision.removed) for table in one.tables.values())
        )
        seen = answer
    assert stream.late == stream.unmatched == 0


@settings(max_examples=60)
@given(scenarios(STREAMABLE), st.data())
def test_late_and_retracted(scenario: Scenario, data: st.DataObject) -> None:
    run(shown(scenario), data)


@pytest.mark.slow
@settings(max_examples=600)
@given(scenarios(STREAMABLE), st.data())
def test_late_and_retracted_at_length(scenario: Scenario, data: st.DataObject) -> None:
    run(shown(scenario), data)


def run(scenario: Scenario, data: st.DataObject) -> None:
    """Stops at random points, and facts that come and go between them."""
    points = st.fractions(scenario.start, scenario.end, max_denominator=4)
    check(scenario, sorted(data.draw(st.sets(points, min_size=1, max_size=5))), data)
