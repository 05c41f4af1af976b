"""Opens streams by name for the command line: files, message brokers, or any format of Spark."""

from __future__ import annotations

import signal
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.connectors.payload import MALFORMED, struct_of
from holdsfor.spark.streaming.reasons import NO_JAVA, is_lost_java, reason, spark_errors

FILES = ("parquet", "json", "csv", "orc")
_TEXT_FILES = ("json", "csv")
"""File formats in which a row may be malformed."""


def opened(
    spark: SparkSession,
    source: str,
    path: str | None,
    schema: str | None,
    options: dict[str, str],
    source_column: str | None = None,
) -> tuple[DataFrame, Any]:
    """A stream and its columns. Without a schema, existing files determine the columns.

    `source_column` may be a column of messages, such as their topic, or a field of their content.
    """
    if source in FILES:
        if path is None:
            raise HoldsforError(f"the source {source} needs the folder of its files: a path")
        if source == "csv":
            options.setdefault("header", "true")
        if source in _TEXT_FILES:
            # A row that is not JSON has only this column.
            options.setdefault("columnNameOfCorruptRecord", MALFORMED)
        columns: Any = schema or _columns(spark, source, path, options)
        with spark_errors(f"{path} cannot be followed"):
            if source in _TEXT_FILES:
                fields = [field for field in struct_of(columns).fields if field.name != MALFORMED]
                columns = StructType([*fields, StructField(MALFORMED, StringType())])
            return spark.readStream.format(source).schema(columns).options(**options).load(path), columns
    from holdsfor.spark import connectors

    connectors.register(spark)
    with spark_errors(f"the source {source} cannot be followed"):
        found = spark.readStream.format(source).options(**options).load(path)
        if schema is not None and "value" in found.columns:
            is_kept = source_column in found.columns and source_column not in struct_of(schema).names
            found = found.transform(connectors.json_columns(schema, keep=[source_column] if is_kept else []))
        return found, found.schema


def read_history(spark: SparkSession, source: str, path: str, schema: Any, options: dict[str, str]) -> DataFrame:
    """The rows of a folder with the columns of a stream, as a batch."""
    if source not in FILES:
        raise HoldsforError(f"a history is read from files ({', '.join(FILES)}), and the source is {source}")
    with spark_errors(f"{path} cannot be read"):
        return spark.read.format(source).schema(schema).options(**options).load(path)


def _columns(spark: SparkSession, source: str, path: str, options: dict[str, str]) -> Any:
    with spark_errors(f"{path} has no files that show their columns; give a schema"):
        return spark.read.format(source).options(**options).load(path).schema


def wait_for(query: Any) -> None:
    """Waits for the end of a query, or for a signal to stop; the current batch is then repeated by the next run.

    A signal only sets a flag, because this thread cannot call Java while it waits for an answer from it.
    """
    stopped: list[int] = []
    before = {number: signal.signal(number, lambda found, _: stopped.append(found)) for number in _SIGNALS}
    try:
        while not stopped and not query.awaitTermination(_LOOK):
            pass
        query.stop()
    except StreamingQueryException as problem:
        raise HoldsforError(reason(problem)) from problem
    except Exception as problem:
        if not is_lost_java(problem):
            raise
        raise HoldsforError(NO_JAVA) from problem
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_LOOK = 1
"""The interval in seconds at which the flag is checked."""
