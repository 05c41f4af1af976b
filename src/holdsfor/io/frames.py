"""Reads in-memory data into streams: pandas, polars, pyarrow, DuckDB, lists of tuples or of dicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.compiler.analysis.arithmetic_arguments import ArithmeticArguments
from holdsfor.compiler.analysis.entities import Entities, EntityKind
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.builder import Builder, Reading
from holdsfor.io.formats import TablePart, table_part
from holdsfor.io.layouts import Layouts
from holdsfor.io.mapping import Entry
from holdsfor.io.rejects import Rejects
from holdsfor.io.tables import TableReader
from holdsfor.syntax.numbers import EXACT, number_text


def read_frames(
    frames: Mapping[str, Any],
    entities: Entities,
    unit: str = "s",
    dictionary: Dictionary | None = None,
    rejects: Rejects | None = None,
    arithmetic: ArithmeticArguments | None = None,
) -> Reading:
    """Reads events and input fluents by name.

    A table has a column `time`, an optional column `arrival`, and the arguments in order. Input fluents have `start`
    and `end`, or `time`; and `value`, unless it is always true. Numbers in `arithmetic` arguments stay numbers.
    """
    layouts = Layouts(entities, arithmetic)
    builder = Builder(rejects or Rejects())
    reader = TableReader(layouts, builder, unit)
    for name, frame in frames.items():
        source = f"events[{name!r}]"
        part = as_part(frame, source, _first_members(name, layouts))
        if len(part.table):
            reader.read(part, [entry_of(source, name, part.table.column_names, layouts)], source)
    return builder.finish(Dictionary() if dictionary is None else dictionary)


def _first_members(name: str, layouts: Layouts) -> list[str]:
    """The names of the first members of a tuple; the others are arguments."""
    return ["start", "end", "value"] if layouts.kinds(name) == {EntityKind.FLUENT} else ["time"]


def entry_of(source: str, name: str, columns: Sequence[str], layouts: Layouts) -> Entry:
    """Assigns the columns of a table by name."""
    kinds = layouts.kinds(name)
    has_span = "start" in columns and "end" in columns
    if EntityKind.FLUENT not in kinds or (EntityKind.EVENT in kinds and not has_span):
        return _named(Entry(source, EntityKind.EVENT, name, "time"), columns, "a column `time`")
    value = "value" if "value" in columns else None
    start, end = ("start", "end") if has_span else ("time", None)
    fluent = Entry(source, EntityKind.FLUENT, name, start, end=end, value=value)
    return _named(fluent, columns, "columns `start` and `end`, or `time`")


def _named(entry: Entry, columns: Sequence[str], needed: str) -> Entry:
    if entry.start not in columns:
        raise HoldsforError(f"{entry.place} needs {needed}; it has {', '.join(columns)}")
    arrival = "arrival" if "arrival" in columns else None
    special = {entry.start, entry.end, entry.value, arrival}
    return replace(entry, arrival=arrival, args=tuple(column for column in columns if column not in special))


def as_part(frame: Any, source: str, first: Sequence[str] = ()) -> TablePart:
    """Converts row data to an Arrow table, without a copy if the library allows it.

    `first` are the names of the first members, if the rows are tuples.
    """
    try:
        if isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
            return _from_rows(frame, first)
        if isinstance(frame, Mapping):
            return _from_columns(frame)
        if isinstance(frame, pa.Table | pa.RecordBatch) or hasattr(frame, "__arrow_c_stream__"):
            table = pa.table(frame)
            # pandas exports a non-trivial index as a column, which is not an argument.
            index = [column for column in table.column_names if column.startswith("__index_level_")]
            return table_part(table.drop_columns(index))
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise HoldsforError(f"{source} is not a table: {problem}") from problem
    if hasattr(frame, "collect"):
        raise HoldsforError(f"{source} has not been computed yet; call .collect() on it")
    raise HoldsforError(
        f"{source} is a {type(frame).__name__}; give a pandas, polars or Arrow table, a DuckDB relation, "
        "or a list of tuples or dicts"
    )


def _from_rows(rows: Sequence[Any], first: Sequence[str]) -> TablePart:
    """Tuples or dicts. Mixed columns of text and numbers become text that is searched for numbers."""
    if not rows:
        return table_part(pa.table({}))
    if isinstance(rows[0], Mapping):
        names = list(dict.fromkeys(key for row in rows for key in row))
        columns = [[row.get(name) for row in rows] for name in names]
    else:
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise ValueError(f"its rows have {' or '.join(map(str, sorted(widths)))} members")
        if min(widths) < len(first):
            raise ValueError(f"its rows are ({', '.join(first)}, arguments…)")
        columns = [list(column) for column in zip(*rows, strict=True)]
        names = [*first, *(f"argument {place + 1}" for place in range(len(columns) - len(first)))]
    return _from_columns(dict(zip(names, columns, strict=True)))


def _from_columns(columns: Mapping[str, Any]) -> TablePart:
    """Columns by name; mixed lists of text and numbers become text that is searched for numbers."""
    arrays = {name: _column(values) if isinstance(values, list) else values for name, values in columns.items()}
    mixed = frozenset(
        name for name, values in columns.items() if isinstance(values, list) and _mixes(values, arrays[name])
    )
    return replace(table_part(pa.table(arrays)), untyped=mixed)


def _column(values: list[Any]) -> Any:
    try:
        found = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        # Mixed text and numbers, or integers beyond 64 bits.
        return pa.array([_text(value) for value in values])
    if pa.types.is_floating(found.type) and any(isinstance(one, int) and not -EXACT < one < EXACT for one in values):
        return pa.array([_text(value) for value in values])
    return found


def _text(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None if isinstance(value, float) and math.isnan(value) else number_text(value)
    return None if value is None else str(value)


def _mixes(values: list[Any], array: Any) -> bool:
    return pa.types.is_string(array.type) and not all(value is None or isinstance(value, str) for value in values)
