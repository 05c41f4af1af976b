"""Times and durations as the page shows them: dates if the time unit is known, else numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class Moments:
    """Writes times; without a scale they are numbers."""

    scale: TimeScale | None = None

    def time(self, time: int | Fraction | None, sign: str = "") -> str:
        """A time; None is infinite, with a sign before it.

        >>> Moments().time(5), Moments().time(None), Moments().time(None, "-"), Moments().time(Fraction(1, 3))
        ('5', 'inf', '-inf', '1/3')
        """
        if time is None:
            return f"{sign}inf"
        exact = Fraction(time)
        if self.scale is None:
            return number_text(exact)
        if exact.denominator == 1:
            return self.scale.text(exact.numerator)
        # Between two time-points: a nanosecond is the finest that a date can say.
        finer = exact * self.scale.size
        return TimeScale("ns", self.scale.zone).text(finer.numerator) if finer.denominator == 1 else number_text(exact)

    def duration(self, length: int | Fraction | None) -> str:
        """A duration; None is infinite.

        >>> Moments().duration(17), Moments().duration(None)
        ('17', 'open')
        """
        if length is None:
            return "open"
        exact = Fraction(length)
        if self.scale is None:
            return number_text(exact)
        if exact.denominator == 1:
            return self.scale.duration_text(exact.numerator)
        finer = exact * self.scale.size
        return TimeScale("ns").duration_text(finer.numerator) if finer.denominator == 1 else number_text(exact)
