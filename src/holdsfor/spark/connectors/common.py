"""Shared parts of data sources: slices of a range, schema checks, and row limits of batches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from pyspark.sql.datasource import WriterCommitMessage
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows
from pyspark.sql.types import DataType, StructType

from holdsfor.diagnostics import HoldsforError


class ConnectorError(HoldsforError):
    """A source or sink cannot do what was requested."""


class DataLost(ConnectorError):
    """The position of a stream is no longer available."""


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """The result of a writing task."""

    rows: int


def slices(low: int, high: int, pieces: int, least: int = 1) -> list[tuple[int, int]]:
    """Cuts a half-open range into at most `pieces` slices; only a single slice may be shorter than `least`.

    >>> slices(0, 10, 3)
    [(0, 3), (3, 6), (6, 10)]
    >>> slices(5, 9, 4, least=3)
    [(5, 9)]
    >>> slices(5, 5, 4)
    []
    """
    if high <= low:
        return []
    count = max(1, min(pieces, (high - low) // least))
    borders = [low + (high - low) * piece // count for piece in range(count + 1)]
    return list(pairwise(borders))


def default_limit(rows: int | None) -> ReadLimit:
    """The limit that the options set."""
    return ReadAllAvailable() if rows is None else ReadMaxRows(rows)


def most_rows(limit: ReadLimit) -> int | None:
    """The row limit of a batch; None is no limit."""
    return int(limit.max_rows) if isinstance(limit, ReadMaxRows) else None


def require_schema(source: str, given: StructType, own: StructType) -> None:
    """Rejects a user-defined schema: the source determines the columns."""
    if [(f.name, f.dataType) for f in given.fields] != [(f.name, f.dataType) for f in own.fields]:
        raise ConnectorError(
            f"{source} has the columns {own.simpleString()}; leave .schema(…) out and use "
            "holdsfor.spark.connectors.json_columns to read payloads by a schema"
        )


def require_column(source: str, schema: StructType, name: str, kinds: Iterable[type[DataType]]) -> None:
    """Rejects a frame in which a column is missing or has another type."""
    wanted = tuple(kinds)
    words = " or ".join(kind.typeName() for kind in wanted)
    if name not in schema.names:
        raise ConnectorError(f"{source} needs a column {name!r} ({words}); there are {', '.join(schema.names)}")
    if not isinstance(schema[name].dataType, wanted):
        found = schema[name].dataType.simpleString()
        raise ConnectorError(f"{source} needs column {name!r} to be {words}, and it is {found}")


def refuse_other_columns(source: str, schema: StructType, known: Iterable[str], maker: str) -> None:
    """Rejects unknown columns, which would be lost. A changelog also has a column `value`, which is not its payload."""
    other = [name for name in schema.names if name not in set(known)]
    if other:
        raise ConnectorError(
            f"{source} sends the column 'value', and {', '.join(map(repr, other))} would be lost; make messages of rows "
            f"with holdsfor.spark.connectors.{maker}"
        )


def refuse_overwrite(source: str, *, overwrite: bool) -> None:
    """Rejects the overwrite mode: sinks only append."""
    if overwrite:
        raise ConnectorError(f"{source} adds to what is there: use mode append, or output mode append or update")
