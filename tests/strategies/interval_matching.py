"""Intervals of two query times compared: which of the new ones has the id of which of the old, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.op import Op
from holdsfor.columns.tables import FOREVER


@dataclass(frozen=True)
class Spans:
    """Intervals: their times, and the same on one line for all pairs, on which they are disjoint. `order` sorts them."""

    start: Ints
    end: Ints
    left: Ints
    right: Ints
    order: Ints

    def take(self, rows: Ints) -> tuple[Ints, Ints]:
        """The times of some intervals."""
        return self.start[rows], self.end[rows]


def both_spans(pair: Ints, start: Ints, end: Ints, old: int) -> tuple[Spans, Spans]:
    """The first `old` intervals, and the rest. `pair` numbers fluents and values."""
    left, right = _on_a_line(pair, start, end)
    made = []
    for rows in (slice(0, old), slice(old, None)):
        made.append(Spans(start[rows], end[rows], left[rows], right[rows], np.argsort(left[rows], kind="stable")))
    return made[0], made[1]


def _on_a_line(pair: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Times made small and put behind the number of their pair."""
    finite = [times[np.abs(times) < FOREVER] for times in (start, end)]
    low = min((int(times.min()) for times in finite if len(times)), default=0)
    high = max((int(times.max()) for times in finite if len(times)), default=0)
    bits = (high - low + 2).bit_length()
    if bits + int(pair.max(initial=0)).bit_length() > 62:
        # Few times far apart: their order is all that matters.
        times = np.unique(np.concatenate((start, end)))
        start, end = np.searchsorted(times, start), np.searchsorted(times, end)
        bits = len(times).bit_length()
    else:
        start, end = (np.clip(times, low - 1, high + 1) - (low - 1) for times in (start, end))
    return (pair << bits) | start, (pair << bits) | end


@dataclass(frozen=True)
class Compared:
    """What became of intervals.

    `earlier` is the row of the old interval that each new one goes on with, or -1. Some rows of the new are `opened`,
    some `changed` (`op` says how), some rows of the old are `gone`. `in_sight` says of which new ones the window has
    anything.
    """

    earlier: Ints
    in_sight: Bools
    opened: Ints
    changed: Ints
    op: npt.NDArray[np.str_]
    gone: Ints


def compared(old: Spans, new: Spans, low: int, before: int) -> Compared:
    """Intervals at two query times, of which the later has a window that begins after `low`."""
    in_sight = new.end > low + 1
    earlier = _matched(old, new)
    matched = np.flatnonzero(earlier >= 0)
    partner = earlier[matched]
    was_in_sight = old.end > low + 1

    same_start = old.start[partner] == new.start[matched]
    ends = old.end[partner], new.end[matched]
    # What was left behind by the window, and is, stays as it was.
    differs = np.flatnonzero((~same_start | (ends[0] != ends[1])) & (in_sight[matched] | was_in_sight[partner]))
    op = np.full(len(matched), Op.REVISE.value, dtype="<U7")
    op[same_start & (ends[1] > ends[0])] = Op.EXTEND
    op[same_start & (ends[1] < ends[0]) & (ends[0] >= FOREVER) & (ends[1] > before)] = Op.CLOSE

    is_taken = np.zeros(len(old.start), np.bool_)
    is_taken[partner] = True
    gone = np.flatnonzero(~is_taken & (was_in_sight | _overlaps(old, new, in_sight)))
    opened = np.flatnonzero((earlier < 0) & in_sight)
    return Compared(earlier, in_sight, opened, matched[differs], op[differs], gone)


def _matched(old: Spans, new: Spans) -> Ints:
    """For each new interval the old one whose id it has, or -1."""
    found = np.full(len(new.start), -1)
    if not len(old.start) or not len(new.start):
        return found
    lefts, rights = new.left[new.order], new.right[new.order]
    first = np.searchsorted(old.right[old.order], lefts, side="right")
    count = np.searchsorted(old.left[old.order], rights, side="left") - first
    # The old one may have been taken by a new one before this; the next cannot.
    taker = np.searchsorted(rights, old.left[old.order], side="right")
    is_free = taker[np.minimum(first, len(old.start) - 1)] == np.arange(len(lefts))
    place = np.where(is_free, first, first + 1)
    rows = np.flatnonzero(count > place - first)
    found[new.order[rows]] = old.order[place[rows]]
    return found


def _overlaps(old: Spans, new: Spans, in_sight: Bools) -> Bools:
    """Which old intervals overlap a new one in sight."""
    order = new.order[in_sight[new.order]]
    first = np.searchsorted(new.right[order], old.left, side="right")
    last = np.searchsorted(new.left[order], old.right, side="left")
    found: Bools = last > first
    return found
