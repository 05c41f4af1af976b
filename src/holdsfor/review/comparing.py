"""Two histories compared: which intervals appear, disappear, grow, shrink or move.

Intervals that both sides have are left out first. The other intervals of a subject are put into clusters of intervals that overlap
each other; a cluster is one difference. In a cluster, the new intervals may lie around the old ones (it grows), inside them
(it shrinks), or neither (it moves).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from holdsfor.columns.kernels import EMPTY, Bools, Ints, Spans, difference
from holdsfor.review.history import History, Subject, together
from holdsfor.review.timeline_scale import FAR, TimeLine


class DifferenceKind(StrEnum):
    """The kind of difference between the intervals of a cluster before and after."""

    APPEARS = "appears"
    DISAPPEARS = "disappears"
    GROWS = "grows"
    SHRINKS = "shrinks"
    MOVES = "moves"


CHANGES = tuple(DifferenceKind)


@dataclass(frozen=True)
class Difference:
    """One difference: the intervals of a subject before and after, as whole numbers of the time-line."""

    number: int
    """Its place in the order of size, from 1."""
    change: DifferenceKind
    subject: Subject
    old: tuple[tuple[int, int], ...]
    new: tuple[tuple[int, int], ...]
    gained: int
    """Ticks that only the new intervals have."""
    lost: int
    gained_spans: tuple[tuple[int, int], ...]
    lost_spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Side:
    """The intervals of one side, by the number of their cluster and by start."""

    cluster: Ints
    start: Ints
    end: Ints

    def of(self, cluster: int) -> tuple[tuple[int, int], ...]:
        low, high = np.searchsorted(self.cluster, [cluster, cluster + 1]).tolist()
        return tuple(zip(self.start[low:high].tolist(), self.end[low:high].tolist(), strict=True))


class Differences(Sequence[Difference]):
    """All differences of two histories, the largest first. `span` is the time that open intervals are measured in."""

    def __init__(self, old: History, new: History, line: TimeLine, span: tuple[int, int]) -> None:
        self.line, self.span = line, span
        self.subjects, old, new = together(old, new)
        old, new = _without_common(old, new)
        self._find(old, new)

    def _find(self, old: History, new: History) -> None:
        key = np.concatenate((old.key, new.key))
        start, end = np.concatenate((old.start, new.start)), np.concatenate((old.end, new.end))
        is_new: Bools = np.arange(len(key)) >= len(old)
        times, ranks = np.unique(np.concatenate((start, end)), return_inverse=True)
        base = key * max(1, len(times))
        low, high = base + ranks[: len(key)], base + ranks[len(key) :]
        order = np.lexsort((low, key))
        reached = np.maximum.accumulate(high[order]) if len(order) else EMPTY
        begins: Bools = np.ones(len(order), np.bool_)
        begins[1:] = low[order][1:] >= reached[:-1]
        cluster = np.empty(len(order), np.int64)
        cluster[order] = np.cumsum(begins) - 1
        heads = order[np.flatnonzero(begins)]
        self.key = key[heads]
        """The subject of each cluster."""
        sides = [_sorted(cluster[rows], low[rows], high[rows]) for rows in (~is_new, is_new)]
        gained, lost = (_minus(sides[1], sides[0]), _minus(sides[0], sides[1]))
        self._old, self._new, self._gained, self._lost = (
            _in_time(side, times) for side in (sides[0], sides[1], gained, lost)
        )
        count = len(heads)
        self.gained, self.lost = (self._measured(side, count) for side in (self._gained, self._lost))
        self.change = self._changes(count)
        sizes = self.gained + self.lost
        self._order = np.lexsort((self._first(count), self.key, -sizes))

    def _measured(self, side: _Side, count: int) -> Ints:
        lengths = self.line.measure(np.clip(side.start, *self.span), np.clip(side.end, *self.span))
        return np.bincount(side.cluster, lengths, minlength=count).astype(np.int64)

    def _first(self, count: int) -> Ints:
        first = np.full(count, FAR)
        for side in (self._old, self._new):
            np.minimum.at(first, side.cluster, side.start)
        return first

    def _changes(self, count: int) -> Ints:
        old, new, more, less = (
            np.bincount(side.cluster, minlength=count) > 0 for side in (self._old, self._new, self._gained, self._lost)
        )
        conditions = [~old, ~new, more & ~less, less & ~more]
        return np.select(conditions, range(4), 4).astype(np.int64)

    @cached_property
    def is_event(self) -> Bools:
        """Which differences are of events."""
        found: Bools = np.array([subject.is_event for subject in self.subjects], np.bool_)
        return found[self.key] if len(self.key) else np.zeros(0, np.bool_)

    def __len__(self) -> int:
        return len(self.key)

    def __getitem__(self, place: int | slice) -> Difference | list[Difference]:  # type: ignore[override]
        if isinstance(place, slice):
            return [self._made(number) for number in range(len(self))[place]]
        return self._made(range(len(self))[place])

    def _made(self, place: int) -> Difference:
        at = int(self._order[place])
        return Difference(
            place + 1,
            CHANGES[int(self.change[at])],
            self.subjects[int(self.key[at])],
            self._old.of(at),
            self._new.of(at),
            int(self.gained[at]),
            int(self.lost[at]),
            self._gained.of(at),
            self._lost.of(at),
        )


def _without_common(old: History, new: History) -> tuple[History, History]:
    """Intervals that only one of the histories has: no other can overlap one that both have."""
    columns = [np.concatenate((getattr(old, name), getattr(new, name))) for name in ("end", "start", "key")]
    order = np.lexsort(columns)
    same = np.ones(max(0, len(order) - 1), np.bool_)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    is_common = np.zeros(len(order), np.bool_)
    is_common[order[1:][same]] = True
    is_common[order[:-1][same]] = True
    return old.take(np.flatnonzero(~is_common[: len(old)])), new.take(np.flatnonzero(~is_common[len(old) :]))


def _sorted(cluster: Ints, low: Ints, high: Ints) -> _Side:
    order = np.lexsort((low, cluster))
    return _Side(cluster[order], low[order], high[order])


def _minus(one: _Side, other: _Side) -> _Side:
    """The intervals that only one side has; clusters are in the order of their packed times."""
    spans: Spans = difference((one.start, one.end), [(other.start, other.end)])
    at = np.searchsorted(one.start, spans[0], "right") - 1
    return _Side(one.cluster[at] if len(at) else EMPTY, spans[0], spans[1])


def _in_time(side: _Side, times: Ints) -> _Side:
    """The times of ranks."""
    if not len(side.start):
        return side
    count = len(times)
    return _Side(side.cluster, times[side.start % count], times[side.end % count])
