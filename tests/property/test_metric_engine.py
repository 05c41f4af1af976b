"""The engine finds what the reference finds: in one go, in steps of any length, however the facts arrive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

import pytest
from hypothesis import assume, event, given, note, reject, settings
from hypothesis import strategies as st

from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.compiler.metric.rules import Joined
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl import metric_text
from holdsfor.physical.metric import MetricComponent
from holdsfor.physical.metric_certificate import granularity, stream_bounds
from holdsfor.physical.metric_program import Arrival, lower_program
from holdsfor.syntax.terms import Const
from tests.strategies.metric_engine import by_arrivals, by_batch, by_periods, by_reference, by_stream, stream_plan
from tests.strategies.metric_programs import (
    BACKWARD,
    DELAYED,
    EVERYTHING,
    FOREVER,
    NUMERIC,
    PAPER,
    PAPER_WITHOUT_POINTS,
    STREAMABLE,
    VALUES,
    MetricFeatures,
    Scenario,
    scenarios,
    steps,
)

FEW = settings(max_examples=max(25, settings.default.max_examples // 8))
"""Programs take long to draw."""
MANY = settings(max_examples=max(500, settings.default.max_examples))
BATCH = pytest.mark.parametrize(
    "features", [EVERYTHING, BACKWARD, STREAMABLE, NUMERIC], ids="all backward stream numbers".split()
)
OBJECTS = {value for values in VALUES.values() for value in values}
STREAMS = pytest.mark.parametrize(
    "features",
    [PAPER, PAPER_WITHOUT_POINTS, STREAMABLE, DELAYED, NUMERIC],
    ids="paper pointless stream delayed numbers".split(),
)


def shown(scenario: Scenario) -> Scenario:
    """The scenario, unless the compiler says that it has no plan for one of its conditions."""
    try:
        make_metric_plan(scenario.program)
    except HoldsforError as refusal:
        assert re.search("Top on the right|whose left side has variables of its own", str(refusal))
        reject()
    note(metric_text(scenario.program) + "\n".join(map(metric_text, scenario.facts)))
    note(f"from {scenario.start} to {scenario.end}")
    return scenario


def check_batch(scenario: Scenario) -> None:
    run = scenario.program, scenario.facts, scenario.start, scenario.end
    assert by_batch(*run) == by_reference(*run)


def check_stream(scenario: Scenario, step: Fraction) -> None:
    run = scenario.program, scenario.facts, scenario.start, scenario.end
    assert by_stream(*run, step)[0] == by_reference(*run)


@BATCH
@FEW
@given(data=st.data())
def test_in_one_go(features: MetricFeatures, data: st.DataObject) -> None:
    check_batch(shown(data.draw(scenarios(features))))


@FEW
@given(scenarios(FOREVER))
def test_over_all_of_time(scenario: Scenario) -> None:
    shown(scenario)
    assert by_batch(scenario.program, scenario.facts) == by_reference(scenario.program, scenario.facts)


@pytest.mark.parametrize("features", [EVERYTHING, BACKWARD, STREAMABLE], ids="all backward stream".split())
@FEW
@given(data=st.data())
def test_what_repeats_for_ever(features: MetricFeatures, data: st.DataObject) -> None:
    check_periods(shown(data.draw(scenarios(features))), data)


def check_periods(scenario: Scenario, data: st.DataObject) -> None:
    start = scenario.start - data.draw(st.integers(0, 30))
    end = scenario.end + data.draw(st.integers(0, 30))
    try:
        found = by_periods(scenario.program, scenario.facts, start, end)
    except NeverEnds:
        reject()
    assert found == by_reference(scenario.program, scenario.facts, start, end)


@pytest.mark.slow
@pytest.mark.parametrize("features", [EVERYTHING, BACKWARD, STREAMABLE], ids="all backward stream".split())
@MANY
@given(data=st.data())
def test_many_that_repeat_for_ever(features: MetricFeatures, data: st.DataObject) -> None:
    check_periods(shown(data.draw(scenarios(features))), data)


@STREAMS
@FEW
@given(data=st.data())
def test_in_steps(features: MetricFeatures, data: st.DataObject) -> None:
    check_stream(shown(data.draw(scenarios(features))), data.draw(steps()))


@STREAMS
@FEW
@given(data=st.data())
def test_however_facts_arrive(features: MetricFeatures, data: st.DataObject) -> None:
    scenario = shown(data.draw(scenarios(features)))
    stops = data.draw(st.lists(st.fractions(scenario.start, scenario.end, max_denominator=4), max_size=6))
    run = scenario.program, scenario.facts, scenario.start, scenario.end
    expected = by_reference(*run)
    assert by_arrivals(*run, stops)[0] == expected
    assert by_arrivals(*run, stops, is_fed=True)[0] == expected


@STREAMS
@FEW
@given(data=st.data())
def test_saved_and_read_again(features: MetricFeatures, data: st.DataObject) -> None:
    scenario = shown(data.draw(scenarios(features)))
    stops = data.draw(st.lists(st.fractions(scenario.start, scenario.end, max_denominator=4), max_size=6))
    run = scenario.program, scenario.facts, scenario.start, scenario.end, stops
    expected = by_arrivals(*run)[0]
    assert by_arrivals(*run, saving=True)[0] == expected
    assert by_arrivals(*run, saving=True, is_fed=True)[0] == expected


def regular(scenario: Scenario, step: Fraction) -> list[Fraction]:
    count = int((scenario.end - scenario.start) / step)
    return [scenario.start + step * number for number in range(count + 1)]


def largest_table(scenario: Scenario, plan: MetricPlan) -> int:
    """How many ground atoms there are, as the paper counts them: predicates of the normal form times objects."""
    heads = [rule.head for rule in plan.rules]
    relations = {*heads, *plan.inputs}
    return len(relations) * max(1, len(objects_of(scenario))) ** max(relation.arity for relation in relations)


def components(plan: MetricPlan) -> list[MetricComponent]:
    """The parts of the physical plan of a stream."""
    stages = lower_program(plan, 1, Arrival.FINAL).plan.stages
    return [one.metric for stage in stages for one in stage.components if one.metric is not None]


def objects_of(scenario: Scenario) -> set[Const]:
    """The constants of the facts and of the rules."""
    rules = metric_text(scenario.program)
    return {arg for fact in scenario.facts for arg in fact.args} | {c for c in OBJECTS if str(c.value) in rules}


def endpoints(plan: MetricPlan) -> set[Fraction]:
    found = {
        bound for rule in plan.rules if not isinstance(rule, Joined) for bound in (rule.offsets.low, rule.offsets.high)
    }
    return {abs(bound) for bound in found if bound is not None}


def common_divisor(numbers: Iterable[Fraction]) -> Fraction:
    listed = [number for number in numbers if number]
    scale = lcm(*(number.denominator for number in listed))
    return Fraction(gcd(*(int(number * scale) for number in listed)), scale)


@FEW
@given(scenarios(PAPER), steps())
def test_the_memory_bound_of_theorem_12(scenario: Scenario, step: Fraction) -> None:
    plan = stream_plan(shown(scenario).program)
    stamps = {fact.during.low for fact in scenario.facts if fact.during.low is not None}
    ends = endpoints(plan)
    places = (max(ends, default=Fraction(0)) + step) / common_divisor({*stamps, scenario.start, *ends, step}) + 1
    bound = (4 * places**2 + 1) * largest_table(scenario, plan)
    stops = regular(scenario, step)
    assert by_arrivals(scenario.program, scenario.facts, scenario.start, scenario.end, stops)[1] <= bound


@FEW
@given(scenarios(PAPER_WITHOUT_POINTS), steps())
def test_the_memory_bound_of_theorem_15(scenario: Scenario, step: Fraction) -> None:
    plan = stream_plan(shown(scenario).program)
    shortest = min(
        (length for one in components(plan) if (length := granularity(one)) is not None), default=Fraction(0)
    )
    ends = {end for end in endpoints(plan) if end}
    assume(shortest)
    window = max(ends)
    # The number of values that an end can have, from the proof; it does not depend on the stream.
    values = 2 * (window / shortest + 2) * len(plan.rules) * max(Fraction(1), (window + step) / min(ends))
    bound = 9 * values**2 * largest_table(scenario, plan)
    stops = regular(scenario, step)
    assert by_arrivals(scenario.program, scenario.facts, scenario.start, scenario.end, stops)[1] <= bound


@FEW
@given(scenarios(PAPER_WITHOUT_POINTS), steps())
def test_a_stream_keeps_no_more_than_its_plan_says(scenario: Scenario, step: Fraction) -> None:
    plan = stream_plan(shown(scenario).program)
    known = objects_of(scenario)
    most = 0
    for component in components(plan):
        for one in (bound for stratum in component.part.strata for bound in stream_bounds(stratum)):
            assert one.intervals is not None, "no interval of these programs is punctual"
            most += one.intervals * max(1, len(known)) ** component.part.relations[one.relation].columns
    stops = regular(scenario, step)
    ends = [(fact.during.low, fact.during.high) for fact in scenario.facts]
    # Facts that have begun and whose end is known wait too.
    waiting = max(
        (sum((low is None or low <= stop) and (high is None or high >= stop) for low, high in ends) for stop in stops),
        default=0,
    )
    kept = by_arrivals(scenario.program, scenario.facts, scenario.start, scenario.end, stops)[1]
    event(f"the bound is {'reached' if kept == most + waiting else 'not reached'}")
    assert kept <= most + waiting


@pytest.mark.slow
@BATCH
@MANY
@given(data=st.data())
def test_many_in_one_go(features: MetricFeatures, data: st.DataObject) -> None:
    check_batch(shown(data.draw(scenarios(features))))


@pytest.mark.slow
@STREAMS
@MANY
@given(data=st.data())
def test_many_in_steps(features: MetricFeatures, data: st.DataObject) -> None:
    check_stream(shown(data.draw(scenarios(features))), data.draw(steps()))
