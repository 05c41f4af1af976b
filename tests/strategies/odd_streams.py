"""Streams of odd names, numbers and times for programs of other families: none, all at once, far apart, at the ends of time."""

from __future__ import annotations

from dataclasses import replace

from holdsfor import loads
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, Term
from holdsfor.times import LATEST
from tests.strategies.engine_runs import Scenario
from tests.strategies.filter_programs import filter_program
from tests.strategies.limit_programs import limit_program
from tests.strategies.list_programs import list_program
from tests.strategies.loop_programs import loop_program
from tests.strategies.relation_programs import relation_program
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import Span, recorded, renamed
from tests.strategies.value_programs import value_program

_WRITERS = (value_program, relation_program, limit_program, list_program, filter_program, loop_program)
_NAMES = (
    "Änn Ø",
    "a,b(c)",
    "漢字",
    "it's",
    "x|y",
    "",
    " ",
    "inf",
    "-1",
    "0x10",
    "[]",
    "\U0001f6a2",
    "A",
    "_",
    "a" * 300,
    "tab\there",
)
_NUMBERS = (2**53, 2**53 + 1, -(2**63), 2**63, 2**70, 10**40, -1, 1e300, 0.1, -2.5, 2.0**53, 2.0**60, 5e-324)


def odd_scenario(pen: Pen, *, windowed: bool, late: int = 0) -> Scenario:
    """A program that another family has, with a stream that is odd in some way."""
    text = pen.pick(_WRITERS)(pen)
    reasoner = loads(text)
    records = recorded(pen, reasoner, late=pen.pick((0, late)))
    for change in (_with_names, _with_numbers, _at_times):
        if pen.chance(60):
            records = change(pen, records)
    if pen.chance(4):
        records = []
    return Scenario(text, records, _few_windows(pen, records) if windowed else None, reasoner)


def _with_names(pen: Pen, records: list[Record]) -> list[Record]:
    return renamed(records, {name: pen.pick(_NAMES) for name in ("ann", "bob", "cy") if pen.chance(60)})


def _with_numbers(pen: Pen, records: list[Record]) -> list[Record]:
    odd = {number: pen.pick(_NUMBERS) for number in (0, 1, 2, 3) if pen.chance(60)}

    def changed(term: Term) -> Term:
        if isinstance(term, Compound):
            return Compound(term.name, tuple(map(changed, term.args)))
        is_number = isinstance(term, Const) and isinstance(term.value, int)
        return Const(odd.get(term.value, term.value)) if is_number else term  # type: ignore[union-attr, arg-type]

    return [
        replace(record, event=changed(record.event))
        if isinstance(record, Occurrence)
        else replace(record, fluent=changed(record.fluent), value=changed(record.value))
        for record in records
    ]


def _at_times(pen: Pen, records: list[Record]) -> list[Record]:
    """All at one time, far in the past or ahead, or parted by a long time."""
    if pen.chance(20):
        return [_moved(record, 5 - _begin(record)) for record in records]
    shift = pen.pick((-1_000, -(2**40), 2**31, 2**40, LATEST - 100, 100 - LATEST))
    if pen.chance(50):
        return [_moved(record, shift) for record in records]
    return [_moved(record, shift if pen.chance(50) else 0) for record in records]


def _begin(record: Record) -> int:
    return record.start if isinstance(record, InputInterval) else record.time


def _moved(record: Record, by: int) -> Record:
    if isinstance(record, Occurrence):
        return replace(record, time=record.time + by, arrival=record.arrival + by)
    end = record.end if record.end == float("inf") else int(record.end) + by
    return replace(record, start=record.start + by, end=end, arrival=record.arrival + by)


def _few_windows(pen: Pen, records: list[Record]) -> Span:
    """Up to five query times, however long the stream is."""
    first = min(map(_begin, records), default=0) - 1
    last = max((record.arrival for record in records), default=5)
    step = (last - first) // pen.number(1, 5) + 1
    size = pen.weighted([(2, step), (4, step + pen.number(1, 12)), (2, 2 * step), (1, max(1, step - pen.number(1, 4)))])
    return Span(size, step, first, last)
