"""Streams of 10, 1,000 and 100,000 events for the programs of every family, through what `run` and `recognise` call.

Up to a thousand the reference evaluator says what is right. For more it takes too long: there the answers of any number of
threads are the same, windows that see everything say what one question about everything does, and so does a state that was
split and merged. Where rules are about one thing alone, the reference evaluator is asked about some of the things.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import Texts, event_table, interval_table
from holdsfor.columns.stream import from_records
from holdsfor.columns.ticks import answer_in_time, stream_in_ticks
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.engine import Engine
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.io.builder import Reading
from holdsfor.io.rejects import Rejects
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.recognition import Recognition
from holdsfor.reference import InputInterval, Record
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term
from tests.core.families import FAMILIES, Found, written
from tests.core.sizes import enlarged, is_about_one, thing
from tests.strategies.edits import moment
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import Span

Tables = tuple[pa.Table, pa.Table]
"""Intervals, and derived events."""


def read(one: Found, records: list[Record]) -> Reading:
    """Records as if they had been read."""
    dictionary = Dictionary()
    stream = from_records(records, one.reasoner.analysis.entities, dictionary)
    return Reading(stream, dictionary, len(records), {}, set(), Rejects())


def recognition(one: Found, reading: Reading, span: Span | None, threads: int = 1) -> Recognition:
    """A run over a stream."""
    windows = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    return Recognition(one.reasoner.plan, reading, windows, threads=threads)


def answers(run: Recognition) -> Iterator[Tables]:
    """What is found at each query time."""
    texts = Texts(run.reading.dictionary)
    return ((interval_table(answer, texts), event_table(answer, texts)) for answer in run)


def programs(family: str, first: int, count: int) -> list[tuple[Found, Pen]]:
    """Programs of a family with something on their stream."""
    found: list[tuple[Found, Pen]] = []
    for seed in range(first, first + 10 * count + 10):
        one = written(family, seed, windowed=False)
        if one is not None and one.records and len(found) < count:
            found.append((one, Pen(random.Random(seed).randint)))
    return found


def _span(pen: Pen, records: list[Record], tick: int) -> Span:
    """Some four windows, which see everything or not."""
    times = [moment(record) // tick for record in records]
    start, end = min(times) - 1, max(times) + 1
    step = max(1, (end - start) // pen.number(1, 5))
    size = step + pen.weighted([(1, 0), (1, step), (1, -(step // 3))])
    return Span(max(1, size) * tick, step * tick, start * tick, end * tick)


def check_against_reference(one: Found, pen: Pen, count: int) -> None:
    """What is found in a stream of some size is what the reference evaluator finds."""
    records = enlarged(pen, one.records, count, pen.pick((1, count // 100 + 1, count // 20 + 1)))
    span = _span(pen, records, one.reasoner.plan.clock_tick) if pen.chance(60) else None
    try:
        wanted = recognition(one, read(one, records), span).by_reference()
    except EvaluationError:
        return
    found = list(answers(recognition(one, read(one, records), span, pen.number(1, 8))))
    for place in (0, 1):
        assert _rows(pa.concat_tables(tables[place] for tables in found)) == _rows(wanted[place]), (one, span)


def _rows(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted((tuple(row.values()) for row in table.to_pylist()), key=str)


@pytest.mark.parametrize("family", FAMILIES)
def test_ten_events(family: str) -> None:
    for one, pen in programs(family, 70_000, 2):
        check_against_reference(one, pen, 10)


QUICK = {"dense cycles": 71_000, "sliding aggregates": 71_000, "counters": 71_102, "numbers": 71_000}
"""The first seed of a program with which the reference evaluator is done in a second or two."""


@pytest.mark.parametrize("family", FAMILIES)
def test_a_thousand_events(family: str) -> None:
    for one, pen in programs(family, QUICK.get(family, 71_102), 1):
        check_against_reference(one, pen, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_thousand_events_of_many_programs(family: str) -> None:
    for one, pen in programs(family, 72_000, 8):
        check_against_reference(one, pen, 1_000)


# More than the reference evaluator can do

MANY = 100_000
MOST = 1_000
"""So many records the reference evaluator is given for one of many things."""


def check_large(one: Found, pen: Pen, count: int) -> None:
    """Whatever the threads, windows and parts of the state: the same answers; and some of them by the reference evaluator."""
    # Rules about several things may have something to say of each pair of them.
    things = pen.pick((1, count // 1_000, count // 25 if is_about_one(one.reasoner) else count // 1_000))
    records = [_on_time(record) for record in enlarged(pen, one.records, count, things)]
    tick = one.reasoner.plan.clock_tick
    times = [moment(record) // tick for record in records]
    start, step = min(times) - 1, (max(times) - min(times)) // 3 + 1
    whole = Span(3 * step * tick, 3 * step * tick, start * tick, (start + 3 * step) * tick)
    reading = read(one, records)
    try:
        (right,) = answers(recognition(one, reading, whole, 1))
    except EvaluationError:
        return
    assert right == next(answers(recognition(one, reading, whole, 8))), one
    _check_windows(one, reading, replace(whole, size=(step + pen.number(0, step)) * tick, step=step * tick), right)
    _check_parts(one, reading, whole, right)
    if is_about_one(one.reasoner):
        _check_things(one, pen, records, whole, right[0])


def _on_time(record: Record) -> Record:
    return replace(record, arrival=record.start if isinstance(record, InputInterval) else record.time)


def _check_windows(one: Found, reading: Reading, span: Span, right: Tables) -> None:
    """The last of some windows that see everything shows what one question does, as far as it reaches back."""
    *_, found = answers(recognition(one, reading, span, 2))
    low, tick = span.end - span.size, one.reasoner.plan.clock_tick
    end, time = right[0]["end"], right[1]["time"]
    is_shown = pc.or_kleene(pc.is_null(end), pc.greater(end, low + tick))
    assert _in_order(found[0]) == _in_order(right[0].filter(is_shown)), (one, span)
    assert _in_order(found[1]) == _in_order(right[1].filter(pc.greater(time, low))), (one, span)


def _check_parts(one: Found, reading: Reading, span: Span, right: Tables) -> None:
    """A state that was split and merged in the middle of the stream leads to the same answers."""
    tick = one.reasoner.plan.clock_tick
    stream = stream_in_ticks(reading.stream, tick, len(reading.dictionary))
    first, second = (Engine(one.reasoner.plan, span.size // tick, threads=2) for _ in range(2))
    for engine in (first, second):
        vocabulary = Vocabulary(reading.dictionary, engine.words)
        for rows, _ in engine.rows_of(stream, vocabulary):
            half = len(rows) // 2
            engine.push(rows.take(slice(0, half) if engine is first else slice(half, len(rows))))
        if engine is first:
            first.advance((span.end - span.step // 2) // tick)
            for part in first.split(3):
                second.merge(part)
    second.advance(span.end // tick)
    answer = answer_in_time(second.answer(vocabulary), tick)
    texts = Texts(reading.dictionary)
    assert _in_order(interval_table(answer, texts)) == _in_order(right[0]), one
    assert _in_order(event_table(answer, texts)) == _in_order(right[1]), one


def _in_order(table: pa.Table) -> pa.Table:
    return table.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()


def _check_things(one: Found, pen: Pen, records: list[Record], span: Span, intervals: pa.Table) -> None:
    """The reference evaluator finds the same about some of the things, from what is said of them alone."""
    by_thing: dict[Term | None, list[Record]] = {}
    for record in records:
        by_thing.setdefault(thing(record), []).append(record)
    for_all = by_thing.pop(None, [])
    names = [name for name, about in by_thing.items() if name and len(about) + len(for_all) <= MOST]
    for name in [pen.pick(names) for _ in range(3 if names else 0)]:
        reading = read(one, for_all + by_thing[name])
        wanted, _ = recognition(one, reading, span).by_reference()
        found = intervals.filter(pc.match_substring(intervals["fluent"], print_term(name)))
        assert _about(found, name) == _about(wanted, name), (one, name)


def _about(table: pa.Table, name: Term) -> list[tuple[object, ...]]:
    begin = f"({print_term(name)}"
    return [row for row in _rows(table) if str(row[1]).partition("(")[2].split(",")[0].rstrip(")") == begin[1:]]


@pytest.mark.parametrize("family", ["values", "cycles", "parts of keys"])
def test_a_hundred_thousand_events(family: str) -> None:
    for one, pen in programs(family, 73_000, 1):
        check_large(one, pen, MANY)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_hundred_thousand_events_of_many_programs(family: str) -> None:
    for one, pen in programs(family, 74_000, 6):
        check_large(one, pen, MANY)
