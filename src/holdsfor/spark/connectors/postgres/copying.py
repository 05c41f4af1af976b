"""Copies rows from and to PostgreSQL in blocks, as CSV that Arrow reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from holdsfor.spark.connectors.common import ConnectorError

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

_BLOCK = 8 << 20
_ARROW: dict[type[DataType], pa.DataType] = {
    BooleanType: pa.bool_(),
    ShortType: pa.int16(),
    IntegerType: pa.int32(),
    LongType: pa.int64(),
    FloatType: pa.float32(),
    DoubleType: pa.float64(),
    StringType: pa.string(),
    DateType: pa.date32(),
    TimestampType: pa.timestamp("us", tz="UTC"),
}
_WRITTEN: dict[type[DataType], str] = {
    BooleanType: "boolean",
    ByteType: "smallint",
    ShortType: "smallint",
    IntegerType: "integer",
    LongType: "bigint",
    FloatType: "real",
    DoubleType: "double precision",
    StringType: "text",
    DateType: "date",
    TimestampType: "timestamptz",
    TimestampNTZType: "timestamp",
}


def postgres_type(field: StructField) -> str:
    """The type of a column in a table created for a frame."""
    kind = field.dataType
    if isinstance(kind, DecimalType):
        return f"numeric({kind.precision},{kind.scale})"
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, StringType):
        return "text[]"
    found = _WRITTEN.get(type(kind))
    if found is None:
        raise ConnectorError(
            f"holdsfor-postgres: column {field.name!r} is {kind.simpleString()}, which is not written; use to_json on it"
        )
    return found


def _arrow_type(kind: DataType) -> pa.DataType:
    return pa.decimal128(kind.precision, kind.scale) if isinstance(kind, DecimalType) else _ARROW[type(kind)]


def expression(field: StructField) -> sql.Composable:
    """A column as it is copied out: moments as microseconds, what Spark has no type for as text."""
    from psycopg import sql

    column = sql.Identifier(field.name)
    match field.dataType:
        case TimestampType():
            return sql.SQL("CASE WHEN isfinite({0}) THEN (extract(epoch FROM {0}) * 1000000)::bigint END").format(
                column
            )
        case DateType():
            return sql.SQL("CASE WHEN isfinite({0}) THEN {0}::text END").format(column)
        case StringType():
            return sql.SQL("{}::text").format(column)
        case _:
            return column


def copied(
    connection: psycopg.Connection[Any], question: sql.Composable, schema: StructType
) -> Iterator[pa.RecordBatch]:
    """The result of a query, as Arrow."""
    import psycopg
    from psycopg import sql

    wanted = pa.schema([(field.name, _arrow_type(field.dataType)) for field in schema.fields])
    # Timestamps arrive as numbers, which Arrow does not read as timestamps.
    plain = {field.name: pa.int64() if pa.types.is_timestamp(field.type) else field.type for field in wanted}
    convert = pacsv.ConvertOptions(
        column_types=plain,
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        true_values=["t"],
        false_values=["f"],
    )
    parse = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    try:
        with (
            connection.cursor() as cursor,
            cursor.copy(sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(question)) as copy,
        ):
            for block in _blocks(copy):
                read = pacsv.ReadOptions(column_names=wanted.names, use_threads=False, block_size=len(block) + 1)
                table = pacsv.read_csv(BytesIO(block), read_options=read, parse_options=parse, convert_options=convert)
                yield from table.cast(wanted).combine_chunks().to_batches()
    except psycopg.Error as problem:
        raise ConnectorError(f"holdsfor-postgres: reading failed: {problem.diag.message_primary or problem}") from None


def _blocks(pieces: Iterable[Any]) -> Iterator[bytes]:
    """Blocks of complete CSV rows: a block ends with a line break outside of quotes."""
    held: list[Any] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _BLOCK:
            block = b"".join(held)
            if block.endswith(b"\n") and block.count(b'"') % 2 == 0:
                yield block
                held, size = [], 0
            else:
                held = [block]
    if held:
        yield b"".join(held)


def csv_of(table: pa.Table) -> bytes:
    """A table as CSV for COPY: quoted text, and nothing for null."""
    columns = [_as_written(column) for column in table.combine_chunks().columns]
    written = BytesIO()
    pacsv.write_csv(pa.table(columns, names=table.column_names), written, pacsv.WriteOptions(include_header=False))
    return written.getvalue()


def _as_written(column: pa.ChunkedArray) -> Any:
    """Converts a column to a type that CSV supports: decimals as text, lists of text as `{"a","b"}`."""
    if pa.types.is_list(column.type):
        return pa.chunked_array([_array_texts(chunk) for chunk in column.chunks], pa.string())
    return column.cast(pa.string()) if pa.types.is_decimal(column.type) else column


def _array_texts(lists: pa.ListArray) -> pa.StringArray:
    if lists.offset:
        # The array may be a slice of a longer one; its offsets must start at 0.
        lists = lists.take(pa.array(np.arange(len(lists))))
    texts = lists.values.cast(pa.string())
    quoted = pc.replace_substring(pc.replace_substring(texts, "\\", "\\\\"), '"', '\\"')
    quoted = pc.fill_null(pc.binary_join_element_wise('"', quoted, '"', ""), "NULL")
    joined = pc.binary_join(pa.ListArray.from_arrays(lists.offsets, quoted, mask=pc.is_null(lists)), ",")
    return pc.binary_join_element_wise("{", joined, "}", "")
