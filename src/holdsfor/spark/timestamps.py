"""Converts time-points to Arrow timestamps for the output of workers, without PySpark.

Spark's timestamps have microseconds. A time between two of them is an error, because rounding would change it.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale

TIMESTAMP = pa.timestamp("us", "UTC")
LATEST = 2**63 - 1
"""The last microsecond that a timestamp can represent."""
BETWEEN = (
    "no whole number of microseconds, and timestamps of Spark have nothing finer; declare the unit us, or a longer one"
)
BEYOND = "is beyond what a timestamp of Spark can be"
INTERVAL_TIMES = frozenset({"query_time", "start", "end"})
EVENT_TIMES = frozenset({"query_time", "time"})
TIMES = INTERVAL_TIMES | EVENT_TIMES | {"previous_start", "previous_end"}
"""The time columns of results and changelogs; elsewhere, an argument may have any of these names."""


def with_timestamps(table: pa.Table, scale: TimeScale | None) -> pa.Table:
    """The same for a table of a worker."""
    if scale is None:
        return table
    for place, name in enumerate(table.column_names):
        if name in TIMES:
            column = table[name].combine_chunks()
            moments = _whole_points(column.fill_null(0).to_numpy(), column.is_null().to_numpy(False), scale)
            table = table.set_column(place, pa.field(name, TIMESTAMP, table.field(name).nullable), moments)
    return table


def _whole_points(points: Ints, missing: Bools, scale: TimeScale) -> pa.Array:
    """Time-points as timestamps, vectorised if possible."""
    points = np.where(missing, 0, points)
    size = scale.size // 1000
    if size and int(np.abs(points).max(initial=0)) <= LATEST // size:
        return pa.array(points * size, mask=missing).cast(TIMESTAMP)
    return timestamps(points, 1, missing, scale)


def timestamps(
    ticks: Ints, ticks_in_point: int, missing: Bools, scale: TimeScale, *, rounded: bool = False
) -> pa.Array:
    """Times in ticks as timestamps, with `ticks_in_point` ticks per time-point.

    A time between two microseconds is an error, or is rounded down if `rounded`.
    """
    distinct, place = np.unique(np.where(missing, 0, ticks), return_inverse=True)
    found = [_microseconds(Fraction(tick, ticks_in_point), scale, rounded=rounded) for tick in distinct.tolist()]
    return pa.array(np.array(found, np.int64)[place], mask=missing).cast(TIMESTAMP)


def _microseconds(time: Fraction, scale: TimeScale, *, rounded: bool) -> int:
    found = time * Fraction(scale.size, 1000)
    if found.denominator != 1 and not rounded:
        raise HoldsforError(f"the time {time} {scale.unit} is {BETWEEN}")
    if abs(found) > LATEST:
        raise HoldsforError(f"the time {time} {scale.unit} {BEYOND}")
    return int(found // 1)


def timestamp_schema(schema: pa.Schema, scale: TimeScale | None, names: Collection[str] = TIMES) -> pa.Schema:
    """A schema with timestamps in place of time-points."""
    if scale is None:
        return schema
    return pa.schema([pa.field(f.name, TIMESTAMP, f.nullable) if f.name in names else f for f in schema])


def metric_timestamps(ticks: Ints, missing: Bools, ticks_in_unit: int, scale: TimeScale) -> pa.Array:
    """The times of metric facts. Fractions of a microsecond are rounded down, unless the unit itself is finer."""
    return timestamps(ticks, ticks_in_unit, missing, scale, rounded=scale.size >= 1000)


def timestamps_of_texts(column: Any, scale: TimeScale) -> pa.Array:
    """The same for a column of exact times as text (`0.25`, `1/3`), null for infinite ones."""
    encoded = column.dictionary_encode()
    rounded = scale.size >= 1000
    found = [_microseconds(Fraction(text), scale, rounded=rounded) for text in encoded.dictionary.to_pylist()]
    return pa.array(found, pa.int64()).take(encoded.indices).cast(TIMESTAMP)


def time_texts(times: Ints, scale: TimeScale | None) -> Any:
    """Times as text: ISO 8601 if the time unit is known, otherwise numbers."""
    if scale is None:
        return pa.array(times).cast(pa.string())
    distinct, place = np.unique(times, return_inverse=True)
    return pa.array([scale.text(time) for time in distinct.tolist()], pa.string()).take(pa.array(place))
