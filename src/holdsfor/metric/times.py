"""Points of time and durations as people give them, as exact rational numbers."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import read_bound
from holdsfor.times import exact_duration, exact_time

if TYPE_CHECKING:
    import numpy as np

Time: TypeAlias = "int | float | str | Decimal | Fraction | date | np.datetime64"
"""A point of time: a number, or its text (`"0.5"`, `"1/3"`). Floating-point numbers count as they are printed. Where the
unit of time is known, also a datetime, or the text of one in ISO 8601."""
Length: TypeAlias = "int | float | str | Decimal | Fraction | timedelta | np.timedelta64"
"""A duration: a number, or where the unit of time is known a timedelta, or text such as `"10min"`."""

_NUMBER = "a number such as 3, 0.25, 1/3 or 1.5e3"
_TIME = f'{_NUMBER}, a datetime, or text such as "2026-03-01T12:00Z"'
_LENGTH = f'{_NUMBER}, a timedelta, or text such as "10min" or "1h"'


def exact(time: Time, what: str = "a time", unit: str | None = None) -> Fraction:
    """A time as a rational number.

    >>> exact(0.1), exact("1/3"), exact(-2), exact("1970-01-01T00:00:30Z", unit="min")
    (Fraction(1, 10), Fraction(1, 3), Fraction(-2, 1), Fraction(1, 2))
    """
    found = _number(time)
    return exact_time(time, unit, what, _TIME) if found is None else found  # type: ignore[arg-type]


def exact_length(length: Length, what: str = "a duration", unit: str | None = None) -> Fraction:
    """A duration as a rational number.

    >>> exact_length(0.5), exact_length("90 s", unit="min")
    (Fraction(1, 2), Fraction(3, 2))
    """
    found = _number(length)
    return exact_duration(length, unit, what, _LENGTH) if found is None else found  # type: ignore[arg-type]


def number(given: Time, what: str = "a time") -> Fraction:
    """A number; a HoldsforError if it is something else, such as a date."""
    found = _number(given)
    if found is None:
        raise HoldsforError(f"{what} must be {_NUMBER}, not {given!r}")
    return found


def _number(given: Any) -> Fraction | None:
    if isinstance(given, Fraction):
        return given
    if isinstance(given, date | timedelta):
        return None
    found = read_bound(str(given).replace(" ", ""))
    return found if isinstance(found, Fraction) else None


def exact_or_none(time: Time | None, what: str, unit: str | None = None) -> Fraction | None:
    """The same where a time may be left out."""
    return None if time is None else exact(time, what, unit)


def length_or_none(length: Length | None, what: str, unit: str | None = None) -> Fraction | None:
    """The same where a duration may be left out."""
    return None if length is None else exact_length(length, what, unit)
