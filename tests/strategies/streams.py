"""Random streams and windows for a description: few entities, small times, many ties, late arrivals."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from holdsfor.loading import Reasoner
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.syntax.terms import Const, Term
from tests.strategies.scenario_words import (
    CONSTANTS,
    NUMBER,
    POINT_FLUENTS,
    SIGNATURES,
    TRUTH,
    Pen,
    Signature,
)


@dataclass(frozen=True)
class Span:
    """A window setting; without a size, one query over everything."""

    size: int
    step: int
    start: int
    end: int


@st.composite
def streams(draw: Callable[..., int], reasoner: Reasoner, *, most: int = 36, late: int = 0) -> list[Record]:
    """Records for the inputs of a program; an event arrives up to `late` time-points after it occurred."""
    return recorded(Pen.of(draw), reasoner, most=most, late=late)


def recorded(pen: Pen, reasoner: Reasoner, *, most: int = 36, late: int = 0) -> list[Record]:
    """A stream, with the choices of a pen."""
    inputs = [SIGNATURES[symbol.name] for symbol in reasoner.plan.inputs if symbol.name in SIGNATURES]
    events = [s for s in inputs if s.value is None]
    fluents = [s for s in inputs if s.value is not None]
    # With delayed effects a fluent may change back and forth all the way from the origin to a time far off.
    program = reasoner.analysis.program
    far = 0 if program.delays or program.metric.rules else 1_700_000_000
    first = pen.weighted([(20, 0), (3, -5), (3, 3), (1, far)])
    last = first + pen.weighted([(3, 8), (4, 14), (2, 25)])
    records: list[Record] = []
    if not inputs:
        return records
    for _ in range(pen.weighted([(1, pen.number(0, 5)), (5, pen.number(6, most))])):
        signature = pen.pick([*events, *events, *fluents] or inputs)
        time = pen.number(first, last)
        # A window cuts what arrives long after it began: an input fluent more often than an event.
        is_late = late and pen.chance(40 if signature.value is None else 70)
        arrival = time + (pen.number(0, late) if is_late else 0)
        records.append(_record(pen, signature, time, arrival, last))
        if pen.chance(5):
            records.append(records[-1])
    return records


def _record(pen: Pen, signature: Signature, time: int, arrival: int, last: int) -> Record:
    term = event_term(signature.name, [_plain(pen, sort) for sort in signature.sorts])
    if signature.value is None:
        return Occurrence(term, time, arrival)
    value = Const(_plain(pen, signature.value))
    if signature.name in POINT_FLUENTS:
        return InputInterval(term, value, time, time + 1, arrival, is_point=True)
    end = math.inf if pen.chance(8) else time + pen.number(1, max(2, (last - time) // 2 + 1))
    return InputInterval(term, value, time, end, arrival)


def _plain(pen: Pen, sort: str) -> str | float:
    if sort == TRUTH and pen.chance(75):
        return "true"
    if sort == NUMBER and pen.chance(4):
        return pen.pick((1.5, 0.25))
    text = pen.likely(CONSTANTS[sort])
    return int(text) if sort == NUMBER else text


@st.composite
def windows(draw: Callable[..., int], records: list[Record]) -> Span:
    """Any window setting that has to do with a stream."""
    return any_span(Pen.of(draw), records)


def any_span(pen: Pen, records: list[Record]) -> Span:
    """A window setting, with the choices of a pen."""
    first, last = _reach(records)
    step = pen.number(1, 9)
    size = pen.weighted([(3, step), (5, step + pen.number(1, 12)), (1, max(1, step - pen.number(1, 4)))])
    start = first - 1 + pen.weighted([(6, 0), (1, -3), (1, 2)])
    end = max(start + 1, last + pen.weighted([(4, 0), (1, 6), (1, -3)]))
    return Span(size, step, start, end)


@st.composite
def complete_windows(draw: Callable[..., int], records: list[Record], *, late: int, end: int | None = None) -> Span:
    """Windows that see everything: each reaches back over its step and the lateness."""
    return complete_span(Pen.of(draw), records, late=late, end=end)


def complete_span(pen: Pen, records: list[Record], *, late: int, end: int | None = None) -> Span:
    """Windows that see everything, with the choices of a pen."""
    first, last = _reach(records)
    start = first - 1
    last = last if end is None else end
    step = pen.number(1, max(1, last - start))
    if end is not None:
        while (end - start) % step:
            step -= 1
    size = step + late + pen.weighted([(3, 0), (2, pen.number(0, 10))])
    return Span(size, step, start, last)


def _reach(records: list[Record]) -> tuple[int, int]:
    starts = [record.start if isinstance(record, InputInterval) else record.time for record in records] or [0]
    return min(starts), max([record.arrival for record in records] or [1])


def renamed(records: list[Record], names: dict[str, str]) -> list[Record]:
    """A stream with other names for its constants."""
    change = partial(_renamed_term, names=names)
    return [
        Occurrence(change(record.event), record.time, record.arrival)
        if isinstance(record, Occurrence)
        else InputInterval(
            change(record.fluent), change(record.value), record.start, record.end, record.arrival, record.is_point
        )
        for record in records
    ]


def _renamed_term(term: Term, names: dict[str, str]) -> Term:
    if isinstance(term, Const):
        return Const(names.get(term.value, term.value)) if isinstance(term.value, str) else term
    args = [_renamed_term(arg, names) for arg in getattr(term, "args", ())]
    return type(term)(term.name, tuple(args))  # type: ignore[call-arg, union-attr]
