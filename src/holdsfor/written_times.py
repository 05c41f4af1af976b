"""Times and durations as people write them, in nanoseconds. Exact: nothing becomes a float on the way."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from holdsfor.diagnostics import HoldsforError

UNITS = {
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 86_400 * 10**9,
}
"""Units of time-points, in nanoseconds."""
_WORDS = {
    "ns": "ns nanosecond nanoseconds",
    "us": "us µs μs microsecond microseconds",
    "ms": "ms millisecond milliseconds",
    "s": "s sec secs second seconds",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "d": "d day days",
}
UNIT_WORDS = {word: unit for unit, words in _WORDS.items() for word in words.split()}
"""The units of time-points by all words for them."""
_SIZES = {word: UNITS[unit] for unit, words in _WORDS.items() for word in words.split()}
_SIZES |= dict.fromkeys(("w", "week", "weeks"), 7 * UNITS["d"])
DURATION_WORDS = frozenset(_SIZES)
"""The words that may follow a number in a duration."""
UNCLEAR_UNITS = {"m": '"m" may be minutes or months; write "min"'}
UNCLEAR_UNITS |= {
    word: f"a {name} has no fixed length; write days"
    for name, words in (("month", "mo month months"), ("year", "y year years"))
    for word in words.split()
}
_NUMPY_SIZES: dict[str, int | Fraction] = {
    "W": 7 * UNITS["d"],
    "D": UNITS["d"],
    "h": UNITS["h"],
    "m": UNITS["min"],
    **{unit: UNITS[unit] for unit in ("s", "ms", "us", "ns")},
    **{unit: Fraction(1, 1000**power) for power, unit in enumerate(("ps", "fs", "as"), 1)},
}

_WHOLE = re.compile(r"[+-]?\d{1,40}", re.ASCII)
_PART = re.compile(r"(\d{1,40}(?:[.,]\d{1,40})?)\s*([a-zµμ]+)\s*", re.ASCII)
_PARTS = re.compile(rf"([+-]?)\s*((?:{_PART.pattern})+)", re.ASCII)
_NUMBER = r"(\d{1,40}(?:[.,]\d{1,40})?)"
_ISO_DURATION = re.compile(
    rf"([+-]?)P(?=\d|T\d)(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?", re.ASCII
)
_ISO_SIZES = (7 * UNITS["d"], UNITS["d"], UNITS["h"], UNITS["min"], UNITS["s"])
_ISO_TIME = re.compile(
    r"([\dW-]{8,10})(?:[T ](\d\d[\d:]*)(?:[.,](\d{1,40}))?\s?(Z|UTC|[+-]\d\d:?(?:\d\d)?(?::\d\d)?)?)?", re.ASCII
)
_SECONDS = re.compile(r"\d\d:\d\d:\d\d|\d{6}")
_EPOCH = date(1970, 1, 1).toordinal()


def since_1970(text: str) -> int | Fraction | None:
    """Nanoseconds of a text in ISO 8601, in UTC if it names no zone; None if it is no time.

    >>> since_1970("1970-01-01T00:00:00.000000001Z"), since_1970("soon")
    (1, None)
    """
    return _read_time(text.strip().upper())[0]


def whole_number(given: Any) -> int | None:
    """A number of time-points; None if it is something else."""
    if isinstance(given, bool) or type(given).__name__ in ("bool_", "bool"):
        return None
    if isinstance(given, str):
        text = given.strip()
        return int(text) if _WHOLE.fullmatch(text) else None
    if isinstance(given, float | Decimal | Fraction) or _numpy_kind(given) == "f":
        # Infinite numbers and those that are none are not equal to any remainder.
        return int(given) if given % 1 == 0 else None
    try:
        return operator.index(given)
    except TypeError:
        return None


def _numpy_kind(given: Any) -> str | None:
    """The kind of a NumPy scalar: "M" and "m" are its datetimes and timedeltas."""
    kind: str | None = getattr(getattr(given, "dtype", None), "kind", None)
    return kind if kind is not None and getattr(given, "ndim", 0) == 0 else None


# Times


def nanoseconds_since_1970(given: Any) -> tuple[int | Fraction | None, bool]:
    """A time in nanoseconds, and whether it is clear which zone is meant; None if it is no time."""
    if isinstance(given, str):
        return _read_time(given.strip().upper())
    if _numpy_kind(given) == "M":
        # NumPy times never have zones, so a missing zone is no mistake.
        return _numpy_nanoseconds(given), True
    if isinstance(given, datetime):
        # pandas has a datetime that is none, and it is not equal to itself.
        return (_moment(given) if given == given else None), given.tzinfo is not None  # noqa: PLR0124
    if isinstance(given, date):
        return (given.toordinal() - _EPOCH) * UNITS["d"], False
    return None, True


def _moment(moment: datetime) -> int:
    seconds = (moment.toordinal() - _EPOCH) * 86_400 + moment.hour * 3600 + moment.minute * 60 + moment.second
    offset = moment.utcoffset() or timedelta(0)
    # Timestamps of pandas have nanoseconds, too.
    return seconds * UNITS["s"] + moment.microsecond * 1000 + getattr(moment, "nanosecond", 0) - _length(offset)


def _read_time(text: str) -> tuple[int | Fraction | None, bool]:
    """Python's own reader drops digits of seconds after the sixth; they are read here."""
    found = _ISO_TIME.fullmatch(text)
    if found is None:
        return None, True
    day, clock, fraction, zone = found.groups()
    if fraction and not _SECONDS.fullmatch(clock):
        return None, True
    try:
        moment = datetime.fromisoformat(day + (f"T{clock}" if clock else ""))
        # A zone is read alone: with a time close to the first year or the last, Python would step over them.
        offset = timedelta(0) if zone in (None, "Z", "UTC") else _offset(zone)
    except ValueError:
        return None, True
    part = int((fraction or "0")[:9].ljust(9, "0"))
    if fraction and len(fraction) > 9:
        return _moment(moment) + Fraction(int(fraction), 10 ** (len(fraction) - 9)) - _length(offset), zone is not None
    return _moment(moment) + part - _length(offset), zone is not None


def _offset(zone: str) -> timedelta:
    return datetime.fromisoformat(f"2000-01-01T00:00{zone}").utcoffset() or timedelta(0)


# Durations


def nanoseconds_of(given: Any, what: str) -> int | Fraction | None:
    """A duration in nanoseconds; None if it is none."""
    if isinstance(given, str):
        return _read_duration(given.strip(), what)
    if _numpy_kind(given) == "m":
        return _numpy_nanoseconds(given)
    return _length(given) if isinstance(given, timedelta) else None


def _length(span: timedelta) -> int:
    microseconds = (span.days * 86_400 + span.seconds) * 10**6 + span.microseconds
    return microseconds * 1000 + getattr(span, "nanoseconds", 0)


def nanoseconds(length: timedelta) -> int:
    """The length of a timedelta in nanoseconds.

    >>> nanoseconds(timedelta(milliseconds=-1))
    -1000000
    """
    return _length(length)


def _read_duration(text: str, what: str) -> Fraction | None:
    iso = _ISO_DURATION.fullmatch(text.upper())
    if iso is not None and not text.upper().endswith("T"):
        sign, *numbers = iso.groups()
        lengths = [_exact(number) * size for number, size in zip(numbers, _ISO_SIZES, strict=True) if number]
        return sum(lengths, Fraction()) * (-1 if sign == "-" else 1)
    # "interval 1 hour" is how Spark writes it.
    found = _PARTS.fullmatch(text.lower().removeprefix("interval "))
    if found is None:
        return None
    parts = list(_parts(found[2], text, what))
    return None if None in parts else sum(filter(None, parts), Fraction()) * (-1 if found[1] == "-" else 1)


def _parts(text: str, given: str, what: str) -> Iterator[Fraction | None]:
    for number, word in _PART.findall(text):
        if word in UNCLEAR_UNITS:
            raise HoldsforError(f"{what} {given!r}: {UNCLEAR_UNITS[word]}")
        yield _exact(number) * _SIZES[word] if word in _SIZES else None


def _exact(number: str) -> Fraction:
    return Fraction(number.replace(",", "."))


def exact_length(number: str, word: str) -> Fraction:
    """A number of units in nanoseconds, exactly; `word` is one of `DURATION_WORDS`.

    >>> exact_length("1.5", "h") == 5400 * UNITS["s"]
    True
    """
    return Fraction(number) * _SIZES[word]


def _numpy_nanoseconds(given: Any) -> int | Fraction | None:
    """A datetime or timedelta of NumPy; None if it is none, or months or years long."""
    import numpy as np

    if np.isnat(given):
        return None
    if _numpy_kind(given) == "M" and np.datetime_data(given.dtype)[0] in "YM":
        given = given.astype("datetime64[D]")
    unit, count = np.datetime_data(given.dtype)
    size = _NUMPY_SIZES.get(unit)
    return None if size is None else int(given.astype(np.int64)) * count * size
