"""Times and durations as people write them, as whole numbers of time-points. Exact: nothing becomes a float on the way."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.diagnostics import HoldsforError, warn_caller
from holdsfor.records import record
from holdsfor.written_times import (
    DURATION_WORDS,
    UNCLEAR_UNITS,
    UNIT_WORDS,
    UNITS,
    exact_length,
    nanoseconds,
    nanoseconds_of,
    nanoseconds_since_1970,
    since_1970,
    whole_number,
)

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "DURATION_WORDS",
    "LATEST",
    "UNCLEAR_UNITS",
    "UNITS",
    "UNIT_WORDS",
    "DurationInput",
    "Span",
    "TimeInput",
    "TimeScale",
    "duration",
    "duration_or_none",
    "duration_text",
    "exact_duration",
    "exact_length",
    "exact_time",
    "is_duration",
    "is_time",
    "nanoseconds",
    "require_unit",
    "shown_length",
    "shown_time",
    "since_1970",
    "span_in_points",
    "time_point",
    "time_point_or_none",
    "time_text",
    "unit_of",
    "zone_named",
]

TimeInput: TypeAlias = "int | float | str | date | np.datetime64"
"""A time: a number of time-points, a date or datetime (also of pandas and NumPy), or the text of one in ISO 8601."""
DurationInput: TypeAlias = "int | float | str | timedelta | np.timedelta64"
"""A duration: a number of time-points, a timedelta (also of pandas and NumPy), or text such as "1h" or "PT1H"."""

LATEST = 2**61
"""Times beyond this, before or after zero, are refused as mistakes; packing times into one integer needs the room."""

_DURATIONS = 'a whole number of time-points, a timedelta, or text such as "90 s", "10min", "1h" or "PT1H"'
_TIMES = 'a whole number, a datetime, or text such as "2026-03-01" or "2026-03-01T12:00Z"'


def require_unit(unit: object, what: str = "unit") -> str:
    """A unit of time-points by any word for it; a HoldsforError lists the known ones.

    >>> require_unit("ms"), require_unit("seconds")
    ('ms', 's')
    """
    found = UNIT_WORDS.get(unit) if isinstance(unit, str) else None
    if found is None:
        raise HoldsforError(f"{what} must be one of {', '.join(UNITS)}, not {unit!r}{_more_about(unit)}")
    return found


def _more_about(unit: object) -> str:
    return f"; {UNCLEAR_UNITS[unit]}" if isinstance(unit, str) and unit in UNCLEAR_UNITS else ""


@record
class TimeScale:
    """The meaning of time-points: their unit, counted from 1970, and the zone in which they are shown.

    >>> TimeScale("s").text(1772366400), TimeScale("s", "Europe/Athens").text(1772366400)
    ('2026-03-01T12:00:00Z', '2026-03-01T14:00:00+02:00')
    """

    unit: str
    zone: str = "UTC"

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit", require_unit(self.unit))
        zone_named(self.zone)

    @property
    def size(self) -> int:
        """The length of a time-point in nanoseconds."""
        return UNITS[self.unit]

    def text(self, time: int) -> str:
        """A time-point in ISO 8601, in the zone, with as many digits as it has; a number where no calendar has it."""
        return time_text(time, self.unit, self.zone)

    def duration_text(self, length: int) -> str:
        """A duration in the largest units that it has.

        >>> TimeScale("s").duration_text(5400)
        '1h 30min'
        """
        return duration_text(length, self.unit)

    def __str__(self) -> str:
        return self.unit if self.zone == "UTC" else f"{self.unit}, {self.zone}"


def unit_of(declared: TimeScale | None, given: str | None, what: str = "unit") -> str | None:
    """The unit that rules declare or that is given beside them; they must agree.

    >>> unit_of(TimeScale("s"), "seconds"), unit_of(None, None)
    ('s', None)
    """
    wanted = None if given is None else require_unit(given, what)
    if declared is None or wanted is None or declared.unit == wanted:
        return wanted if declared is None else declared.unit
    raise HoldsforError(
        f"{what} is {wanted!r}, but the rules declare time_unit({declared.unit}); leave one of them out"
    )


@cache
def zone_named(name: str) -> tzinfo:
    """A time zone of the IANA database; a HoldsforError if there is none of that name.

    >>> zone_named("Mars/Olympus")
    Traceback (most recent call last):
        ...
    holdsfor.diagnostics.HoldsforError: 'Mars/Olympus' is not a time zone; write a name such as 'Europe/Athens' or 'UTC'
    """
    if name == "UTC":
        return UTC
    # Imported here: most programs have no zone.
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError, TypeError):
        raise HoldsforError(f"{name!r} is not a time zone; write a name such as 'Europe/Athens' or 'UTC'") from None


def time_point(given: TimeInput, unit: str | None, what: str = "time") -> int:
    """The time-point that a time belongs to; messages call it `what`.

    Dates and datetimes are counted in the unit since 1970, rounded down as in columns of timestamps. Those without a
    zone are read as UTC, which a warning says.

    >>> time_point(5, None), time_point(5.0, "s"), time_point("1970-01-02T00:00Z", "h")
    (5, 5, 24)
    >>> time_point("1970-01-01T02:00:00.5+01:00", "ms")
    3600500
    """
    whole = whole_number(given)
    if whole is not None:
        return _in_range(whole, given, what)
    return _in_range(exact_time(given, unit, what) // 1, given, what)


def exact_time(given: TimeInput, unit: str | None, what: str = "time", accepted: str = _TIMES) -> Fraction:
    """A date or datetime in units since 1970, not rounded; `accepted` is the text of messages about other values.

    >>> exact_time("1970-01-01T00:00:01.5Z", "min")
    Fraction(1, 40)
    """
    since, has_zone = nanoseconds_since_1970(given)
    if since is None:
        raise HoldsforError(f"{what} must be {accepted}, not {given!r}")
    if unit is None:
        raise HoldsforError(_without_unit(given, what, "a date"))
    if not has_zone:
        warn_caller(f"{what} {str(given)!r} has no time zone; it is read as UTC")
    return Fraction(since) / UNITS[require_unit(unit)]


def duration(given: DurationInput, unit: str | None, what: str = "duration") -> int:
    """The number of time-points of a duration; messages call it `what`.

    >>> duration(90, None), duration("1.5 h", "min"), duration("PT1H", "s"), duration(timedelta(days=1), "h")
    (90, 90, 3600, 24)
    """
    whole = whole_number(given)
    if whole is not None:
        return _in_range(whole, given, what)
    found = exact_duration(given, unit, what)
    if found.denominator != 1:
        raise HoldsforError(f"{what} {str(given)!r} is not a whole number of time-points: one is 1 {unit}")
    return _in_range(found.numerator, given, what)


def exact_duration(
    given: DurationInput, unit: str | None, what: str = "duration", accepted: str = _DURATIONS
) -> Fraction:
    """A duration in units, not rounded.

    >>> exact_duration("90 s", "min")
    Fraction(3, 2)
    """
    length = nanoseconds_of(given, what)
    if length is None:
        raise HoldsforError(f"{what} must be {accepted}, not {given!r}")
    if unit is None:
        raise HoldsforError(_without_unit(given, what, "a duration"))
    return Fraction(length) / UNITS[require_unit(unit)]


def is_time(text: str) -> bool:
    """Whether a text is a number of time-points or a time in ISO 8601.

    >>> is_time("5"), is_time("2026-03-01T12:00Z"), is_time("soon")
    (True, True, False)
    """
    return whole_number(text) is not None or since_1970(text) is not None


def is_duration(text: str) -> bool:
    """Whether a text is a number of time-points or a duration.

    >>> is_duration("5"), is_duration("10 min"), is_duration("soon")
    (True, True, False)
    """
    try:
        return whole_number(text) is not None or nanoseconds_of(text, "duration") is not None
    except HoldsforError:
        return False


def time_point_or_none(given: TimeInput | None, unit: str | None, what: str = "time") -> int | None:
    """The same where a time may be left out."""
    return None if given is None else time_point(given, unit, what)


def duration_or_none(given: DurationInput | None, unit: str | None, what: str = "duration") -> int | None:
    """The same where a duration may be left out."""
    return None if given is None else duration(given, unit, what)


Span: TypeAlias = "tuple[DurationInput | None, DurationInput | None, TimeInput | None, TimeInput | None]"
"""Window, step, start and end as they were given."""


def span_in_points(given: Span, unit: str | None) -> tuple[int | None, int | None, int | None, int | None]:
    """Window, step, start and end as numbers of time-points.

    >>> span_in_points(("1h", timedelta(minutes=10), None, "1970-01-02T00:00Z"), "min")
    (60, 10, None, 1440)
    """
    window, step, start, end = given
    return (
        duration_or_none(window, unit, "window"),
        duration_or_none(step, unit, "step"),
        time_point_or_none(start, unit, "start"),
        time_point_or_none(end, unit, "end"),
    )


def time_text(time: int, unit: str, zone: str = "UTC") -> str:
    """A time-point in ISO 8601, with as many digits as it has; a number where no calendar has it.

    >>> time_text(1772366400, "s"), time_text(1500, "ms"), time_text(-1, "ns")
    ('2026-03-01T12:00:00Z', '1970-01-01T00:00:01.5Z', '1969-12-31T23:59:59.999999999Z')
    """
    seconds, rest = divmod(int(time) * UNITS[require_unit(unit)], UNITS["s"])
    try:
        moment = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).astimezone(zone_named(zone))
    except OverflowError:
        return str(time)
    shown = moment.isoformat()
    # The offset has as many characters as it needs: those of former times have seconds, too.
    clock, offset = shown[:19], "Z" if zone == "UTC" else shown[19:]
    return clock + (f".{rest:09}".rstrip("0") if rest else "") + offset


def duration_text(length: int, unit: str) -> str:
    """A duration in the largest units that it has.

    >>> duration_text(5400, "s"), duration_text(-36, "h"), duration_text(0, "ms")
    ('1h 30min', '-1d 12h', '0ms')
    """
    rest = abs(length) * UNITS[require_unit(unit)]
    shown = []
    for name in ("d", "h", "min", "s", "ms", "us", "ns"):
        count, rest = divmod(rest, UNITS[name])
        if count:
            shown.append(f"{count}{name}")
    return "-" * (length < 0) + (" ".join(shown) or f"0{unit}")


def shown_time(time: int, scale: TimeScale | None) -> str:
    """A time-point for people: a date where the unit is known.

    >>> shown_time(60, None), shown_time(60, TimeScale("s"))
    ('60', '1970-01-01T00:01:00Z')
    """
    return str(time) if scale is None else scale.text(time)


def shown_length(length: int, scale: TimeScale | None) -> str:
    """A number of time-points for people: a duration where the unit is known.

    >>> shown_length(60, None), shown_length(60, TimeScale("s"))
    ('60', '1min')
    """
    return str(length) if scale is None else scale.duration_text(length)


def _without_unit(given: object, what: str, kind: str) -> str:
    argument = "--unit s" if what.startswith("--") else 'unit="s"'
    return (
        f"{what} {str(given)!r} is {kind}, and the time unit is unknown; "
        f"declare the unit, for example {argument}, or :- time_unit(s). in the rules"
    )


def _in_range(found: int, given: object, what: str) -> int:
    if abs(found) > LATEST:
        raise HoldsforError(f"{what} {str(given)!r} is too large: more than 2^61 time-points")
    return found
