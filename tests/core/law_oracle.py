"""What a driver has to say after each advance of a history, by the reference evaluator on the rows that count."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from holdsfor.reference import (
    EventRow,
    InputInterval,
    IntervalRow,
    Occurrence,
    Record,
    Windows,
    _event_rows,
    _interval_rows,
    evaluate,
)
from holdsfor.reference.evaluator import World
from holdsfor.reference.history import KnownInput, known_at
from tests.core.histories import Advance, History, Push, Retract
from tests.strategies.edits import is_same


@dataclass(frozen=True)
class Expected:
    """The answers at an advance, all intervals of the history, and how many rows were late or not there so far."""

    advance: Advance
    low: float
    intervals: tuple[IntervalRow, ...]
    events: tuple[EventRow, ...]
    everything: tuple[IntervalRow, ...]
    late: int
    unmatched: int


@dataclass
class _Copy:
    """A row that was pushed, the advance that took it in, and the one that took it back, if any.

    What is left of an interval of which time-points are taken back are copies of their own from then on.
    """

    record: Record
    taken_in: int
    gone: float = math.inf
    since: int = 0


class _QueryTimes(Windows):
    """Windows at any query times."""

    def __init__(self, size: float, queries: list[int]) -> None:
        super().__init__(size, 1, -(2**62), queries[-1])
        object.__setattr__(self, "_queries", queries)

    @property
    def query_times(self) -> list[int]:
        found: list[int] = self._queries  # type: ignore[attr-defined]
        return found


def expected(history: History) -> Iterator[Expected]:
    """What is right after each advance."""
    size = math.inf if history.window is None else history.window
    copies, counts = _lives(history, size)
    queries: list[int] = []
    for step in history.steps:
        if not isinstance(step, Advance):
            continue
        queries.append(step.query)
        world = evaluated(history, copies, queries, size)
        yield Expected(
            step,
            step.query - size,
            tuple(sorted(_interval_rows(world, step.query, size))),
            tuple(sorted(_event_rows(world, step.query, size))),
            tuple(sorted(_interval_rows(world, step.query, math.inf))),
            *counts[len(queries) - 1],
        )


def evaluated(history: History, copies: list[_Copy], queries: list[int], size: float) -> World:
    """All that follows from the rows that count at the last of some query times."""
    return evaluate(history.scenario.reasoner.analysis, known(copies, queries, size), 0)


def known(copies: list[_Copy], queries: list[int], size: float) -> KnownInput:
    """The rows that count at the last of some query times."""
    now = len(queries) - 1
    records = [
        replace(copy.record, arrival=queries[copy.taken_in])
        for copy in copies
        if max(copy.taken_in, copy.since) <= now < copy.gone
    ]
    return known_at(records, _QueryTimes(size, queries), queries[-1])


def _lives(history: History, size: float) -> tuple[list[_Copy], list[tuple[int, int]]]:
    """All rows that were pushed in time, and how many were late or not there up to each advance."""
    copies: list[_Copy] = []
    counts: list[tuple[int, int]] = []
    late = unmatched = 0
    waiting: list[Push | Retract] = []
    for step in history.steps:
        if isinstance(step, Push | Retract):
            waiting.append(step)
        elif isinstance(step, Advance):
            low = step.query - size
            for edit in waiting:
                for record in edit.records:
                    if isinstance(edit, Push):
                        if _is_late(record, low, history.start):
                            late += 1
                        else:
                            copies.append(_Copy(record, len(counts)))
                    elif not _take_back(copies, record, low, len(counts)):
                        unmatched += 1
            waiting = []
            counts.append((late, unmatched))
    return copies, counts


def _is_late(record: Record, low: float, start: int | None) -> bool:
    if isinstance(record, Occurrence):
        return record.time <= max(low, -math.inf if start is None else start)
    return record.start <= low if record.is_point else record.end <= low + 1


def _take_back(copies: list[_Copy], record: Record, low: float, now: int) -> bool:
    """Take an event back, however often it was pushed, or time-points of a fluent. What the window has left behind stays."""
    there = [copy for copy in copies if copy.gone == math.inf]
    if isinstance(record, Occurrence):
        found = [copy for copy in there if record.time > low and is_same(copy.record, record)]
    else:
        first, last = max(record.start, low + 1), record.end
        found = [copy for copy in there if _overlaps(copy.record, record, first, last)]
        for copy in found:
            copies += [replace(copy, record=piece, since=now) for piece in _pieces(copy.record, first, last)]
    for copy in found:
        copy.gone = now
    return bool(found)


def _overlaps(one: Record, other: InputInterval, first: float, last: float) -> bool:
    if isinstance(one, Occurrence) or (one.fluent, one.value) != (other.fluent, other.value):
        return False
    return one.start < last and first < one.end and first < last


def _pieces(record: Record, first: float, last: float) -> list[Record]:
    """What is left of an interval."""
    assert isinstance(record, InputInterval)
    parts = [(record.start, min(record.end, first)), (max(record.start, last), record.end)]
    return [replace(record, start=int(start), end=end) for start, end in parts if start < end]
