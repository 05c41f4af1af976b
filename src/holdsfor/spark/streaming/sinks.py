"""Sinks of results. A sink is called once per batch, and again with the same rows if the batch is repeated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.window import Window

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.op import Op
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.scales import in_points, in_timestamps, points_sql
from holdsfor.spark.streaming.results import EVENT_CHANGES
from holdsfor.spark.streaming.shared import NotShared, require_rows
from holdsfor.spark.streaming.store import is_local, make_folder, place_of, spark_path
from holdsfor.spark.timestamps import EVENT_TIMES, INTERVAL_TIMES, timestamp_schema
from holdsfor.spark.wire import ddl
from holdsfor.times import DurationInput, TimeInput, TimeScale, duration, time_point

FunctionSink: TypeAlias = Callable[[DataFrame, int], None]
"""Called with rows and the batch number. The rows are only valid during the call."""
Sink: TypeAlias = FunctionSink | str | Path

FORMATS = ("parquet", "json", "csv", "orc")


def changes_sql(scale: TimeScale | None = None) -> str:
    """The columns of a changelog; times are timestamps if the time unit is known."""
    return f"{ddl(timestamp_schema(CHANGES, scale))}, `causes` array<string>"


def event_changes_sql(scale: TimeScale | None = None) -> str:
    """The columns of a changelog of derived events."""
    return ddl(timestamp_schema(EVENT_CHANGES, scale))


@dataclass(frozen=True)
class Directory:
    """A folder with a subfolder per batch: `batch=7`. A repeated batch replaces its own."""

    path: str
    format: str = "parquet"

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise HoldsforError(f"the format must be one of {', '.join(FORMATS)}, not {self.format!r}")
        if self.is_local:
            make_folder(self.path, "results")

    @property
    def is_local(self) -> bool:
        """Whether this process opens the folder. Otherwise only Spark reads and writes it."""
        return is_local(self.path)

    def take(self, folder: str, batch: int, rows: int) -> None:
        """Moves the Parquet files of a batch with `rows` rows into place, without a job or a copy in memory."""
        system, root = place_of(self.path)
        passing, target = f"{root}/.batch={batch}-{uuid4().hex}", f"{root}/batch={batch}"
        system.create_dir(passing, recursive=True)
        source, files = place_of(folder)
        fs.copy_files(files, passing, source_filesystem=source, destination_filesystem=system)
        if system.get_file_info(target).type != fs.FileType.NotFound:
            system.delete_dir(target)
        system.move(passing, target)
        require_rows(f"{self.path}/batch={batch}", rows, "changes", "sink")

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write the rows of a batch."""
        options = {"header": "true"} if self.format == "csv" else {}
        if self.format == "csv" and "causes" in rows.columns:
            rows = rows.withColumn("causes", F.concat_ws("; ", "causes"))
        rows.coalesce(1).write.mode("overwrite").options(**options).format(self.format).save(
            spark_path(f"{self.path}/batch={batch}")
        )
        if self.is_local:
            self._require_file(batch)

    def _require_file(self, batch: int) -> None:
        """Checks for the single file of a worker. If the driver finds none, the folder is not shared."""
        system, root = place_of(self.path)
        found = system.get_file_info(fs.FileSelector(f"{root}/batch={batch}", allow_not_found=True))
        if not any(info.base_name.startswith("part-") for info in found):
            raise NotShared(
                f"what a worker wrote to {self.path}/batch={batch} is not there: the sink must be in a folder that every "
                "machine of the cluster sees under the same name; nothing of this batch was committed"
            )


@dataclass
class Memory:
    """Keeps the rows of every batch in memory, for tests and notebooks."""

    batches: dict[int, pa.Table] = field(default_factory=dict)

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Keeps the rows of a batch."""
        self.batches[batch] = rows.toArrow()

    def table(self) -> pa.Table:
        """All rows so far, in batch order."""
        return pa.concat_tables([self.batches[batch] for batch in sorted(self.batches)])


def as_sink(sink: Sink, style: str = "parquet") -> FunctionSink:
    """A sink, or a folder as a sink."""
    return Directory(str(sink), style) if isinstance(sink, str | Path) else sink


def latest(changes: DataFrame) -> DataFrame:
    """The last row for every id: the rows to upsert if a batch has several query times."""
    order = Window.partitionBy("id").orderBy(F.desc("query_time"))
    return changes.withColumn("_place", F.row_number().over(order)).where("_place = 1").drop("_place")


def replayed(changes: DataFrame, until: TimeInput | None = None, unit: str | None = None) -> DataFrame:
    """The intervals that a changelog leaves, perhaps only up to a query time.

    A changelog with timestamps needs the `unit` of time-points wherever one of them is given.
    """
    known = changes if until is None else changes.where(_upto(changes, until, unit))
    return latest(known).where(F.col("op") != Op.RETRACT.value).select("fluent", "value", "start", "end", "id")


def snapshot(changes: DataFrame, query: TimeInput, window: DurationInput, unit: str | None = None) -> DataFrame:
    """What was reported at a query time: `query_time, fluent, value, start, end`, as `recognise` gives it."""
    scale, at, size = _asked(changes, query, window, unit)
    points = changes if scale is None else in_points(changes, scale)
    table = replayed(points, at).where(F.col("end").isNull() | (F.col("end") > at - size + 1))
    found = table.select(F.lit(at).cast("bigint").alias("query_time"), "fluent", "value", "start", "end")
    return in_timestamps(found, scale, INTERVAL_TIMES)


def replayed_events(changes: DataFrame, until: TimeInput | None = None, unit: str | None = None) -> DataFrame:
    """The derived events that their changelog leaves, perhaps only up to a query time."""
    known = changes if until is None else changes.where(_upto(changes, until, unit))
    return latest(known).where(F.col("op") != Op.RETRACT.value).select("event", "time", "id")


def snapshot_events(changes: DataFrame, query: TimeInput, window: DurationInput, unit: str | None = None) -> DataFrame:
    """The derived events that were reported at a query time: `query_time, event, time`, as `derived_events` gives it."""
    scale, at, size = _asked(changes, query, window, unit)
    points = changes if scale is None else in_points(changes, scale)
    table = replayed_events(points, at).where(F.col("time") > at - size)
    found = table.select(F.lit(at).cast("bigint").alias("query_time"), "event", "time")
    return in_timestamps(found, scale, EVENT_TIMES)


def _asked(
    changes: DataFrame, query: TimeInput, window: DurationInput, unit: str | None
) -> tuple[TimeScale | None, int, int]:
    """The time scale of a changelog if it has timestamps; and a query time and a window in time-points."""
    scale = _scale(changes, unit)
    known = None if scale is None else scale.unit
    return scale, time_point(query, known, "query"), duration(window, known, "window")


def _upto(changes: DataFrame, until: TimeInput, unit: str | None) -> Column:
    scale = _scale(changes, unit)
    last = F.lit(time_point(until, None if scale is None else scale.unit, "until"))
    return F.col("query_time") <= last if scale is None else F.expr(points_sql("query_time", scale)) <= last


def _scale(changes: DataFrame, unit: str | None) -> TimeScale | None:
    if dict(changes.dtypes).get("query_time") != "timestamp":
        return None
    if unit is None:
        raise HoldsforError('this changelog has timestamps; say what one time-point is, for example unit="s"')
    return TimeScale(unit)
