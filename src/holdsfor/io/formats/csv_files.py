"""Reads CSV files with a header as tables in pieces; all values are text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats.part import TablePart, require_columns
from holdsfor.io.formats.text_lines import TextLines
from holdsfor.io.rejects import refused
from holdsfor.io.sources import blocks, shown_name

_DELIMITERS = (",", ";", "\t", "|")
_DATA = re.compile(r"[+-]?\d+(\.\d+)?$|\d{4}-\d\d-\d\d")
"""Text that is a number or a date, and so cannot be a column name."""


def read_csv(path: str | Path, columns: Sequence[str] | None, delimiter: str) -> Iterator[TablePart]:
    """The rows of a file with some or all columns."""
    header: list[str] = []
    line = 0
    for block in blocks(path):
        first = 0
        if not header:
            first = block.index(b"\n") + 1
            header = _header(block[:first], delimiter)
            columns = header if columns is None else columns
            _require_header(columns, header, block[:first], shown_name(path))
            line += 1
        lines = TextLines(block[first:], line)
        if len(lines):
            yield _csv_part(lines, header, columns or (), delimiter)
        line += len(lines)


def _require_header(columns: Sequence[str], header: list[str], line: bytes, source: str) -> None:
    """Reports a column that is missing or duplicate, and a first line that does not look like a header."""
    twice = next((name for name in columns if header.count(name) > 1), None)
    if twice is not None:
        raise HoldsforError(f"{source} has several columns called {twice!r}; the first line must name each column once")
    absent = next((name for name in columns if name not in header), None)
    if absent is None:
        return
    other = delimiter_in(line, "")
    if len(header) == 1 and other and absent in _header(line, other):
        raise HoldsforError(
            f"{source} has one column, {header[0]!r}; if its fields are separated by {other!r}, "
            f"add delimiter = {json.dumps(other)} to the mapping"
        )
    data = next((name for name in header if _DATA.match(name)), None)
    if data is not None:
        raise HoldsforError(
            f"{source} has no column {absent!r}: its first line should name the columns, but has data such as {data}; "
            "add a header line"
        )
    require_columns(columns, header, source)


def _csv_part(lines: TextLines, header: list[str], columns: Sequence[str], delimiter: str) -> TablePart:
    rows = np.flatnonzero(~lines.is_blank())
    table, strange = _parsed_csv(lines.joined(rows), header, delimiter, columns)
    bad = []
    # An unclosed quote swallows the lines after it, so that there are fewer rows than lines.
    for suspects in (lines.quotes() % 2 == 1, lines.quotes() > 0):
        if len(table) + len(strange) == len(rows):
            break
        odd = rows[suspects[rows]]
        bad.append(refused("", lines.number(odd), lines.text(odd), "a quote is not closed on its line"))
        rows = rows[~suspects[rows]]
        table, strange = _parsed_csv(lines.joined(rows), header, delimiter, columns)
    if strange:
        odd = rows[[row for row, _ in strange]]
        reasons = pa.array([f"{count} fields where the header has {len(header)}" for _, count in strange])
        bad.append(refused("", lines.number(odd), lines.text(odd), reasons))
        rows = np.delete(rows, [row for row, _ in strange])
    return TablePart(table, lines.number(rows), lambda some: lines.text(rows[some]), frozenset(columns), tuple(bad))


def _parsed_csv(
    text: bytes, header: list[str], delimiter: str, columns: Sequence[str] = ()
) -> tuple[pa.Table, list[tuple[int, int]]]:
    """The columns of CSV text, and the rows of another width. Without `header`, the first row is one."""
    import pyarrow.csv as arrow_csv

    strange: list[tuple[int, int]] = []
    if not text:
        return pa.table({name: pa.array([], pa.string()) for name in columns}), strange

    def skip(row: Any) -> str:
        strange.append((row.number - 1, row.actual_columns))
        return "skip"

    table = arrow_csv.read_csv(
        pa.BufferReader(text),
        arrow_csv.ReadOptions(column_names=header or None, use_threads=False, block_size=max(len(text), 1)),
        arrow_csv.ParseOptions(delimiter=delimiter, invalid_row_handler=skip, ignore_empty_lines=False),
        arrow_csv.ConvertOptions(
            include_columns=list(columns), column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
        ),
    )
    return table, strange


def csv_header(path: str | Path, usual: str) -> tuple[list[str], str]:
    """The names of all columns, and the delimiter: the usual one, or another one that occurs."""
    head = next(iter(blocks(path)), b"\n")
    line = head[: head.index(b"\n") + 1]
    delimiter = delimiter_in(line, usual)
    return (_header(line, delimiter) if line.strip() else []), delimiter


def delimiter_in(line: bytes, usual: str = ",") -> str:
    """The delimiter between the fields of a line.

    >>> delimiter_in(b"time;user"), delimiter_in(b"time")
    (';', ',')
    """
    return next((one for one in (usual, *_DELIMITERS) if one and one.encode() in line), usual)


def _header(line: bytes, delimiter: str) -> list[str]:
    names: list[str] = _parsed_csv(line, [], delimiter)[0].column_names
    return names
