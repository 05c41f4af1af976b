"""Streams as columns: the occurrences of each event, and the intervals of each input fluent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.dictionary import Dictionary, value_of
from holdsfor.columns.frames import Codes, Column, Numbers, codes_of, numbering, order_of, row_keys
from holdsfor.columns.kernels import EMPTY, Bools, Ints, is_sorted
from holdsfor.columns.tables import FOREVER, Space
from holdsfor.compiler.analysis.entities import Entities, EntityKind, Symbol
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.terms import arguments, functor

if TYPE_CHECKING:
    # The reference evaluator is imported with its records, and most runs do not need it.
    from holdsfor.reference.history import InputInterval, Record


@dataclass(frozen=True)
class EventColumns:
    """All occurrences of one event, with arguments as codes."""

    args: tuple[Ints, ...]
    time: Ints
    arrival: Ints

    @property
    def columns(self) -> tuple[Column, ...]:
        """The arguments as columns."""
        return tuple(Codes(column) for column in self.args)

    @cached_property
    def span(self) -> tuple[int, int]:
        """The first and the last time-point."""
        return int(self.time.min()), int(self.time.max())

    def take(self, rows: Ints | slice) -> EventColumns:
        """A subset of the occurrences."""
        return EventColumns(tuple(column[rows] for column in self.args), self.time[rows], self.arrival[rows])


class MeasuredEvents(EventColumns):
    """Occurrences with some arguments as plain numbers, which get codes on demand."""

    def __init__(
        self, measured: tuple[Codes | Numbers, ...], time: Ints, arrival: Ints, dictionary: Dictionary
    ) -> None:
        self.__dict__.update(measured=measured, time=time, arrival=arrival, dictionary=dictionary)

    measured: tuple[Codes | Numbers, ...]
    dictionary: Dictionary

    @property
    def columns(self) -> tuple[Column, ...]:
        """The arguments as columns."""
        return self.measured

    @cached_property
    def args(self) -> tuple[Ints, ...]:
        """The arguments as codes."""
        return tuple(codes_of(column, self.dictionary) for column in self.measured)

    def take(self, rows: Ints | slice) -> MeasuredEvents:
        """A subset of the occurrences."""
        measured = tuple(type(column)(column.data[rows]) for column in self.measured)
        return MeasuredEvents(measured, self.time[rows], self.arrival[rows], self.dictionary)


@dataclass(frozen=True)
class FluentColumns:
    """The rows of one input fluent: intervals, or single points.

    Flags say whether they are `in_order` of arguments, value and start, and whether they are also maximal intervals.
    """

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    arrival: Ints
    is_point: Bools
    in_order: bool = field(default=False, kw_only=True)
    is_maximal: bool = field(default=False, kw_only=True)

    def take(self, rows: Ints | slice) -> FluentColumns:
        """A subset of the rows."""
        args = tuple(column[rows] for column in self.args)
        value, start, end, arrival = (c[rows] for c in (self.value, self.start, self.end, self.arrival))
        in_order = self.in_order and (isinstance(rows, slice) or is_sorted(rows))
        notes = {"in_order": in_order, "is_maximal": in_order and self.is_maximal}
        return FluentColumns(args, value, start, end, arrival, self.is_point[rows], **notes)

    def put_in_order(self, codes: int) -> FluentColumns:
        """The rows ordered by arguments, value and start, and flagged as such; `codes` is the number of codes.

        Otherwise every query time would have to sort and check them again.
        """
        try:
            starts, ends, _ = packed_spans((*self.args, self.value), self.start, self.end, codes)
        except EvaluationError:
            # The time range is too large to pack all rows. The part within a window may fit.
            return self
        table = self
        if not is_sorted(starts):
            order = order_of(starts)
            table, starts, ends = self.take(order), starts[order], ends[order]
        is_maximal = not table.is_point.any() and are_apart(starts, ends) and bool((table.end > table.start).all())
        return replace(table, in_order=True, is_maximal=is_maximal)


def packed_spans(columns: Sequence[Ints], start: Ints, end: Ints, codes: int) -> tuple[Ints, Ints, Space]:
    """Starts and ends of intervals on a packed time-line, in the order of the columns."""
    if not len(start):
        return start, end, Space.over(codes, 0, 0)
    last = int(end.max())
    if last >= FOREVER:
        last = int(end.max(initial=int(start.max()), where=end < FOREVER))
    space = Space.over(codes, int(start.min()), last)
    # Packed codes have the order of their columns.
    is_small = space.fits(len(columns))
    group = space.group(columns, len(start)) if is_small else numbering(row_keys(columns))[1]
    return space.pack(group, start), space.pack(group, end), space


def are_apart(starts: Ints, ends: Ints) -> bool:
    """Whether intervals are in order and never touch."""
    return bool((starts[1:] > ends[:-1]).all())


@dataclass
class Stream:
    """A whole stream, by event and input fluent."""

    events: dict[Symbol, EventColumns] = field(default_factory=dict)
    fluents: dict[Symbol, FluentColumns] = field(default_factory=dict)

    def tables(self) -> list[tuple[Symbol, EventColumns | FluentColumns]]:
        """All columns, table by table."""
        return [*self.events.items(), *self.fluents.items()]

    def moments(self) -> tuple[int, int]:
        """The first and the last time-point of the stream."""
        first, last = [], []
        for event in self.events.values():
            first.append(event.span[0])
            last.append(event.span[1])
        for fluent in self.fluents.values():
            closed = fluent.end[fluent.end < FOREVER] - 1
            first.append(fluent.start.min())
            last.extend([fluent.start.max(), *([closed.max()] if len(closed) else [])])
        return int(min(first, default=0)), int(max(last, default=0))

    def arrivals(self) -> tuple[int, int]:
        """The first and the last arrival."""
        found = [arrival for arrival in self._arrivals() if len(arrival)]
        return int(min((a.min() for a in found), default=0)), int(max((a.max() for a in found), default=0))

    def all_arrivals(self) -> Ints:
        """The arrival of each row."""
        return np.concatenate([EMPTY, *self._arrivals()])

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(map(len, self._arrivals()))

    def _arrivals(self) -> list[Ints]:
        return [one.arrival for one in self.events.values()] + [one.arrival for one in self.fluents.values()]


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
            table = FluentColumns(tuple(args), value, start, end, arrival, point.astype(np.bool_))
            stream.fluents[symbol] = table.put_in_order(len(dictionary))
    return stream


def _add_interval(record: InputInterval, fluents: dict[Symbol, list[list[int]]], dictionary: Dictionary) -> None:
    name = functor(record.fluent)
    assert name is not None
    row = [dictionary.code(value_of(arg)) for arg in (*arguments(record.fluent), record.value)]
    end = int(FOREVER) if math.isinf(record.end) else int(record.end)
    row += [record.start, end, record.arrival, int(record.is_point)]
    fluents.setdefault(Symbol(EntityKind.FLUENT, *name), []).append(row)
