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

from holdsfor.spark.job import Job
from holdsfor.spark.streaming.store import Store, packed, unpacked
from holdsfor.spark.wire import Wire

NOTE = pa.schema([pa.field("note", pa.string())])
"""What a worker tells the driver, as JSON."""
COPY, FIRST_COPY = 1, 2
"""A retraction; a row that several buckets get has one first copy."""


def row_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The columns of input rows as they are kept."""
    kept = [field for field in wire.schema if field.name != "q"]
    return pa.schema([*kept, pa.field("retracted", pa.int8())] if retracting else kept)


def travelling_schema(wire: Wire, *, retracting: bool) -> pa.Schema:
    """The same on the way to their bucket."""
    return row_schema(wire, retracting=retracting).append(pa.field("bucket", pa.int32()))


def noted(**found: Any) -> pa.RecordBatch:
    """A note as a row."""
    return pa.RecordBatch.from_arrays([pa.array([json.dumps(found)], pa.string())], schema=NOTE)


@dataclass(frozen=True)
class TakeIn:
    """Writes the rows of a bucket to its file."""

    job: Job
    store: Store
    batch: int
    retracting: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one partition."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        schema = travelling_schema(self.job.wire, retracting=self.retracting)
        table = pa.Table.from_batches(listed).cast(schema)
        bucket = table["bucket"].to_numpy()
        rows = table.drop_columns(["bucket"])
        for number in np.unique(bucket).tolist():
            mine = rows if (bucket == number).all() else rows.filter(pa.array(bucket == number))
            self.store.write(rows_file(self.batch, number), packed([mine]))
            yield noted(bucket=number, rows=len(mine))


def rows_file(batch: int, bucket: int) -> str:
    """Where the rows of a batch for a bucket are."""
    return f"{batch}/rows/{bucket}.arrow"


def read_rows(store: Store, batch: int, bucket: int) -> pa.Table:
    """The rows of a batch for a bucket, each with the number of its batch."""
    table = unpacked(store.read(rows_file(batch, bucket)))[0]
    return with_batch(table, batch)


def with_batch(table: pa.Table, batch: int) -> pa.Table:
    """Rows with the number of their batch."""
    return table.append_column("batch", pa.array(np.full(len(table), batch), pa.int64()))
