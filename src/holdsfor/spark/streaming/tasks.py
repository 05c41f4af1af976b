"""One stage of a micro-batch on one bucket: its state and rows from files, query times asked, changes to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.spark.job import Job
from holdsfor.spark.streaming.keyed import KeyedBucket
from holdsfor.spark.streaming.leaving import TOLD
from holdsfor.spark.streaming.pacing import is_keyed
from holdsfor.spark.streaming.rows import NOTE, noted
from holdsfor.spark.streaming.scratch import ScratchBucket
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.wire import BUCKET, table_of


class _Bucket(Protocol):
    """The work on one bucket of a stage."""

    def sent(self, given: pa.Table) -> Iterator[pa.Table]:
        """Ask every query time; what later stages need to know."""

    def finish(self) -> dict[str, Any]:
        """Write everything, and say what there is."""


@dataclass(frozen=True)
class AskStage:
    """A stage, to be called for each bucket."""

    job: Job
    number: int
    store: Store
    turn: Turn

    @property
    def is_last(self) -> bool:
        """Whether no stage comes after it."""
        return self.number == self.job.last

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of what comes out: rows for later stages with notes beside them, or notes."""
        if self.is_last:
            return NOTE
        return pa.schema([*self.job.wire.out_schema, *TOLD, NOTE.field(0)])

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one partition: the number of a bucket, and rows of earlier stages for it."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed)
        if self.number == 1:
            buckets, given = table["id"].to_pylist(), table.slice(0, 0)
        else:
            yield from self._passed(table)
            table = table.filter(pc.equal(table["stage"], self.number))
            is_told = pc.equal(table["tag"], BUCKET)
            buckets, given = table.filter(is_told)["t0"].to_pylist(), table.filter(pc.invert(is_told))
        for bucket in buckets:
            yield from self._bucket(bucket, given)

    def _passed(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """What is for later stages, and for the driver."""
        if self.is_last:
            found = table.select(["note"]).filter(pc.is_valid(table["note"]))
        else:
            found = table.filter(pc.or_kleene(pc.is_valid(table["note"]), pc.greater(table["stage"], self.number)))
            found = found.select(self.out_schema.names)
        yield from found.cast(self.out_schema).to_batches()

    def _bucket(self, bucket: int, given: pa.Table) -> Iterator[pa.RecordBatch]:
        spec = self.job.stages[self.number - 1]
        kind = KeyedBucket if is_keyed(self.job.program, self.turn.windows) else ScratchBucket
        work: _Bucket = kind(self.job, spec, self.store, self.turn, bucket)
        for found in work.sent(given):
            yield from self._widened(found)
        if not self.is_last:
            told = {"tag": BUCKET, "t0": bucket, "t1": 0, "stage": self.number + 1, "bucket": bucket}
            yield from table_of(self.out_schema, 1, told).to_batches()
        note = noted(stage=self.number, bucket=bucket, **work.finish())
        if self.is_last:
            yield note
        else:
            yield from table_of(self.out_schema, 1, {"note": note.column(0), "bucket": bucket, "stage": 0}).to_batches()

    def _widened(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        columns = {name: rows[name] for name in rows.column_names}
        yield from table_of(self.out_schema, len(rows), columns).to_batches()


def notes_of(rows: Iterable[str]) -> list[dict[str, Any]]:
    """What the workers told."""
    return [json.loads(row) for row in rows]
