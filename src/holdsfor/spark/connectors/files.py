"""Reads files of events with Spark's own readers and a schema; malformed rows are set aside."""

from __future__ import annotations

from pathlib import PurePath

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructType

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.connectors.payload import MALFORMED, struct_of

_FORMATS = {".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet"}


def file_events(
    spark: SparkSession,
    path: str,
    schema: str | StructType,
    format: str | None = None,  # noqa: A002 -- the word that Spark's readers use
    *,
    streaming: bool = True,
    **options: str | int | bool,
) -> DataFrame:
    """The rows of CSV, JSON or Parquet files under a path, old and new ones.

    `format` is needed where the path is a folder without an ending. CSV files have a header unless `header=False`. CSV
    and JSON rows that do not fit the schema keep their text in the column `_malformed`. Other options are Spark's:
    `maxFilesPerTrigger` bounds a micro-batch, `cleanSource` moves files away that have been read.
    """
    kind = format or _FORMATS.get(PurePath(path).suffix)
    if kind not in set(_FORMATS.values()):
        raise HoldsforError(f"{path}: say whether the files are csv, json or parquet: format=…")
    wanted = struct_of(schema)
    reader = (spark.readStream if streaming else spark.read).format(kind)
    if kind != "parquet":
        wanted = StructType([*wanted.fields]).add(MALFORMED, StringType())
        reader = reader.option("columnNameOfCorruptRecord", MALFORMED)
    if kind == "csv":
        options = {"header": True, **options}
    return reader.options(**options).schema(wanted).load(path)
