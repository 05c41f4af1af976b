"""Evaluates rules over DataFrames lazily: the stages of a plan become shuffles and `mapInArrow`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.columns.kernels import EMPTY
from holdsfor.columns.report import EVENTS, INTERVALS
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.program import encoded
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapping import TableMapping, make_mapping, read_mapping
from holdsfor.loading import Background, Reasoner, load
from holdsfor.metric import MetricReasoner
from holdsfor.physical.model import FOREVER as NEVER_FINAL
from holdsfor.recognition import MappingInput
from holdsfor.spark.arguments import ArgumentColumns, columns_of, require_types
from holdsfor.spark.engine_task import EngineTask
from holdsfor.spark.input_frames import known_scale, require_frames
from holdsfor.spark.job import Span, make_job, plan_rows
from holdsfor.spark.keys import TiedParts, connected
from holdsfor.spark.output import WITHOUT_VALUE
from holdsfor.spark.scales import in_timestamps
from holdsfor.spark.session import spare_worker, workers_like_driver
from holdsfor.spark.sources import (
    BUCKET_OF_PACKED,
    TAG_OF_PACKED,
    SourceFrame,
    feeds_of,
    linked_parts,
    packed,
    stage_rows,
    stream_facts,
)
from holdsfor.spark.stages import SparkStage, bucket_count, fact_parts, physical_stages
from holdsfor.spark.ticks import feed_in_ticks, require_no_preprocessing, results_in_time, span_in_ticks
from holdsfor.spark.timestamps import EVENT_TIMES, INTERVAL_TIMES
from holdsfor.spark.wire import COUNTS, DELIVERY, DERIVED, MOMENTS, RESULT, ddl
from holdsfor.times import DurationInput, TimeInput, TimeScale, span_in_points

Rules: TypeAlias = Reasoner | str | Path | Iterable[str | Path]
Events: TypeAlias = DataFrame | Mapping[str, DataFrame]

_TASKS_PER_CORE = 4
_MOST_TIES = 20_000_000


def recognise(
    program: Rules,
    events: Events,
    *,
    mapping: MappingInput | TableMapping = None,
    background: Background | None = None,
    window: DurationInput | None = None,
    step: DurationInput | None = None,
    start: TimeInput | None = None,
    end: TimeInput | None = None,
    clock_tick: int | None = None,
    unit: str | None = None,
    fluents: Collection[str] | None = None,
    columns: str | None = None,
    column_types: Mapping[str, str] | None = None,
    partitions: int | None = None,
    rows_at_once: int | None = None,
    untyped: bool = False,
    observation: Observation | None = None,
) -> DataFrame:
    """Find the intervals during which situations hold: `query_time, fluent, value, start, end`.

    Times are timestamps where it is known what one time-point is: from `:- time_unit(s).` in the rules, the mapping or the
    `unit`, or because the input has timestamps. Else they are whole numbers.

    `events` is one DataFrame with a mapping, or one per event and input fluent with columns `time`, perhaps `arrival`,
    and the arguments in order. Tables of background facts may be DataFrames too. An end that is null is still open.

    With `columns`, the name of a fluent, the result has the intervals of that fluent, and a column for each of its
    arguments, named after the variables of the rules: `bigint`, `double` or `string`, as the columns of the input and the
    rules say, or as `column_types` says by the name of the column.

    Time-points are the multiples of `clock_tick`, each a `unit` long. Where the unit is known, windows may be timedeltas or
    text such as "1 hour", and `start` and `end` datetimes.
    `partitions` is the number of buckets. `rows_at_once` lets each be worked on in pieces of about so many rows, for
    histories that do not fit in memory. `untyped` says that text columns hold numbers as text. `observation` gets
    counts: `read`, `malformed`, `conflicts`, `intervals`, `without_value`, and `first_without_value` in words.
    """
    plan, feeds, scale = read_input(program, events, mapping, background, unit, clock_tick, untyped=untyped)
    span = Span(*span_in_points((window, step, start, end), unit_in(scale)))
    if columns is not None and fluents is not None and set(fluents) != {columns}:
        raise HoldsforError(f"columns={columns!r} is a result of one fluent; leave out fluents")
    arguments = _arguments(plan, EntityKind.FLUENT, columns, feeds, column_types)
    found = stage_output(
        plan,
        session_of(events),
        feeds,
        span,
        partitions,
        fluents=fluents if columns is None else {columns},
        rows_at_once=rows_at_once,
        counted=observation is not None,
    )
    intervals = intervals_of(found, observation)
    return in_timestamps(intervals if arguments is None else arguments.added(intervals), scale, INTERVAL_TIMES)


def derived_events(
    program: Rules,
    events: Events,
    *,
    mapping: MappingInput | TableMapping = None,
    background: Background | None = None,
    window: DurationInput | None = None,
    step: DurationInput | None = None,
    start: TimeInput | None = None,
    end: TimeInput | None = None,
    clock_tick: int | None = None,
    unit: str | None = None,
    columns: str | None = None,
    column_types: Mapping[str, str] | None = None,
    partitions: int | None = None,
    untyped: bool = False,
) -> DataFrame:
    """Find the events that rules derive: `query_time, event, time`. Takes what `recognise` takes."""
    plan, feeds, scale = read_input(program, events, mapping, background, unit, clock_tick, untyped=untyped)
    span = Span(*span_in_points((window, step, start, end), unit_in(scale)))
    arguments = _arguments(plan, EntityKind.EVENT, columns, feeds, column_types)
    found = stage_output(
        plan, session_of(events), feeds, span, partitions, fluents=(), derived_events=True, counted=False
    )
    happened = events_of(found)
    return in_timestamps(happened if arguments is None else arguments.added(happened), scale, EVENT_TIMES)


def _arguments(
    plan: Plan, kind: EntityKind, name: str | None, feeds: Sequence[SourceFrame], types: Mapping[str, str] | None
) -> ArgumentColumns | None:
    """The argument columns of a fluent or event, if requested."""
    if name is None:
        if types is not None:
            raise HoldsforError("column_types is about the columns of one fluent or event; name it with columns=")
        return None
    fixed = INTERVALS.names if kind is EntityKind.FLUENT else EVENTS.names
    sources = [origin.rows for feed in feeds for origin in feed.origins]
    (found,) = columns_of(plan, kind, [name], sources, fixed, types)
    require_types(types, found.titles)
    return found


def intervals_of(output: DataFrame, observation: Observation | None = None) -> DataFrame:
    """The intervals in the output of the last stage; `observation` gets counts of input and results."""
    if observation is not None:
        output = output.observe(observation, *_metrics())
    return output.where(f"tag = {RESULT}").drop("tag")


def events_of(output: DataFrame) -> DataFrame:
    """The derived events in the output of the last stage."""
    return output.where(f"tag = {DERIVED}").selectExpr("query_time", "fluent as event", "start as time")


def _metrics() -> Iterator[Any]:
    """The counts of a run, for `observe`."""
    for name in ("read", "malformed", "conflicts", WITHOUT_VALUE):
        counted = F.when((F.col("tag") == COUNTS) & (F.col("fluent") == name), F.col("start"))
        yield F.coalesce(F.sum(counted), F.lit(0)).alias(name)
    first = F.when((F.col("tag") == COUNTS) & (F.col("fluent") == WITHOUT_VALUE), F.col("value"))
    yield F.min(first).alias(f"first_{WITHOUT_VALUE}")
    yield F.count_if(F.col("tag") == RESULT).alias("intervals")


def read_input(
    program: Rules,
    events: Events,
    mapping: MappingInput | TableMapping,
    background: Background | None,
    unit: str | None,
    clock_tick: int | None = None,
    *,
    untyped: bool,
) -> tuple[Plan, list[SourceFrame], TimeScale | None]:
    """The plan of a program, its DataFrames, and the length of a time-point."""
    reasoner = read_program(program, background)
    plan = (reasoner if clock_tick is None else reasoner.with_clock_tick(clock_tick)).plan
    require_frames(events, plan)
    table = _mapping(mapping)
    declared = plan.analysis.written.time_scale
    scale = known_scale(declared, events, table, unit)
    table = None if table is None else table.with_unit(unit, declared)
    return plan, feeds_of(events, plan.analysis.entities, table, unit_in(scale) or "s", untyped=untyped), scale


def unit_in(scale: TimeScale | None) -> str | None:
    """The length of a time-point, without the zone."""
    return None if scale is None else scale.unit


def read_program(program: Rules, background: Background | None) -> Reasoner:
    """A program, loaded if necessary, with its background."""
    if not isinstance(program, Reasoner):
        return loaded(program, background)
    return program if background is None else program.with_background(background)


def loaded(
    program: str | Path | Iterable[str | Path] | MetricReasoner, background: Background | None = None
) -> Reasoner:
    """Loads the files of a program of event rules; metric programs have their own functions."""
    if isinstance(program, MetricReasoner):
        made: object = program
    else:
        paths = [program] if isinstance(program, str | Path) else program
        made = load(*paths, background=background)
    if isinstance(made, MetricReasoner):
        raise HoldsforError("a metric program runs with holdsfor.spark.materialise, or materialise_stream on a stream")
    assert isinstance(made, Reasoner)
    return made


def stage_output(
    plan: Plan,
    spark: SparkSession,
    feeds: Sequence[SourceFrame],
    span: Span,
    partitions: int | None = None,
    *,
    fluents: Collection[str] | None = None,
    derived_events: bool = False,
    rows_at_once: int | None = None,
    counted: bool = True,
) -> DataFrame:
    """The output of the last stage: results, and counts if `counted`. The tag distinguishes them."""
    require_no_preprocessing(plan)
    workers_like_driver(spark)
    tick = plan.clock_tick
    if tick != 1:
        feeds, span = [feed_in_ticks(feed, tick) for feed in feeds], span_in_ticks(span, tick)
    if rows_at_once is not None:
        _require_pieces(plan, span)
    count = bucket_count(plan, partitions or default_partitions(spark))
    stages = physical_stages(plan, count)
    for message in stages.warnings:
        warnings.warn(message, stacklevel=3)
    sources = [origin.rows for feed in feeds for origin in feed.origins]
    has_arrivals = any(origin.arrival != origin.start for feed in feeds for origin in feed.origins)
    rows = plan_rows(stages, sources, arrivals=has_arrivals and not span.is_whole)
    ties = {stage.number: _ties(feeds, stage, plan) for stage in stages.stages if stage.links}
    job = make_job(
        stages,
        rows,
        buckets=count,
        span=span,
        fluents=fluents,
        derived_events=derived_events,
        rows_at_once=rows_at_once,
        ties=ties,
    )
    waiting = [stream_facts(spark, feeds, rows, count, counted=counted or rows_at_once is not None)]
    for stage in stages.stages:
        waiting += stage_rows(feeds, sources, stage, rows, count, _ties_frame(spark, ties.get(stage.number)))
        together = reduce(DataFrame.unionAll, waiting)
        together = packed(together, rows)
        shuffled = together.repartitionById(count, F.expr(BUCKET_OF_PACKED))
        if rows_at_once is not None:
            # Messages about the whole stream reach a bucket first.
            is_row = F.expr(f"{TAG_OF_PACKED} > {MOMENTS} or {TAG_OF_PACKED} = {DELIVERY}")
            shuffled = shuffled.sortWithinPartitions(is_row, F.col("t0"))
        task = EngineTask(job, stage.number)
        waiting = [shuffled.mapInArrow(_function(task), ddl(task.out_schema))]
    return waiting[0] if tick == 1 else results_in_time(waiting[0], tick)


def _ties(feeds: Sequence[SourceFrame], stage: SparkStage, plan: Plan) -> TiedParts:
    """The connected components of tied keys, computed from distinct pairs before the run."""
    tables = [fact_parts(plan, link) for link in stage.links if not isinstance(link.source, Symbol)]
    frames = [frame for link in stage.links for frame in linked_parts(feeds, link)]
    if frames:
        found = reduce(DataFrame.unionAll, frames).distinct().limit(_MOST_TIES + 1).toArrow()
        if len(found) > _MOST_TIES:
            named = ", ".join(str(symbol) for symbol, _ in stage.members)
            raise HoldsforError(f"the keys of {named} are tied together by more than {_MOST_TIES:,} pairs")
        tables.append((found["one"].to_numpy(), found["other"].to_numpy()))
    return (
        connected(*(np.concatenate(columns) for columns in zip(*tables, strict=True)))
        if tables
        else TiedParts(EMPTY, EMPTY)
    )


def _ties_frame(spark: SparkSession, ties: TiedParts | None) -> DataFrame | None:
    if ties is None:
        return None
    return F.broadcast(spark.createDataFrame(pa.table({"part": ties.parts, "first": ties.first})))


def _require_pieces(plan: Plan, span: Span) -> None:
    """Reports a history that cannot be evaluated piece by piece."""
    if not span.is_whole:
        raise HoldsforError("rows_at_once is for one query over everything; leave out window, step, start and end")
    if plan.has_metric_rules:
        raise HoldsforError("rows_at_once cannot be used: programs with metric rules have each bucket in memory")
    if plan.filling:
        raise HoldsforError("rows_at_once cannot be used: a dynamicDomain has values from records of all time")
    lowered = encoded(plan).lowered.plan
    if lowered.settle == NEVER_FINAL:
        raise HoldsforError(f"rows_at_once cannot be used: results are never final, because {lowered.settle_why}")


def _function(task: EngineTask) -> Any:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_worker()
        yield from task(batches)

    return work


def _mapping(mapping: MappingInput | TableMapping) -> TableMapping | None:
    if mapping is None or isinstance(mapping, TableMapping):
        return mapping
    return make_mapping(mapping) if isinstance(mapping, Mapping) else read_mapping(mapping)


def session_of(events: Events) -> SparkSession:
    """The Spark session of the events."""
    frames = list(events.values()) if isinstance(events, Mapping) else [events]
    return frames[0].sparkSession


def default_partitions(spark: SparkSession) -> int:
    """Spark's shuffle partitions; on a single machine with a cluster setting, a small number per core."""
    shuffled = int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    master = spark.conf.get("spark.master", "") or ""
    if shuffled == 200 and master.startswith("local["):
        cores = master[6:].partition(",")[0].rstrip("]")
        return _TASKS_PER_CORE * (int(cores) if cores.isdigit() else os.cpu_count() or 1)
    return shuffled
