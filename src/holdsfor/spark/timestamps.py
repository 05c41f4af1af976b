"""Time-points as Arrow's timestamps, for what workers write. No PySpark.

Spark's timestamps have microseconds. A time between two of them is an error, for rounding would move it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.times import TimeScale

TIMESTAMP = pa.timestamp("us", "UTC")
LATEST = 2**63 - 1
"""The last microsecond that a timestamp can be."""
BETWEEN = (
    "no whole number of microseconds, and timestamps of Spark have nothing finer; declare the unit us, or a longer one"
)
BEYOND = "is beyond what a timestamp of Spark can be"
INTERVAL_TIMES = frozenset({"query_time", "start", "end"})
EVENT_TIMES = frozenset({"query_time", "time"})
TIMES = INTERVAL_TIMES | EVENT_TIMES | {"previous_start", "previous_end"}
"""The columns of results and changelogs that hold time-points; an argument may have any of these names elsewhere."""


def with_timestamps(table: pa.Table, scale: TimeScale | None) -> pa.Table:
    """The same for a table of a worker."""
    if scale is None:
        return table
    for place, name in enumerate(table.column_names):
        if name in TIMES:
            column = table[name].combine_chunks()
            missing = column.is_null().to_numpy(zero_copy_only=False)
            moments = timestamps(column.fill_null(0).to_numpy(), 1, missing, scale)
            table = table.set_column(place, pa.field(name, TIMESTAMP, table.field(name).nullable), moments)
    return table


def timestamps(ticks: Ints, ticks_in_point: int, missing: Bools, scale: TimeScale) -> pa.Array:
    """Times as timestamps; a time is a number of ticks, of which some make a time-point."""
    ticks = np.where(missing, 0, ticks)
    # A tick is so many microseconds: over / under.
    over, under = scale.size, 1000 * ticks_in_point
    common = int(np.gcd(over, under))
    over, under = over // common, under // common
    whole, rest = np.divmod(ticks, under)
    if rest.any():
        first = int(ticks[np.flatnonzero(rest)[0]])
        raise HoldsforError(f"the time {first}/{ticks_in_point} {scale.unit} is {BETWEEN}")
    if len(whole) and max(int(whole.max()), -int(whole.min())) > LATEST // over:
        raise HoldsforError(f"the time-point {int(np.abs(ticks).max()) // ticks_in_point} {scale.unit} {BEYOND}")
    return pa.array(whole * over, mask=missing).cast(TIMESTAMP)


def timestamp_schema(schema: pa.Schema, scale: TimeScale | None, names: Collection[str] = TIMES) -> pa.Schema:
    """A schema with timestamps in the place of time-points."""
    if scale is None:
        return schema
    return pa.schema([pa.field(f.name, TIMESTAMP, f.nullable) if f.name in names else f for f in schema])


def time_texts(times: Ints, scale: TimeScale | None) -> Any:
    """Times as text: ISO 8601 if it is known what one time-point is, else numbers."""
    if scale is None:
        return pa.array(times).cast(pa.string())
    distinct, place = np.unique(times, return_inverse=True)
    return pa.array([scale.text(time) for time in distinct.tolist()], pa.string()).take(pa.array(place))
