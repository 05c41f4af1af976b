"""One stage of a micro-batch on one bucket: its state and rows from files, query times asked, changes to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.spark.job import Job
from holdsfor.spark.streaming.bucket import EngineBucket
from holdsfor.spark.streaming.regrouping import OldBucket
from holdsfor.spark.streaming.rows import NOTE, noted, read_rows
from holdsfor.spark.streaming.state import BucketState
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.wire import BUCKET, DELIVERY, table_of


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
        """The columns of what comes out: bytes for later stages with notes beside them, or notes."""
        return NOTE if self.is_last else _PASSING

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one partition: the number of a bucket, and what earlier stages have sent to it."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed)
        if self.number == 1:
            for bucket in table["id"].to_pylist():
                yield from self._bucket(bucket, {})
            return
        yield from self._passed(table)
        mine = table.filter(pc.equal(table["stage"], self.number))
        deliveries: dict[int, list[bytes]] = {}
        sent = mine.filter(pc.equal(mine["tag"], DELIVERY))
        for query, data in zip(sent["q"].to_pylist(), sent["data"].to_pylist(), strict=True):
            deliveries.setdefault(query, []).append(data)
        for bucket in mine.filter(pc.equal(mine["tag"], BUCKET))["bucket"].to_pylist():
            yield from self._bucket(bucket, deliveries)

    def _passed(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """What is for later stages, and for the driver."""
        if self.is_last:
            found = table.select(["note"]).filter(pc.is_valid(table["note"]))
        else:
            found = table.filter(pc.or_kleene(pc.is_valid(table["note"]), pc.greater(table["stage"], self.number)))
        yield from found.cast(self.out_schema).to_batches()

    def _bucket(self, bucket: int, deliveries: dict[int, list[bytes]]) -> Iterator[pa.RecordBatch]:
        if not self.is_last:
            yield self._row(tag=BUCKET, stage=self.number + 1, bucket=bucket)
        turn, name = self.turn, f"{self.number}-{bucket}"
        is_regrouped = turn.buckets != self.job.buckets
        place = None if is_regrouped else turn.places.get(name)
        is_reached = deliveries or turn.batches(bucket)
        if place is not None and place.plan == turn.plan and not is_reached and place.wake > turn.until:
            # Nothing reaches it, and nothing happens to it by itself.
            return
        spec = self.job.stages[self.number - 1]
        old = [self._old(one) for one in range(turn.buckets)] if is_regrouped else []
        arrived = [] if is_regrouped else self._arrived(bucket)
        state = BucketState(self.store, self.number, bucket, place)
        work = EngineBucket(self.job, spec, turn, bucket, state, arrived, old)
        for stage, target, query, data in work.sent(deliveries):
            yield self._row(tag=DELIVERY, stage=stage, bucket=target, q=query, data=pa.array([data], pa.binary()))
        written = work.results.write(self.store, turn.batch, name, self.job.time_scale)
        note = noted(name=name, place=asdict(work.save()), **written, **work.counted())
        yield note if self.is_last else self._row(stage=0, bucket=bucket, note=note.column(0))

    def _old(self, bucket: int) -> OldBucket:
        """A bucket of before, when there were more of them, or fewer."""
        place = self.turn.places.get(f"{self.number}-{bucket}")
        return OldBucket(bucket, BucketState(self.store, self.number, bucket, place), self._arrived(bucket))

    def _arrived(self, bucket: int) -> list[pa.Table]:
        return [self._mine(read_rows(self.store, batch, bucket)) for batch in self.turn.batches(bucket)]

    def _mine(self, rows: pa.Table) -> pa.Table:
        return rows.filter(pc.equal(rows["stage"], self.number)) if self.job.wire.staged else rows

    def _row(self, **columns: Any) -> pa.RecordBatch:
        return table_of(_PASSING, 1, columns).to_batches()[0]


_PASSING = pa.schema(
    [
        ("tag", pa.int16()),
        ("stage", pa.int16()),
        ("bucket", pa.int32()),
        ("q", pa.int64()),
        ("data", pa.binary()),
        NOTE.field(0),
    ]
)


def notes_of(rows: Iterable[str]) -> list[dict[str, Any]]:
    """What the workers told."""
    return [json.loads(row) for row in rows]
