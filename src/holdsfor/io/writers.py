"""Writes tables of intervals and derived events to files: CSV, JSON lines, Parquet, or readable text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.lines import csv_lines, csv_text, json_lines, json_text
from holdsfor.io.outputs import created
from holdsfor.io.scaled import with_texts, with_timestamps
from holdsfor.times import TimeScale

_ROWS_IN_GROUP = 1 << 17


class Writer(Protocol):
    """Writes tables one after the other."""

    def write(self, table: pa.Table) -> None:
        """Write some rows."""

    def close(self) -> None:
        """Writes buffered rows."""


@contextmanager
def writing(
    style: str,
    output: Path | None,
    schema: pa.Schema,
    before_output: Callable[[], None] | None = None,
    *,
    scale: TimeScale | None = None,
    times: Sequence[str] = (),
) -> Iterator[Writer]:
    """A writer to a file, or to standard output. `before_output` is called before each output to a terminal.

    If the time scale is known, the columns in `times` are timestamps in Parquet, and ISO 8601 text in other formats.
    """
    if style == "parquet" and output is None:
        raise HoldsforError("Parquet is not for the terminal; say where to write it with --output")
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(created(output)) if output is not None else sys.stdout.buffer
        if output is None and before_output is not None and sys.stdout.isatty():
            file = cast("IO[bytes]", _Announced(file, before_output))
        shown = partial(with_timestamps if style == "parquet" else with_texts, scale=scale, names=times)
        writer = _WRITERS[style](file, shown(schema.empty_table()).schema)
        yield writer if scale is None else _Scaled(writer, shown)
        writer.close()
        file.flush()


class _Scaled:
    """Writes tables with their time-points formatted as timestamps or text."""

    def __init__(self, writer: Writer, shown: Callable[[pa.Table], pa.Table]) -> None:
        self._writer, self._shown = writer, shown

    def write(self, table: pa.Table) -> None:
        """Write some rows."""
        self._writer.write(self._shown(table))

    def close(self) -> None:
        """Writes buffered rows."""
        self._writer.close()


class _Announced:
    """A terminal with other output, such as a progress line, which is removed before each write."""

    def __init__(self, file: IO[bytes], before: Callable[[], None]) -> None:
        self._file, self._before = file, before

    def write(self, text: bytes) -> int:
        """Writes after other output has been removed."""
        self._before()
        return self._file.write(text)

    def flush(self) -> None:
        """Show what was written."""
        self._file.flush()


def shown_columns(table: pa.Table) -> list[Any]:
    """The columns of a table as text; a null start is `-inf`, a null end `inf`, a null argument is empty."""
    columns = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        text = _whole(column) if pa.types.is_string(column.type) else pc.cast(_whole(column), pa.string())
        columns.append(pc.fill_null(text, _MISSING.get(name, "")))
    return columns


_MISSING = {"start": "-inf", "end": "inf"}


def _whole(column: Any) -> Any:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


class _Csv:
    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._file = file
        self._header = ",".join(schema.names).encode() + b"\n"

    def write(self, table: pa.Table) -> None:
        """Write some rows."""
        if not len(table):
            return
        self._begin()
        shown = shown_columns(table)
        are_text = [pa.types.is_string(kind) for kind in table.schema.types]
        columns = [csv_text(column) if is_text else column for column, is_text in zip(shown, are_text, strict=True)]
        for piece in csv_lines(columns):
            self._file.write(piece)

    def _begin(self) -> None:
        if self._header:
            self._file.write(self._header)
            self._header = b""

    def close(self) -> None:
        """Writes the header even if there are no rows."""
        self._begin()


class _Json:
    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._file, self._names = file, schema.names

    def write(self, table: pa.Table) -> None:
        """Writes some rows; values without a number are null."""
        columns = []
        for column in table.columns:
            whole = _whole(column)
            shown = json_text(whole) if pa.types.is_string(whole.type) else pc.cast(whole, pa.string())
            columns.append(pc.fill_null(shown, "null"))
        for piece in json_lines(self._names, columns):
            self._file.write(piece)

    def close(self) -> None:
        """Does nothing, because nothing is buffered."""


class _Parquet:
    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        import pyarrow.parquet as pq

        self._writer: Any = pq.ParquetWriter(file, schema)
        self._waiting: list[pa.Table] = []

    def write(self, table: pa.Table) -> None:
        """Buffers rows up to a reasonable size of row groups."""
        self._waiting.append(table)
        if sum(len(waiting) for waiting in self._waiting) >= _ROWS_IN_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
            self._waiting = []

    def close(self) -> None:
        """Writes buffered rows and the footer."""
        self._flush()
        self._writer.close()


class _Text:
    def __init__(self, file: IO[bytes], schema: pa.Schema) -> None:
        self._file = file
        self._tables = [schema.empty_table()]

    def write(self, table: pa.Table) -> None:
        """Buffers rows, because column widths depend on all of them."""
        self._tables.append(table)

    def close(self) -> None:
        """Write everything."""
        self._file.write(text_table(pa.concat_tables(self._tables)).encode())


_WRITERS: dict[str, Callable[[IO[bytes], pa.Schema], Writer]] = {
    "csv": _Csv,
    "jsonl": _Json,
    "parquet": _Parquet,
    "table": _Text,
}


def text_table(table: pa.Table) -> str:
    """A table in aligned columns, numbers to the right.

    >>> print(text_table(pa.table({"name": ["a", "bcd"], "end": [None, 7]})), end="")
    name  end
    a     inf
    bcd     7
    """
    columns = []
    for field, column in zip(table.schema, shown_columns(table), strict=True):
        whole = pa.concat_arrays([pa.array([field.name]), column])
        width = pc.max(pc.utf8_length(whole)).as_py()
        columns.append(pc.utf8_rpad(whole, width) if pa.types.is_string(field.type) else pc.utf8_lpad(whole, width))
    lines = pc.utf8_rtrim_whitespace(pc.binary_join_element_wise(*columns, "  "))
    return "\n".join(lines.to_pylist()) + "\n"
