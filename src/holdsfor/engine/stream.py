"""Streams as columns: the occurrences of each event, the reported intervals of each input fluent."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.compiler.analysis.entities import Entities, EntityKind, Symbol
from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.frames import Codes, Column
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.tables import FOREVER
from holdsfor.syntax.terms import arguments, functor

if TYPE_CHECKING:
    # The reference evaluator comes along with its records; few runs have any use for it.
    from holdsfor.reference.history import InputInterval, Record


@dataclass(frozen=True)
class EventColumns:
    """All occurrences of one event, their arguments as codes."""

    args: tuple[Ints, ...]
    time: Ints
    arrival: Ints

    @property
    def columns(self) -> tuple[Column, ...]:
        """The arguments as columns."""
        return tuple(Codes(column) for column in self.args)

    def take(self, rows: Ints | slice) -> EventColumns:
        """Some of the occurrences."""
        return EventColumns(tuple(column[rows] for column in self.args), self.time[rows], self.arrival[rows])


@dataclass(frozen=True)
class FluentColumns:
    """All reports of one input fluent: intervals, or single points."""

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    arrival: Ints
    is_point: Bools

    def take(self, rows: Ints | slice) -> FluentColumns:
        """Some of the reports."""
        args = tuple(column[rows] for column in self.args)
        value, start, end, arrival = (c[rows] for c in (self.value, self.start, self.end, self.arrival))
        return FluentColumns(args, value, start, end, arrival, self.is_point[rows])


@dataclass
class Stream:
    """A whole stream, by event and input fluent."""

    events: dict[Symbol, EventColumns] = field(default_factory=dict)
    fluents: dict[Symbol, FluentColumns] = field(default_factory=dict)

    def moments(self) -> tuple[int, int]:
        """The first and the last time-point that the stream speaks of."""
        first, last = [], []
        for event in self.events.values():
            first.append(event.time.min())
            last.append(event.time.max())
        for fluent in self.fluents.values():
            closed = fluent.end[fluent.end < FOREVER] - 1
            first.append(fluent.start.min())
            last.extend([fluent.start.max(), *([closed.max()] if len(closed) else [])])
        return int(min(first, default=0)), int(max(last, default=0))

    def arrivals(self) -> tuple[int, int]:
        """The first and the last arrival."""
        found = [table.arrival for table in self.events.values()] + [table.arrival for table in self.fluents.values()]
        return int(min((a.min() for a in found), default=0)), int(max((a.max() for a in found), default=0))


def from_records(records: Iterable[Record], entities: Entities, dictionary: Dictionary) -> Stream:
    """A stream from records, one at a time."""
    from holdsfor.reference.history import Occurrence

    events: dict[Symbol, list[list[int]]] = {}
    fluents: dict[Symbol, list[list[int]]] = {}
    for record in records:
        if isinstance(record, Occurrence):
            name = functor(record.event)
            assert name is not None
            row = [dictionary.code(value_of(arg)) for arg in arguments(record.event)]
            events.setdefault(Symbol(EntityKind.EVENT, *name), []).append([*row, record.time, record.arrival])
        else:
            _add_interval(record, fluents, dictionary)
    stream = Stream()
    for symbol, rows in events.items():
        if symbol in entities.table:
            *args, time, arrival = np.array(rows, np.int64).T
            stream.events[symbol] = EventColumns(tuple(args), time, arrival)
    for symbol, rows in fluents.items():
        if symbol in entities.table:
            *args, value, start, end, arrival, point = np.array(rows, np.int64).T
            stream.fluents[symbol] = FluentColumns(tuple(args), value, start, end, arrival, point.astype(np.bool_))
    return stream


def _add_interval(record: InputInterval, fluents: dict[Symbol, list[list[int]]], dictionary: Dictionary) -> None:
    name = functor(record.fluent)
    assert name is not None
    row = [dictionary.code(value_of(arg)) for arg in (*arguments(record.fluent), record.value)]
    end = int(FOREVER) if math.isinf(record.end) else int(record.end)
    row += [record.start, end, record.arrival, int(record.is_point)]
    fluents.setdefault(Symbol(EntityKind.FLUENT, *name), []).append(row)
