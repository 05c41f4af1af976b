"""Runs metric programs over streaming DataFrames, as a query that writes a changelog of intervals to a sink."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.window import Window

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.stages import metric_stages
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir.metric import MetricProgram
from holdsfor.metric.goals import Goals
from holdsfor.metric.session import streamed_plan
from holdsfor.metric.times import Length, exact_length, length_or_none
from holdsfor.spark.arguments import require_types
from holdsfor.spark.batch import default_partitions, unit_in
from holdsfor.spark.metric.batch import (
    MappingInput,
    Rules,
    frames_of,
    function,
    known_metric_scale,
    loaded,
    query_goals,
)
from holdsfor.spark.metric.changes import CHANGES, CLOSE, changes_sql
from holdsfor.spark.metric.columns import PredicateSinks, predicate_columns
from holdsfor.spark.metric.driver import MetricReport, MicroBatches, last_commit
from holdsfor.spark.metric.job import MetricJob, fingerprint
from holdsfor.spark.metric.reading import FrameKind
from holdsfor.spark.metric.tasks import ASIDE_SQL, Advance, BatchAssignment, ReadStream, StoreFacts
from holdsfor.spark.metric.wire import wire_schema
from holdsfor.spark.session import workers_like_driver
from holdsfor.spark.streaming.chain import run_of
from holdsfor.spark.streaming.rows import NOTE
from holdsfor.spark.streaming.shared import probe
from holdsfor.spark.streaming.sinks import Directory, FunctionSink, Sink, as_sink
from holdsfor.spark.streaming.store import Store, make_folder, spark_path
from holdsfor.spark.streaming.tasks import notes_of
from holdsfor.spark.wire import ddl
from holdsfor.times import TimeScale

OnReport = Callable[[MetricReport], None]


def materialise_stream(
    program: Rules,
    facts: DataFrame | Mapping[str, DataFrame],
    *,
    lateness: Length = 0,
    delay: Length | None = None,
    query: str | Iterable[str] | None = None,
    mapping: MappingInput = None,
    unit: str | None = None,
    exact: bool = False,
    untyped: bool = False,
    buckets: int | None = None,
    max_ahead: Length | None = None,
) -> MetricStreaming:
    """Derive facts from a stream of facts, as time advances.

    `facts` are streaming DataFrames of the same forms as those of `materialise`. Every micro-batch makes results final
    up to the latest start of a fact minus `lateness`; facts before this time are late and set aside. A program that
    looks ahead needs a `delay`: how much later answers can come than the times they are about (`"inf"`: without limit).
    With `max_ahead`, facts that begin more than this after the median of their batch are set aside: one time in
    milliseconds would make all later facts late.

    `query` is as in `materialise`.

    Changes have exact times as text. If the time unit is known, as in `materialise`, they have timestamps, rounded down
    to microseconds, unless `exact`; durations can then be timedeltas or text such as "10min".
    """
    reasoner = loaded(program)
    scale = known_metric_scale(reasoner.time_scale, facts, mapping, unit)
    known = unit_in(scale)
    plan = streamed_plan(reasoner, reasoner.plan_of(query), delay, known)
    late = exact_length(lateness, "lateness", known)
    if late < 0:
        raise HoldsforError(f"the lateness must be at least 0, not {lateness}")
    if buckets is not None and buckets < 1:
        raise HoldsforError(f"there must be at least 1 bucket, not {buckets}")
    frames = frames_of(facts, mapping, scale, untyped=untyped)
    ahead = None if max_ahead in (None, math.inf) else length_or_none(max_ahead, "max_ahead", known)
    goals = query_goals(plan, query, is_stream=True)
    return MetricStreaming(plan, frames, late, buckets, ahead, reasoner.program, scale, goals, exact=exact)


class MetricStreaming:
    """A metric program over streams, ready to be started."""

    def __init__(
        self,
        plan: MetricPlan,
        frames: list[tuple[DataFrame, FrameKind]],
        lateness: Fraction,
        buckets: int | None,
        max_ahead: Fraction | None = None,
        program: MetricProgram | None = None,
        time_scale: TimeScale | None = None,
        goals: Goals | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self.plan, self._max_ahead = plan, max_ahead
        self._goals = goals
        self.time_scale, self._exact = time_scale, exact
        self._program = MetricProgram(()) if program is None else program
        self._frames, self._lateness, self._buckets = frames, lateness, buckets
        self._spark = frames[0][0].sparkSession
        # The stages of a query have the keys of the query, so the warnings are about the program itself.
        for message in metric_stages(plan).warnings:
            warnings.warn(message, stacklevel=3)

    def start(
        self,
        sink: Sink | Mapping[str, Sink],
        *,
        checkpoint: str,
        trigger: Mapping[str, Any] | str | None = None,
        side: Sink | None = None,
        on_report: OnReport | None = None,
        name: str | None = None,
        style: str = "parquet",
        column_types: Mapping[str, str] | None = None,
    ) -> Any:
        """Start the query. `sink` gets the changes of every batch, `side` facts that were late or could not be read.

        Both are functions of rows and the number of the batch, or folders. A dict of sinks by predicate sends each sink
        the changes of its predicate, with a column for each argument; `column_types` is as in `materialise`. `on_report` is
        called after every batch.
        """
        results = self._sink(sink, style, column_types)
        make_folder(checkpoint, "checkpoint")
        store = Store.below(checkpoint)
        evaluated = self.plan if self._goals is None else self._goals.made.plan
        settings: dict[str, Any] = {"rules": fingerprint(evaluated, self._goals), "unit": unit_in(self.time_scale)}
        before = last_commit(store, settings)
        # The machine that continues the run may have another number of cores.
        settings["buckets"] = self._buckets or before.settings.get("buckets") or default_partitions(self._spark)
        last_commit(store, settings)
        store = store.owned(run_of(before.link, settings["rules"]))
        workers_like_driver(self._spark)
        probe(self._spark, store)
        job = MetricJob.of(self.plan, settings["buckets"], goals=self._goals)
        job = replace(job, time_scale=None if self._exact else self.time_scale)
        aside = None if side is None else as_sink(side, style)
        run = _Run(job, store, settings, self._lateness, results, aside, on_report, self._max_ahead, self.time_scale)
        schema = ddl(wire_schema(job))
        read = [frame.mapInArrow(function(ReadStream(job, source)), schema) for frame, source in self._frames]
        writer = reduce(DataFrame.unionAll, read).writeStream.foreachBatch(run)
        writer = writer.option("checkpointLocation", spark_path(checkpoint))
        if name is not None:
            writer = writer.queryName(name)
        if isinstance(trigger, str):
            writer = writer.trigger(processingTime=trigger)
        elif trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start()

    def _sink(self, sink: Sink | Mapping[str, Sink], style: str, types: Mapping[str, str] | None) -> FunctionSink:
        if not isinstance(sink, Mapping):
            require_types(types, ())
            return as_sink(sink, style)
        if not sink:
            raise HoldsforError("there is no sink: give each predicate one by its name, or one for all of them")
        columns = predicate_columns(self.plan, self._program, list(sink), self._frames, CHANGES.names, types)
        return PredicateSinks(tuple((one, as_sink(sink[one.predicate], style)) for one in columns))


@dataclass
class _Run:
    """The function that Spark calls with every micro-batch."""

    job: MetricJob
    store: Store
    settings: Mapping[str, Any]
    lateness: Fraction
    sink: FunctionSink
    side: FunctionSink | None
    on_report: OnReport | None
    max_ahead: Fraction | None = None
    time_scale: TimeScale | None = None

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Processes a micro-batch."""
        spark = frame.sparkSession
        workers = _Workers(self.job, self.store, spark)
        driver = MicroBatches(self.store, self.settings, workers, self.lateness, self.max_ahead)

        def deliver(report: MetricReport, has_aside: bool) -> None:
            if report.changes:
                path = self.store.path(f"{batch}/changes")
                if isinstance(self.sink, Directory) and self.sink.format == "parquet":
                    self.sink.take(path, batch, report.changes)
                else:
                    self.sink(spark.read.schema(changes_sql(self.job.time_scale)).parquet(spark_path(path)), batch)
            if has_aside and self.side is not None:
                rows = spark.read.schema(ASIDE_SQL).parquet(spark_path(self.store.path(f"{batch}/aside")))
                self.side(rows.selectExpr(f"{batch}L as batch", "reason", "row"), batch)

        report = replace(driver.run(frame, batch, deliver), time_scale=self.time_scale)
        if self.on_report is not None:
            self.on_report(report)


@dataclass(frozen=True)
class _Workers:
    """Spark's workers."""

    job: MetricJob
    store: Store
    spark: SparkSession

    def store_facts(
        self, rows: DataFrame, batch: int, reached: Fraction | None, latest: Fraction | None = None
    ) -> list[dict[str, Any]]:
        """Writes the facts of a batch to the files of their buckets."""
        task = StoreFacts(self.job, self.store, batch, reached, latest)
        shuffled = rows.repartitionById(self.job.buckets, F.col("bucket"))
        return notes_of(row.note for row in shuffled.mapInArrow(function(task), ddl(NOTE)).collect())

    def advance(self, turn: BatchAssignment) -> list[dict[str, Any]]:
        """Advance all buckets in time."""
        count = self.job.buckets
        found = self.spark.range(0, count, 1, count)
        for number in range(1, self.job.last + 1):
            task = Advance(self.job, number, self.store, turn)
            if number > 1:
                found = found.repartitionById(count, F.col("bucket"))
            found = found.mapInArrow(function(task), ddl(task.out_schema))
        return notes_of(row.note for row in found.collect())


def intervals(changes: DataFrame) -> DataFrame:
    """The intervals after all changes: the last row of every id. A null end is not known yet."""
    order = Window.partitionBy("id").orderBy(F.desc(F.col("op") == CLOSE))
    last = changes.withColumn("_place", F.row_number().over(order)).where("_place = 1")
    return last.select("predicate", "args", "start", "start_closed", "end", "end_closed", "id")
