"""Converts time-points to Spark timestamps and back, if the time unit is known.

Timestamps are absolute, so time zones do not matter.
"""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import DataFrame

from holdsfor.spark.columns import identifier, literal
from holdsfor.spark.timestamps import BETWEEN, BEYOND, LATEST, TIMES
from holdsfor.times import TimeScale


def in_timestamps(frame: DataFrame, scale: TimeScale | None, names: Collection[str]) -> DataFrame:
    """A DataFrame with timestamps in place of time-points, if the time unit is known."""
    if scale is None:
        return frame
    columns = [
        f"{timestamp_sql(identifier(name), scale)} as {identifier(name)}" if name in names else identifier(name)
        for name in frame.columns
    ]
    return frame.selectExpr(*columns)


def in_points(frame: DataFrame, scale: TimeScale, names: Collection[str] = TIMES) -> DataFrame:
    """A DataFrame of results or changes with time-points in place of timestamps; unchanged if it has none."""
    dated = [name for name, kind in frame.dtypes if name in names and kind == "timestamp"]
    columns = [
        f"{points_sql(identifier(name), scale)} as {identifier(name)}" if name in dated else identifier(name)
        for name in frame.columns
    ]
    return frame.selectExpr(*columns) if dated else frame


def timestamp_sql(column: str, scale: TimeScale) -> str:
    """A column of time-points as timestamps, in SQL.

    >>> timestamp_sql("t", TimeScale("ns")).startswith("case when t is null then null when pmod(t, 1000L) = 0 then")
    True
    """
    if scale.size < 1000:
        fits, moment, wrong = f"pmod({column}, 1000L) = 0", f"timestamp_micros({column} div 1000L)", f"ns is {BETWEEN}"
    else:
        size = scale.size // 1000
        fits = f"{column} between {-LATEST // size + 1}L and {LATEST // size}L"
        moment, wrong = f"timestamp_micros({column} * {size}L)", BEYOND
    error = f"raise_error(concat('time-point ', {column}, {literal(f' {wrong}')}))"
    return f"case when {column} is null then null when {fits} then {moment} else {error} end"


def points_sql(column: str, scale: TimeScale) -> str:
    """A column of timestamps as time-points, in SQL."""
    if scale.size < 1000:
        return f"(unix_micros({column}) * 1000L)"
    return f"(unix_micros({column}) div {scale.size // 1000}L)"
