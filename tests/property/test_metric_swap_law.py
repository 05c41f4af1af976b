"""The law of a change of metric rules: from when the plan says on, answers are those of the new rules from the start."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.report import Row, rows
from holdsfor.compiler.metric.delays import TooFarAhead
from holdsfor.core.metric_feed import MetricFeed
from holdsfor.core.metric_stream import MetricStream
from holdsfor.diagnostics import HoldsforError, errors_of
from holdsfor.ir.metric import MetricFact, MetricProgram, Range
from holdsfor.metric import swapping
from holdsfor.metric.reasoner import from_metric_program
from holdsfor.metric.swapping import PlannedProgram, Streams
from holdsfor.physical.exactness import SwapPlan, When
from holdsfor.reference.metric.times import Times
from tests.strategies.metric_engine import by_reference, columns, stream_plan
from tests.strategies.metric_programs import INPUTS, STREAMABLE, Scenario, scenarios
from tests.strategies.rule_edits import edited_metric
from tests.strategies.scenario_words import Pen

Held = dict[tuple[str, tuple[Any, ...]], Times]


def held(found: Iterable[Row]) -> Held:
    """When what holds."""
    parts: dict[tuple[str, tuple[Any, ...]], list[Range]] = {}
    for row in found:
        during = Range(row.start, row.end, not row.start_closed, not row.end_closed)
        parts.setdefault((row.predicate, row.args), []).append(during)
    return {
        what: Times.of(cut for one in ranges for cut in Times.during(one).intervals) for what, ranges in parts.items()
    }


def within(found: Held, name: str, arity: int, during: Range) -> Held:
    """What is said of a predicate, during some time."""
    limits = Times.during(during)
    cut = {what: times & limits for what, times in found.items() if what[0] == name and len(what[1]) == arity}
    return {what: times for what, times in cut.items() if list(times.ranges())}


def edited(program: MetricProgram, seed: int) -> MetricProgram | None:
    """The program with other rules; None if it has no meaning on a stream."""
    pen = Pen(random.Random(seed).randint)
    for _ in range(pen.number(1, 2)):
        program = edited_metric(pen, program)
    try:
        stream_plan(program)
    except (TooFarAhead, HoldsforError):
        return None
    return None if errors_of(from_metric_program(program).diagnostics) else program


def begins_by(fact: MetricFact, time: Fraction) -> bool:
    return fact.during.low is None or fact.during.low <= time


def checked(
    plan: SwapPlan, rules: PlannedProgram, found: Held, right: Held, shown: tuple[Fraction, Fraction], *, is_open: bool
) -> int:
    """Compare what is said between two times of input; says of how many predicates something was compared."""
    compared = 0
    for relation in rules.plan.outputs:
        one = next(output for output in plan.outputs if output.name == str(relation))
        if one.when is When.BACKFILL:
            continue
        delay = rules.plan.delays.get(relation, Fraction(0))
        low, high, low_open = shown[0] - delay, shown[1] - delay, is_open
        if one.since is not None and one.since > low:
            low, low_open = Fraction(one.since), False
        if low > high:
            continue
        during = Range(low, high, low_open)
        mine, wanted = (within(side, relation.name, relation.arity, during) for side in (found, right))
        assert mine == wanted, f"{one}\n{plan}\nduring {during}"
        compared += bool(wanted)
    return compared


def law(
    data: st.DataObject, scenario: Scenario, seed: int, kind: type[MetricStream | MetricFeed]
) -> tuple[SwapPlan, int]:
    program = edited(scenario.program, seed)
    assume(program is not None)
    assert program is not None
    dictionary, lateness = Dictionary(), Fraction(0)
    before, after = (PlannedProgram(one, stream_plan(one)) for one in (scenario.program, program))
    is_feed = kind is MetricFeed
    if is_feed:
        lateness = data.draw(st.sampled_from([Fraction(0), Fraction(2), Fraction(5)]))

    def made(plan: Any) -> Any:
        return MetricFeed(plan, dictionary, lateness) if is_feed else MetricStream(plan, dictionary)

    times = [scenario.start + place for place in range(int(scenario.end - scenario.start) + 1)]
    stops = sorted(data.draw(st.sets(st.sampled_from(times), min_size=1, max_size=5)) | {scenario.end})
    swap_at = data.draw(st.integers(0, len(stops) - 1))
    is_filled = data.draw(st.booleans())
    streams: Streams[Any] = Streams(before, made, lateness)
    waiting, pushed = list(scenario.facts), list[MetricFact]()
    told: list[Row] = []
    plan, compared, swapped = None, 0, scenario.start
    for place, stop in enumerate(stops):
        # A fact that may be late comes late in half of the cases.
        late = data.draw(st.sampled_from([Fraction(0), lateness]))
        now = [fact for fact in waiting if begins_by(fact, stop - late)]
        waiting = [fact for fact in waiting if fact not in now]
        streams.push(columns(now, dictionary))
        pushed += now
        if is_feed:
            gone = data.draw(
                st.sampled_from([None, *_retractable(pushed, times[0] if place == 0 else stops[place - 1])])
            )
            if gone is not None:
                streams.retract(columns([gone], dictionary))
                pushed.remove(gone)
        reached = stop

        def go(stream: Any, until: Fraction = stop) -> FactSet:
            found = stream.advance(until)
            return stream.answer() if is_feed else found

        found = list(rows(streams.advance(stop, go), dictionary))
        told = [*told, *found] if plan is not None and not is_feed else found
        if plan is not None:
            right = held(by_reference(after.program, pushed, None, stop + 50))
            shown = (stop - lateness, stop) if is_feed else (swapped, reached)
            compared += checked(plan, after, held(told), right, shown, is_open=True)
        if place == swap_at:
            try:
                plan = streams.swap(after, columns(pushed, dictionary) if is_filled else None)
            except HoldsforError as problem:
                # Other delays.
                assume("another delay" not in str(problem))
                raise
            told, swapped = [], stop
            if is_feed:
                right = held(by_reference(after.program, pushed, None, stop + 50))
                answer = held(rows(streams.answers(MetricFeed.answer), dictionary))
                compared += checked(plan, after, answer, right, (stop - lateness, stop), is_open=True)
    assert plan is not None
    assert not is_filled or not any(one.when is When.BACKFILL and one.is_reached for one in plan.outputs)
    return plan, compared


def _retractable(pushed: Sequence[MetricFact], since: Fraction) -> list[MetricFact]:
    """Input facts that are recent enough, and the only ones about what they say."""
    alone = [one for one in pushed if sum((one.predicate, one.args) == (o.predicate, o.args) for o in pushed) == 1]
    return [one for one in alone if one.predicate in INPUTS and (one.during.low or since) > since]


@pytest.fixture(autouse=True)
def _forgets_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swapping, "SPARE", 0)


KINDS: Sequence[type[MetricStream | MetricFeed]] = (MetricStream, MetricFeed)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(st.data(), scenarios(STREAMABLE), st.integers(0, 10_000))
def test_the_law(kind: type[MetricStream | MetricFeed], data: Any, scenario: Scenario, seed: int) -> None:
    law(data, scenario, seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=800)
@given(st.data(), scenarios(STREAMABLE), st.integers(0, 10_000))
def test_the_law_at_length(kind: type[MetricStream | MetricFeed], data: Any, scenario: Scenario, seed: int) -> None:
    law(data, scenario, seed, kind)
