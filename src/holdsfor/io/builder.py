"""Puts a stream together from pieces of columns, whatever they were read from."""

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
    """Rows of one layout. `end` and `value` are there for input fluents only."""

    layout: Layout
    arrival: Ints
    start: Ints
    args: tuple[Cells, ...]
    end: Ints | None = None
    value: Cells | None = None


@dataclass
class Reading:
    """What was read: a stream with its dictionary, and what could not be used.

    `rows` counts all of them, `unknown` those of names that no rule knows, `provided` has name and arity of the rest.
    `time_scale` is what one time-point is, if the rules, a mapping or whoever gave it say so, or there are timestamps.
    `zoneless` is a column with times as text that says nothing of a zone: they were read as UTC.
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
        """What one time-point is, without the zone."""
        return None if self.time_scale is None else self.time_scale.unit


@dataclass
class Builder:
    """Collects pieces and makes the stream of them."""

    rejects: Rejects = field(default_factory=Rejects)
    rows: int = 0
    unknown: dict[str, int] = field(default_factory=dict)
    unit: str | None = None
    zoneless: str | None = None
    _pieces: dict[Symbol, list[Piece]] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        """Take in some rows."""
        if len(piece.start):
            self._pieces.setdefault(piece.layout.symbol, []).append(piece)

    def add_unknown(self, name: str, count: int) -> None:
        """Count rows that no rule has a use for."""
        self.unknown[name] = self.unknown.get(name, 0) + count

    def finish(self, dictionary: Dictionary) -> Reading:
        """The stream, its constants encoded."""
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
    """Times and arrivals, which are the same where rows say nothing of arrivals."""
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
