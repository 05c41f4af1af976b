"""Metric streams whose facts come late and are taken back: at every stop, the answer is that of all that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.report import Row, rows
from holdsfor.compiler.metric.plan import make_metric_plan
from holdsfor.core.metric_feed import MetricFeed
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.reference.metric.times import Times
from tests.property.test_metric_engine import shown
from tests.strategies.metric_engine import by_batch, columns
from tests.strategies.metric_programs import STREAMABLE, Scenario, scenarios

FAR = Fraction(10_000)


def check(scenario: Scenario, stops: list[Fraction], lateness: Fraction, data: st.DataObject) -> None:
    plan = make_metric_plan(scenario.program)
    # Some conditions have answers that come later.
    assume(plan.is_forward)
    facts = list(scenario.facts)
    often = Counter((fact.predicate, fact.args, fact.during) for fact in facts)
    arrivals = [data.draw(st.sampled_from(_in_time(fact, 0, stops, lateness))) for fact in facts]
    # Time is taken back, whoever reported it: here only what one fact says. All facts are points.
    gone = [
        data.draw(st.sampled_from([*_in_time(fact, arrival + 1, stops, lateness), len(stops)]))
        if often[fact.predicate, fact.args, fact.during] == 1
        else len(stops)
        for fact, arrival in zip(facts, arrivals, strict=True)
    ]
    dictionary = Dictionary()
    stream = MetricFeed(plan, dictionary, lateness)
    known: list[MetricFact] = []
    told: Told = {}
    for place, stop in enumerate(stops):
        back = [fact for fact, when in zip(facts, gone, strict=True) if when == place]
        new = [fact for fact, when in zip(facts, arrivals, strict=True) if when == place]
        known = [fact for fact in known if fact not in back] + new
        stream.retract(columns(back, dictionary))
        stream.push(columns(new, dictionary))
        revision = stream.revise(stop)
        removed, added = (_told(rows(one, dictionary)) for one in (revision.removed, revision.added))
        for pair, times in removed.items():
            assert not times & ~told.get(pair, NO_TIMES), "what was never there is taken back"
            told[pair] = told[pair] & ~times
        for pair, times in added.items():
            assert not times & told.get(pair, NO_TIMES), "what is known is told again"
            told[pair] = told.get(pair, NO_TIMES) | times
        expected = _told(by_batch(scenario.program, known, end=stop))
        assert {pair: times for pair, times in told.items() if times} == expected
        answer = _told(rows(stream.answer(), dictionary))
        assert all(not times & ~expected.get(pair, NO_TIMES) for pair, times in answer.items())
        since = stops[place - 1] - lateness if place else None
        sight = Times.during(Range(since, None, low_open=True, high_open=True))
        for pair, times in expected.items():
            assert (times & sight) == (answer.get(pair, NO_TIMES) & sight)
    assert stream.late == stream.unmatched == 0


Told: TypeAlias = dict[tuple[str, tuple[str | int | float, ...]], Times]
NO_TIMES = Times(())


def _told(found: Iterable[Row]) -> Told:
    """When each fact holds."""
    told: Told = {}
    for row in found:
        during = Times.during(Range(row.start, row.end, not row.start_closed, not row.end_closed))
        told[row.predicate, row.args] = told.get((row.predicate, row.args), NO_TIMES) | during
    return told


def _in_time(fact: MetricFact, first: int, stops: list[Fraction], lateness: Fraction) -> list[int]:
    """The stops before which a fact may still be pushed or taken back."""
    low = fact.during.low
    assert low is not None
    return [place for place in range(first, len(stops)) if not place or stops[place - 1] - lateness < low]


@settings(max_examples=80)
@given(scenarios(STREAMABLE), st.data())
def test_late_and_retracted(scenario: Scenario, data: st.DataObject) -> None:
    run(shown(scenario), data)


@pytest.mark.slow
@settings(max_examples=800)
@given(scenarios(STREAMABLE), st.data())
def test_late_and_retracted_at_length(scenario: Scenario, data: st.DataObject) -> None:
    run(shown(scenario), data)


def run(scenario: Scenario, data: st.DataObject) -> None:
    """Stops at random points, and facts that come and go between them, late by as much as they may be."""
    points = st.fractions(scenario.start, scenario.end, max_denominator=4)
    stops = sorted(data.draw(st.sets(points, min_size=min(4, 1 + int(scenario.end - scenario.start)), max_size=6)))
    lateness = data.draw(st.sampled_from([Fraction(1, 2), Fraction(2), FAR, Fraction(0), Fraction(4, 3), Fraction(5)]))
    check(scenario, stops, lateness, data)
