"""Parses rows of RTEC's stream format from pieces of text into pieces of columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.io.builder import Piece
from holdsfor.io.columns import text_cells, text_ends, text_times
from holdsfor.io.fields import Fields
from holdsfor.io.layouts import FIELDS_BEFORE_ARGUMENTS, Form, Layout, Layouts
from holdsfor.io.rejects import refused


@dataclass
class ParsedRows:
    """The result of parsing a piece. Line numbers of refused rows count from the beginning of the piece."""

    lines: int
    blank: int = 0
    pieces: list[Piece] = field(default_factory=list)
    unknown: list[tuple[str, int]] = field(default_factory=list)
    refused: list[pa.Table] = field(default_factory=list)


def parse(block: bytes, layouts: Layouts) -> ParsedRows:
    """The rows of a piece of text, by layout."""
    fields = Fields(block)
    parsed = ParsedRows(len(fields))
    for name, width, rows in fields.groups():
        layout = layouts.of_row(name, width)
        if isinstance(layout, Layout):
            _read(_Group(fields, layout, rows), parsed)
        elif width == 1 and not name.strip():
            parsed.blank += len(rows)
        elif layout is None:
            parsed.unknown.append((name, len(rows)))
        else:
            parsed.refused.append(refused(name, rows + 1, fields.lines(rows), layout))
    return parsed


def _read(group: _Group, parsed: ParsedRows) -> None:
    """Adds a group; malformed rows are set aside, and the others are read again."""
    wrong = np.zeros(len(group.rows), np.bool_)
    for mask, reasons in group.complaints():
        new = np.flatnonzero(mask & ~wrong)
        if len(new):
            rows = group.rows[new]
            lines = group.fields.lines(rows)
            parsed.refused.append(refused(group.layout.symbol.name, rows + 1, lines, reasons.take(pa.array(new))))
        wrong |= mask
    if not wrong.any():
        parsed.pieces.append(group.piece())
    elif not wrong.all():
        _read(_Group(group.fields, group.layout, group.rows[~wrong]), parsed)


class _Group:
    """Rows of one layout."""

    def __init__(self, fields: Fields, layout: Layout, rows: Ints) -> None:
        self.fields, self.layout, self.rows = fields, layout, rows
        self._first = fields.first[rows]
        self.arrival = text_times(self._column(1))
        self.start = text_times(self._column(2))
        self.end = text_ends(self._column(3)) if layout.form is Form.INTERVAL else None

    def _column(self, place: int) -> Any:
        return self.fields.column(self._first + place)

    def complaints(self) -> Iterator[tuple[Bools, Any]]:
        """The problems of malformed rows, as sentences."""
        first = {Form.EVENT: "occurrence", Form.INTERVAL: "start", Form.POINT: "time"}[self.layout.form]
        for place, what, times in ((1, "arrival", self.arrival), (2, first, self.start), (3, "end", self.end)):
            if times is not None and times.wrong is not None:
                yield times.wrong, _sentence(f"{what} '", self._column(place), "' is not a whole number in range")
        if self.end is not None:
            backwards = self.end.values <= self.start.values
            if backwards.any():
                start, end = self._column(2), self._column(3)
                yield backwards, _sentence("the interval ends at ", end, ", before it starts at ", start)

    def piece(self) -> Piece:
        """The columns of the valid rows."""
        before = FIELDS_BEFORE_ARGUMENTS[self.layout.form]
        places = range(before, before + self.layout.symbol.arity)
        args = tuple(
            text_cells(self._column(place), is_arithmetic=place - before in self.layout.arithmetic) for place in places
        )
        is_event = self.layout.form is Form.EVENT
        value = None if is_event else text_cells(self._column(before - 1))
        end = self.end.values if self.end is not None else None
        return Piece(self.layout, self.arrival.values, self.start.values, args, end, value)


def _sentence(*parts: Any) -> Any:
    return pc.binary_join_element_wise(*parts, "")
