"""Metric operators on intervals of the doubled time-line."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.facts import Facts
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
    """Points moved by some ticks, in or out of the gap beside them; what is infinite stays so."""
    moved = (times & ~1) + 2 * ticks
    moved |= low_bit
    far = np.abs(times) >= FOREVER
    if far.any():
        moved[far] = times[far]
    return moved


def moved(facts: Facts, offsets: Offsets) -> Facts:
    """Each interval plus the offsets: where `Diamondminus` holds. Intervals that are widened may come to touch."""
    start, end = facts.start, facts.end
    if offsets.low is not None and offsets.low == offsets.high:
        ticks = 2 * offsets.low
        first, last = facts.bounds
        if first > -FOREVER and last < FOREVER:
            return Facts(facts.args, start + ticks, end + ticks, is_maximal=facts.is_maximal)
    if offsets.low is None:
        start = np.full(len(start), -FOREVER)
    else:
        start = _shifted(start, offsets.low, (start | int(offsets.low_open)) & 1)
    if offsets.high is None:
        end = np.full(len(end), FOREVER)
    else:
        end = _shifted(end, offsets.high, end & int(not offsets.high_open) & 1)
    return Facts(facts.args, start, end)


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
