"""Sets of rational times, as lists of maximal intervals.

A cut is a place between times: `(t, 0)` lies just before `t` and `(t, 1)` just after it. An interval is a pair of cuts,
so open and closed ends need no special cases. A set of times is a sorted list of pairs that do not touch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from holdsfor.ir.metric import Range

Moment: TypeAlias = Fraction | float
"""A rational number, or plus or minus infinity."""
Cut: TypeAlias = tuple[Moment, int]

BEGINNING: Cut = (-math.inf, 1)
END: Cut = (math.inf, 0)


@dataclass(frozen=True, slots=True)
class Times:
    """A set of times: the cuts of its maximal intervals in order."""

    intervals: tuple[tuple[Cut, Cut], ...] = ()

    @staticmethod
    def of(intervals: Iterable[tuple[Cut, Cut]]) -> Times:
        """The union of intervals in any order, empty ones included."""
        merged: list[tuple[Cut, Cut]] = []
        for low, high in sorted(intervals):
            if low >= high:
                continue
            if merged and low <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(merged[-1][1], high)
            else:
                merged.append((low, high))
        return Times(tuple(merged))

    @staticmethod
    def during(span: Range) -> Times:
        """The times of one interval."""
        return Times.of([cuts(span)])

    def ranges(self) -> list[Range]:
        """The maximal intervals; an infinite end is open."""
        return [Range(_rational(low[0]), _rational(high[0]), bool(low[1]), not high[1]) for low, high in self.intervals]

    def __bool__(self) -> bool:
        return bool(self.intervals)

    def __contains__(self, time: Fraction | int) -> bool:
        return any(low <= (time, 0) and (time, 1) <= high for low, high in self.intervals)

    def __or__(self, other: Times) -> Times:
        return Times.of(self.intervals + other.intervals)

    def __and__(self, other: Times) -> Times:
        return Times.of(
            (max(low, other_low), min(high, other_high))
            for low, high in self.intervals
            for other_low, other_high in other.intervals
        )

    def __invert__(self) -> Times:
        lows = [BEGINNING, *(high for _, high in self.intervals)]
        highs = [*(low for low, _ in self.intervals), END]
        return Times.of(zip(lows, highs, strict=True))

    def later(self, by: Range) -> Times:
        """All `t + d` for a time `t` of the set and a number `d` of the interval."""
        least, most = cuts(by)
        return Times.of(
            ((low[0] + least[0], max(low[1], least[1])), (high[0] + most[0], min(high[1], most[1])))
            for low, high in self.intervals
        )

    def earlier(self, by: Range) -> Times:
        """All `t - d` for a time `t` of the set and a number `d` of the interval."""
        return self.mirrored().later(by).mirrored()

    def mirrored(self) -> Times:
        """All `-t`."""
        return Times.of(((-high[0], 1 - high[1]), (-low[0], 1 - low[1])) for low, high in self.intervals)

    def stretches(self) -> list[Times]:
        """The maximal intervals one by one, each with its ends."""
        return [
            Times(((low if low == BEGINNING else (low[0], 0), high if high == END else (high[0], 1)),))
            for low, high in self.intervals
        ]


NEVER = Times()
ALWAYS = ~NEVER


def union(sets: Iterable[Times]) -> Times:
    """Times that are in one of the sets."""
    return Times.of(interval for times in sets for interval in times.intervals)


def intersection(sets: Iterable[Times]) -> Times:
    """Times that are in all of the sets."""
    return reduce(Times.__and__, sets, ALWAYS)


def cuts(span: Range) -> tuple[Cut, Cut]:
    """The cuts at the start and the end of an interval."""
    low: Cut = BEGINNING if span.low is None else (span.low, int(span.low_open))
    high: Cut = END if span.high is None else (span.high, int(not span.high_open))
    return low, high


def _rational(moment: Moment) -> Fraction | None:
    return None if isinstance(moment, float) else Fraction(moment)


def diamond_minus(during: Range, held: Times) -> Times:
    """It held at some time within the interval back."""
    return held.later(during)


def box_minus(during: Range, held: Times) -> Times:
    """It held at all times within the interval back."""
    return ~diamond_minus(during, ~held)


def since(during: Range, left: Times, right: Times) -> Times:
    """The right side held at some time within the interval back, and the left side strictly between then and now.

    Either then is now, or both lie in one interval of the left side, including its ends.
    """
    now = right if 0 in during else NEVER
    return union([now, *(interval & diamond_minus(during, right & interval) for interval in left.stretches())])


def diamond_plus(during: Range, held: Times) -> Times:
    """It holds at some time within the interval ahead."""
    return held.earlier(during)


def box_plus(during: Range, held: Times) -> Times:
    """It holds at all times within the interval ahead."""
    return ~diamond_plus(during, ~held)


def until(during: Range, left: Times, right: Times) -> Times:
    """`since` with reversed time."""
    return since(during, left.mirrored(), right.mirrored()).mirrored()
