"""Writes situations: Parquet files, and a table of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.io.outputs import created
from holdsfor_maritime.report.findings import INTERVALS
from holdsfor_maritime.report.rows import DDL, situation_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PIECES = 4
"""The number of parallel connections."""


def as_rows(intervals: DataFrame) -> DataFrame:
    """Results of Spark as rows of situations."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from situation_rows(pa.Table.from_batches([batch])).to_batches()

    return intervals.mapInArrow(work, DDL)


def write_rows(rows: DataFrame | pa.Table, out: Path) -> None:
    """Replaces the rows of situations in the folder of a run."""
    folder = out / INTERVALS
    if isinstance(rows, pa.Table):
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / "part-0.parquet"
        with created(part) as file:
            pq.write_table(rows, file)
        for old in set(folder.glob("*.parquet")) - {part}:
            old.unlink()
        return
    rows.write.mode("overwrite").parquet(str(folder))


def to_postgres(spark: SparkSession, out: Path, url: str, table: str) -> None:
    """Writes the rows of a run to a table; rows with the same `id` are replaced."""
    from holdsfor.spark import connectors

    connectors.register(spark)
    rows = spark.read.parquet(str(out / INTERVALS))
    (
        rows.coalesce(_PIECES)
        .write.format("holdsfor-postgres")
        .option("url", url)
        .option("dbtable", table)
        .option("keyColumns", "id")
        .mode("append")
        .save()
    )
