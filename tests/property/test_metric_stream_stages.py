"""Metric programs on streams over buckets of keys find what they find in one go, however facts arrive."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, note, reject, settings
from hypothesis import strategies as st

from holdsfor.compiler.metric.delays import TooFarAhead
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.metric.goals import Goals, goals_of
from holdsfor.metric.reasoner import loads_metric
from holdsfor.syntax.terms import Const
from tests.property.test_metric_goals import answering, drawn
from tests.spark.metric_simulated import Row
from tests.spark.metric_stream_simulated import Simulated
from tests.strategies.metric_engine import by_batch, stream_plan
from tests.strategies.metric_programs import DELAYED, PAPER, STREAMABLE, MetricFeatures, Scenario, scenarios

FEW = settings(max_examples=max(8, settings.default.max_examples // 25))
MANY = settings(max_examples=max(300, settings.default.max_examples))
PROGRAMS = pytest.mark.parametrize("features", [PAPER, STREAMABLE, DELAYED], ids="paper stream delayed".split())


def check(data: st.DataObject, scenario: Scenario) -> None:
    buckets = data.draw(st.integers(1, 4))
    lateness = data.draw(st.sampled_from([Fraction(0), Fraction(3, 2), Fraction(5)]))
    try:
        plan = stream_plan(scenario.program)
    except (HoldsforError, TooFarAhead):
        reject()
    batches = _batches(data, scenario, lateness)
    # A last one says that time goes on: until everything up to the end is known.
    end = scenario.end + lateness + max(plan.delays.values(), default=Fraction(0)) + 1
    batches.append([MetricFact("Later", (), Range(end, end))])
    goals = drawn(scenario, data) if data.draw(st.booleans()) else ()
    made = Goals.of(plan, goals, is_stream=True) if goals else None
    kills = data.draw(st.frozensets(st.integers(0, len(batches)), max_size=2))
    note(metric_text(scenario.program) + "\n".join(map(metric_text, scenario.facts)))
    note(f"{buckets} buckets, {lateness} late, batches of {[len(batch) for batch in batches]}, killed in {set(kills)}")
    with TemporaryDirectory() as root:
        run = Simulated.of(plan, buckets, root, made, lateness=lateness, kills=kills)
        run.run(batches)
    assert sum(report.late for report in run.reports) == 0
    found = [row for row in (_clipped(row, scenario) for row in run.intervals()) if row is not None]
    wanted = by_batch(scenario.program, scenario.facts, scenario.start, scenario.end)
    wanted = answering(wanted, goals) if goals else wanted
    assert Counter(found) == Counter((row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in wanted)


def _batches(data: st.DataObject, scenario: Scenario, lateness: Fraction) -> list[list[MetricFact]]:
    """Facts in micro-batches, some later than others, but none too late."""
    arrivals: dict[Fraction, list[MetricFact]] = {}
    for fact in scenario.facts:
        assert fact.during.low is not None
        late = data.draw(st.sampled_from([Fraction(0), lateness / 2])) if lateness else Fraction(0)
        arrivals.setdefault(fact.during.low + late, []).append(fact)
    batches: list[list[MetricFact]] = [[]]
    for at in sorted(arrivals):
        batches[-1] += arrivals[at]
        if data.draw(st.booleans()):
            batches.append([])
    return batches


def _clipped(row: Row, scenario: Scenario) -> Row | None:
    predicate, args, low, low_closed, high, high_closed = row
    if low is None or low < scenario.start:
        low, low_closed = scenario.start, True
    if high is None or high > scenario.end:
        high, high_closed = scenario.end, True
    is_empty = low > high or (low == high and not (low_closed and high_closed))
    return None if is_empty else (predicate, args, low, low_closed, high, high_closed)


@PROGRAMS
@FEW
@given(data=st.data())
def test_streams_over_buckets(features: MetricFeatures, data: st.DataObject) -> None:
    check(data, data.draw(scenarios(features)))


@pytest.mark.slow
@PROGRAMS
@MANY
@given(data=st.data())
def test_many_streams_over_buckets(features: MetricFeatures, data: st.DataObject) -> None:
    check(data, data.draw(scenarios(features)))


def test_a_stage_reads_a_late_predicate_under_another_name() -> None:
    """Answers about `P` come later, because `Q` looks ahead; with a query, a later stage reads `P` by one argument."""
    rules = """
        Q(X) :- Diamondplus[0,1] E(X)
        P(Z,X) :- Q(X), L(X,a), Diamondminus[0,inf) (F(Y) Since[0,1] P(Y,Z))
        """
    plan = stream_plan(loads_metric(rules).program)
    goals = goals_of(plan, "P(a, X)")
    facts = [MetricFact("P", (Const("a"), Const("b")), Range(Fraction(3), Fraction(4)))]
    with TemporaryDirectory() as root:
        run = Simulated.of(
            plan, 1, root, Goals.of(plan, goals, is_stream=True), lateness=Fraction(0), kills=frozenset()
        )
        run.run([facts, [MetricFact("Later", (), Range(Fraction(9), Fraction(9)))]])
    assert run.intervals() == [("P", "a|b", Fraction(3), True, Fraction(4), True)]
