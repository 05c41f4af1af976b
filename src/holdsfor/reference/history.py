"""Streams for the reference evaluator: records, query times, and the records that count at each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from holdsfor.reference.intervals import Interval, maximal
from holdsfor.syntax.terms import Compound, Const, Term


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event with the time it happened and the time it arrived."""

    event: Term
    time: int
    arrival: int


@dataclass(frozen=True, slots=True)
class InputInterval:
    """An input fluent that holds on [start, end); `is_point` marks one reported point by point."""

    fluent: Term
    value: Term
    start: int
    end: float
    arrival: int
    is_point: bool = False


Record = Occurrence | InputInterval


@dataclass(frozen=True, slots=True)
class Windows:
    """Query times `start + step, …` up to the first at or after `end`, each seeing `size` time-points."""

    size: float
    step: int
    start: int
    end: int

    @property
    def query_times(self) -> list[int]:
        """All query times.

        >>> Windows(10, 10, 0, 25).query_times
        [10, 20, 30]
        """
        count = max(1, math.ceil((self.end - self.start) / self.step))
        return [self.start + self.step * index for index in range(1, count + 1)]

    def loaded_at(self, arrival: int) -> int | None:
        """The query time at which something with this arrival is first seen, if ever."""
        for query in self.query_times:
            if arrival <= min(query, self.end):
                lost = arrival <= self.start or arrival <= query - self.size
                return None if lost else query
        return None


@dataclass(frozen=True)
class KnownInput:
    """Everything that counts at one query time. Neighbouring time-points are a `tick` apart."""

    query_time: int
    events: dict[int, list[Term]]
    inputs: dict[tuple[Term, Term], list[Interval]]
    cut_starts: set[tuple[Term, Term, float]]
    tick: int = 1


def on_ticks(record: Record, tick: int) -> Record:
    """A record on time-points: a time between two of them belongs to the one before.

    >>> on_ticks(Occurrence(Const("e"), 45, 85), 40)
    Occurrence(event=Const(value='e'), time=40, arrival=80)
    """
    arrival = record.arrival // tick * tick
    if isinstance(record, Occurrence):
        return replace(record, time=record.time // tick * tick, arrival=arrival)
    end = record.end if record.end == math.inf else -(-int(record.end) // tick) * tick
    return replace(record, start=record.start // tick * tick, end=end, arrival=arrival)


def whole_history(records: Sequence[Record], tick: int = 1) -> Windows:
    """One query at the last time-point in the records; everything counts."""
    moments = [moment for record in records for moment in _moments(record, tick)]
    first, last = min(moments, default=0), max(moments, default=0)
    return Windows(math.inf, max(tick, last - first + tick), first - tick, last)


def _moments(record: Record, tick: int) -> Iterable[int]:
    if isinstance(record, Occurrence):
        return (record.time,)
    return (record.start, record.start if record.end == math.inf else int(record.end) - tick)


def known_at(
    records: Iterable[Record], windows: Windows, query: int, *, ignore_arrival: bool = False, tick: int = 1
) -> KnownInput:
    """The records that count at a query time: those that were inside some window after their arrival."""
    events: dict[int, list[Term]] = {}
    pieces: dict[tuple[Term, Term], list[Interval]] = {}
    points: dict[tuple[Term, Term], set[int]] = {}
    cuts: set[tuple[Term, Term, float]] = set()
    for record in records:
        loaded = windows.start + tick if ignore_arrival else windows.loaded_at(record.arrival)
        if loaded is None or loaded > query:
            continue
        if isinstance(record, Occurrence):
            if ignore_arrival or _counted(record.time, loaded, windows, query):
                events.setdefault(record.time, []).append(record.event)
            continue
        border = -math.inf if ignore_arrival else loaded - windows.size
        if record.end <= border + tick:  # its last time-point is not inside the window
            continue
        pair = (record.fluent, record.value)
        if record.is_point:
            if record.start > border:
                points.setdefault(pair, set()).add(record.start)
        elif record.start <= border:
            pieces.setdefault(pair, []).append((border + tick, record.end))
            cuts.add((*pair, border + tick))
        else:
            pieces.setdefault(pair, []).append((record.start, record.end))
    for pair, moments in points.items():
        pieces.setdefault(pair, []).extend((t, math.inf if t == query else t + tick) for t in moments)
    inputs = {pair: joined for pair, found in pieces.items() if (joined := maximal(found))}
    return KnownInput(query, events, inputs, cuts, tick)


def _counted(time: int, loaded: int, windows: Windows, query: int) -> bool:
    return any(loaded <= other <= query and other - windows.size < time <= other for other in windows.query_times)


def event_term(name: str, args: Sequence[str | float]) -> Term:
    """An event or fluent term from its name and constant arguments."""
    return Compound(name, tuple(Const(arg) for arg in args)) if args else Const(name)
