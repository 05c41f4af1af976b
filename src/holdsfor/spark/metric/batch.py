"""Evaluates metric programs over DataFrames lazily: the stages of a plan become shuffles and `mapInArrow`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.stages import metric_stages
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapping import TableMapping, make_mapping, read_mapping
from holdsfor.io.sources import STANDARD_INPUT
from holdsfor.loading import read_source
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.goals import Goals, goals_of
from holdsfor.metric.session import RunSpan
from holdsfor.metric.times import Time
from holdsfor.spark.batch import default_partitions, unit_in
from holdsfor.spark.columns import identifier
from holdsfor.spark.input_frames import known_scale
from holdsfor.spark.metric.answers import answer_schema, answer_sql
from holdsfor.spark.metric.buckets import StageOnBucket
from holdsfor.spark.metric.columns import predicate_columns
from holdsfor.spark.metric.job import MetricJob
from holdsfor.spark.metric.reading import ARGS, LINE, PREDICATE, FrameKind, ReadFacts
from holdsfor.spark.metric.wire import BUCKET, wire_schema
from holdsfor.spark.nested import with_paths_of
from holdsfor.spark.session import worker_python, workers_like_driver
from holdsfor.spark.wire import ddl
from holdsfor.times import TimeScale, unit_of

Rules: TypeAlias = MetricReasoner | str | Path | Iterable[str | Path]
MappingInput: TypeAlias = str | Path | Mapping[str, Any] | TableMapping | None
Facts: TypeAlias = DataFrame | Mapping[str, DataFrame] | str | Path | Sequence[str | Path]


def materialise(
    program: Rules,
    facts: Facts,
    *,
    start: Time | None = None,
    end: Time | None = None,
    query: str | Iterable[str] | None = None,
    mapping: MappingInput = None,
    unit: str | None = None,
    exact: bool = False,
    points: bool = False,
    quoted: bool = False,
    untyped: bool = False,
    columns: str | None = None,
    column_types: Mapping[str, str] | None = None,
    partitions: int | None = None,
    observation: Observation | None = None,
) -> DataFrame:
    """All that follows from facts by a metric program, within the closed interval from `start` to `end`:
    `predicate, args, start, start_closed, end, end_closed`.

    `facts` is a DataFrame of each predicate by its name, with columns `time`, or `start` and `end`, perhaps
    `start_closed` and `end_closed`, and the arguments in order; or one DataFrame with a mapping, with a column
    `predicate` and perhaps an array `args`, or with a column `value` of text (`P(a)@[1,2)`); or files of such text.

    `query` is predicates, or queries with constants such as `P(a, X)`: only what these need is sent and evaluated.

    `args` is an array of text; `quoted` arguments stand in quotes where they would be read back as something else, as
    in the results of a local run (`'7'` is text, `7` a number). Times are numbers, or text if they have to be `exact` (`0.25`,
    `1/3`); null is infinite. Where it is known what one unit of time is, from `:- time_unit(s).` in the rules, the mapping or
    the `unit`, or because there are timestamps, they are timestamps, rounded down to microseconds, or text in ISO 8601, unless
    `points` asks for numbers; `start` and `end` may be datetimes then.

    `untyped` says that text columns hold numbers as text. With `columns`, the name of a predicate, the result has the facts
    of that predicate, and a column for each of its arguments, named after the variables of the rules: `bigint`, `double` or
    `string`, as the columns of the facts and the rules say, or as `column_types` says by the name of the column.
    `observation` gets counts: `read`, `malformed`, `unknown`, `intervals`.
    """
    reasoner = loaded(program)
    scale = known_metric_scale(reasoner.time_scale, facts, mapping, unit)
    span = RunSpan.of(start, end, unit=unit_in(scale))
    plan = reasoner.plan_of(query if query is not None or columns is None else columns)
    frames = frames_of(facts, mapping, scale, untyped=untyped)
    arguments = None
    if columns is not None:
        fixed = answer_schema(exact=exact).names
        arguments = predicate_columns(plan, reasoner.program, [columns], frames, fixed, column_types)[0]
    elif column_types is not None:
        raise HoldsforError("column_types is about the columns of one predicate; name it with columns=")
    spark = frames[0][0].sparkSession
    job = MetricJob.of(plan, partitions or default_partitions(spark), span.start, span.end, query_goals(plan, query))
    # The stages of a query have the keys of the query, so the warnings are about the program itself.
    for message in metric_stages(plan).warnings:
        warnings.warn(message, stacklevel=2)
    shown = None if points else scale
    found = answered(job, spark, frames, exact=exact, quoted=quoted, observation=observation, time_scale=shown)
    return found if arguments is None else arguments.added(found)


def query_goals(plan: MetricPlan, query: str | Iterable[str] | None, *, is_stream: bool = False) -> Goals | None:
    """The goals with constants of a query, if there are any."""
    found = goals_of(plan, query)
    return Goals.of(plan, found, is_stream=is_stream) if found else None


def answered(
    job: MetricJob,
    spark: SparkSession,
    frames: Sequence[tuple[DataFrame, FrameKind]],
    *,
    exact: bool,
    quoted: bool = False,
    observation: Observation | None = None,
    time_scale: TimeScale | None = None,
) -> DataFrame:
    """The results of a job."""
    if not job.last:
        raise HoldsforError("the program has no rules")
    workers_like_driver(spark)
    schema = ddl(wire_schema(job))
    waiting = [frame.mapInArrow(function(ReadFacts(job, source)), schema) for frame, source in frames]
    waiting.append(_bucket_rows(spark, job))
    for stage in job.stages.stages:
        task = StageOnBucket(job, stage.number, exact, quoted, time_scale)
        shuffled = reduce(DataFrame.unionAll, waiting).repartitionById(job.buckets, F.col("bucket"))
        columns = answer_sql(exact=exact, scale=time_scale) if task.is_last else schema
        waiting = [shuffled.mapInArrow(function(task), columns)]
    output = waiting[0]
    if observation is not None:
        output = output.observe(observation, *_metrics())
    return output.where("predicate is not null")


def _bucket_rows(spark: SparkSession, job: MetricJob) -> DataFrame:
    """A row for every bucket, so that buckets without facts run too: rules may need no facts."""
    columns = [f"cast({BUCKET} as int) as tag", "cast(id as int) as bucket"]
    columns += [f"cast(0 as bigint) as `{name}`" for name in ("start", "end", "scale")]
    columns += [f"cast(null as string) as a{place}" for place in range(job.width)]
    return spark.range(0, job.buckets, 1, 1).selectExpr(*columns)


def _metrics() -> Iterator[Any]:
    for place, name in enumerate(("read", "malformed", "unknown")):
        counted = F.expr(f"sum(if(predicate is null, cast(args[{place}] as bigint), 0))")
        yield F.coalesce(counted, F.lit(0)).alias(name)
    yield F.expr("count_if(predicate is not null)").alias("intervals")


def function(task: Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]]) -> Any:
    """A task in the form that Spark calls."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from task(batches)

    return work


def loaded(program: Rules) -> MetricReasoner:
    """A program, loaded if necessary."""
    if isinstance(program, MetricReasoner):
        return program
    paths = [program] if isinstance(program, str | Path) else program
    reasoner = from_metric_sources([read_source(path) for path in paths])
    reasoner.require_no_errors()
    return reasoner


def known_metric_scale(
    declared: TimeScale | None, facts: Facts, mapping: MappingInput, unit: str | None
) -> TimeScale | None:
    """The length of a time unit, if rules, user, mapping or a timestamp column declare it; they must agree."""
    if isinstance(facts, str | Path) or (isinstance(facts, Sequence) and not isinstance(facts, Mapping)):
        # Text is not inspected before it is read.
        given = unit_of(declared, unit)
        return declared or (None if given is None else TimeScale(given))
    described = None if mapping is None or isinstance(facts, Mapping) else _described(mapping)
    return known_scale(declared, facts, described, unit)


def frames_of(
    facts: Facts, mapping: MappingInput, scale: TimeScale | None, *, untyped: bool
) -> list[tuple[DataFrame, FrameKind]]:
    """The DataFrames of facts, with a description of their rows. Timestamps are in the unit of a scale, otherwise in
    seconds.
    """
    if isinstance(facts, str | Path):
        return frames_of([facts], mapping, scale, untyped=untyped)
    unit = unit_in(scale) or "s"
    if isinstance(facts, Mapping):
        if not facts:
            raise HoldsforError("there is no DataFrame to read facts from")
        return [(frame, _checked(name, frame, unit, untyped=untyped)) for name, frame in facts.items()]
    if isinstance(facts, Sequence):
        return [(_text_files(facts), FrameKind())]
    if mapping is not None:
        described = _described(mapping).with_unit(unit_in(scale))
        with_paths_of(facts, described.entries)
        frame, names = _numbered(facts)
        return [(frame, FrameKind(mapping=described, untyped=untyped, names=names))]
    if PREDICATE in facts.columns:
        return [(facts, _checked(None, facts, unit, untyped=untyped))]
    if LINE in facts.columns:
        return [(facts.select(F.col(LINE).cast("string")), FrameKind())]
    raise HoldsforError(
        f"one DataFrame of facts needs a mapping, a column `{PREDICATE}` (and perhaps an array `{ARGS}`), or a column "
        f"`{LINE}` with text such as P(a)@3; it has {', '.join(facts.columns)}"
    )


def _numbered(frame: DataFrame) -> tuple[DataFrame, tuple[str, ...]]:
    """A DataFrame with safe column names, and the original names: `mapInArrow` reads a name with a dot as a path."""
    names = tuple(frame.columns)
    if not any("." in name or "`" in name for name in names):
        return frame, ()
    return frame.selectExpr(*(f"{identifier(name)} as c{place}" for place, name in enumerate(names))), names


def _checked(name: str | None, frame: DataFrame, unit: str, *, untyped: bool) -> FrameKind:
    there = frame.columns
    if "time" not in there and not {"start", "end"} <= set(there):
        what = "the DataFrame of facts" if name is None else f"the DataFrame of {name}"
        raise HoldsforError(f"{what} needs a column `time`, or `start` and `end`; it has {', '.join(there)}")
    return FrameKind(name, unit=unit, untyped=untyped)


def _described(mapping: str | Path | Mapping[str, Any] | TableMapping) -> TableMapping:
    if isinstance(mapping, TableMapping):
        return mapping
    return make_mapping(mapping) if isinstance(mapping, Mapping) else read_mapping(mapping)


def _text_files(paths: Sequence[str | Path]) -> DataFrame:
    if not paths:
        raise HoldsforError("there is no file to read facts from")
    if STANDARD_INPUT in map(str, paths):
        raise HoldsforError("Spark reads files, not standard input")
    spark = SparkSession.getActiveSession()
    if spark is None:
        worker_python()
        spark = SparkSession.builder.getOrCreate()
    return spark.read.text([str(path) for path in paths])
