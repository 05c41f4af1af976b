"""Formats rational times: exact text in ISO 8601, or timestamps with a zone."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.report import fact_table
from holdsfor.columns.tables import FOREVER
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.scaled import time_texts
from holdsfor.times import UNITS, TimeScale

_MOST = 1 << 62


def texts_table(facts: FactSet, dictionary: Dictionary, scale: TimeScale) -> pa.Table:
    """Facts with times as exact text."""
    return fact_table(facts, dictionary, pa.string(), partial(moment_texts, scale=scale))


def timestamps_table(facts: FactSet, dictionary: Dictionary, scale: TimeScale) -> pa.Table:
    """Facts with timestamps, in the finest resolution whose range covers all times, rounded down."""
    resolution = _resolution(facts, scale)
    kind = pa.timestamp(resolution, scale.zone)
    return fact_table(facts, dictionary, kind, partial(_timestamps, scale=scale, resolution=resolution))


def moment_text(time: Fraction, scale: TimeScale | None) -> str:
    """A time as text; a number if the unit is unknown, or if no calendar or decimal fraction represents the time.

    >>> moment_text(Fraction(3, 2), TimeScale("s")), moment_text(Fraction(1, 3), TimeScale("s"))
    ('1970-01-01T00:00:01.5Z', '1/3')
    """
    if scale is None:
        return number_text(time)
    seconds = time * Fraction(scale.size, UNITS["s"])
    whole, rest = divmod(seconds, 1)
    shown = TimeScale("s", scale.zone).text(whole)
    if "T" not in shown:
        return number_text(time)
    if not rest:
        return shown
    digits = number_text(rest)
    # An offset, if any, follows the 19 characters of date and time.
    return f"{shown[:19]}{digits[1:]}{shown[19:]}" if digits.startswith("0.") else number_text(time)


def moment_texts(ticks: Ints, infinite: Bools, per_unit: int, *, scale: TimeScale) -> Any:
    """A column of times as text, from ticks, their number per unit, and a mask of infinite times."""
    if scale.size % per_unit == 0:
        size = scale.size // per_unit
        furthest = int(np.abs(np.where(infinite, 0, ticks)).max(initial=0))
        if furthest < _MOST // size:
            nanoseconds = np.where(infinite, 0, ticks) * size
            return time_texts(pa.array(nanoseconds, mask=infinite), TimeScale("ns", scale.zone))
    distinct, inverse = np.unique(ticks, return_inverse=True)
    shown = [moment_text(Fraction(tick, per_unit), scale) for tick in distinct.tolist()]
    return pa.array(shown, pa.string()).take(pa.array(inverse, mask=infinite))


def _resolution(facts: FactSet, scale: TimeScale) -> str:
    columns = [column for table in facts.tables.values() for column in (table.start, table.end)]
    furthest = max((int(np.abs(column[np.abs(column) < FOREVER]).max(initial=0)) for column in columns), default=0)
    units = furthest // 2 // facts.scale + 1
    return next((one for one in ("ns", "us", "ms") if units < _MOST // max(1, scale.size // UNITS[one])), "s")


def _timestamps(ticks: Ints, infinite: Bools, per_unit: int, *, scale: TimeScale, resolution: str) -> Any:
    units, rest = np.divmod(np.where(infinite, 0, ticks), per_unit)
    size = Fraction(scale.size, UNITS[resolution])
    if size.denominator == 1 and per_unit < _MOST // size.numerator:
        values = units * size.numerator + rest * size.numerator // per_unit
    else:
        values = np.array([int(Fraction(tick, per_unit) * size // 1) for tick in ticks.tolist()], np.int64)
    return pa.array(values, mask=infinite).view(pa.timestamp(resolution, scale.zone))
