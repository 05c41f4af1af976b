"""Assembles a stream from pieces of columns, for every input format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import Codes, Numbers
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, MeasuredEvents, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.io.columns import Cells, are_plain_floats, encode, together
from holdsfor.io.layouts import Form, Layout
from holdsfor.io.rejects import Rejects
from holdsfor.records import record
from holdsfor.times import TimeScale


@record
class Piece:
    """Rows of one layout. Only input fluents have `end` and `value`."""

    layout: Layout
    arrival: Ints
    start: Ints
    args: tuple[Cells, ...]
    end: Ints | None = None
    value: Cells | None = None


@dataclass
class Reading:
    """The result of reading: a stream with its dictionary, and counts of unusable rows.

    `rows` counts all rows, `unknown` those with names that no rule mentions. `provided` has name and arity of the
    others. `time_scale` is the length of a time-point, if the rules, a mapping or the caller declare it, or if there
    are timestamps. `zoneless` names a column of times as text without a zone, which were read as UTC.
    """

    stream: Stream
    dictionary: Dictionary
    rows: int
    unknown: dict[str, int]
    provided: set[tuple[str, int]]
    rejects: Rejects
    time_scale: TimeScale | None = None
    zoneless: str | None = None

    @property
    def unit(self) -> str | None:
        """The length of a time-point, without the zone."""
        return None if self.time_scale is None else self.time_scale.unit


@dataclass
class Builder:
    """Collects pieces and assembles the stream."""

    rejects: Rejects = field(default_factory=Rejects)
    rows: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    unit: str | None = None
    zoneless: str | None = None
    _pieces: dict[Symbol, list[Piece]] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        """Adds some rows."""
        if len(piece.start):
            self._pieces.setdefault(piece.layout.symbol, []).append(piece)

    def add_unknown(self, name: str, count: int) -> None:
        """Counts rows that no rule uses."""
        self.unknown[name] = self.unknown.get(name, 0) + count

    def finish(self, dictionary: Dictionary) -> Reading:
        """The stream, with encoded constants."""
        stream = Stream()
        for symbol, pieces in self._pieces.items():
            if symbol.kind is EntityKind.EVENT:
                stream.events[symbol] = _events(pieces, dictionary)
            else:
                stream.fluents[symbol] = _fluents(pieces, dictionary)
        scale = None if self.unit is None else TimeScale(self.unit)
        provided = {(symbol.name, symbol.arity) for symbol in self._pieces}
        return Reading(stream, dictionary, self.rows, self.unknown, provided, self.rejects, scale, self.zoneless)


def _events(pieces: Sequence[Piece], dictionary: Dictionary) -> EventColumns:
    time, arrival = _times(pieces)
    columns = [[piece.args[place] for piece in pieces] for place in range(pieces[0].layout.symbol.arity)]
    if not any(map(are_plain_floats, columns)):
        return EventColumns(tuple(encode(cells, dictionary) for cells in columns), time, arrival)
    found = (
        Numbers(together([cell.array.to_numpy() for cell in cells]))
        if are_plain_floats(cells)
        else Codes(encode(cells, dictionary))
        for cells in columns
    )
    return MeasuredEvents(tuple(found), time, arrival, dictionary)


def _times(pieces: Sequence[Piece]) -> tuple[Ints, Ints]:
    """Times and arrivals, which are equal for rows without arrivals."""
    start = together([piece.start for piece in pieces])
    is_same = all(piece.arrival is piece.start for piece in pieces)
    return start, start if is_same else together([piece.arrival for piece in pieces])


def _fluents(pieces: Sequence[Piece], dictionary: Dictionary) -> FluentColumns:
    ends = [piece.start + 1 if piece.end is None else piece.end for piece in pieces]
    points = [np.full(len(piece.start), piece.layout.form is Form.POINT) for piece in pieces]
    values = [piece.value for piece in pieces if piece.value is not None]
    start, arrival = _times(pieces)
    args = tuple(_args(pieces, dictionary))
    table = FluentColumns(args, encode(values, dictionary), start, together(ends), arrival, together(points))
    return table.put_in_order(len(dictionary))


def _args(pieces: Sequence[Piece], dictionary: Dictionary) -> Iterator[Ints]:
    for place in range(pieces[0].layout.symbol.arity):
        yield encode([piece.args[place] for piece in pieces], dictionary)
