"""Reads a sample of rows for guessing a mapping, with a column for every path, using the same code as a run."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.format_detection import BINARY, apparent_format, looks_like_rtec
from holdsfor.io.formats import TablePart, format_of, parts
from holdsfor.io.formats.choice import is_document, known_format, usual_delimiter
from holdsfor.io.formats.csv_files import csv_header
from holdsfor.io.nested import Step, is_list, leaves, path_of, steps_of
from holdsfor.io.sources import blocks, head_of
from holdsfor.io.typed import argument_cells, missing, times

MOST_ROWS = 1_000_000
_DELIMITERS = ",;\t|"
_LINES_LOOKED_AT = 50
_ROWS_LOOKED_AT = 200


@dataclass(frozen=True)
class Shape:
    """The options for reading a file."""

    style: str
    delimiter: str | None = None
    rows: str | None = None


@dataclass(frozen=True)
class TimesOf:
    """A column as times, with its nulls and the number of other invalid values."""

    values: Ints
    gaps: Bools
    wrong: Bools
    is_dated: bool

    @property
    def is_usable(self) -> bool:
        """Whether every value is a valid time."""
        return not bool((self.wrong & ~self.gaps).any()) and not (len(self.gaps) > 0 and bool(self.gaps.all()))

    @property
    def good(self) -> Ints:
        """The valid times."""
        return self.values[~self.gaps]


@dataclass
class Sample:
    """Rows of a file; `is_whole` if they are all rows."""

    name: str
    shape: Shape
    paths: list[str]
    pieces: list[TablePart]
    is_whole: bool
    elements: list[str] = field(default_factory=list)
    """Paths into the first elements of lists."""
    _gaps: dict[str, Bools] = field(default_factory=dict)
    _arguments: dict[str, bool] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(len(part.table) for part in self.pieces)

    def gaps(self, path: str) -> Bools:
        """The rows in which a column is null."""
        if path not in self._gaps:
            found = [missing(part.column(path), is_text=path in part.untyped) for part in self.pieces]
            self._gaps[path] = np.concatenate([np.zeros(0, np.bool_), *found])
        return self._gaps[path]

    def times(self, path: str, unit: str) -> TimesOf | None:
        """A column as times of a unit; None if its type or its first values are not times."""
        if self.rows and self.gaps(path).all():
            return None
        try:
            for part in self.pieces[:1]:
                # Searching every text of a large file for dates is slow, and most columns contain none.
                begin = part.column(path).slice(0, _ROWS_LOOKED_AT)
                first = times(begin, unit, path)
                if first.wrong is not None and (first.wrong & ~missing(begin, is_text=path in part.untyped)).any():
                    return None
            found = [times(part.column(path), unit, path) for part in self.pieces]
        except (HoldsforError, pa.ArrowException):
            return None
        none = np.zeros(0, np.bool_)
        wrong = [np.zeros(len(one.values), np.bool_) if one.wrong is None else one.wrong for one in found]
        values = np.concatenate([np.zeros(0, np.int64), *(one.values for one in found)])
        is_dated = any(one.dated for one in found)
        return TimesOf(values, self.gaps(path), np.concatenate([none, *wrong]), is_dated)

    def is_argument(self, path: str) -> bool:
        """Whether the values of a column can be arguments."""
        if path not in self._arguments:
            self._arguments[path] = self._can_be_argument(path)
        return self._arguments[path]

    def _can_be_argument(self, path: str) -> bool:
        for part in self.pieces:
            column = part.column(path)
            there = column.filter(pa.array(~missing(column, is_text=path in part.untyped)))
            try:
                if len(there):
                    argument_cells(there, path, is_text=path in part.untyped)
            except (HoldsforError, pa.ArrowException):
                return False
        return True

    def texts(self, path: str, most: int) -> list[str] | None:
        """The text of a column in every row; None for other types, with nulls, or with too many distinct values."""
        columns = [part.column(path) for part in self.pieces]
        if not all(pa.types.is_string(column.type) for column in columns) or self.gaps(path).any():
            return None
        if len(pc.unique(pa.chunked_array(columns, pa.string()))) > most:
            return None
        return [text for column in columns for text in column.to_pylist()]

    def shown(self, path: str) -> str:
        """The first value of a column, to show."""
        for part in self.pieces:
            for value in islice((one for one in part.column(path).to_pylist() if one is not None), 1):
                return str(value)
        return ""

    def kind(self, path: str) -> Any:
        """The type of a column in the first piece that contains it."""
        kinds = [part.column(path).type for part in self.pieces]
        return next((kind for kind in kinds if not pa.types.is_null(kind)), pa.null())


def read_sample(path: str | Path, name: str) -> Sample:
    """The first rows of a file; raises HoldsforError if a mapping cannot describe it."""
    shape = _shape(path, name)
    columns = None
    if shape.style == "csv":
        header, _ = csv_header(path, shape.delimiter or usual_delimiter(path))
        columns = _single(header)
    found: list[TablePart] = []
    count = 0
    for part in parts(path, columns, shape.style, shape.delimiter, rows=shape.rows):
        if count >= MOST_ROWS:
            return _sample(name, shape, found, is_whole=False)
        found.append(part)
        count += len(part.table)
    return _sample(name, shape, found, is_whole=True)


def _sample(name: str, shape: Shape, pieces: Sequence[TablePart], *, is_whole: bool) -> Sample:
    kept = [TablePart(_named_once(part.table), part.lines, part.text, part.untyped, part.refused) for part in pieces]
    paths = list(dict.fromkeys(path for part in kept for path in leaves(part.table.schema)))
    # A column with objects in some rows and other values in others is text in a piece that contains both.
    roots = {steps[0] for path in paths if len(steps := steps_of(path) or (path,)) > 1 and path not in _flat(kept)}
    paths = [path for path in paths if path not in roots]
    sample = Sample(name, shape, paths, [part.with_paths(paths) for part in kept], is_whole)
    sample.elements = [inner for path in paths for inner in _list_paths(sample, path)]
    sample.pieces = [part.with_paths(sample.elements) for part in sample.pieces]
    return sample


def _flat(pieces: Sequence[TablePart]) -> set[str]:
    return {name for part in pieces for name in part.table.column_names}


def _named_once(table: pa.Table) -> pa.Table:
    return table.select([table.column_names.index(name) for name in _single(table.column_names)])


def _single(names: Sequence[str]) -> list[str]:
    """Unique, non-empty names, which a mapping can use."""
    return [name for name, count in Counter(names).items() if count == 1 and name]


def _list_paths(sample: Sample, path: str) -> list[str]:
    """The paths into the first element of a list."""
    kind = sample.kind(path)
    return list(_first_elements(list(steps_of(path) or (path,)), kind)) if is_list(kind) else []


def _first_elements(steps: list[Step], kind: Any) -> Iterator[str]:
    if is_list(kind):
        yield from _first_elements([*steps, 0], kind.value_type)
    elif pa.types.is_struct(kind):
        for member in kind:
            yield from _first_elements([*steps, member.name], member.type)
    else:
        yield path_of(steps)


def _shape(path: str | Path, name: str) -> Shape:
    head = head_of(path)
    if not head.strip():
        raise HoldsforError(f"{name} is empty; a mapping is guessed from rows")
    if looks_like_rtec(head):
        raise HoldsforError(f"{name} has rows of RTEC's own format, which need no mapping: give it with --events")
    form = apparent_format(path)
    if form == BINARY:
        raise HoldsforError(f"{name} is a binary file; a mapping is for CSV, JSON and Parquet")
    begin = head.lstrip()[:1]
    if head.startswith(b"PAR1"):
        return Shape("parquet")
    if begin in (b"[", b"{") and (known_format(path) != "csv" or _look_is_json(head)):
        style = format_of(path) if known_format(path) in ("json", "jsonl") else "json" if is_document(head) else "jsonl"
        is_one = style == "json" or len(head.split(b"\n", 2)) < 3
        rows = _rows_inside(path) if is_one else None
        return Shape(style if rows is None else "json", rows=rows)
    lines = [line for line in head.decode(errors="replace").splitlines() if line.strip()][:_LINES_LOOKED_AT]
    usual = usual_delimiter(path)
    delimiter = max((usual, *_DELIMITERS), key=lambda one: _agreement(lines, one))
    names, _ = csv_header(path, delimiter)
    if any(one.strip().lstrip("+-").replace(".", "", 1).isdigit() for one in names):
        raise HoldsforError(
            f"{name} has no header: its first line is {lines[0].strip()[:60]!r}; "
            "write a line with the names of the columns before it"
        )
    return Shape("csv", None if delimiter == usual else delimiter)


def _look_is_json(head: bytes) -> bool:
    """Whether the first line is a JSON value, for any file name."""
    try:
        json.loads(head.lstrip().split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return True


def _agreement(lines: Sequence[str], delimiter: str) -> tuple[int, int]:
    """The number of lines with as many fields as a header of several fields, and that number of fields."""
    widths = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
    return (sum(width == widths[0] for width in widths), widths[0]) if widths[0] > 1 else (0, 0)


def _rows_inside(path: str | Path) -> str | None:
    """The path of the longest array of objects in a document that is one object; None if there is no sizeable one."""
    try:
        document = json.loads(b"".join(blocks(path)))
    except (ValueError, RecursionError):
        return None
    found = sorted(_arrays(document, []), key=lambda item: -item[1]) if isinstance(document, dict) else []
    return path_of(found[0][0]) if found and found[0][1] > 1 else None


def _arrays(value: object, steps: list[Step]) -> Iterator[tuple[list[Step], int]]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _arrays(member, [*steps, name])
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        yield steps, len(value)
