"""Input rows on their way into the state of a stream: their columns, and the two passes over the buckets' files.

A row that comes in is written to the files of its bucket first. When a query time is due, each bucket reads what has
come in for it, and writes what is not due yet to its state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.tables import FOREVER
from holdsfor.io.ahead import sampled
from holdsfor.io.layouts import Form
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.store import Store, packed, unpacked
from holdsfor.spark.wire import Wire

NOTE = pa.schema([pa.field("note", pa.string())])
"""What a worker tells the driver, as JSON."""
ROW, BACK_COPY, BACK, ROW_COPY = 0, 1, 2, 3
"""What is in the column `retracted`: a row, a retraction, and copies of either for other buckets. Each is spoken of once."""


def row_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The columns of input rows as they are kept."""
    kept = [field for field in wire.schema if field.name not in ("q", "data")]
    return pa.schema([*kept, pa.field("retracted", pa.int8())] if retracting else kept)


def kept_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The columns of rows that no query time has seen yet, each with the number of its batch."""
    return row_schema(wire, retracting=retracting).append(pa.field("batch", pa.int64()))


def travelling_schema(wire: Wire) -> pa.Schema:
    """The columns on the way to a bucket; `arrival` is the time that the clock goes by."""
    return row_schema(wire, retracting=True).append(pa.field("bucket", pa.int32()))


def noted(**found: Any) -> pa.RecordBatch:
    """A note as a row."""
    return pa.RecordBatch.from_arrays([pa.array([json.dumps(found)], pa.string())], schema=NOTE)


@dataclass(frozen=True)
class TakeIn:
    """Writes the rows of a bucket to its file, but for those that are late."""

    job: Job
    store: Store
    batch: int
    retracting: bool
    clock: Clock
    windows: Windows
    latest: int | None = None
    """Rows whose time is later are too far ahead of the others."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one partition."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed).cast(travelling_schema(self.job.wire))
        moment = table["arrival"].to_numpy()
        arrival = moment if self.clock.query is None else np.maximum(moment, self.clock.query + 1)
        is_ahead = moment > (2**62 if self.latest is None else self.latest)
        is_late = self._is_late(table, moment, arrival) & ~is_ahead
        mark, bucket = table["retracted"].to_numpy(), table["bucket"].to_numpy()
        told = self._told(table, moment, is_late, is_ahead)
        table = table.set_column(table.column_names.index("arrival"), "arrival", pa.array(arrival)).select(self._names)
        if self.retracting:
            place = table.column_names.index("retracted")
            table = table.set_column(place, "retracted", pa.array(np.where(mark == ROW_COPY, ROW, mark), pa.int8()))
        for number in np.unique(bucket).tolist():
            rows = ~is_late & ~is_ahead & (bucket == number)
            mine = table if rows.all() else table.filter(pa.array(rows))
            if len(mine):
                self.store.write_sealed(rows_file(self.batch, number), packed([mine]))
            yield noted(bucket=number, rows=len(mine), **told)
            told = {}

    def _told(self, table: pa.Table, moment: Ints, is_late: Bools, is_ahead: Bools) -> dict[str, Any]:
        """What the driver has to know of all rows: each counts once, however many buckets it goes to."""
        mark = table["retracted"].to_numpy()
        once = (mark == ROW) | (mark == BACK)
        kept = moment[once & ~is_ahead]
        times, weights = sampled(moment[once])
        return {
            "late": int(np.count_nonzero(is_late & once)),
            "ahead": int(np.count_nonzero(is_ahead & once)),
            "first": int(kept.min()) if len(kept) else None,
            "last": int(kept.max()) if len(kept) else None,
            "times": times.tolist(),
            "weights": weights.tolist(),
        }

    @property
    def _names(self) -> list[str]:
        names: list[str] = row_schema(self.job.wire, retracting=self.retracting).names
        return names

    def _is_late(self, table: pa.Table, moment: Ints, arrival: Ints) -> Bools:
        """Which rows no window will see."""
        clock, windows = self.clock, self.windows
        if clock.query is None or clock.start is None:
            return np.zeros(len(table), np.bool_)
        low = arrival + (clock.query - arrival) % windows.step - windows.size
        tags = [n for spec in self.job.stages for n, tag in spec.tags.items() if tag.form is Form.INTERVAL]
        is_span = np.isin(table["tag"].to_numpy(), tags)
        end = table["t1"].fill_null(int(FOREVER)).to_numpy()
        is_over = np.where(is_span, end <= low + 1, table["t0"].to_numpy() <= low)
        found: Bools = (moment <= clock.start) | (arrival <= low) | is_over
        return found


def rows_file(batch: int, bucket: int) -> str:
    """Where the rows of a batch for a bucket are."""
    return f"{batch}/rows/{bucket}.arrow"


def read_rows(store: Store, batch: int, bucket: int) -> pa.Table:
    """The rows of a batch for a bucket, each with the number of its batch."""
    table = unpacked(store.read_sealed(rows_file(batch, bucket)))[0]
    return with_batch(table, batch)


def with_batch(table: pa.Table, batch: int) -> pa.Table:
    """Rows with the number of their batch."""
    return table.append_column("batch", pa.array(np.full(len(table), batch), pa.int64()))
