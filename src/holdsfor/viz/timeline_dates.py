"""Computes marks of a date axis at whole seconds, hours, days and months of the local time of a zone.

Times are seconds since 1970. A zone is a table of offsets, `(first second, seconds ahead of UTC)`, for a time range.
Pages get the same table, so that they show the same local times without their own calendar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log10
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale, require_unit

Offsets: TypeAlias = "Sequence[tuple[int, int]]"
"""The first seconds and their offsets from UTC in seconds, in time order."""
Moment: TypeAlias = "tuple[Fraction, str, str]"
"""A time, its text, and its day if it differs from the previous one."""

FIRST, LAST = -62135596800, 253402300799
"""The seconds of the years 1 to 9999, the range of the calendar."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_CLOCK = (1, 2, 5, 10, 15, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 10 * _MINUTE, 15 * _MINUTE, 30 * _MINUTE)
_CALENDAR = (_HOUR, 2 * _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY)
_MONTHS = (1, 2, 3, 6)
_MONTH = 30.44 * _DAY
_WEEK = 7 * _DAY
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CHANGING = -2_208_988_800, 4_102_444_800
"""The years 1900 to 2100, for which offsets are computed; outside, the nearest offset applies."""


def shown_scale(known: TimeScale | None, unit: str | None, zone: str | None) -> TimeScale | None:
    """The time scale of a picture, known or given. A zone may be given in addition to a known scale.

    >>> shown_scale(TimeScale("ms", "Europe/Athens"), None, "Asia/Tokyo")
    TimeScale(unit='ms', zone='Asia/Tokyo')
    """
    if known is not None:
        if unit is not None and require_unit(unit) != known.unit:
            raise HoldsforError(f"unit={unit!r}: a time-point of these times is known to be 1 {known.unit}")
        return TimeScale(known.unit, known.zone if zone is None else zone)
    if unit is not None:
        return TimeScale(unit, "UTC" if zone is None else zone)
    if zone is not None:
        raise HoldsforError(f"zone={zone!r} is for dates; say what one time-point is, for example unit='s'")
    return None


def without_zone(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A column of pandas datetimes with zones as datetimes in UTC; other columns unchanged."""
    if column.dtype.kind != "O":
        return column
    missing = [value is None or value != value for value in column.tolist()]  # noqa: PLR0124 -- NaT is not itself
    if all(missing) or not all(gap or isinstance(value, datetime) for gap, value in zip(missing, column, strict=True)):
        return column
    return np.array(
        [
            np.datetime64("NaT") if gap else np.datetime64(_in_utc(value).replace(tzinfo=None), "us")
            for gap, value in zip(missing, column, strict=True)
        ],
        "datetime64[us]",
    )


def _in_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC)


def offsets(zone: str, first: float, last: float) -> Offsets:
    """The offsets of a zone between two times.

    >>> offsets("Europe/Athens", 1_772_366_400, 1_777_000_000)
    [(1772366400, 7200), (1774746000, 10800)]
    """
    if zone == "UTC":
        return [(floor(first), 0)]
    clocks = ZoneInfo(zone)
    low, high = (min(max(floor(time), _CHANGING[0]), _CHANGING[1]) for time in (first, last))
    found = [(min(low, floor(first)), _offset(clocks, low))]
    for before, after in pairwise([*range(low, high, _WEEK), high]):
        if _offset(clocks, before) != _offset(clocks, after):
            found.append((_change(clocks, before, after), _offset(clocks, after)))
    return found


def _offset(clocks: ZoneInfo, second: int) -> int:
    ahead = (_EPOCH + timedelta(seconds=second)).astimezone(clocks).utcoffset() or timedelta(0)
    return round(ahead.total_seconds())


def _change(clocks: ZoneInfo, before: int, after: int) -> int:
    """The first second with the same offset as `after`."""
    while after - before > 1:
        middle = (before + after) // 2
        if _offset(clocks, middle) == _offset(clocks, after):
            after = middle
        else:
            before = middle
    return after


def date_marks(
    low: Fraction, high: Fraction, most: int, zone: Offsets, nice_step: Callable[[Fraction], Fraction]
) -> list[Moment]:
    """Marks at round local times between two times, about `most` of them."""
    least = (high - low) / most
    if least > 14 * _DAY:
        return _months(low, high, float(least) / _MONTH, zone, nice_step)
    step = next(Fraction(step) for step in (*_CLOCK, *_CALENDAR) if step >= least) if least > 1 else nice_step(least)
    digits = max(0, -floor(log10(step))) if step < 1 else 0
    found: list[Moment] = []
    day = None
    for first, last, ahead in _parts(low, high, zone):
        for count in range(ceil((first + ahead) / step), floor((last + ahead) / step) + 1):
            local = count * step
            seconds = local - ahead
            if seconds == last and last != high:
                continue  # The clocks change at this time, which belongs to the next part.
            date = _EPOCH + timedelta(days=local // _DAY)
            if step >= _DAY:
                found.append((seconds, f"{date:%Y-%m-%d}", ""))
                continue
            context = "" if date == day else f"{date:%Y-%m-%d}"
            found.append((seconds, _time_of_day(local % _DAY, step, digits), context))
            day = date
    return found


def _parts(low: Fraction, high: Fraction, zone: Offsets) -> Iterator[tuple[Fraction, Fraction, int]]:
    """The parts of a time range without clock changes: first, last, seconds ahead of UTC."""
    ends = [Fraction(first) for first, _ in zone[1:]]
    for begin, end, (_, ahead) in zip([low, *ends], [*ends, high], zone, strict=True):
        if max(begin, low) <= min(end, high):
            yield max(begin, low), min(end, high), ahead


def _time_of_day(seconds: Fraction, step: Fraction, digits: int) -> str:
    hours, rest = divmod(seconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    if step >= _MINUTE:
        return f"{hours:02}:{minutes:02}"
    width = 3 + digits if digits else 2
    return f"{hours:02}:{minutes:02}:{float(rest):0{width}.{digits}f}"


def _months(
    low: Fraction, high: Fraction, least: float, zone: Offsets, nice_step: Callable[[Fraction], Fraction]
) -> list[Moment]:
    months = next((months for months in _MONTHS if months >= least), 0)
    if not months:
        months = 12 * max(1, int(nice_step(Fraction(least / 12))))
    found: list[Moment] = []
    for first, last, ahead in _parts(low, high, zone):
        begin = _EPOCH + timedelta(seconds=max(floor(first) + ahead, FIRST))
        number = (begin.year * 12 + begin.month - 1) // months * months
        while number // 12 <= 9999:
            date = datetime(max(number // 12, 1), number % 12 + 1, 1, tzinfo=UTC)
            seconds = Fraction(int((date - _EPOCH).total_seconds()) - ahead)
            if seconds > last:
                break
            if seconds >= first and (seconds < last or last == high):
                found.append((seconds, f"{date:%Y}" if months >= 12 else f"{date:%Y-%m}", ""))
            number += months
    return found
