"""What is done with every micro-batch: rows to their buckets, query times asked, results to the sinks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import encoded
from holdsfor.core.shares import identity_of
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.job import Job, Rows, SourceRows, Span, make_job, plan_rows
from holdsfor.spark.session import spare_worker
from holdsfor.spark.stages import StagePlan
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.driver import Driver, Report, Taken
from holdsfor.spark.streaming.frames import BEAT, Sorting, Sources, beat_time
from holdsfor.spark.streaming.results import UNMATCHED
from holdsfor.spark.streaming.rows import NOTE, TakeIn
from holdsfor.spark.streaming.sinks import Directory, FunctionSink, changes_sql, event_changes_sql
from holdsfor.spark.streaming.staging import stream_buckets, stream_stages
from holdsfor.spark.streaming.store import Store, spark_path
from holdsfor.spark.streaming.tasks import AskStage, notes_of
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.wire import ddl
from holdsfor.times import TimeScale

OnReport = Callable[[Report], None]


@dataclass(frozen=True)
class Work:
    """What is to be done, whatever the batch."""

    plan: Plan
    sources: Sources
    windows: Windows
    stages: StagePlan
    rows: Rows
    job: Job
    sortings: tuple[Sorting, ...]
    shapes: tuple[SourceRows, ...] = ()
    """What the columns of the input are."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        frame: DataFrame,
        sources: Sources,
        windows: Windows,
        buckets: int,
        fluents: Collection[str] | None,
        time_scale: TimeScale | None = None,
    ) -> Work:
        """The work on the rows of a frame."""
        buckets = stream_buckets(plan, buckets)
        stages = stream_stages(plan, buckets)
        for message in stages.warnings:
            warnings.warn(message, stacklevel=4)
        origins = sources.origins(frame, plan.analysis.entities)
        shapes = [origin.rows for group in origins for origin in group]
        rows = plan_rows(stages, shapes, arrivals=True)
        job = make_job(stages, rows, buckets=buckets, span=Span(), fluents=fluents)
        job = replace(job, time_scale=time_scale)
        sortings, first = [], 0
        for group in origins:
            sortings.append(Sorting(sources, group, first, stages, rows, windows, buckets))
            first += len(group)
        used = tuple(sorting for sorting in sortings if sorting.is_used)
        if not used:
            raise HoldsforError("no rule has a use for any row of the streams")
        unreadable = sources.unreadable()
        if unreadable is not None:
            known = " or ".join(f"({origin.chosen})" for group in origins for origin in group)
            used = (replace(used[0], lost=f"({unreadable}) and not coalesce({known}, false)"), *used[1:])
        return cls(plan, sources, windows, stages, rows, job, used, tuple(shapes))

    @property
    def identity(self) -> str:
        """That of the plan."""
        return identity_of(encoded(self.plan))

    def told(self, buckets: int, *, derived_events: bool) -> Work:
        """The same work, for so many buckets, and with derived events or without."""
        stages = stream_stages(self.plan, buckets)
        sides = tuple(stage.sides for stage in stages.stages)
        job = replace(self.job, buckets=buckets, derived_events=derived_events, sides=sides)
        sortings = tuple(replace(sorting, buckets=buckets, stages=stages) for sorting in self.sortings)
        return replace(self, job=job, stages=stages, sortings=sortings)


@dataclass(frozen=True)
class Sinks:
    """Where everything goes: the changelog, that of derived events, and rows that could not be used."""

    changes: FunctionSink
    events: FunctionSink | None = None
    side: FunctionSink | None = None


@dataclass
class Run:
    """The function that Spark calls with every micro-batch."""

    work: Work
    store: Store
    settings: Mapping[str, Any]
    first: int | None
    patience: int | None
    sinks: Sinks
    on_report: OnReport | None
    max_ahead: float | None = None

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Work on a micro-batch."""
        report = self.once(frame, batch, None)
        if self.on_report is not None:
            self.on_report(report)

    def once(self, frame: DataFrame, batch: int, until: int | None) -> Report:
        """Work on a batch."""
        workers = _Workers(self.work, self.store, frame.sparkSession)
        driver = Driver(
            self.store,
            self.settings,
            self.work.windows,
            workers,
            self.first,
            self.patience,
            self.work.sources.retracted is not None,
            self.max_ahead,
            self.work.identity,
        )

        def deliver(report: Report) -> None:
            sinks = self.sinks
            if report.changes:
                self._hand_over(frame.sparkSession, batch, "changes", report.changes, sinks.changes)
            if report.event_changes and sinks.events is not None:
                self._hand_over(frame.sparkSession, batch, "events", report.event_changes, sinks.events)
            if sinks.side is not None and (report.late or report.malformed or report.ahead or report.unmatched):
                sinks.side(reduce(DataFrame.unionAll, self._aside(frame, batch, report, workers)), batch)

        return replace(driver.run(frame, batch, deliver, until), time_scale=self.work.job.time_scale)

    def _hand_over(self, spark: SparkSession, batch: int, kind: str, rows: int, sink: FunctionSink) -> None:
        path, columns = self.store.path(f"{batch}/{kind}"), _columns(kind, self.work.job.time_scale)
        if isinstance(sink, Directory) and sink.format == "parquet":
            sink.take(path, batch, rows)
        else:
            sink(spark.read.schema(columns).parquet(spark_path(path)), batch)

    def _aside(self, frame: DataFrame, batch: int, report: Report, workers: _Workers) -> Iterator[DataFrame]:
        """Rows that could not be used, as they came."""
        named = [f"{batch}L as batch", "reason", "source", "row"]
        if report.late or report.malformed or report.ahead:
            sources = self.work.sources
            keep = [f"{sources.source_text()} as source", f"{sources.row_text()} as row"]
            for sorting in self.work.sortings:
                found = sorting.sorted_out(frame, keep).where("chosen")
                reason = F.expr(f"if(good, {sorting.misplaced(workers.clock, workers.latest)}, 'malformed')")
                yield found.withColumn("reason", reason).where("reason is not null").selectExpr(*named)
        if report.unmatched:
            rows = frame.sparkSession.read.schema(ddl(UNMATCHED)).parquet(
                spark_path(self.store.path(f"{batch}/unmatched"))
            )
            text = "to_json(struct(*)) as row"
            yield rows.selectExpr(
                "'nothing to take back' as reason", "cast(null as string) as source", text
            ).selectExpr(*named)


def _columns(kind: str, scale: TimeScale | None) -> str:
    return changes_sql(scale) if kind == "changes" else event_changes_sql(scale)


@dataclass
class _Workers:
    """Spark's workers."""

    work: Work
    store: Store
    spark: SparkSession
    clock: Clock = field(default_factory=Clock)
    latest: int | None = None

    def take_in(self, rows: DataFrame, batch: int, clock: Clock, buckets: int, latest: int | None = None) -> Taken:
        """Write the rows of a batch to the files of so many buckets."""
        self.clock, self.latest = clock, latest
        sources, job = self.work.sources, self.work.job
        work = self.work if buckets == job.buckets else self.work.told(buckets, derived_events=job.derived_events)
        retracting = sources.retracted is not None
        task = TakeIn(work.job, self.store, batch, retracting, clock, work.windows, latest)
        frames, watched = [], []
        for sorting in work.sortings:
            metrics = [F.expr(sql).alias(name) for name, sql in sorting.metrics]
            if BEAT in rows.columns:
                metrics.append(F.expr(f"max({beat_time(sources.unit)})").alias("now"))
            watch = Observation()
            watched.append(watch)
            frames.append(sorting.travelling(sorting.sorted_out(rows).observe(watch, *metrics)))
        together = reduce(DataFrame.unionAll, frames)
        shuffled = together.repartitionById(buckets, F.col("bucket"))
        notes = notes_of(row.note for row in shuffled.mapInArrow(_function(task), ddl(NOTE)).collect())
        counted = [watch.get for watch in watched]
        good, malformed = (sum(found[name] for found in counted) for name in ("good", "malformed"))
        return Taken.of(notes, good, malformed, counted[0].get("now"))

    def ask(self, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn."""
        count = self.work.job.buckets
        found = self.spark.range(0, count, 1, count)
        for number in range(1, self.work.job.last + 1):
            task = AskStage(self.work.job, number, self.store, turn)
            if number > 1:
                found = found.repartitionById(count, F.col("bucket"))
            found = found.mapInArrow(_function(task), ddl(task.out_schema))
        return notes_of(row.note for row in found.collect())


def _function(task: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]) -> Any:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_worker()
        yield from task(batches)

    return work
