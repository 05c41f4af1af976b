"""Computes the marks of a time axis and their texts: numbers, fractions or dates.

Times are multiples of a tick: `at` ticks after `origin`, with `scale` ticks per unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isinf, log10
from typing import Any, NamedTuple

from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.times import UNITS, TimeScale
from holdsfor.viz.timeline_dates import FIRST, LAST, Offsets, date_marks, offsets

_DAY = 86400


class Mark(NamedTuple):
    """A mark on the axis; `context` is a second line, such as the day of the hours."""

    at: float
    text: str
    context: str = ""


@dataclass(frozen=True)
class ClockMarks:
    """The meaning of times. A `scale` of None means floating-point numbers; with a `time_scale` times are dates."""

    origin: int = 0
    scale: int | None = 1
    time_scale: TimeScale | None = None

    def exactly(self, at: float) -> Fraction:
        """The exact time that lies `at` ticks after the origin."""
        return (self.origin + Fraction(at)) / (self.scale or 1)

    def ticks(self, time: Fraction) -> float:
        """The number of ticks from the origin to a time."""
        return float(time * (self.scale or 1) - self.origin)

    def text(self, at: float) -> str:
        """A time as text.

        >>> ClockMarks(scale=3).text(1), ClockMarks(origin=5).text(2), ClockMarks().text(float("inf"))
        ('1/3', '7', '∞')
        >>> ClockMarks(time_scale=TimeScale("s", "Europe/Athens")).text(90)
        '1970-01-01T02:01:30+02:00'
        """
        if isinf(at):
            return "∞" if at > 0 else "−∞"
        time = self.exactly(at)
        if self.time_scale is not None and FIRST <= time * self._second <= LAST:
            nanoseconds = floor(time * UNITS[self.time_scale.unit])
            if at % 1:
                # Between two ticks, as at the edge of a picture, only as many digits as floating-point numbers have.
                nanoseconds = round(nanoseconds, -3)
            return TimeScale("ns", self.time_scale.zone).text(nanoseconds)
        return f"{float(time):.12g}" if self.scale is None or at % 1 else number_text(time)

    @cached_property
    def _second(self) -> Fraction:
        """The number of seconds per time-point."""
        return Fraction(UNITS[self.time_scale.unit] if self.time_scale is not None else 1, UNITS["s"])

    def marks(self, low: float, high: float, most: int = 8) -> list[Mark]:
        """Marks between two times, at most `most`; where clocks are put back, one hour has twice as many."""
        first, last = self.exactly(low), self.exactly(high)
        if self.time_scale is not None:
            begin, end = first * self._second, last * self._second
            if begin > FIRST + _DAY and end < LAST - _DAY:
                zone = offsets(self.time_scale.zone, float(begin), float(end))
                marks = date_marks(begin, end, most, zone, _nice_step)
                return [Mark(self.ticks(seconds / self._second), text, context) for seconds, text, context in marks]
        return [Mark(self.ticks(time), text) for time, text in _numbers(first, last, most, whole=self.scale == 1)]

    @property
    def zone(self) -> str:
        """The name of the zone of the dates; empty if times are not dates."""
        return "" if self.time_scale is None else self.time_scale.zone

    def for_page(self, low: float, high: float) -> dict[str, Any]:
        """The data with which the script of a page shows the same marks, with some margin for panning."""
        found: dict[str, Any] = {"origin": str(self.origin), "scale": self.scale}
        if self.time_scale is not None:
            margin = high - low
            begin, end = (float(self.exactly(at) * self._second) for at in (low - margin, high + margin))
            shown: Offsets = offsets(self.time_scale.zone, begin, end)
            found |= {"second": float(self._second), "zone": self.zone, "offsets": [list(one) for one in shown]}
        return found


def _numbers(low: Fraction, high: Fraction, most: int, *, whole: bool) -> Iterator[tuple[Fraction, str]]:
    step = _nice_step((high - low) / most)
    if whole:
        step = max(step, Fraction(1))
    digits = max(0, -floor(log10(step))) if step < 1 else 0
    for count in range(ceil(low / step), floor(high / step) + 1):
        time = count * step
        yield time, f"{float(time):.6g}" if abs(time) >= 10**15 and not whole else f"{float(time):.{digits}f}"


def _nice_step(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is at least as large.

    >>> _nice_step(Fraction(3, 10)), _nice_step(Fraction(70))
    (Fraction(1, 2), Fraction(100, 1))
    """
    power = Fraction(10) ** floor(log10(least))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor >= least)


def nice_step(least: float) -> float:
    """The same step for floating-point numbers."""
    return float(_nice_step(Fraction(least)))
