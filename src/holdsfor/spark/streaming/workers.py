"""Runs the stages of a stream on Spark's workers, for the driver: inspection of input, then evaluation of buckets.

A batch is one light aggregate for the clock, and one job for the stages. The aggregate determines which query times are
due. The second job reads the rows again, which costs less than keeping them in between. The rows of a small batch are
fetched instead, and the driver processes them (small.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.spark.columns import literal
from holdsfor.spark.session import spare_worker
from holdsfor.spark.streaming.commits import Commit, last_commit, write_commit
from holdsfor.spark.streaming.driver import COUNTED, Checkpoint, Seen
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.frames import BEAT, SENDER, beat_time
from holdsfor.spark.streaming.results import UNMATCHED
from holdsfor.spark.streaming.rows import NOTE, Admission, KeepRows
from holdsfor.spark.streaming.shared import require_files, require_rows
from holdsfor.spark.streaming.sinks import Directory, FunctionSink, changes_sql, event_changes_sql
from holdsfor.spark.streaming.small import MOST_BYTES, FetchedRows, Task, fetch, worked_here
from holdsfor.spark.streaming.store import Store, spark_path
from holdsfor.spark.streaming.swapping import RuleSwap, Swapped
from holdsfor.spark.streaming.tasks import EvaluateStage, FileStates, add_rows, notes_of
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.wire import ddl


class SparkWorkers(ABC):
    """The workers of a session, for any storage of the state."""

    def __init__(self, work: Work, spark: SparkSession) -> None:
        self.work, self.spark = work, spark
        self.admission: Admission | None = None
        """Decides which rows of the last batch count."""
        self.expects_few = False
        """Whether the batch is probably small, judged by the one before it."""
        self.swapped: int | None = None
        """The batch at whose beginning the rules were changed."""
        self.rows_read = 0
        """The number of rows of any kind in the last batch."""
        self._fetched: FetchedRows | None = None
        self._has_parts = {
            stage.number
            for stage in work.stages.stages
            if all(delivery.spreading is not None for delivery in stage.deliveries)
        }
        """Stages of which only the affected parts of states are read."""

    def look(self, rows: DataFrame, latest: int | None = None) -> Seen:
        """The input of a batch, without rows with a time after `latest`."""
        if self.expects_few:
            self._fetched, self.expects_few = fetch(rows, self.work), False
        if self._fetched is not None:
            self.rows_read = self._fetched.count
            return self._fetched.seen(latest)
        beat = [f"{beat_time(self.work.sources.unit)} as beat"] if BEAT in rows.columns else []
        frames = [sorting.judged(rows, *beat) for sorting in self.work.sortings]
        used = "good" if latest is None else f"good and moment <= {latest}L"
        facts = [
            f"count_if({used}) as good",
            "count_if(bad) as malformed",
            "count(*) as read",
            f"min(moment) filter (where {used}) as first",
            f"max(moment) filter (where {used}) as last",
        ]
        if beat:
            facts.append("max(beat) as now")
        sources = {f"last_{place}": name for place, name in enumerate(self.work.windows.lateness_of)}
        facts += [
            f"max(moment) filter (where {used} and {SENDER} = {literal(name)}) as {column}"
            for column, name in sources.items()
        ]
        found = reduce(DataFrame.unionAll, frames).selectExpr(*facts).collect()[0].asDict()
        self.rows_read = found["read"]
        last_of = {name: found[column] for column, name in sources.items() if found[column] is not None}
        return Seen(**{name: found[name] for name in _SEEN}, now=found.get("now"), last_of=last_of)

    def middle(self, rows: DataFrame) -> tuple[int, int]:
        """The lower quartile and the median of the times of valid rows."""
        if self._fetched is not None:
            return self._fetched.middle()
        frames = [one.judged(rows).where("good").select("moment") for one in self.work.sortings]
        together = reduce(DataFrame.unionAll, frames)
        quartile, median = (
            together.selectExpr("percentile_approx(moment, array(0.25, 0.5), 1000) as found").collect()[0].found
        )
        return quartile, median

    def _travelling(self, rows: DataFrame, buckets: int) -> DataFrame:
        """Valid rows with their buckets."""
        work = self._divided(buckets)
        return reduce(DataFrame.unionAll, [one.travelling(one.sorted_out(rows)) for one in work.sortings])

    def _divided(self, buckets: int) -> Work:
        job = self.work.job
        return (
            self.work if buckets == job.buckets else self.work.for_buckets(buckets, derived_events=job.derived_events)
        )

    def _small(self, evaluation: Evaluation) -> pa.Table | None:
        """The rows of a batch that the driver processes; None if Spark's workers do."""
        if self._fetched is None:
            return None
        is_regrouped = evaluation.buckets != self.work.job.buckets
        read = (
            place.sizes["bytes"]
            for name, place in evaluation.places.items()
            if is_regrouped
            or place.wake <= evaluation.until
            or place.plan != evaluation.plan
            or int(name.partition("-")[0]) not in self._has_parts
        )
        return self._fetched.travelling() if sum(read) <= MOST_BYTES else None

    @abstractmethod
    def keep(self, rows: DataFrame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Stores the rows of a batch for a later one."""

    @abstractmethod
    def evaluate(self, rows: DataFrame, evaluation: Evaluation) -> list[dict[str, Any]]:
        """Evaluates the due query times in every bucket."""

    @abstractmethod
    def swap(self, how: RuleSwap, before: Commit, batch: int, settings: Mapping[str, Any]) -> Swapped:
        """Changes the rules at the beginning of a batch."""

    @abstractmethod
    def add(self, kind: str, rows: pa.Table, batch: int) -> None:
        """Adds rows to a changelog of a batch."""

    @property
    def batch(self) -> int:
        """The last batch."""
        found = self.swapped if self.admission is None else self.admission.batch
        assert found is not None, "no batch has been worked on"
        return found

    @abstractmethod
    def found(self, kind: str) -> DataFrame:
        """The results of the last batch: `changes`, `events`, or `unmatched` retractions."""

    def hand_over(self, kind: str, sink: FunctionSink, _: int) -> None:
        """Passes the results of the last batch to a sink, with their number of rows."""
        sink(self.found(kind), self.batch)

    def _columns(self, kind: str) -> str:
        scale = self.work.job.time_scale
        if kind == "unmatched":
            return ddl(UNMATCHED)
        return changes_sql(scale) if kind == "changes" else event_changes_sql(scale)


_SEEN = ("good", "malformed", "first", "last")


def on_buckets(frame: DataFrame, count: int, task: Task, schema: str) -> DataFrame:
    """Distributes rows to their buckets, and processes them there."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        spare_worker()
        context = TaskContext.get()
        assert context is not None, "this is a task of Spark's"
        yield from task(context.partitionId(), batches)

    # The partition number equals the bucket number.
    return frame.repartitionById(count, F.col("bucket")).mapInArrow(work, schema)


class FileWorkers(SparkWorkers):
    """Workers that open the files of the checkpoint themselves."""

    def __init__(self, work: Work, spark: SparkSession, store: Store) -> None:
        super().__init__(work, spark)
        self._store = store

    def keep(self, rows: DataFrame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Writes the rows of a batch to the files of the buckets."""
        self.admission = admission
        task = KeepRows(self.work.job, admission, self._store)
        if self._fetched is not None and buckets == self.work.job.buckets:
            return notes_in(worked_here(self._fetched.travelling(), buckets, task, NOTE))
        notes = _collected(on_buckets(self._travelling(rows, buckets), buckets, task, ddl(NOTE)))
        files = [f"{note['bucket']}.arrow" for note in notes if note["rows"]]
        require_files(self._store, f"{admission.batch}/rows", files)
        return notes

    def evaluate(self, rows: DataFrame, evaluation: Evaluation) -> list[dict[str, Any]]:
        """Evaluates the due query times in every bucket; changes and states are in files."""
        self.admission = evaluation.admission
        count = self.work.job.buckets
        tasks = [
            EvaluateStage(self.work.job, number, self._store, evaluation) for number in range(1, self.work.job.last + 1)
        ]
        small = self._small(evaluation)
        if small is not None:
            for task in tasks:
                small = worked_here(small, count, task, task.out_schema)
            return notes_in(small)
        found = self._travelling(rows, count)
        for task in tasks:
            found = on_buckets(found, count, task, ddl(task.out_schema))
        notes = _collected(found)
        files = [f"{note['name']}-{note['place']['attempt']}" for note in notes if "place" in note]
        require_files(self._store, f"{evaluation.batch}/state", files)
        for kind, what in _NAMED.items():
            count = sum(note.get(COUNTED[kind], 0) for note in notes)
            if count:
                require_rows(self._store.path(f"{evaluation.batch}/{kind}"), count, what, "checkpoint")
        return notes

    def swap(self, how: RuleSwap, before: Commit, batch: int, settings: Mapping[str, Any]) -> Swapped:
        """Changes the rules; the new states are files of the batch."""
        self.swapped = batch
        return how.carry_out(before, settings, FileStates(self._store, how.earlier, before, batch))

    def add(self, kind: str, rows: pa.Table, batch: int) -> None:
        """Adds rows to a changelog of a batch, in a file of their own."""
        add_rows(self._store, kind, rows, batch, self.work.job.time_scale)

    def found(self, kind: str) -> DataFrame:
        """The results of the last batch."""
        path = spark_path(self._store.path(f"{self.batch}/{kind}"))
        return self.spark.read.schema(self._columns(kind)).parquet(path)

    def hand_over(self, kind: str, sink: FunctionSink, rows: int) -> None:
        """Passes the results to a sink; a folder of Parquet files moves the files instead of copying rows."""
        if isinstance(sink, Directory) and sink.format == "parquet" and sink.is_local:
            sink.take(self._store.path(f"{self.batch}/{kind}"), self.batch, rows)
        else:
            super().hand_over(kind, sink, rows)


_NAMED = {"changes": "changes", "events": "changes of events", "unmatched": "retractions of nothing"}
"""The kinds of files that workers write for the sinks."""


def _collected(notes: DataFrame) -> list[dict[str, Any]]:
    return notes_of(row.note for row in notes.collect())


def notes_in(table: pa.Table) -> list[dict[str, Any]]:
    """The notes in a table."""
    return notes_of(table["note"].drop_null().to_pylist())


@dataclass(frozen=True)
class FileCheckpoint:
    """Commits and states in files that all machines open."""

    store: Store

    def before(self, settings: Any, batch: int, earlier: str | None = None) -> Commit:
        """The commit before a batch."""
        found = last_commit(self.store, settings, batch, earlier)
        self.store.drop([known for known in self.store.batches() if known == batch])
        return found

    def commit(self, commit: Commit, before: Commit) -> None:
        """Commits a batch."""
        write_commit(self.store, commit, before)


@dataclass(frozen=True)
class FileHome:
    """A checkpoint in a folder that the driver and all workers share."""

    store: Store

    def owned(self, owner: str) -> FileHome:
        """The same checkpoint for a run."""
        return FileHome(self.store.owned(owner))

    def ledger(self, _: SparkSession) -> Store:
        """The storage of commits."""
        return self.store

    def opened(self, spark: SparkSession, work: Work) -> tuple[Checkpoint, SparkWorkers]:
        """The checkpoint and the workers of a session."""
        return FileCheckpoint(self.store), FileWorkers(work, spark, self.store)
