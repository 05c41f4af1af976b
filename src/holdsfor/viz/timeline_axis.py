"""Where an axis of time has its marks and what is written there: numbers, fractions or dates.

Times are multiples of a tick: `at` ticks after `origin`, with `scale` ticks to a unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, isinf, log10
from typing import NamedTuple

from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""What one second of unix time is, for axes of dates."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_CLOCK = (1, 2, 5, 10, 15, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 15 * _MINUTE, 30 * _MINUTE)
_CALENDAR = (_HOUR, 2 * _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY)
_MONTHS = (1, 2, 3, 6)
_MONTH = 30.44 * _DAY
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = -62135596800, 253402300799
"""The seconds of the years 1 to 9999, which calendars here can count."""


class Mark(NamedTuple):
    """A mark on the axis; `context` is a second line, such as the day that hours belong to."""

    at: float
    text: str
    context: str = ""


@dataclass(frozen=True)
class Clock:
    """What times mean. A `scale` of None stands for floating-point numbers, a `unit` for unix time."""

    origin: int = 0
    scale: int | None = 1
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.unit is not None and self.unit not in UNITS:
            raise HoldsforError(f"the unit of dates is one of {', '.join(UNITS)}, not {self.unit!r}")

    def exactly(self, at: float) -> Fraction:
        """The time that lies `at` ticks after the origin."""
        return (self.origin + Fraction(at)) / (self.scale or 1)

    def ticks(self, time: Fraction) -> float:
        """How many ticks after the origin a time lies."""
        return float(time * (self.scale or 1) - self.origin)

    def text(self, at: float) -> str:
        """A time as people read it.

        >>> Clock(scale=3).text(1), Clock(origin=5).text(2), Clock(unit="s").text(90), Clock().text(float("inf"))
        ('1/3', '7', '1970-01-01 00:01:30', '∞')
        """
        if isinf(at):
            return "∞" if at > 0 else "−∞"
        time = self.exactly(at)
        if self.unit is not None:
            date = _date(time / UNITS[self.unit])
            if date is not None:
                return date
        return f"{float(time):.12g}" if self.scale is None else number_text(time)

    def marks(self, low: float, high: float, most: int = 8) -> list[Mark]:
        """Marks between two times, at most so many."""
        first, last = self.exactly(low), self.exactly(high)
        if self.unit is not None:
            per_second = UNITS[self.unit]
            first, last = first / per_second, last / per_second
            if first > _FIRST and last < _LAST:
                marks = _dates(first, last, most)
                return [Mark(self.ticks(seconds * per_second), text, context) for seconds, text, context in marks]
            first, last = first * per_second, last * per_second
        return [Mark(self.ticks(time), text) for time, text in _numbers(first, last, most, whole=self.scale == 1)]


def _numbers(low: Fraction, high: Fraction, most: int, *, whole: bool) -> Iterator[tuple[Fraction, str]]:
    step = _nice_step((high - low) / most)
    if whole:
        step = max(step, Fraction(1))
    digits = max(0, -floor(log10(step))) if step < 1 else 0
    for count in range(ceil(low / step), floor(high / step) + 1):
        time = count * step
        yield time, f"{float(time):.6g}" if abs(time) >= 10**15 and not whole else f"{float(time):.{digits}f}"


def _nice_step(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is not smaller.

    >>> _nice_step(Fraction(3, 10)), _nice_step(Fraction(70))
    (Fraction(1, 2), Fraction(100, 1))
    """
    power = Fraction(10) ** floor(log10(least))
    return next(power * factor for factor in (1, 2, 5, 10, 20) if power * factor >= least)


def nice_step(least: float) -> float:
    """The same for floating-point numbers."""
    return float(_nice_step(Fraction(least)))


# Dates


def _dates(low: Fraction, high: Fraction, most: int) -> list[tuple[Fraction, str, str]]:
    least = (high - low) / most
    if least > 14 * _DAY:
        return _months(low, high, float(least) / _MONTH)
    step = next(Fraction(step) for step in (*_CLOCK, *_CALENDAR) if step >= least) if least > 1 else _nice_step(least)
    digits = max(0, -floor(log10(step))) if step < 1 else 0
    found: list[tuple[Fraction, str, str]] = []
    day = None
    for count in range(ceil(low / step), floor(high / step) + 1):
        seconds = count * step
        date = _EPOCH + timedelta(days=seconds // _DAY)
        if step >= _DAY:
            found.append((seconds, f"{date:%Y-%m-%d}", ""))
            continue
        context = "" if date == day else f"{date:%Y-%m-%d}"
        found.append((seconds, _time_of_day(seconds % _DAY, step, digits), context))
        day = date
    return found


def _time_of_day(seconds: Fraction, step: Fraction, digits: int) -> str:
    hours, rest = divmod(seconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    if step >= _MINUTE:
        return f"{hours:02}:{minutes:02}"
    width = 3 + digits if digits else 2
    return f"{hours:02}:{minutes:02}:{float(rest):0{width}.{digits}f}"


def _months(low: Fraction, high: Fraction, least: float) -> list[tuple[Fraction, str, str]]:
    months = next((months for months in _MONTHS if months >= least), 0)
    if not months:
        months = 12 * max(1, int(_nice_step(Fraction(least / 12))))
    begin = _EPOCH + timedelta(seconds=floor(low))
    number = (begin.year * 12 + begin.month - 1) // months * months
    found = []
    while number // 12 <= 9999:
        date = datetime(max(number // 12, 1), number % 12 + 1, 1, tzinfo=UTC)
        seconds = Fraction(int((date - _EPOCH).total_seconds()))
        if seconds > high:
            break
        if seconds >= low:
            found.append((seconds, f"{date:%Y}" if months >= 12 else f"{date:%Y-%m}", ""))
        number += months
    return found


def _date(seconds: Fraction) -> str | None:
    """A time of unix time, in UTC; None outside of the years that have four digits."""
    if not _FIRST <= seconds <= _LAST:
        return None
    whole = floor(seconds)
    text = f"{_EPOCH + timedelta(seconds=whole):%Y-%m-%d %H:%M:%S}"
    rest = seconds - whole
    return f"{text}{f'{float(rest):.9f}'.rstrip('0')[1:]}" if rest else text
