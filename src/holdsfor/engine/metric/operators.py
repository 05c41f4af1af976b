"""Metric operators on intervals of the doubled time-line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.kernels import Ints, Spans
from holdsfor.engine.metric.facts import BEYOND, MOST_CELLS, Facts
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import Range


@dataclass(frozen=True, slots=True)
class Offsets:
    """An interval of distances in ticks; None is infinite."""

    low: int | None
    high: int | None
    low_open: bool
    high_open: bool

    @classmethod
    def of(cls, distances: Range, scale: int) -> Offsets:
        """A rational interval in ticks."""
        low, high = (None if bound is None else bound * scale for bound in (distances.low, distances.high))
        assert low is None or low.denominator == 1
        assert high is None or high.denominator == 1
        return cls(
            None if low is None else int(low),
            None if high is None else int(high),
            distances.low_open,
            distances.high_open,
        )

    def mirrored(self) -> Offsets:
        """The same distances with time running the other way."""
        low, high = (None if bound is None else -bound for bound in (self.high, self.low))
        return Offsets(low, high, self.high_open, self.low_open)


def by(ticks: int) -> Offsets:
    """The distance of exactly so many ticks."""
    return Offsets(ticks, ticks, low_open=False, high_open=False)


def _shifted(times: Ints, ticks: int, low_bit: Ints) -> Ints:
    """Points moved by some ticks, in or out of the gap beside them; what is infinite stays so.

    What would lie further away than cells are told apart becomes `BEYOND`.
    """
    if not len(times):
        return times
    step = 2 * ticks
    if int(times.min()) + min(step, 0) >= -MOST_CELLS and int(times.max()) + max(step, 0) <= MOST_CELLS:
        moved = (times & ~1) + step
        moved |= low_bit
        return moved
    over, under = times > _within(MOST_CELLS - step), times < _within(-MOST_CELLS - step)
    # Sums that do not fit 64 bits wrap round, and are then replaced.
    moved = (times & ~1) + min(max(step, -2 * BEYOND), 2 * BEYOND)
    moved = np.where(over, BEYOND, np.where(under, -BEYOND, moved)) | low_bit
    return np.where(np.abs(times) >= FOREVER, times, moved)


def _within(cell: int) -> int:
    return min(max(cell, -int(FOREVER)), int(FOREVER))


def reached(start: Ints, end: Ints, offsets: Offsets) -> Spans:
    """Each interval plus the offsets; one that is moved beyond all times that are told apart may become empty."""
    if offsets.low is None:
        low = np.full(len(start), -FOREVER)
    else:
        low = _shifted(start, offsets.low, (start | int(offsets.low_open)) & 1)
    if offsets.high is None:
        return low, np.full(len(end), FOREVER)
    return low, _shifted(end, offsets.high, end & int(not offsets.high_open) & 1)


def moved(facts: Facts, offsets: Offsets) -> Facts:
    """Each interval plus the offsets: where `Diamondminus` holds. Intervals that are widened may come to touch."""
    if offsets.low is not None and offsets.low == offsets.high:
        cells = 2 * offsets.low
        first, last = facts.bounds
        if min(first, first + cells) >= -MOST_CELLS and max(last, last + cells) <= MOST_CELLS:
            return Facts(facts.args, facts.start + cells, facts.end + cells, is_maximal=facts.is_maximal)
    return facts.during(*reached(facts.start, facts.end, offsets))


def eroded(facts: Facts, offsets: Offsets) -> Facts:
    """Points whose distances all lie in one of the intervals: where `Boxminus` holds. The intervals are maximal."""
    start, end = facts.start, facts.end
    if offsets.high is None:
        begin = np.where(start <= -FOREVER, -FOREVER, FOREVER)
    else:
        begin = _shifted(start, offsets.high, start & int(not offsets.high_open) & 1)
    if offsets.low is None:
        stop = np.where(end >= FOREVER, FOREVER, -FOREVER)
    else:
        stop = _shifted(end, offsets.low, (end | int(offsets.low_open)) & 1)
    return facts.during(begin, stop)


def lies_beyond(facts: Facts) -> tuple[bool, bool]:
    """Whether some finite start or end lies before, or after, all times that are told apart."""
    first, last = facts.bounds
    if first >= -MOST_CELLS and last <= MOST_CELLS:
        return False, False
    times = np.concatenate((facts.start, facts.end))
    times = times[np.abs(times) < FOREVER]
    return bool((times < -MOST_CELLS).any()), bool((times > MOST_CELLS).any())


def closed(facts: Facts) -> Facts:
    """The intervals with their end-points."""
    start = np.where(facts.start > -FOREVER, facts.start & ~1, facts.start)
    return Facts(facts.args, start, np.where(facts.end < FOREVER, facts.end | 1, facts.end))


def mirrored(facts: Facts) -> Facts:
    """The facts with time running the other way."""
    return Facts(facts.args, _flipped(facts.end), _flipped(facts.start))


def _flipped(times: Ints) -> Ints:
    flipped = 1 - times
    far = np.abs(times) >= FOREVER
    if far.any():
        flipped[far] = -times[far]
    return flipped
