"""Runs one stage of a micro-batch on one bucket with the state as rows: Spark does all input and output."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.shares import KeyPart
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.bucket import EngineBucket
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.regrouping import OldBucket
from holdsfor.spark.streaming.row_state import Held, RowState, Section, reached_by, section_name
from holdsfor.spark.streaming.rows import Admission, gathered, travelling_schema
from holdsfor.spark.streaming.seals import DamagedCheckpoint, seal, unsealed
from holdsfor.spark.streaming.store import packed, unpacked
from holdsfor.spark.streaming.tasks import of_stage
from holdsfor.spark.wire import table_of

SECTIONS = pa.schema(
    [
        ("kind", pa.string()),
        ("origin", pa.int32()),
        ("batch", pa.int64()),
        ("number", pa.int32()),
        ("of", pa.int32()),
        ("q", pa.int64()),
        ("data", pa.binary()),
    ]
)
"""The columns of state rows besides their bucket; `origin` is the bucket for which they were written."""
OUT = pa.schema(
    [
        ("kind", pa.string()),
        ("batch", pa.int64()),
        ("stage", pa.int16()),
        ("bucket", pa.int32()),
        ("number", pa.int32()),
        ("of", pa.int32()),
        ("q", pa.int64()),
        ("data", pa.binary()),
        ("note", pa.string()),
    ]
)
"""The output columns of a stage: sections of states, bytes for later stages, notes, and changes as bytes."""
ARRIVED, DELIVERY, NOTE = "arrived", "delivery", "note"
_AT_ONCE = 100_000


def in_schema(job: Job) -> pa.Schema:
    """The input columns of a stage: input rows, or sections."""
    return pa.schema([*travelling_schema(job.wire), *SECTIONS])


def unpacked_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The changes in rows of bytes."""
    for batch in batches:
        for data in batch.column(0):
            for table in unpacked(data.as_buffer()):
                yield from table.to_batches()


@dataclass(frozen=True)
class Writing:
    """Creates the output rows of a bucket."""

    batch: int
    stage: int
    bucket: int

    def row(self, kind: str, **columns: Any) -> pa.RecordBatch:
        """One row."""
        fixed: dict[str, Any] = {
            "kind": pa.array([kind]),
            "batch": self.batch,
            "stage": self.stage,
            "bucket": self.bucket,
        }
        arrow = {name: pa.array([one]) if isinstance(one, bytes | str) else one for name, one in columns.items()}
        return table_of(OUT, 1, fixed | arrow).to_batches()[0]

    def note(self, **content: Any) -> pa.RecordBatch:
        """A note for the driver."""
        return self.row(NOTE, note=json.dumps(content))

    def sections(self, sections: Iterable[Section]) -> Iterator[pa.RecordBatch]:
        """The sections of a state."""
        for one in sections:
            yield self.row(one.kind, number=one.number, of=one.of, data=one.data)

    def results(self, tables: Mapping[str, pa.Table]) -> Iterator[pa.RecordBatch]:
        """The results, as bytes: these pass through Spark unchanged, and small rows are not mixed with large ones."""
        for kind, table in tables.items():
            for first in range(0, len(table), _AT_ONCE):
                yield self.row(kind, data=packed([table.slice(first, _AT_ONCE)], "lz4").to_pybytes())


@dataclass(frozen=True)
class KeepAsRows:
    """Returns the rows of a bucket that no query time has seen yet as one section."""

    job: Job
    admission: Admission
    owner: str

    def __call__(self, bucket: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Processes one bucket."""
        rows, counts = self.admission.of_partition(self.job, batches)
        batch = self.admission.batch
        writing = Writing(batch, 0, bucket)
        if len(rows):
            content = packed([rows]).to_pybytes()
            name = section_name(ARRIVED, -1, 0, 0, bucket, batch)
            yield writing.row(ARRIVED, data=content + bytes(seal(content, self.owner, name)))
        yield writing.note(bucket=bucket, rows=len(rows), **counts)


@dataclass(frozen=True)
class EvaluateRows:
    """A stage, called for each bucket. `held` are the states in the input, except those of buckets in `idle`.

    Parts in `copied`, and shared sections in `moved`, are copied unchanged, because their folder contains too little
    valid data.
    """

    job: Job
    number: int
    owner: str
    evaluation: Evaluation
    held: Mapping[int, Held]
    idle: frozenset[int] = frozenset()
    copied: Mapping[int, Sequence[KeyPart]] = field(default_factory=dict)
    moved: frozenset[int] = frozenset()

    def __call__(self, bucket: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates one bucket from its rows, its state, and the results of earlier stages."""
        table = gathered(batches, in_schema(self.job))
        is_row = pc.is_null(table["kind"])
        travelling = table.filter(is_row).select(travelling_schema(self.job.wire).names)
        rows, counts = self.evaluation.admission.of_table(self.job, travelling)
        writing = Writing(self.evaluation.batch, self.number, bucket)
        if any(counts.values()):
            yield writing.note(**counts)
        sections = table.filter(pc.invert(is_row)).select(SECTIONS.names).to_pylist()
        sent = [one for one in sections if one["kind"] == DELIVERY]
        deliveries: dict[int, list[bytes]] = {}
        for one in sent:
            deliveries.setdefault(one["q"], []).append(one["data"])
        yield from self._bucket(writing, rows, deliveries, sections)

    def _bucket(
        self, writing: Writing, rows: pa.Table, deliveries: dict[int, list[bytes]], sections: Sequence[dict[str, Any]]
    ) -> Iterator[pa.RecordBatch]:
        evaluation, bucket = self.evaluation, writing.bucket
        is_regrouped = evaluation.buckets != self.job.buckets
        held = None if is_regrouped else self.held.get(bucket)
        earlier = [] if is_regrouped else self._arrived(bucket, sections)
        is_reached = deliveries or len(rows) or any(map(len, earlier))
        if is_reached and bucket in self.idle:
            raise AssertionError(f"rows reach bucket {bucket} of stage {self.number}, which was not read")
        state = state_of(self.job, self.owner, self.number, bucket, held, sections)
        copied = self.copied.get(bucket, ())
        if (
            held is not None
            and held.plan == evaluation.plan
            and not is_reached
            and evaluation.unreported_swap is None
            and held.place().wake > evaluation.until
        ):
            if copied or bucket in self.moved:
                note = state.copy(evaluation.batch, copied, with_rest=bucket in self.moved)
                yield from writing.sections(state.written)
                yield writing.note(name=f"{self.number}-{bucket}", **note)
            return
        old = [self._old(one, sections) for one in range(evaluation.buckets)] if is_regrouped else []
        spec = self.job.stages[self.number - 1]
        work = EngineBucket(self.job, spec, evaluation, bucket, state, [*earlier, rows], old)
        later: dict[tuple[int, int], list[bytes]] = {}
        for stage, target, query, data in work.sent(deliveries):
            later.setdefault((stage, target), []).append(data)
            yield Writing(evaluation.batch, stage, target).row(DELIVERY, q=query, data=data)
        yield from writing.results(work.results.tables(self.job.time_scale))
        note = work.save()
        note["parts"] += state.still(copied)
        yield from writing.sections(state.written)
        reached = {
            f"{stage}-{target}": reached_by(self.job, stage, target, (), data)
            for (stage, target), data in later.items()
        }
        yield writing.note(
            name=f"{self.number}-{bucket}", **note, **work.results.counts(), **work.counted(), sent=reached
        )

    def _old(self, bucket: int, sections: Sequence[dict[str, Any]]) -> OldBucket:
        """An old bucket, if the number of buckets was different."""
        state = state_of(self.job, self.owner, self.number, bucket, self.held.get(bucket), sections)
        return OldBucket(bucket, state, self._arrived(bucket, sections))

    def _arrived(self, bucket: int, sections: Sequence[Mapping[str, Any]]) -> list[pa.Table]:
        """Rows of earlier batches."""
        batches = self.evaluation.batches(bucket)
        return arrived_rows(self.job, self.owner, self.number, bucket, batches, sections)


def state_of(
    job: Job, owner: str, stage: int, bucket: int, held: Held | None, sections: Sequence[Mapping[str, Any]]
) -> RowState:
    """The state of a bucket from its valid sections; folders also contain outdated ones."""
    mine = []
    for one in sections if held is not None else ():
        if one["origin"] != bucket:
            continue
        assert held is not None
        part = held.parts.get(KeyPart(one["number"], one["of"])) if one["kind"] == "part" else None
        wanted = part.file if part is not None else str(held.batch) if one["kind"] in ("rest", "rows") else None
        if wanted == str(one["batch"]):
            mine.append(Section(one["kind"], one["data"], one["number"], one["of"]))
    return RowState(job, owner, stage, bucket, held, mine)


def arrived_rows(
    job: Job, owner: str, stage: int, bucket: int, batches: Sequence[int], sections: Sequence[Mapping[str, Any]]
) -> list[pa.Table]:
    """The rows of earlier batches for a bucket of a stage that no query time has seen yet."""
    found = {one["batch"]: one["data"] for one in sections if one["kind"] == ARRIVED and one["origin"] == bucket}
    tables = []
    for batch in batches:
        name = section_name(ARRIVED, -1, 0, 0, bucket, batch)
        if batch not in found:
            raise DamagedCheckpoint(name, "is missing")
        table = unpacked(unsealed(found[batch], owner, name, name))[0]
        tables.append(of_stage(table, job, stage))
    return tables
