"""Reads tables into streams: columns become events and input fluents by the entries of a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.compiler.analysis.arithmetic_arguments import ArithmeticArguments
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.builder import Builder, Piece, Reading
from holdsfor.io.columns import Cells, TimeColumn
from holdsfor.io.formats import TablePart, parts
from holdsfor.io.layouts import Form, Layout, Layouts
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.io.nested import leaves
from holdsfor.io.rejects import Rejects, refused
from holdsfor.io.rtec_csv import OnRows
from holdsfor.io.sources import shown_name
from holdsfor.io.typed import argument_cells, ends, missing, rows_of, times

UNMAPPED = "(rows that no entry of the mapping takes)"


def read_tables(
    paths: Iterable[str | Path],
    mapping: TableMapping,
    entities: Entities,
    dictionary: Dictionary | None = None,
    rejects: Rejects | None = None,
    on_rows: OnRows | None = None,
    arithmetic: ArithmeticArguments | None = None,
) -> Reading:
    """Reads CSV, JSON lines and Parquet files by a mapping; arguments used only in arithmetic stay numbers."""
    builder = Builder(rejects or Rejects(), unit=mapping.unit if mapping.declares_unit else None)
    reader = TableReader(Layouts(entities, arithmetic), builder, mapping.unit)
    for path in paths:
        entries = mapping.of_file(path)
        columns = list(dict.fromkeys(column for entry in entries for column in entry.columns))
        for part in parts(path, columns, mapping.format, mapping.delimiter, rows=mapping.rows):
            reader.read(part, entries, shown_name(path), mapping.name_column)
            if on_rows is not None:
                on_rows(builder.rows)
    return builder.finish(Dictionary() if dictionary is None else dictionary)


@dataclass(frozen=True)
class TableReader:
    """Reads the rows of tables."""

    layouts: Layouts
    builder: Builder
    unit: str

    def read(self, part: TablePart, entries: Sequence[Entry], source: str, name_column: str | None = None) -> None:
        """Reads the rows of all entries, and counts those without an entry."""
        self.builder.rows += len(part.table) + sum(len(table) for table in part.refused)
        used = np.zeros(len(part.table), np.bool_)
        bad = list(part.refused)
        for entry in entries:
            chosen = rows_of_entry(part, entry)
            used |= chosen
            rows = np.flatnonzero(chosen)
            if len(rows):
                bad += self._read_entry(part, entry, rows)
        bad += self._count_rest(part, np.flatnonzero(~used), name_column)
        self.builder.rejects.add(source, bad)

    def _read_entry(self, part: TablePart, entry: Entry, rows: Ints) -> list[pa.Table]:
        layout = entry.layout(self.layouts)
        if layout is None:
            self.builder.add_unknown(entry.name, len(rows))
            return []
        bad = []
        group = EntryRows(part, entry, rows, self.unit)
        if group.is_dated:
            self.builder.unit = self.unit
        if group.zoneless is not None and self.builder.zoneless is None:
            self.builder.zoneless = group.zoneless
        wrong = None
        for mask, reason in group.complaints():
            if mask.any():
                new = rows[mask if wrong is None else mask & ~wrong]
                wrong = mask if wrong is None else wrong | mask
                if len(new):
                    bad.append(refused(entry.name, part.line(new), part.text(new), reason))
        if wrong is None:
            self.builder.add(group.piece(layout))
        elif not wrong.all():
            self.builder.add(EntryRows(part, entry, rows[~wrong], self.unit).piece(layout))
        return bad

    def _count_rest(self, part: TablePart, rows: Ints, name_column: str | None) -> list[pa.Table]:
        """Counts the rows without an entry; rows without a name are refused."""
        if not len(rows):
            return []
        if name_column is None:
            self.builder.add_unknown(UNMAPPED, len(rows))
            return []
        if pa.types.is_null(part.column(name_column).type):
            return [refused("", part.line(rows), part.text(rows), _gap(part, name_column))]
        names = part.column(name_column).take(pa.array(rows)).cast(pa.string())
        for counted in pc.value_counts(names).to_pylist():
            self.builder.add_unknown(str(counted["values"]), counted["counts"])
        return []


def rows_of_entry(part: TablePart, entry: Entry) -> Bools:
    """The rows of a table that belong to an entry."""
    chosen = np.ones(len(part.table), np.bool_)
    for name, wanted in entry.where.items():
        column = part.column(name)
        if pa.types.is_null(column.type):
            return np.zeros(len(part.table), np.bool_)
        try:
            one = pa.scalar(wanted).cast(column.type)
        except pa.ArrowException as problem:
            raise HoldsforError(
                f"{entry.place}: where {name} = {wanted!r}, but that column has the type {column.type}"
            ) from problem
        if pa.types.is_integer(column.type) and not column.null_count:
            chosen &= column.to_numpy() == one.as_py()
        else:
            chosen &= pc.fill_null(pc.equal(column, one), fill_value=False).to_numpy(zero_copy_only=False)
    return chosen


class EntryRows:
    """Rows of one entry."""

    def __init__(self, part: TablePart, entry: Entry, rows: Ints, unit: str) -> None:
        self._part, self._entry, self._rows = part, entry, rows
        self._columns: dict[str, Any] = {}
        self._start = times(self._column(entry.start), unit, entry.start)
        self._end = None if entry.end is None else ends(self._column(entry.end), unit, entry.end)
        self._arrival = self._start
        if entry.arrival is not None:
            self._arrival = times(self._column(entry.arrival), unit, entry.arrival)

    @property
    def is_dated(self) -> bool:
        """Whether any of its times are timestamps or dates."""
        return any(times is not None and times.dated for times in (self._start, self._end, self._arrival))

    @property
    def zoneless(self) -> str | None:
        """The column of its times, if they are text without a zone."""
        return self._entry.start if self._start.zoneless else None

    def _column(self, name: str) -> Any:
        if name not in self._columns:
            self._columns[name] = rows_of(self._part.column(name), self._rows)
        return self._columns[name]

    def complaints(self) -> Iterator[tuple[Bools, str]]:
        """The problems of malformed rows."""
        entry = self._entry
        columns = ((entry.start, self._start), (entry.end, self._end), (entry.arrival, self._arrival))
        for name, found in columns:
            if name is not None and found is not None and found.wrong is not None:
                yield found.wrong, f"{name} is no whole number or timestamp such as 2026-03-01T12:00Z"
        for name in (*entry.args, *([entry.value] if entry.value else [])):
            yield missing(self._column(name), is_text=name in self._part.untyped), _gap(self._part, name)
        if self._end is not None:
            yield self._end.values <= self._start.values, f"{entry.end} does not lie after {entry.start}"

    def piece(self, layout: Layout) -> Piece:
        """The columns of the valid rows."""
        entry = self._entry
        value = None
        if layout.form is not Form.EVENT:
            value = self._cells(entry.value) if entry.value else _constant("true", len(self._rows))
        args = tuple(
            self._cells(name, is_arithmetic=place in layout.arithmetic) for place, name in enumerate(entry.args)
        )
        return Piece(layout, self._arrival.values, self._start.values, args, _values(self._end), value)

    def _cells(self, name: str, *, is_arithmetic: bool = False) -> Cells:
        is_text = name in self._part.untyped
        return argument_cells(self._column(name), name, is_text=is_text, is_arithmetic=is_arithmetic)


def _gap(part: TablePart, name: str) -> str:
    """The problem with a null in a column; a field that no row of JSON has may be misspelt."""
    if not pa.types.is_null(part.column(name).type):
        return f"{name} is missing"
    there = pa.schema([field for field in part.table.schema if not pa.types.is_null(field.type)])
    close = suggest(name, list(leaves(there)))
    return f"{name} is missing" + (f"; did you mean {close}?" if close else "")


def _values(found: TimeColumn | None) -> Ints | None:
    return None if found is None else found.values


def _constant(text: str, rows: int) -> Cells:
    return Cells(pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text])), verbatim=True)
