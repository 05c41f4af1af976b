"""Metric programs on the engine and on the reference, with answers that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.report import Row, rows
from holdsfor.columns.metric.timeline import cells, columns_of, scale_of
from holdsfor.compiler.metric.delays import delayed_plan
from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.core.metric_driver import materialise
from holdsfor.core.metric_feed import MetricFeed
from holdsfor.core.metric_stream import MetricStream, stepped_run, steps, together
from holdsfor.ir.metric import MetricFact, MetricProgram, Range
from holdsfor.reference.metric import evaluate
from holdsfor.reference.metric.times import Times

Rows = set[Row]


def by_reference(
    program: MetricProgram, facts: Iterable[MetricFact], start: Fraction | None = None, end: Fraction | None = None
) -> Rows:
    """The rows of all head predicates, from the reference."""
    heads = {rule.head.predicate for rule in program.rules}
    horizon = None if start is None and end is None else Range(start, end, start is None, end is None)
    return {
        Row(predicate, tuple(arg.value for arg in args), one.low, not one.low_open, one.high, not one.high_open)
        for (predicate, args), during in evaluate(program, facts, horizon).items()
        if predicate in heads
        for one in during
    }


def by_batch(
    program: MetricProgram, facts: Sequence[MetricFact], start: Fraction | None = None, end: Fraction | None = None
) -> Rows:
    """The rows of all head predicates, from the engine, all facts at once."""
    dictionary = Dictionary()
    return _set(materialise(make_metric_plan(program), columns(facts, dictionary), dictionary, start, end), dictionary)


def by_periods(program: MetricProgram, facts: Sequence[MetricFact], start: Fraction, end: Fraction) -> Rows:
    """The rows from start to end, from the answer over all of time, with what repeats spelled out."""
    dictionary = Dictionary()
    plan = make_metric_plan(program)
    scale = lcm(start.denominator, end.denominator, scale_of((), facts))
    found = materialise(plan, columns_of(facts, scale, dictionary), dictionary)
    return _set(found.during(*cells(Range(start, end), found.scale)), dictionary)


def by_stream(
    program: MetricProgram, facts: Sequence[MetricFact], start: Fraction, end: Fraction, step: Fraction
) -> tuple[Rows, int]:
    """The rows of all head predicates from the engine, step by step, and the largest number of facts kept."""
    dictionary = Dictionary()
    run = stream_plan(program), columns(facts, dictionary), dictionary, start, end, step
    found, most = stepped_run(*run)
    answer = _set(found, dictionary)
    assert _set(fed_run(*run), dictionary) == answer
    return answer, most


def fed_run(
    plan: MetricPlan, facts: FactSet, dictionary: Dictionary, start: Fraction, end: Fraction, step: Fraction
) -> FactSet:
    """The facts from start to end, step by step, from a stream that could take late facts."""
    scale = lcm(facts.scale, start.denominator, end.denominator, step.denominator)
    feed = MetricFeed(plan, dictionary, Fraction(0), scale)
    feed.push(facts)
    answers: list[FactSet] = []
    for until in steps(start, end + max(plan.delays.values(), default=Fraction(0)), step):
        answers.append(_added(feed, until))
    return together(plan, answers, feed.scale, start, end)


def by_arrivals(
    program: MetricProgram,
    facts: Sequence[MetricFact],
    start: Fraction,
    end: Fraction,
    stops: Sequence[Fraction],
    *,
    saving: bool = False,
    is_fed: bool = False,
) -> tuple[Rows, int]:
    """The rows from a stream, or from a feed, that gets the facts of each stretch of time as late as possible, and stops when told; and
    the largest number of facts kept. With saving, the state is written down and read again at every stop, by a process
    that knows nothing else.
    """
    dictionary = Dictionary()
    plan = stream_plan(program)
    stream: MetricFeed | MetricStream = (
        MetricFeed(plan, dictionary, Fraction(0)) if is_fed else MetricStream(plan, dictionary)
    )
    waiting, most = list(facts), 0
    found: dict[tuple[str, tuple[str | int | float, ...]], list[Range]] = {}
    for stop in sorted({*stops, end + max(plan.delays.values(), default=Fraction(0))}):
        stream.push(columns([fact for fact in waiting if _begins_by(fact, stop)], dictionary))
        waiting = [fact for fact in waiting if not _begins_by(fact, stop)]
        answer = _added(stream, stop) if isinstance(stream, MetricFeed) else stream.advance(stop)
        for row in rows(answer, dictionary):
            during = Range(row.start, row.end, not row.start_closed, not row.end_closed)
            found.setdefault((row.predicate, row.args), []).append(during)
        most = max(most, stream.facts)
        assert stream.late == 0
        if not saving:
            continue
        state, dictionary = stream.save(), Dictionary()
        if isinstance(stream, MetricFeed):
            stream = MetricFeed.load(plan, dictionary, state, Fraction(0))
        else:
            stream = MetricStream.load(plan, dictionary, state)
    horizon = Times.during(Range(start, end))
    merged = {
        Row(predicate, args, one.low, not one.low_open, one.high, not one.high_open)
        for (predicate, args), pieces in found.items()
        for one in (Times.of(cut for piece in pieces for cut in Times.during(piece).intervals) & horizon).ranges()
    }
    return merged, most


def _added(feed: MetricFeed, until: Fraction) -> FactSet:
    """What a step adds to the results of a feed whose facts come in time: nothing is taken back."""
    revision = feed.revise(until)
    assert not any(table.rows for table in revision.removed.tables.values())
    return revision.added


def _begins_by(fact: MetricFact, time: Fraction) -> bool:
    return fact.during.low is None or fact.during.low <= time


def stream_plan(program: MetricProgram) -> MetricPlan:
    """The plan of a program that may look ahead a bounded time."""
    return delayed_plan(make_metric_plan(program))


def columns(facts: Sequence[MetricFact], dictionary: Dictionary) -> FactSet:
    """Facts as the engine takes them."""
    return columns_of(facts, scale_of((), facts), dictionary)


def _set(found: FactSet, dictionary: Dictionary) -> Rows:
    listed = list(rows(found, dictionary))
    # To Python, a large float is equal to the integer beside it.
    assert len(listed) == len({(row, *map(type, row.args)) for row in listed})
    return set(listed)
