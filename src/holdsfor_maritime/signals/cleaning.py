"""Separates position reports from those that are set aside, with a reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from holdsfor_maritime.signals.tracks import Ints

ROWS = pa.schema(
    [
        ("vessel", pa.int64()),
        ("time", pa.int64()),
        ("lon", pa.float64()),
        ("lat", pa.float64()),
        ("speed", pa.float64()),
        ("course", pa.float64()),
        ("heading", pa.float64()),
    ]
)
"""The columns of a report. A speed of 102.3, a course of 360 and a heading of 511 mean unknown."""
ASIDE = pa.schema([("reason", pa.string()), *ROWS, ("text", pa.string())])
"""Reports that are set aside; malformed ones with their text."""

MALFORMED, OUT_OF_RANGE, DUPLICATE, JUMP, LATE = "malformed", "out of range", "duplicate", "impossible jump", "late"
REASONS = (MALFORMED, OUT_OF_RANGE, DUPLICATE, JUMP, LATE)

NO_SPEED, NO_COURSE, NO_HEADING = 102.3, 360.0, 511.0


def set_aside(rows: pa.Table, reason: str) -> pa.Table:
    """Rows that are set aside, with the reason."""
    columns = [pa.repeat(pa.scalar(reason), len(rows)), *rows.columns, pa.nulls(len(rows), pa.string())]
    return pa.table(columns, schema=ASIDE)


def malformed(text: pa.Array) -> pa.Table:
    """Lines that are not reports."""
    columns = [pa.repeat(pa.scalar(MALFORMED), len(text)), *(pa.nulls(len(text), kind.type) for kind in ROWS), text]
    return pa.table(columns, schema=ASIDE)


def in_range(rows: pa.Table) -> NDArray[np.bool_]:
    """Whether the values of a report are within the ranges of AIS; optional values may be missing or unknown."""

    def between(name: str, low: float, high: float) -> NDArray[np.bool_]:
        values = rows[name].to_numpy()
        # Missing values are NaN, which is not out of range.
        found: NDArray[np.bool_] = ~((values < low) | (values > high))
        return found

    heading = rows["heading"].to_numpy()
    found: NDArray[np.bool_] = (
        between("vessel", 1, 999_999_999)
        & (np.abs(rows["lon"].to_numpy()) <= 180)
        & (np.abs(rows["lat"].to_numpy()) <= 90)
        & between("speed", 0, NO_SPEED)
        & between("course", 0, NO_COURSE)
        & (between("heading", 0, 359.999) | (heading == NO_HEADING))
    )
    return found


@dataclass(frozen=True)
class Ordered:
    """Reports in order of vessel and time, one for each; and the duplicates."""

    rows: pa.Table
    vessels: Ints
    """The distinct vessels."""
    vessel: Ints
    """The index of a row's vessel among them."""
    duplicates: pa.Table


def ordered(rows: pa.Table) -> Ordered:
    """Put reports in order. Of several with the same time, the first by its values is kept.

    So it does not matter in which order they come in.
    """
    vessel, time = rows["vessel"].to_numpy(), rows["time"].to_numpy()
    order = _by_vessel_and_time(vessel, time)
    same = np.flatnonzero((np.diff(vessel[order]) == 0) & (np.diff(time[order]) == 0))
    if len(same):
        order, again = _without_ties(rows, order, same)
    else:
        again = same
    vessels, places = np.unique(vessel[order], return_inverse=True)
    return Ordered(rows.take(order), vessels, places, rows.take(again))


def _by_vessel_and_time(vessel: Ints, time: Ints) -> Ints:
    """One sort of packed numbers where they fit, as they do unless a stream lasts for centuries."""
    if not len(time):
        return np.empty(0, np.int64)
    low = int(time.min())
    span = int(time.max()) - low
    if span < 2**33 and int(vessel.min()) >= 0 and int(vessel.max()) < 2**30:
        return np.argsort((vessel << 33) | (time - low), kind="stable")
    return np.lexsort((time, vessel))


def _without_ties(rows: pa.Table, order: Ints, same: Ints) -> tuple[Ints, Ints]:
    """The kept rows in order, and the removed ones; `same` are the positions of rows that the next one repeats."""
    tied = np.unique(np.concatenate((same, same + 1)))
    picked = rows.take(order[tied])
    keys = [np.nan_to_num(picked[name].to_numpy(), nan=1e9) for name in reversed(ROWS.names)]
    inside = np.lexsort(keys)
    order = order.copy()
    # All rows of one vessel and time stand together, before and after.
    order[tied] = order[tied[inside]]
    return np.delete(order, same + 1), order[same + 1]


def parsed(rows: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The rows of the public set that can be used; and as text those with missing values."""
    needed = [pc.is_valid(rows[name]) for name in ("sourcemmsi", "lon", "lat", "t")]
    good = pc.and_(pc.and_(needed[0], needed[1]), pc.and_(needed[2], needed[3]))
    bad = rows.filter(pc.invert(good))
    kept = rows if not len(bad) else rows.filter(good)
    names = ("sourcemmsi", "t", "lon", "lat", "speedoverground", "courseoverground", "trueheading")
    columns = [_numbers(kept[name], kind.type) for name, kind in zip(names, ROWS, strict=True)]
    return pa.table(columns, schema=ROWS), malformed(_as_text(bad))


def _numbers(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    found = column if column.type == kind else column.cast(kind)
    return pc.fill_null(found, float("nan")) if kind == pa.float64() and found.null_count else found


def _as_text(rows: pa.Table) -> pa.Array:
    if not len(rows):
        return pa.array([], pa.string())
    parts = [pc.fill_null(rows[name].cast(pa.string()), "") for name in rows.column_names]
    found = pc.binary_join_element_wise(*parts, ",")
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
