"""Runs one stage of a micro-batch on one bucket, with the state in files; changes are written to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.shares import ShareEngine
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.bucket import EngineBucket
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.regrouping import OldBucket
from holdsfor.spark.streaming.rows import NOTE, gathered, kept_schema, noted, read_rows
from holdsfor.spark.streaming.state import FileState, Place
from holdsfor.spark.streaming.store import Store, as_parquet
from holdsfor.spark.timestamps import with_timestamps
from holdsfor.spark.wire import DELIVERY, table_of
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class EvaluateStage:
    """A stage, called for each bucket."""

    job: Job
    number: int
    store: Store
    evaluation: Evaluation

    @property
    def is_last(self) -> bool:
        """Whether it is the last stage."""
        return self.number == self.job.last

    @property
    def out_schema(self) -> pa.Schema:
        """The output columns: rows and bytes for later stages, and notes; or only notes."""
        return NOTE if self.is_last else self._passing

    @property
    def _passing(self) -> pa.Schema:
        kept = kept_schema(self.job.wire, retracting=self.evaluation.retracting)
        sent = [("bucket", pa.int32()), ("q", pa.int64()), ("data", pa.binary())]
        return pa.schema([*kept, *(pa.field(*one) for one in sent), NOTE.field(0)])

    def __call__(self, bucket: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates one bucket from its rows and the results of earlier stages."""
        deliveries: dict[int, list[bytes]] = {}
        if self.number == 1:
            rows, counts = self.evaluation.admission.of_partition(self.job, batches)
            if self.job.wire.staged:
                later = rows.filter(pc.greater(rows["stage"], 1))
                yield from self._passed(later, bucket=bucket)
                rows = rows.filter(pc.equal(rows["stage"], 1))
            if any(counts.values()):
                yield self._note(bucket, noted(**counts))
        else:
            table = gathered(batches, self._passing)
            is_note = pc.is_valid(table["note"])
            is_later = pc.greater(table["stage"], self.number)
            if self.is_last:
                yield from table.select(["note"]).filter(is_note).to_batches()
            else:
                yield from table.filter(pc.or_kleene(is_note, is_later)).to_batches()
            mine = table.filter(pc.equal(table["stage"], self.number))
            sent = mine.filter(pc.equal(mine["tag"], DELIVERY))
            for query, data in zip(sent["q"].to_pylist(), sent["data"].to_pylist(), strict=True):
                deliveries.setdefault(query, []).append(data)
            names = kept_schema(self.job.wire, retracting=self.evaluation.retracting).names
            rows = mine.filter(pc.not_equal(mine["tag"], DELIVERY)).select(names)
        yield from self._bucket(bucket, rows, deliveries)

    def _bucket(self, bucket: int, rows: pa.Table, deliveries: dict[int, list[bytes]]) -> Iterator[pa.RecordBatch]:
        evaluation, name = self.evaluation, f"{self.number}-{bucket}"
        is_regrouped = evaluation.buckets != self.job.buckets
        place = None if is_regrouped else evaluation.places.get(name)
        earlier = [] if is_regrouped else self._arrived(bucket)
        is_reached = deliveries or len(rows) or any(map(len, earlier))
        is_quiet = not is_reached and evaluation.unreported_swap is None
        if place is not None and place.plan == evaluation.plan and is_quiet and place.wake > evaluation.until:
            # The bucket has no new rows, and nothing is due.
            return
        spec = self.job.stages[self.number - 1]
        old = [self._old(one) for one in range(evaluation.buckets)] if is_regrouped else []
        state = FileState(self.store, self.number, bucket, place)
        work = EngineBucket(self.job, spec, evaluation, bucket, state, [*earlier, rows], old)
        for stage, target, query, data in work.sent(deliveries):
            columns = {
                "tag": DELIVERY,
                "stage": stage,
                "bucket": target,
                "q": query,
                "data": pa.array([data], pa.binary()),
            }
            yield from self._passed(None, **columns)
        for kind, table in work.results.tables(self.job.time_scale).items():
            self.store.write(f"{evaluation.batch}/{kind}/{name}.parquet", as_parquet(table))
        yield self._note(bucket, noted(name=name, **work.save(), **work.results.counts(), **work.counted()))

    def _passed(self, rows: pa.Table | None, **columns: Any) -> Iterator[pa.RecordBatch]:
        """Rows for a later stage with additional columns, or one row of those alone."""
        found = {} if rows is None else {name: rows[name] for name in rows.column_names}
        yield from table_of(self._passing, 1 if rows is None else len(rows), found | columns).to_batches()

    def _note(self, bucket: int, note: pa.RecordBatch) -> pa.RecordBatch:
        if self.is_last:
            return note
        return next(self._passed(None, stage=0, bucket=bucket, note=note.column(0)))

    def _old(self, bucket: int) -> OldBucket:
        """An old bucket, if the number of buckets was different."""
        place = self.evaluation.places.get(f"{self.number}-{bucket}")
        return OldBucket(bucket, FileState(self.store, self.number, bucket, place), self._arrived(bucket))

    def _arrived(self, bucket: int) -> list[pa.Table]:
        return [
            of_stage(read_rows(self.store, batch, bucket), self.job, self.number)
            for batch in self.evaluation.batches(bucket)
        ]


@dataclass(frozen=True)
class FileStates:
    """The states of a commit in files, for a swap of rules."""

    store: Store
    job: Job
    """The job of the earlier rules."""
    before: Commit
    batch: int
    """The batch that the new states belong to."""

    def earlier(self, stage: int, bucket: int) -> OldBucket:
        """A bucket of the earlier rules."""
        place = self.before.places.get(f"{stage}-{bucket}")
        batches = sorted(batch for batch, buckets in self.before.rows.items() if bucket in buckets)
        arrived = [of_stage(read_rows(self.store, batch, bucket), self.job, stage) for batch in batches]
        return OldBucket(bucket, FileState(self.store, stage, bucket, place), arrived)

    def save(self, stage: int, bucket: int, engine: ShareEngine, rows: pa.Table) -> Place:
        """Saves the state of a bucket of the new rules."""
        return Place(**FileState(self.store, stage, bucket, None).save(engine, self.batch, rows)["place"])


def add_rows(store: Store, kind: str, rows: pa.Table, batch: int, scale: TimeScale | None) -> None:
    """Writes rows of a changelog that come from no bucket."""
    store.write(f"{batch}/{kind}/swap.parquet", as_parquet(with_timestamps(rows, scale)))


def of_stage(rows: pa.Table, job: Job, number: int) -> pa.Table:
    """The rows of a stage."""
    return rows.filter(pc.equal(rows["stage"], number)) if job.wire.staged else rows


def notes_of(rows: Iterable[str]) -> list[dict[str, Any]]:
    """The notes of the workers."""
    return [json.loads(row) for row in rows]
