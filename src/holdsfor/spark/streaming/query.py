"""Recognition over streaming DataFrames: a query that writes a changelog of intervals to a sink."""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.fingerprint import fingerprint
from holdsfor.io.mapping import TableMapping, make_mapping, read_mapping
from holdsfor.io.typed import UNITS
from holdsfor.loading import Background, Reasoner, load
from holdsfor.recognition import MappingInput
from holdsfor.spark.batch import Rules, _collected, _partitions, _session
from holdsfor.spark.job import Job, Rows, Span, make_job, plan_rows
from holdsfor.spark.stages import StagePlan
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.commits import last_commit
from holdsfor.spark.streaming.driver import Driver, Report, Taken
from holdsfor.spark.streaming.frames import BEAT, Sorting, Sources, Streams, beat_time, with_beat
from holdsfor.spark.streaming.rows import NOTE, TakeIn
from holdsfor.spark.streaming.sinks import CHANGES_SQL, Directory, FunctionSink, Sink, as_sink
from holdsfor.spark.streaming.staging import stream_stages
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.tasks import UNMATCHED, AskStage, Turn, notes_of
from holdsfor.spark.wire import ddl

OnReport = Callable[[Report], None]
SIDE = "batch bigint, reason string, source string, row string"
_BACKFILL = -1


def recognise_stream(
    program: Rules,
    events: Streams,
    *,
    window: int,
    step: int | None = None,
    lateness: int = 0,
    mapping: MappingInput | TableMapping = None,
    background: Background | Mapping[str, Any] | None = None,
    clock: str = "event",
    start: int | None = None,
    unit: str = "s",
    idle: str | None = None,
    retracted: str | None = None,
    fluents: Collection[str] | None = None,
    buckets: int | None = None,
    untyped: bool = False,
) -> StreamingRecognition:
    """Find the intervals during which situations hold in a stream, as they come and go.

    `events` is one streaming DataFrame with a mapping, or one per event and input fluent. Query times are `start +
    step`, `start + 2 * step`, …; one is asked when the clock, less `lateness`, has passed it. The clock goes by the
    latest event ("event"), or by the arrival column, or processing time where there is none ("arrival"). A source that
    says nothing for `idle` (such as "10 seconds") lets the clock go on. `retracted` names a column that is true in rows
    that take something back.
    """
    if clock not in ("event", "arrival"):
        raise HoldsforError(f'the clock goes by "event" or "arrival", not {clock!r}')
    reasoner = _loaded(program)
    if background is not None:
        reasoner = reasoner.with_background(_collected(background))
    windows = Windows(window, step or window, lateness, by_event=clock == "event")
    entities = reasoner.plan.analysis.entities
    table, flag = _mapped(mapping)
    sources = Sources.of(events, entities, table, unit, retracted or flag, untyped=untyped)
    count = buckets or _partitions(_session(events))
    return StreamingRecognition(reasoner.plan, events, sources, windows, count, start, idle, fluents)


def _mapped(mapping: MappingInput | TableMapping) -> tuple[TableMapping | None, str | None]:
    """A mapping, and the column that it calls `retracted`: only streams know of that."""
    if isinstance(mapping, str | Path):
        try:
            data = tomllib.loads(Path(mapping).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return read_mapping(mapping), None
        flag = data.pop("retracted", None)
        return make_mapping(data, str(mapping)), flag
    if not isinstance(mapping, Mapping):
        return mapping, None
    return make_mapping({key: part for key, part in mapping.items() if key != "retracted"}), mapping.get("retracted")


def _loaded(program: Rules) -> Reasoner:
    if isinstance(program, Reasoner):
        return program
    return load(program) if isinstance(program, str | Path) else load(*program)


class StreamingRecognition:
    """A program over streams, ready to be started."""

    def __init__(
        self,
        plan: Plan,
        events: Streams,
        sources: Sources,
        windows: Windows,
        buckets: int,
        start: int | None,
        idle: str | None,
        fluents: Collection[str] | None,
    ) -> None:
        self.plan, self.windows = plan, windows
        self._events, self._sources, self._start = events, sources, start
        self._patience = None if idle is None else _duration(idle, sources.unit)
        self._frame = sources.together(events)
        self._work = _Work.of(plan, self._frame, sources, windows, buckets, fluents)
        self._settings: dict[str, Any] = {
            "rules": fingerprint(plan),
            "window": windows.size,
            "step": windows.step,
            "clock": "event" if windows.by_event else "arrival",
            "buckets": buckets,
            "fluents": None if fluents is None else sorted(fluents),
            # A beat is one more source, and Spark goes on with as many as it began with.
            "beat": idle is not None,
        }

    def start(
        self,
        sink: Sink,
        *,
        checkpoint: str,
        trigger: Mapping[str, Any] | str | None = None,
        side: Sink | None = None,
        on_report: OnReport | None = None,
        name: str | None = None,
        style: str = "parquet",
    ) -> Any:
        """Start the query. `sink` gets the changelog of every batch, `side` the rows that could not be used.

        Both are functions of rows and the number of the batch, or folders. `on_report` is called after every batch.
        """
        run = self._run(checkpoint, as_sink(sink, style), None if side is None else as_sink(side, style), on_report)
        frame = self._frame if self._patience is None else with_beat(self._frame)
        writer = frame.writeStream.option("checkpointLocation", checkpoint).foreachBatch(run)
        if name is not None:
            writer = writer.queryName(name)
        if isinstance(trigger, str):
            writer = writer.trigger(processingTime=trigger)
        elif trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start()

    def backfill(
        self,
        history: Streams,
        sink: Sink,
        *,
        checkpoint: str,
        side: Sink | None = None,
        until: int | None = None,
        style: str = "parquet",
    ) -> Report:
        """Work through a history before the stream begins, which then goes on from there.

        All query times are asked that the history is long enough for, or those up to `until`. `history` has DataFrames
        of the same columns as the streams.
        """
        store = Store.below(checkpoint)
        if any(batch >= 0 for batch in store.batches()):
            raise HoldsforError(f"the stream of {checkpoint} has begun; a history comes before it")
        run = self._run(checkpoint, as_sink(sink, style), None if side is None else as_sink(side, style), None)
        return run.once(self._sources.together(history), _BACKFILL, until)

    def has_begun(self, checkpoint: str) -> bool:
        """Whether a run has left anything at a checkpoint."""
        return bool(Store.below(checkpoint).batches())

    def _run(self, checkpoint: str, sink: FunctionSink, side: FunctionSink | None, on_report: OnReport | None) -> _Run:
        store = Store.below(checkpoint)
        last_commit(store, self._settings)
        return _Run(self._work, store, self._settings, self._start, self._patience, sink, side, on_report)


def _duration(text: str, unit: str) -> int:
    """A time such as "10 seconds", in units of the stream.

    >>> _duration("2 minutes", "s"), _duration("1 second", "ms")
    (120, 1000)
    """
    found = re.fullmatch(r"\s*(\d+)\s*(millisecond|second|minute|hour|day)s?\s*", text)
    if found is None:
        raise HoldsforError(f'{text!r} is no time; write "10 seconds" or "5 minutes"')
    size = {"millisecond": 10**6, "second": 10**9, "minute": 60 * 10**9, "hour": 3600 * 10**9, "day": 86400 * 10**9}
    return max(1, int(found[1]) * size[found[2]] // UNITS[unit])


@dataclass(frozen=True)
class _Work:
    """What is to be done, whatever the batch."""

    plan: Plan
    sources: Sources
    windows: Windows
    stages: StagePlan
    rows: Rows
    job: Job
    sortings: tuple[Sorting, ...]

    @classmethod
    def of(
        cls,
        plan: Plan,
        frame: DataFrame,
        sources: Sources,
        windows: Windows,
        buckets: int,
        fluents: Collection[str] | None,
    ) -> _Work:
        stages = stream_stages(plan)
        for message in stages.warnings:
            warnings.warn(message, stacklevel=5)
        origins = sources.origins(frame, plan.analysis.entities)
        shapes = [origin.rows for group in origins for origin in group]
        rows = plan_rows(stages, shapes, arrivals=True)
        job = make_job(stages, rows, buckets=buckets, span=Span(), fluents=fluents)
        sortings, first = [], 0
        for group in origins:
            sortings.append(Sorting(sources, group, first, stages, rows, windows, buckets))
            first += len(group)
        used = tuple(sorting for sorting in sortings if sorting.is_used)
        if not used:
            raise HoldsforError("no rule has a use for any row of the streams")
        return cls(plan, sources, windows, stages, rows, job, used)


@dataclass
class _Run:
    """The function that Spark calls with every micro-batch."""

    work: _Work
    store: Store
    settings: Mapping[str, Any]
    first: int | None
    patience: int | None
    sink: FunctionSink
    side: FunctionSink | None
    on_report: OnReport | None

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
        )

        def deliver(report: Report) -> None:
            if report.changes:
                path = self.store.path(f"{batch}/changes")
                if isinstance(self.sink, Directory) and self.sink.format == "parquet":
                    self.sink.take(path, batch)
                else:
                    self.sink(frame.sparkSession.read.schema(CHANGES_SQL).parquet(path), batch)
            if self.side is not None and (report.late or report.malformed or report.unmatched):
                self.side(reduce(DataFrame.unionAll, self._aside(frame, batch, report, workers.clock)), batch)

        return driver.run(frame, batch, deliver, until)

    def _aside(self, frame: DataFrame, batch: int, report: Report, clock: Clock) -> Iterator[DataFrame]:
        """Rows that could not be used, as they came."""
        named = [f"{batch}L as batch", "reason", "source", "row"]
        if report.late or report.malformed:
            sources = self.work.sources
            keep = [f"{sources.source_text()} as source", f"{sources.row_text()} as row"]
            for sorting in self.work.sortings:
                found = sorting.sorted_out(frame, keep).where("chosen")
                reason = F.expr(f"if(good, {sorting.lateness(clock)}, 'malformed')")
                yield found.withColumn("reason", reason).where("reason is not null").selectExpr(*named)
        if report.unmatched:
            rows = frame.sparkSession.read.schema(ddl(UNMATCHED)).parquet(self.store.path(f"{batch}/unmatched"))
            text = "to_json(struct(*)) as row"
            yield rows.selectExpr(
                "'nothing to take back' as reason", "cast(null as string) as source", text
            ).selectExpr(*named)


@dataclass
class _Workers:
    """Spark's workers."""

    work: _Work
    store: Store
    spark: SparkSession
    clock: Clock = field(default_factory=Clock)

    def take_in(self, rows: DataFrame, batch: int, clock: Clock) -> Taken:
        """Write the rows of a batch to the files of their buckets."""
        self.clock = clock
        sources = self.work.sources
        retracting = sources.retracted is not None
        task = TakeIn(self.work.job, self.store, batch, retracting, clock, self.work.windows)
        frames, watched = [], []
        for sorting in self.work.sortings:
            metrics = [F.expr(sql).alias(name) for name, sql in sorting.metrics]
            if BEAT in rows.columns:
                metrics.append(F.expr(f"max({beat_time(sources.unit)})").alias("now"))
            watch = Observation()
            watched.append(watch)
            frames.append(sorting.travelling(sorting.sorted_out(rows).observe(watch, *metrics)))
        together = reduce(DataFrame.unionAll, frames)
        count = self.work.job.buckets
        shuffled = together.repartitionById(count, F.col("bucket"))
        notes = notes_of(row.note for row in shuffled.mapInArrow(_function(task), ddl(NOTE)).collect())
        counted = [watch.get for watch in watched]
        late = sum(note["late"] for note in notes)
        return Taken(
            sum(found["good"] for found in counted) - late,
            late,
            sum(found["malformed"] for found in counted),
            min((found["first"] for found in counted if found["first"] is not None), default=None),
            max((found["last"] for found in counted if found["last"] is not None), default=None),
            sorted(note["bucket"] for note in notes if note["rows"]),
            counted[0].get("now"),
        )

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
        yield from task(batches)

    return work
