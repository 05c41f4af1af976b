"""Points of time as people give them, as exact rational numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import read_bound

Time: TypeAlias = int | float | str | Decimal | Fraction
"""A point of time: a number, or its text (`"0.5"`, `"1/3"`). Floating-point numbers count as they are printed."""


def exact(time: Time, what: str = "a time") -> Fraction:
    """The rational number that somebody meant.

    >>> exact(0.1), exact("1/3"), exact(-2)
    (Fraction(1, 10), Fraction(1, 3), Fraction(-2, 1))
    """
    found = time if isinstance(time, Fraction) else read_bound(str(time).replace(" ", ""))
    if not isinstance(found, Fraction):
        raise HoldsforError(f"{what} must be a number such as 3, 0.25, 1/3 or 1.5e3, not {time!r}")
    return found


def exact_or_none(time: Time | None, what: str) -> Fraction | None:
    """The same where a time may be left out."""
    return None if time is None else exact(time, what)
