"""Laws that show the reference evaluator of metric programs to be right."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import Severity, Source
from holdsfor.frontend.dmtl import metric_text, parse_metric
from holdsfor.ir.metric import Atom, Condition, MetricFact, MetricProgram, MetricRule, Range, Unary, UnaryOperator
from holdsfor.reference.metric import Materialisation, evaluate
from holdsfor.reference.metric.times import (
    ALWAYS,
    NEVER,
    Times,
    box_minus,
    box_plus,
    diamond_minus,
    diamond_plus,
    since,
    until,
)
from tests.strategies.metric_mirror import mirrored, mirrored_range
from tests.strategies.metric_programs import (
    BACKWARD,
    DELAYED,
    EVERYTHING,
    FOREVER,
    STREAMABLE,
    MetricFeatures,
    Scenario,
    programs,
    ranges,
    scenarios,
)

KINDS = pytest.mark.parametrize(
    "features", [EVERYTHING, BACKWARD, STREAMABLE, DELAYED, FOREVER], ids="all backward stream delayed forever".split()
)
WHOLE = replace(EVERYTHING, denominators=(1,))
"""Intervals whose ends are whole numbers, as those of `whole_times`."""
REACH = 18
"""Past this nothing changes: times within 8 are looked at, and operators' intervals end within 9 of them or never."""
FEW = settings(max_examples=max(15, settings.default.max_examples // 8))
"""Programs take long to draw."""


@st.composite
def whole_times(draw: st.DrawFn) -> Times:
    """A set of times whose intervals have whole ends between -6 and 6, or none."""
    spans: list[Range] = []
    for _ in range(draw(st.integers(0, 4))):
        low = draw(st.none() | st.integers(-6, 6)) if draw(st.booleans()) else draw(st.integers(-6, 6))
        length = draw(st.integers(0, 4))
        low_open, high_open = draw(st.booleans()), draw(st.booleans())
        if low is None:
            spans.append(Range(None, Fraction(length), low_open=True, high_open=high_open))
        elif draw(st.integers(0, 9)) == 9:
            spans.append(Range(Fraction(low), None, low_open, high_open=True))
        else:
            spans.append(Range(Fraction(low), Fraction(low + length), low_open, high_open))
    found = NEVER
    for span in spans:
        found |= Times.during(span)
    return ~found if draw(st.integers(0, 4)) == 4 else found


def grid(parts: int) -> list[Fraction]:
    """Points so close that every piece of sets with ends at multiples of `2 / parts` has one."""
    return [Fraction(number, parts) for number in range(-REACH * parts, REACH * parts + 1)]


HALVES, QUARTERS, EIGHTHS = grid(2), grid(4), grid(8)


@FEW
@given(whole_times(), ranges(WHOLE))
def test_diamonds_and_boxes_are_what_table_1_says(held: Times, during: Range) -> None:
    inside = {time for time in QUARTERS if time in held}
    for results, sign, some in (
        (diamond_minus(during, held), 1, True),
        (diamond_plus(during, held), -1, True),
        (box_minus(during, held), 1, False),
        (box_plus(during, held), -1, False),
    ):
        for now in HALVES:
            if abs(now) <= 8:
                seen = [other in inside for other in QUARTERS if sign * (now - other) in during]
                assert (now in results) == (any(seen) if some else all(seen))


@FEW
@given(whole_times(), whole_times(), ranges(WHOLE))
def test_since_and_until_are_what_table_1_says(left: Times, right: Times, during: Range) -> None:
    kept = [time in left for time in EIGHTHS]
    for results, sign in ((since(during, left, right), 1), (until(during, left, right), -1)):
        for now in HALVES:
            if abs(now) > 8:
                continue
            expected = False
            for then in QUARTERS:
                if sign * (now - then) in during and then in right:
                    low, high = sorted((EIGHTHS.index(then), EIGHTHS.index(now)))
                    expected |= all(kept[low + 1 : high])
            assert (now in results) == expected


@given(whole_times(), whole_times())
def test_sets_of_times_are_sets(first: Times, second: Times) -> None:
    for time in HALVES:
        assert (time in first | second) == (time in first or time in second)
        assert (time in first & second) == (time in first and time in second)
        assert (time in ~first) == (time not in first)
        assert (time in first.mirrored()) == (-time in first)
    for (_, high), (low, _) in zip(first.intervals, first.intervals[1:], strict=False):
        assert high < low
    assert ~~first == first
    assert Times.of(cut for span in first.ranges() for cut in Times.during(span).intervals) == first


@given(whole_times(), ranges(), ranges())
def test_chains_of_operators_add_up(held: Times, first: Range, second: Range) -> None:
    both = Range(
        first.low + second.low,
        None if first.high is None or second.high is None else first.high + second.high,
        first.low_open or second.low_open,
        first.high_open or second.high_open,
    )
    for operator in (diamond_minus, diamond_plus, box_minus, box_plus):
        assert operator(first, operator(second, held)) == operator(both, held)


@given(whole_times(), whole_times(), ranges())
def test_since_lies_between_a_diamond_and_a_conjunction(left: Times, right: Times, during: Range) -> None:
    assert since(during, ALWAYS, right) == diamond_minus(during, right)
    assert until(during, ALWAYS, right) == diamond_plus(during, right)
    assert since(during, NEVER, right) == (right if 0 in during else NEVER)
    assert since(during, left, right) & diamond_minus(during, right) == since(during, left, right)


def answer(scenario: Scenario) -> Materialisation:
    return evaluate(scenario.program, scenario.facts, scenario.horizon)


def clipped(found: Materialisation, horizon: Range) -> Materialisation:
    within = Times.during(horizon)
    pieces = {
        atom: Times.of(p for one in during for p in Times.during(one).intervals) for atom, during in found.items()
    }
    return {atom: (held & within).ranges() for atom, held in pieces.items() if held & within}


@KINDS
@FEW
@given(st.data())
def test_a_mirrored_program_has_the_mirrored_answer(features: MetricFeatures, data: st.DataObject) -> None:
    scenario = data.draw(scenarios(features))
    reflected = mirrored(scenario)
    assert answer(reflected) == {
        atom: [mirrored_range(one) for one in reversed(during)] for atom, during in answer(scenario).items()
    }


@KINDS
@FEW
@given(st.data(), st.integers(0, 9), st.integers(0, 9))
def test_the_horizon_only_cuts(features: MetricFeatures, data: st.DataObject, before: int, after: int) -> None:
    scenario = data.draw(scenarios(features))
    wider = replace(scenario, start=scenario.start - before, end=scenario.end + after)
    assert clipped(answer(wider), scenario.horizon) == answer(scenario)


@FEW
@given(scenarios(FOREVER))
def test_without_recursion_there_is_an_answer_for_all_of_time(scenario: Scenario) -> None:
    assert clipped(evaluate(scenario.program, scenario.facts), scenario.horizon) == answer(scenario)


@FEW
@given(scenarios(), st.fractions(-5, 5, max_denominator=6), st.sampled_from([Fraction(1), Fraction(2, 3), Fraction(5)]))
def test_time_has_no_origin_and_no_unit(scenario: Scenario, shift: Fraction, factor: Fraction) -> None:
    def moved(span: Range, by: Fraction = shift) -> Range:
        return Range(
            None if span.low is None else span.low * factor + by,
            None if span.high is None else span.high * factor + by,
            span.low_open,
            span.high_open,
        )

    program = _with_ranges(scenario.program, lambda span: moved(span, Fraction(0)))
    facts = tuple(replace(fact, during=moved(fact.during)) for fact in scenario.facts)
    found = evaluate(program, facts, moved(scenario.horizon))
    assert found == {atom: [moved(one) for one in during] for atom, during in answer(scenario).items()}


def _with_ranges(program: MetricProgram, change: object) -> MetricProgram:
    def rebuilt(node: object) -> object:
        if isinstance(node, Range):
            return change(node)  # type: ignore[operator]
        if isinstance(node, tuple) and type(node) is tuple:
            return tuple(map(rebuilt, node))
        if hasattr(node, "__dataclass_fields__"):
            names = [name for name in node.__dataclass_fields__ if name not in {"span", "diagnostics"}]
            return replace(node, **{name: rebuilt(getattr(node, name)) for name in names})  # type: ignore[type-var]
        return node

    result = rebuilt(program)
    assert isinstance(result, MetricProgram)
    return result


@FEW
@given(scenarios(), st.randoms(use_true_random=False))
def test_order_does_not_matter(scenario: Scenario, random: object) -> None:
    rules, facts = list(scenario.program.rules), list(scenario.facts)
    random.shuffle(rules)  # type: ignore[attr-defined]
    random.shuffle(facts)  # type: ignore[attr-defined]
    assert evaluate(MetricProgram(tuple(rules), tuple(facts)), (), scenario.horizon) == answer(scenario)


@FEW
@given(scenarios())
def test_a_box_in_a_head_is_a_diamond_in_a_body(scenario: Scenario) -> None:
    opposite = {
        UnaryOperator.BOX_PLUS: UnaryOperator.DIAMOND_MINUS,
        UnaryOperator.BOX_MINUS: UnaryOperator.DIAMOND_PLUS,
    }
    rules: list[MetricRule] = []
    for number, rule in enumerate(scenario.program.rules):
        body = Atom(f"Body{number}", rule.head.args)
        reached: Atom | Unary = body
        for operator, during in rule.boxes:
            reached = Unary(opposite[operator], during, reached)
        rules += [MetricRule((), body, rule.body), MetricRule((), rule.head, (Condition(reached),))]
    found = evaluate(MetricProgram(tuple(rules)), scenario.facts, scenario.horizon)
    assert {atom: during for atom, during in found.items() if not atom[0].startswith("Body")} == answer(scenario)


@FEW
@given(scenarios())
def test_facts_that_touch_are_one_fact(scenario: Scenario) -> None:
    pieces: list[MetricFact] = []
    for fact in scenario.facts:
        low, high = fact.during.low, fact.during.high
        if low is None or high is None or low == high:
            pieces.append(fact)
        else:
            middle = (low + high) / 2
            pieces.append(replace(fact, during=Range(low, middle, fact.during.low_open, high_open=True)))
            pieces.append(replace(fact, during=Range(middle, high, low_open=False, high_open=fact.during.high_open)))
    assert evaluate(scenario.program, pieces, scenario.horizon) == answer(scenario)


@settings(max_examples=100)
@given(programs())
def test_random_programs_are_programs(program: MetricProgram) -> None:
    read = parse_metric([Source("program.dmtl", metric_text(program))])
    assert [found for found in read.diagnostics if found.severity is Severity.ERROR] == []
