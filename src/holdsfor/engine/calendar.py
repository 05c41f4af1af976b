"""Fields of the calendar and the clock for whole columns of time-points."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.numbers import Array, packed, python_numbers, size
from holdsfor.logic.calendar import DAY, SECOND, calendar_value, offsets_of_day
from holdsfor.syntax.numbers import Number
from holdsfor.times import UNITS

_FITS = 1 << 62
_WIDEST = 1 << 20
"""So many days are told apart by a table, more of them by sorting."""


def calendar_column(field: str, times: Array, unit: str, zone: str) -> Array:
    """A field of each time-point; what is no time-point has no value."""
    step = max(1, UNITS[unit] // SECOND)
    if times.dtype != np.int64 or size(times) * step >= _FITS:
        return _by_row(field, times, unit, zone)
    return _of_integers(field, times.reshape(-1), unit, zone).reshape(times.shape) if times.size else times


def _of_integers(field: str, times: Ints, unit: str, zone: str) -> Array:
    points_in_second = max(1, SECOND // UNITS[unit])
    seconds, rest = np.divmod(times, points_in_second)
    seconds *= max(1, UNITS[unit] // SECOND)
    local = seconds + _offsets(seconds, zone)
    days, clock = np.divmod(local, DAY)
    match field:
        case "weekday":
            return np.asarray((days + 3) % 7 + 1)
        case "hour":
            return np.asarray(clock // 3600)
        case "minute":
            return np.asarray(clock // 60 % 60)
        case "time_of_day":
            return _quotient(clock * SECOND + rest * UNITS[unit], UNITS[unit])
    dates = days.astype("datetime64[D]")
    if field == "year":
        return np.asarray(dates.astype("datetime64[Y]").astype(np.int64) + 1970)
    months = dates.astype("datetime64[M]")
    if field == "month":
        return np.asarray(months.astype(np.int64) % 12 + 1)
    return np.asarray((dates - months.astype("datetime64[D]")).astype(np.int64) + 1)


def _quotient(lengths: Ints, length: int) -> Array:
    whole, left = np.divmod(lengths, length)
    return np.asarray(lengths / length) if left.any() else np.asarray(whole)


def _offsets(seconds: Ints, zone: str) -> Ints:
    """How far clocks are ahead of UTC, from what is known of each day that occurs."""
    if zone == "UTC":
        return np.zeros_like(seconds)
    days = seconds // DAY
    first, last = int(days.min()), int(days.max())
    if last - first < _WIDEST:
        occurs: Bools = np.zeros(last - first + 1, np.bool_)
        occurs[days - first] = True
        place = np.cumsum(occurs)[days - first] - 1
        listed = (np.flatnonzero(occurs) + first).tolist()
    else:
        distinct, place = np.unique(days, return_inverse=True)
        listed = distinct.tolist()
    before, change, after = np.array([offsets_of_day(day, zone) for day in listed], np.int64).T[:, place]
    return np.asarray(np.where(seconds < change, before, after))


def _by_row(field: str, times: Array, unit: str, zone: str) -> Array:
    found = [_value(field, time, unit, zone) for time in python_numbers(times.reshape(-1))]
    return packed(found).reshape(times.shape)


def _value(field: str, time: Number | None, unit: str, zone: str) -> Number | None:
    return calendar_value(field, time, unit, zone) if isinstance(time, int) else None
