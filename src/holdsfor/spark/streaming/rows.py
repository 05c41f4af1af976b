"""Prepares input rows for a bucket of a stream: their columns, and which of them count.

Rows go to the engine of their bucket in their own batch. If no query time is due in it, they are stored for the first
batch with a due query time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.tables import FOREVER
from holdsfor.io.layouts import Form
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.store import Store, packed, unpacked
from holdsfor.spark.wire import Wire

NOTE = pa.schema([pa.field("note", pa.string())])
"""A note of a worker to the driver, as JSON."""
ROW, BACK_COPY, BACK, ROW_COPY, BAD, UNUSED = range(6)
"""The values of the column `retracted`: a row, a retraction, and copies of either for other buckets, so that each is
counted once. If all rows of a batch are fetched, also malformed rows, and rows that no rule reads.
"""


def row_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The columns of stored input rows."""
    kept = [field for field in wire.schema if field.name not in ("q", "data")]
    return pa.schema([*kept, pa.field("retracted", pa.int8())] if retracting else kept)


def kept_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The columns of rows that no query time has seen yet, each with its batch number."""
    return row_schema(wire, retracting=retracting).append(pa.field("batch", pa.int64()))


def travelling_schema(wire: Wire) -> pa.Schema:
    """The columns of rows on their way to a bucket; `arrival` is the time for the clock."""
    return row_schema(wire, retracting=True).append(pa.field("bucket", pa.int32()))


def gathered(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """The rows of a partition; Spark's nullability is ignored."""
    listed = [batch for batch in batches if batch.num_rows]
    return pa.Table.from_batches(listed).cast(schema) if listed else schema.empty_table()


def noted(**found: Any) -> pa.RecordBatch:
    """A note as a row."""
    return pa.RecordBatch.from_arrays([pa.array([json.dumps(found)], pa.string())], schema=NOTE)


@dataclass(frozen=True)
class Admission:
    """Decides which rows of a batch count, and when they arrive. Late rows and rows too far ahead do not count."""

    batch: int
    retracting: bool
    clock: Clock
    windows: Windows
    latest: int | None = None
    """Rows with a later time are too far ahead of the others."""

    def of_partition(self, job: Job, batches: Iterable[pa.RecordBatch]) -> tuple[pa.Table, dict[str, int]]:
        """The rows of a Spark partition that count."""
        return self.of_table(job, gathered(batches, travelling_schema(job.wire)))

    def of_table(self, job: Job, table: pa.Table) -> tuple[pa.Table, dict[str, int]]:
        """The rows that count, in stored form, and the number of others; a row for several buckets is counted once."""
        moment = table["arrival"].to_numpy()
        arrival = moment if self.clock.query is None else np.maximum(moment, self.clock.query + 1)
        is_ahead = moment > (2**62 if self.latest is None else self.latest)
        is_late = self._is_late(job, table, moment, arrival) & ~is_ahead
        mark = table["retracted"].to_numpy()
        once = (mark == ROW) | (mark == BACK)
        counts = {name: int(np.count_nonzero(which & once)) for name, which in (("late", is_late), ("ahead", is_ahead))}
        table = table.set_column(table.column_names.index("arrival"), "arrival", pa.array(arrival))
        if self.retracting:
            place = table.column_names.index("retracted")
            table = table.set_column(place, "retracted", pa.array(np.where(mark == ROW_COPY, ROW, mark), pa.int8()))
        is_good = ~is_late & ~is_ahead
        kept = with_batch(table.select(row_schema(job.wire, retracting=self.retracting).names), self.batch)
        return kept if is_good.all() else kept.filter(pa.array(is_good)), counts

    def _is_late(self, job: Job, table: pa.Table, moment: Ints, arrival: Ints) -> Bools:
        """Which rows no window will see."""
        clock, windows = self.clock, self.windows
        if clock.query is None or clock.start is None:
            return np.zeros(len(table), np.bool_)
        low = arrival + (clock.query - arrival) % windows.step - windows.size
        tags = [n for spec in job.stages for n, tag in spec.tags.items() if tag.form is Form.INTERVAL]
        is_span = np.isin(table["tag"].to_numpy(), tags)
        end = table["t1"].fill_null(int(FOREVER)).to_numpy()
        is_over = np.where(is_span, end <= low + 1, table["t0"].to_numpy() <= low)
        found: Bools = (moment <= clock.start) | (arrival <= low) | is_over
        return found


@dataclass(frozen=True)
class KeepRows:
    """Writes the rows of a bucket that no query time has seen yet to a file."""

    job: Job
    admission: Admission
    store: Store

    def __call__(self, bucket: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Processes one bucket."""
        rows, counts = self.admission.of_partition(self.job, batches)
        if len(rows):
            self.store.write_sealed(rows_file(self.admission.batch, bucket), packed([rows]))
        yield noted(bucket=bucket, rows=len(rows), **counts)


def rows_file(batch: int, bucket: int) -> str:
    """The file with the rows of a batch for a bucket."""
    return f"{batch}/rows/{bucket}.arrow"


def read_rows(store: Store, batch: int, bucket: int) -> pa.Table:
    """The rows of a batch for a bucket, each with its batch number."""
    table = unpacked(store.read_sealed(rows_file(batch, bucket)))[0]
    # The previous version did not write it.
    return table if "batch" in table.column_names else with_batch(table, batch)


def with_batch(table: pa.Table, batch: int) -> pa.Table:
    """Rows with their batch number."""
    return table.append_column("batch", pa.array(np.full(len(table), batch), pa.int64()))
