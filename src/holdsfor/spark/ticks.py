"""Applies the clock tick on Spark: input is converted to numbers of ticks, results to times."""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.columns.ticks import whole_ticks
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.spark.job import Span
from holdsfor.spark.sources import Origin, SourceFrame
from holdsfor.spark.wire import DERIVED, RESULT


def require_batch(plan: Plan, what: str) -> None:
    """Checks for features that need the complete input."""
    if plan.clock_tick != 1:
        raise HoldsforError(f"a clock tick is not for {what}; count ticks in the input, or run over files")


def require_no_preprocessing(plan: Plan) -> None:
    """Checks that a program does not compute its own input, which is only supported on one machine."""
    if has_preprocessing(plan):
        raise HoldsforError("preProcessing is not executed on Spark; run without Spark, or give its result as input")


def span_in_ticks(span: Span, tick: int) -> Span:
    """Windows as numbers of ticks."""
    names = ("window", "step", "start", "end")
    found = {name: getattr(span, name) for name in names}
    return Span(**{name: None if size is None else whole_ticks(name, size, tick) for name, size in found.items()})


def feed_in_ticks(feed: SourceFrame, tick: int) -> SourceFrame:
    """Rows with ticks in place of times."""
    return replace(feed, origins=tuple(_origin(origin, tick) for origin in feed.origins))


def _origin(origin: Origin, tick: int) -> Origin:
    start = _ticks(origin.start, tick)
    return replace(
        origin,
        start=start,
        end=None if origin.end is None else f"-{_ticks(f'-({origin.end})', tick)}",
        arrival=start if origin.arrival == origin.start else _ticks(origin.arrival, tick),
    )


def _ticks(time: str, tick: int) -> str:
    """The tick of a time, rounded down."""
    return f"(({time}) - pmod({time}, {tick}L)) div {tick}L".join("()")


def results_in_time(output: DataFrame, tick: int) -> DataFrame:
    """The output of the last stage, with times in place of ticks."""
    has_times = F.col("tag").isin(RESULT, DERIVED)

    def in_time(name: str) -> Column:
        return F.when(has_times, F.col(name) * tick).otherwise(F.col(name)).cast("bigint").alias(name)

    timed = {"query_time", "start", "end"}
    return output.select([in_time(name) if name in timed else F.col(name) for name in output.columns])
