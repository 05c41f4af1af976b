"""Calendar and clock fields of a time-point in a time zone.

In rules these are functions of a time-point, with the time unit and the zone as further arguments: `#hour(T, s,
'Europe/Athens')`. They cannot be written in rules; the compiler creates them from conditions such as `hour(T, H)`.
Offsets come from the IANA database. Clock changes cause no ambiguity, because the input is a time, not a local time.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from holdsfor.syntax.numbers import Number
from holdsfor.syntax.terms import Compound, Const, Term
from holdsfor.times import UNITS, zone_named

_PREFIX = "#"
FIELDS = ("year", "month", "day", "weekday", "hour", "minute", "time_of_day")
CALENDAR = frozenset((f"{_PREFIX}{field}", 3) for field in FIELDS)
"""Names and arities of the functions: a time-point, the unit of time-points, the zone."""

SECOND = UNITS["s"]
DAY = 86_400
_CYCLE_DAYS = 146_097
_CYCLE = _CYCLE_DAYS * DAY
"""The calendar repeats after 400 years, including days of the week."""
_EPOCH = date(1970, 1, 1).toordinal()
_FIRST = (date(2, 1, 1).toordinal() - _EPOCH) * DAY
"""In the year 2 every zone uses its local mean time, as at all earlier times."""
_LAST = (date(9500, 1, 1).toordinal() - _EPOCH) * DAY
"""Before the year 9100, every zone has reached a yearly rule for clock changes, or has none."""


def calendar_term(field: str, time: Term, unit: str, zone: str) -> Compound:
    """The function that gives a field of a time-point."""
    return Compound(f"{_PREFIX}{field}", (time, Const(unit), Const(zone)), time.span)


def field_of(term: Compound) -> str:
    """The field of a function."""
    return term.name.removeprefix(_PREFIX)


def scale_of(term: Compound) -> tuple[str, str]:
    """The unit and the zone of a function."""
    unit, zone = (str(arg.value) for arg in term.args[1:] if isinstance(arg, Const))
    return unit, zone


def utc_offset(seconds: int, zone: str) -> int:
    """The offset from UTC in seconds at a time, given in seconds since 1970.

    >>> utc_offset(1_772_366_400, "Europe/Athens"), utc_offset(1_782_907_200, "Europe/Athens")
    (7200, 10800)
    >>> utc_offset(-(10**15), "Europe/Athens"), utc_offset(10**15, "UTC")
    (5692, 0)
    """
    if seconds > _LAST:
        seconds -= -((_LAST - seconds) // _CYCLE) * _CYCLE
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=max(seconds, _FIRST))
    offset = moment.astimezone(zone_named(zone)).utcoffset()
    assert offset is not None
    return offset.days * DAY + offset.seconds


def calendar_value(field: str, time: Number, unit: str, zone: str) -> Number:
    """A field of a time-point; raises ValueError if the time is not a time-point.

    >>> [calendar_value(field, 1_772_366_430, "s", "Europe/Athens") for field in FIELDS]
    [2026, 3, 1, 7, 14, 0, 50430]
    """
    if not isinstance(time, int):
        raise ValueError(f"{time} is no time-point")  # noqa: TRY004 -- as other functions of numbers do
    seconds, rest = divmod(time * UNITS[unit], SECOND)
    days, clock = divmod(seconds + utc_offset(seconds, zone), DAY)
    match field:
        case "weekday":
            return (days + 3) % 7 + 1
        case "hour":
            return clock // 3600
        case "minute":
            return clock // 60 % 60
        case "time_of_day":
            nanoseconds = clock * SECOND + rest
            whole, left = divmod(nanoseconds, UNITS[unit])
            return nanoseconds / UNITS[unit] if left else whole
    cycles, day = divmod(days, _CYCLE_DAYS)
    found = date.fromordinal(_EPOCH + day)
    return found.year + 400 * cycles if field == "year" else found.month if field == "month" else found.day


@lru_cache(maxsize=1 << 16)
def offsets_of_day(day: int, zone: str) -> tuple[int, int, int]:
    """The offset at the start of a day of UTC, the second since 1970 at which it changes, and the offset from then on.

    No zone has ever changed its clocks twice within a day.
    """
    start = day * DAY
    before, after = utc_offset(start, zone), utc_offset(start + DAY - 1, zone)
    if before == after:
        return before, start + DAY, after
    low, high = start, start + DAY - 1
    while high - low > 1:
        middle = (low + high) // 2
        if utc_offset(middle, zone) == before:
            low = middle
        else:
            high = middle
    return before, high, after
