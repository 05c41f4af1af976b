"""Formats columns of time-points: text in ISO 8601, or timestamps with a zone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import UNITS, TimeScale, zone_named

INTERVAL_TIMES = ("query_time", "start", "end")
"""The columns with times in tables of intervals."""
EVENT_TIMES = ("query_time", "time")
"""The time columns in tables of derived events."""

_SECOND = UNITS["s"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = int((datetime(1, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds())
_LAST = int((datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC) - _EPOCH).total_seconds())


def with_texts(table: pa.Table, scale: TimeScale | None, names: Sequence[str]) -> pa.Table:
    """A table with times as text, for reading and for untyped formats; unchanged if the unit is unknown."""
    return table if scale is None else _replaced(table, names, lambda column: time_texts(column, scale))


def with_timestamps(table: pa.Table, scale: TimeScale | None, names: Sequence[str]) -> pa.Table:
    """A table with times as timestamps, for data tools; unchanged if the unit is unknown."""
    return table if scale is None else _replaced(table, names, lambda column: timestamps(column, scale))


def _replaced(table: pa.Table, names: Sequence[str], change: Callable[[Any], Any]) -> pa.Table:
    for place, name in enumerate(table.column_names):
        if name in names:
            field = table.schema.field(place)
            column = change(table.column(place).combine_chunks())
            table = table.set_column(place, field.with_type(column.type), column)
    return table


def timestamps(times: Any, scale: TimeScale) -> Any:
    """Time-points as timestamps in the zone, in the resolution of the unit; units from minutes on use seconds.

    >>> timestamps(pa.array([1, None]), TimeScale("h")).cast(pa.string()).to_pylist()
    ['1970-01-01 01:00:00Z', None]
    """
    times = _one_array(times)
    resolution = scale.unit if scale.size < _SECOND else "s"
    factor = scale.size // UNITS[resolution]
    if factor > 1 and len(times) and times.null_count != len(times):
        bounds = pc.min_max(times).as_py()
        furthest = max(bounds.values(), key=abs)
        if abs(furthest) > (2**63 - 1) // factor:
            raise HoldsforError(
                f"time-point {furthest} lies too far from 1970 for a timestamp: one of them is 1 {scale.unit}"
            )
        times = pc.multiply(times, factor)
    return times.view(pa.timestamp(resolution, scale.zone))


def time_texts(times: Any, scale: TimeScale) -> Any:
    """Time-points as text, in the format of `scale.text`.

    >>> time_texts(pa.array([1772366400, None]), TimeScale("s", "Europe/Athens")).to_pylist()
    ['2026-03-01T14:00:00+02:00', None]
    """
    times = _one_array(times)
    if not len(times):
        return pa.array([], pa.string())
    is_null = times.is_null().to_numpy(zero_copy_only=False) if times.null_count else None
    values: Ints = (pc.fill_null(times, 0) if times.null_count else times).to_numpy()
    if values[0] == values[-1] and (values == values[0]).all():
        shown = pa.array([scale.text(int(values[0]))], pa.string()).take(pa.array(np.zeros(len(values), np.int64)))
    else:
        shown = _texts(values, scale)
    return shown if is_null is None else pc.if_else(pa.array(is_null), pa.scalar(None, pa.string()), shown)


def _texts(values: Ints, scale: TimeScale) -> Any:
    seconds, rest, digits, fits = _parts(values, scale)
    offsets = _offsets(seconds, fits, scale.zone)
    local = seconds + offsets
    fits &= (local >= _FIRST) & (local <= _LAST)
    clock = pa.array(np.where(fits, local, 0)).view(pa.timestamp("s")).cast(pa.string())
    parts = [pc.binary_replace_slice(clock, 10, 11, "T")]
    if digits:
        decimals = pc.utf8_rtrim(pc.utf8_lpad(pa.array(rest).cast(pa.string()), digits, "0"), "0")
        parts.append(pc.if_else(pa.array(rest > 0), pc.binary_join_element_wise(".", decimals, ""), ""))
    if scale.zone == "UTC":
        parts.append("Z")
    else:
        distinct, place = np.unique(offsets, return_inverse=True)
        parts.append(pa.array(list(map(_offset_text, distinct.tolist())), pa.string()).take(pa.array(place)))
    shown = pc.binary_join_element_wise(*parts, "")
    return shown if fits.all() else pc.if_else(pa.array(fits), shown, pa.array(values).cast(pa.string()))


def _parts(values: Ints, scale: TimeScale) -> tuple[Ints, Ints, int, Bools]:
    """Seconds since 1970, the remaining fraction, its digits, and a mask of times within the calendar."""
    if scale.size < _SECOND:
        per_second = _SECOND // scale.size
        seconds, rest = np.divmod(values, per_second)
        fits: Bools = (seconds >= _FIRST) & (seconds <= _LAST)
        return np.where(fits, seconds, 0), rest, len(str(per_second)) - 1, fits
    factor = scale.size // _SECOND
    fits = (values >= -(-_FIRST // factor)) & (values <= _LAST // factor)
    return np.where(fits, values, 0) * factor, np.zeros(len(values), np.int64), 0, fits


def _offsets(seconds: Ints, fits: Bools, zone: str) -> Ints:
    """The offset of local time in seconds; times beyond the calendar of the zone are masked out."""
    if zone == "UTC":
        return np.zeros(len(seconds), np.int64)
    found = np.zeros(len(seconds), np.int64)
    rows = np.arange(len(seconds))
    # Days and minutes in which the offset changes are rare, so only their rows are examined closely.
    for size in (86_400, 60, 1):
        buckets, place = np.unique(seconds[rows] // size, return_inverse=True)
        first = [_offset(one * size, zone) for one in buckets.tolist()]
        last = first if size == 1 else [_offset((one + 1) * size - 1, zone) for one in buckets.tolist()]
        found[rows] = np.array([one or 0 for one in first], np.int64)[place]
        if size == 1:
            fits[rows] &= np.array([one is not None for one in first], np.bool_)[place]
        is_mixed = np.array([one is None or one != other for one, other in zip(first, last, strict=True)], np.bool_)
        rows = rows[is_mixed[place]]
    return found


def _offset(second: int, zone: str) -> int | None:
    try:
        moment = (_EPOCH + timedelta(seconds=second)).astimezone(zone_named(zone))
    except OverflowError:
        return None
    offset = moment.utcoffset() or timedelta(0)
    return offset.days * 86_400 + offset.seconds


def _offset_text(offset: int) -> str:
    hours, rest = divmod(abs(offset), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}" + (f":{seconds:02}" if seconds else "")


def _one_array(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
