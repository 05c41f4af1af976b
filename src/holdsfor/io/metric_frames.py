"""Reads metric facts from tables: in-memory data by predicate, and files by a mapping."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints, mask_of
from holdsfor.columns.metric.facts import FactSet, Signature
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.columns import value_of_text
from holdsfor.io.formats import TablePart, parts
from holdsfor.io.frames import as_part
from holdsfor.io.mapping import Entry, TableMapping
from holdsfor.io.metric_dates import dated_ticks, timestamp_ticks
from holdsfor.io.metric_rows import FactRows, Typed, cells
from holdsfor.io.metric_text import fact_set
from holdsfor.io.metric_times import TickColumn, off_tick, on_tick, text_ticks
from holdsfor.io.rejects import Rejects, refused
from holdsfor.io.sources import shown_name
from holdsfor.io.tables import rows_of_entry
from holdsfor.io.typed import missing, plain
from holdsfor.times import UNITS

_POINT, _SPAN, _FLAGS = "time", ("start", "end"), ("start_closed", "end_closed")


@dataclass(frozen=True, slots=True)
class FactColumns:
    """The roles of the columns of a table; a point in time uses one column for both ends."""

    name: str
    start: str
    end: str
    args: tuple[str, ...]
    start_closed: str | None = None
    end_closed: str | None = None


def facts_from_frames(
    frames: Mapping[str, Any],
    dictionary: Dictionary,
    rejects: Rejects | None = None,
    unit: str = "s",
    tick: Fraction | None = None,
) -> FactSet:
    """Facts by predicate name: pandas, polars, Arrow, DuckDB, lists of tuples or of dicts.

    A table has a column `time`, or `start` and `end`, and the arguments in order. `start_closed` and `end_closed` are
    optional; without them both ends belong to the interval. A missing `start` or `end` is infinite. Tuples are `(time,
    arguments…)`. Times are numbers, text such as `"1/3"`, or timestamps in units since 1970.
    """
    if unit not in UNITS:
        raise HoldsforError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    rejects = rejects or Rejects()
    rows = []
    for name, frame in frames.items():
        source = f"facts[{name!r}]"
        part = as_part(frame, source, [_POINT])
        if len(part.table):
            columns = columns_by_name(name, part.table.column_names, source)
            rows += facts_of_part(part, columns, np.arange(len(part.table)), unit, source, rejects, tick)
    return fact_set(rows, dictionary)


def read_metric_tables(
    paths: Iterable[str | Path],
    mapping: TableMapping,
    dictionary: Dictionary,
    rejects: Rejects | None = None,
    wanted: Container[Signature] | None = None,
    tick: Fraction | None = None,
) -> FactSet:
    """Reads files by a mapping. Its events become facts at a point, its fluents facts over closed intervals."""
    rejects = rejects or Rejects()
    rows: list[FactRows] = []
    for path in paths:
        entries = mapping.of_file(path)
        columns = list(dict.fromkeys(column for entry in entries for column in entry.columns))
        for part in parts(path, columns, mapping.format, mapping.delimiter, rows=mapping.rows):
            rejects.add(shown_name(path), part.refused)
            for entry in entries:
                if wanted is None or (entry.name, len(entry.args)) in wanted:
                    places = np.flatnonzero(rows_of_entry(part, entry))
                    rows += facts_of_part(
                        part, columns_of_entry(entry), places, mapping.unit, shown_name(path), rejects, tick
                    )
    return fact_set(rows, dictionary)


def columns_by_name(name: str, there: Sequence[str], source: str) -> FactColumns:
    """The time and argument columns of a table, by name."""
    if _POINT in there:
        start = end = _POINT
    elif all(column in there for column in _SPAN):
        start, end = _SPAN
    else:
        raise HoldsforError(f"{source} needs a column `time`, or `start` and `end`; it has {', '.join(there)}")
    flags = [flag if flag in there and start != end else None for flag in _FLAGS]
    args = tuple(column for column in there if column not in (start, end, *flags))
    return FactColumns(name, start, end, args, *flags)


def columns_of_entry(entry: Entry) -> FactColumns:
    """The time and argument columns of a table, by a mapping entry."""
    if entry.value is not None:
        raise HoldsforError(f"{entry.place}: a predicate has no value; make it an argument")
    return FactColumns(entry.name, entry.start, entry.end or entry.start, entry.args)


def facts_of_part(
    part: TablePart,
    columns: FactColumns,
    places: Ints,
    unit: str,
    source: str,
    rejects: Rejects,
    tick: Fraction | None = None,
) -> list[FactRows]:
    """The facts of some rows; malformed rows are set aside."""
    if not len(places):
        return []
    found = _Found(part, columns, places, unit, tick)
    wrong, bad = np.zeros(len(places), np.bool_), []
    for mask, reason in found.complaints():
        new = places[mask & ~wrong]
        if len(new):
            bad.append(refused(columns.name, part.line(new), part.text(new), reason))
        wrong |= mask
    rejects.add(source, bad)
    return [] if wrong.all() else [found.rows(~wrong)]


class _Found:
    """Rows of a table with facts of one predicate."""

    def __init__(self, part: TablePart, columns: FactColumns, places: Ints, unit: str, tick: Fraction | None) -> None:
        self._tick = tick
        self._part, self._columns, self._places = part, columns, pa.array(places)
        is_point = columns.start == columns.end
        low = self._ticks(columns.start, unit, None if is_point else -int(FOREVER))
        high = low if is_point else self._ticks(columns.end, unit, int(FOREVER))
        self._low, self._high = low, high
        closed = [self._flags(columns.start_closed), self._flags(columns.end_closed)]
        # Infinite ends never belong to an interval, also if a flag marks them as closed.
        closed = [flags & (np.abs(bound.values) < FOREVER) for flags, bound in zip(closed, (low, high), strict=True)]
        self._start, self._end, self._scale, self._fine = cells(low, high, *closed)
        self._is_infinite_point = is_point & (np.abs(low.values) >= FOREVER)

    def _column(self, name: str) -> Any:
        return plain(self._part.table[name]).take(self._places)

    def _flags(self, name: str | None) -> Bools:
        if name is None:
            return np.ones(len(self._places), np.bool_)
        column = self._column(name)
        if not pa.types.is_boolean(column.type):
            raise HoldsforError(f"column {name!r} has the type {column.type}; it says true or false")
        return mask_of(pc.fill_null(column, fill_value=True))

    def _ticks(self, name: str, unit: str, gap: int | None) -> TickColumn:
        column = self._column(name)
        gaps = missing(column, is_text=True)
        found = _column_ticks(column, unit, name)
        wrong = found.wrong | gaps if gap is None else found.wrong & ~gaps
        return TickColumn(np.where(gaps, 0 if gap is None else gap, found.values), found.scale, wrong, found.dated)

    def complaints(self) -> Iterator[tuple[Bools, str]]:
        """The problems of malformed rows."""
        columns = self._columns
        for name, found in {columns.start: self._low, columns.end: self._high}.items():
            yield found.wrong, f"{name} is no number or date in range"
        yield self._is_infinite_point, f"{columns.start} is infinite"
        for name in columns.args:
            yield missing(self._column(name), is_text=name in self._part.untyped), f"{name} is missing"
        yield ~self._fine, "the interval is empty"
        if self._tick is not None:
            fits = [on_tick(ends, self._scale, self._tick) for ends in (self._start, self._end)]
            yield ~(fits[0] & fits[1]), off_tick(self._tick)

    def rows(self, fine: Bools) -> FactRows:
        """The valid rows."""
        chosen = pa.array(np.flatnonzero(fine))
        args = tuple(self._argument(name, chosen) for name in self._columns.args)
        signature = self._columns.name, len(args)
        dated = self._low.dated or self._high.dated
        return FactRows(signature, args, self._start[fine], self._end[fine], self._scale, dated)

    def _argument(self, name: str, chosen: Any) -> Any:
        """Text that is searched for numbers, or typed values."""
        column = self._column(name).take(chosen)
        kind = column.type
        if name in self._part.untyped and pa.types.is_string(kind):
            return column.dictionary_encode()
        if pa.types.is_nested(kind) or pa.types.is_null(kind):
            raise HoldsforError(f"column {name!r} has the type {kind}; arguments are numbers or text")
        if pa.types.is_decimal(kind):
            encoded = column.cast(pa.string()).dictionary_encode()
            return Typed(list(map(value_of_text, encoded.dictionary.to_pylist())), encoded.indices.to_numpy())
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            column = column.cast(pa.string())
        encoded = column.dictionary_encode()
        return Typed(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


def _column_ticks(column: Any, unit: str, name: str) -> TickColumn:
    """Times of any type; nulls get an arbitrary value."""
    kind = column.type
    if pa.types.is_integer(kind):
        values = pc.fill_null(column, 0).cast(pa.int64(), safe=kind != pa.uint64()).to_numpy()
        return TickColumn(values, 1, np.abs(values) > FURTHEST)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return timestamp_ticks(column, unit)
    if pa.types.is_floating(kind):
        return _float_ticks(pc.fill_null(column.cast(pa.float64()), 0.0).to_numpy())
    if pa.types.is_decimal(kind) or pa.types.is_string(kind):
        return dated_ticks(pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), "")), unit)
    if pa.types.is_null(kind):
        return TickColumn(np.zeros(len(column), np.int64), 1, np.ones(len(column), np.bool_))
    raise HoldsforError(f"column {name!r} has the type {kind}; times are numbers, text or timestamps")


def _float_ticks(numbers: Any) -> TickColumn:
    """Floating-point numbers count as printed: 0.1 is one tenth."""
    with np.errstate(invalid="ignore"):
        whole = numbers.astype(np.int64)
    if np.array_equal(whole, numbers) and (np.abs(numbers) <= FURTHEST).all():
        return TickColumn(whole, 1, np.zeros(len(whole), np.bool_))
    distinct, inverse = np.unique(numbers, return_inverse=True)
    shown = [_shown(number) for number in distinct.tolist()]
    found = text_ticks(pa.array(shown, pa.string()))
    return TickColumn(found.values[inverse], found.scale, found.wrong[inverse])


def _shown(number: float) -> str:
    return format(Decimal(repr(number)), "f") if np.isfinite(number) else repr(number)
