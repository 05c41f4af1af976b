"""Saved streams of metric rules: damaged states and those of other rules are refused, and time goes on with finer ticks."""

from __future__ import annotations

from fractions import Fraction

import pytest

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.report import rows
from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.core.metric_stream import MetricStream
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.dmtl import parse_metric
from tests.strategies.metric_engine import columns

RULES = """
Warm(X) :- Boxminus[0,2] Hot(X)
Told(X) :- Warm(X) Since[0,9] Alarm(X, _)
"""
FACTS = "Hot(a)@[0,7]\nHot(b)@[3,20]\nAlarm(a, 'north gate')@4\nAlarm(b, 7)@9"


def plan_of(text: str) -> MetricPlan:
    return make_metric_plan(parse_metric([Source("rules.dmtl", text)]))


def begun() -> tuple[MetricPlan, MetricStream]:
    plan, dictionary = plan_of(RULES), Dictionary()
    stream = MetricStream(plan, dictionary)
    stream.push(columns(parse_metric([Source("facts.txt", FACTS)]).facts, dictionary))
    stream.advance(Fraction(5))
    return plan, stream


def test_goes_on_with_finer_ticks_and_counts_what_is_late() -> None:
    plan, stream = begun()
    dictionary = Dictionary()
    later = MetricStream.load(plan, dictionary, stream.save())
    assert (later.facts, later.kept) == (stream.facts, stream.kept)
    later.push(columns(parse_metric([Source("more.txt", "Hot(c)@[1/3,8]\nHot(c)@[6,9]")]).facts, dictionary))
    assert later.late == 1
    found = {(row.predicate, row.args, row.start, row.end) for row in rows(later.advance(Fraction(9)), dictionary)}
    assert ("Warm", ("c",), Fraction(7), Fraction(9)) in found
    assert ("Told", ("a",), Fraction(5), Fraction(7)) in found
    assert MetricStream.load(plan, Dictionary(), later.save()).late == 1


def test_other_rules_are_refused() -> None:
    _, stream = begun()
    with pytest.raises(HoldsforError):
        MetricStream.load(plan_of(RULES.replace("[0,2]", "[0,3]")), Dictionary(), stream.save())


def test_damaged_states_are_refused() -> None:
    plan, stream = begun()
    state = stream.save()
    for size in (0, 7, 8, len(state) // 2, len(state) - 1):
        with pytest.raises(HoldsforError):
            MetricStream.load(plan, Dictionary(), state[:size])
    for place in range(0, len(state), 5):
        other = bytearray(state)
        other[place] ^= 1 << (place % 8)
        with pytest.raises(HoldsforError):
            MetricStream.load(plan, Dictionary(), bytes(other))
