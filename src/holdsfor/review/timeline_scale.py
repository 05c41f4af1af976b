"""Times as whole numbers, for both languages, and as people read them.

An interval is half-open over whole numbers. Those of RTEC programs are time-points. Those of metric programs are cells: the
point `t` is the even number `2 * t * scale`, the gap after it the odd number that follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from holdsfor.columns.kernels import Ints
from holdsfor.columns.tables import FOREVER
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.times import TimeScale

FAR = int(FOREVER)
"""Starts and ends from here on are infinite."""


@dataclass(frozen=True)
class TimeLine:
    """The meaning of the whole numbers of a time-line. A `scale` of 0 stands for time-points."""

    time_scale: TimeScale | None = None
    scale: int = 0

    @property
    def is_metric(self) -> bool:
        """Whether times are rational."""
        return self.scale > 0

    def measure(self, start: Ints, end: Ints) -> Ints:
        """The lengths of intervals in ticks: of cells only the gaps have a length."""
        return (end >> 1) - (start >> 1) if self.is_metric else end - start

    def size(self, length: int) -> Fraction | int:
        """A length in ticks as a duration."""
        return Fraction(length, self.scale) if self.is_metric else length

    def length_text(self, length: int) -> str:
        """The same for people."""
        found = self.size(length)
        if self.time_scale is None:
            return number_text(Fraction(found))
        found = Fraction(found)
        if found.denominator == 1:
            return self.time_scale.duration_text(found.numerator)
        return f"{number_text(found)}{self.time_scale.unit}"

    def time(self, at: int) -> Fraction | int:
        """A time inside of a whole number: the time-point, or the middle of a cell."""
        if not self.is_metric:
            return at
        return Fraction(at, 2 * self.scale)

    def time_text(self, at: int) -> str:
        """The same for people."""
        found = self.time(at)
        if self.time_scale is None:
            return number_text(Fraction(found))
        if isinstance(found, Fraction) and found.denominator != 1:
            return f"{number_text(found)}{self.time_scale.unit}"
        return self.time_scale.text(int(found))

    def start(self, start: int) -> Fraction | int | None:
        """The start of an interval; None is infinite."""
        return None if start <= -FAR else self.time(start - start % 2 if self.is_metric else start)

    def end(self, end: int) -> Fraction | int | None:
        """The end of an interval; None is infinite."""
        return None if end >= FAR else self.time(end - end % 2 if self.is_metric else end)

    def interval_text(self, start: int, end: int) -> str:
        """`[5, 9)`, with dates where the unit is known.

        >>> TimeLine().interval_text(5, FAR), TimeLine(scale=1).interval_text(6, 7), TimeLine(scale=1).interval_text(7, 10)
        ('[5, inf)', '[3]', '(3, 5)')
        """
        if self.is_metric and end == start + 1 and start % 2 == 0:
            return f"[{self.time_text(start)}]"
        low, high = self._bound(self.start(start), "-inf"), self._bound(self.end(end), "inf")
        left = "(" if start <= -FAR or (self.is_metric and start % 2) else "["
        right = "]" if self.is_metric and end < FAR and end % 2 else ")"
        return f"{left}{low}, {high}{right}"

    def _bound(self, time: Fraction | int | None, infinite: str) -> str:
        return infinite if time is None else self.time_text(int(time * 2 * self.scale) if self.is_metric else int(time))

    def inside(self, start: int, end: int) -> int:
        """A whole number inside of an interval, the first if there is one."""
        if start > -FAR:
            return start
        return end - 1 if end < FAR else 0
