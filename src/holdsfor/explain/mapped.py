"""Locates rows in files with a mapping: CSV, JSON lines and Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.explain.nodes import Row
from holdsfor.io.builder import Piece
from holdsfor.io.columns import encode
from holdsfor.io.formats import TablePart, parts
from holdsfor.io.layouts import Layout, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.io.sources import shown_name
from holdsfor.io.tables import EntryRows, rows_of_entry
from holdsfor.io.typed import plain


class Sought(Protocol):
    """An event or an interval to find in rows."""

    @property
    def symbol(self) -> Symbol:
        """The event or fluent."""

    @property
    def args(self) -> tuple[object, ...]:
        """Its arguments."""

    def fits(self, start: int, end: int | None, args: tuple[object, ...], value: object | None) -> bool:
        """Whether a row contains it."""


_S = TypeVar("_S", bound=Sought)


def mapped_rows(
    paths: Sequence[str | Path], mapping: TableMapping, sought: Mapping[_S, object], layouts: Layouts
) -> Iterator[tuple[_S, Row]]:
    """The rows of files that match."""
    for path in paths:
        entries = mapping.of_file(path)
        columns = list(dict.fromkeys(column for entry in entries for column in entry.columns))
        for part in (
            parts(path, columns, mapping.format, mapping.delimiter, rows=mapping.rows) if str(path) != "-" else ()
        ):
            for entry in entries:
                layout = entry.layout(layouts)
                for one in sought if layout is not None else ():
                    if layout is not None and layout.symbol == one.symbol:
                        for row in _rows_of(part, entry, layout, one, mapping.unit):
                            text = str(part.text(np.array([row]))[0])
                            yield one, Row(text.strip(), shown_name(path), int(part.line(np.array([row]))[0]))


def _rows_of(part: TablePart, entry: Entry, layout: Layout, sought: Sought, unit: str) -> Iterator[int]:
    """The matching rows of a part. Words are compared first, for all rows at once."""
    chosen = rows_of_entry(part, entry)
    for name, arg in zip(entry.args, sought.args, strict=True):
        column: Any = plain(part.table[name])
        if isinstance(arg, str) and pa.types.is_string(column.type):
            chosen &= pc.fill_null(pc.equal(column, arg), fill_value=False).to_numpy(zero_copy_only=False)
    rows: Ints = np.flatnonzero(chosen)
    if not len(rows):
        return
    # Malformed rows never match.
    wrong = np.zeros(len(rows), np.bool_)
    for mask, _ in EntryRows(part, entry, rows, unit).complaints():
        wrong |= mask
    rows = rows[~wrong]
    piece = EntryRows(part, entry, rows, unit).piece(layout)
    yield from (int(rows[place]) for place in _fitting(piece, sought, len(rows)))


def _fitting(piece: Piece, sought: Sought, count: int) -> Iterator[int]:
    dictionary = Dictionary()
    columns = [encode([cells], dictionary) for cells in piece.args]
    values = None if piece.value is None else encode([piece.value], dictionary)
    for place in range(count):
        args = tuple(dictionary.values[int(column[place])] for column in columns)
        value = None if values is None else dictionary.values[int(values[place])]
        end = None if piece.end is None else int(piece.end[place])
        if sought.fits(int(piece.start[place]), end, args, value):
            yield place
