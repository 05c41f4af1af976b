"""Reads Parquet files as tables in pieces."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats.part import TablePart, table_part
from holdsfor.io.nested import roots
from holdsfor.io.sources import opened, shown_name


@contextmanager
def _contents(path: str | Path) -> Iterator[Any]:
    import pyarrow.parquet as pq

    with opened(path) as file:
        # Parquet is read from its end, so compressed input and pipes must be loaded first.
        is_plain = isinstance(file, io.BufferedReader) and file.seekable()
        try:
            yield pq.ParquetFile(file if is_plain else io.BytesIO(file.read()))
        except pa.ArrowInvalid as problem:
            raise HoldsforError(f"{shown_name(path)} is not a Parquet file: {problem}") from problem


def read_parquet(path: str | Path, columns: Sequence[str] | None) -> Iterator[TablePart]:
    """The rows of a file with some or all columns."""
    with _contents(path) as contents:
        wanted = None if columns is None else roots(columns, contents.schema_arrow.names, shown_name(path))
        row = 0
        # Whole row groups are read on all processors; small batches of them take twice as long.
        for group in range(contents.num_row_groups):
            part = table_part(contents.read_row_group(group, columns=wanted), row)
            yield part.with_paths(columns or (), shown_name(path))
            row += len(part.table)


def parquet_columns(path: str | Path) -> list[str]:
    """The names of all columns."""
    with _contents(path) as contents:
        return list(contents.schema_arrow.names)
