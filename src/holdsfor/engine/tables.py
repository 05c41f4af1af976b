"""Tables: events, points at which something is initiated or terminated, and maximal intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.engine.frames import Codes, Column, Lists, combined_keys, order_of
from holdsfor.engine.kernels import EMPTY, Ints, Spans, is_sorted
from holdsfor.logic.arithmetic import EvaluationError

FOREVER = np.int64(2**62)
"""The end of an interval that is still open; minus this, a start before all time."""


@dataclass(frozen=True)
class Space:
    """How groups and times are packed into one integer during an evaluation.

    `code_bits` is enough for every code, `time_bits` for every time after `base`, with room for "before" and "after".
    """

    code_bits: int
    base: int
    time_bits: int

    @classmethod
    def over(cls, codes: int, first: int, last: int) -> Space:
        """A space for so many codes and the times from first to last."""
        return cls(max(1, (codes - 1).bit_length()), first - 2, max(2, (last - first + 5).bit_length()))

    @property
    def last(self) -> int:
        """The packed time that stands for "after all time"."""
        return (1 << self.time_bits) - 1

    def times(self, times: Ints) -> Ints:
        """Times as small non-negative numbers; what lies outside is moved to the rim."""
        small = np.maximum(times, self.base)
        np.minimum(small, self.base + self.last, out=small)
        small -= self.base
        return small

    def plain(self, packed: Ints) -> Ints:
        """Packed times back to plain ones."""
        small = packed & self.last
        return np.where(small == self.last, FOREVER, np.where(small == 0, -FOREVER, small + self.base))

    def fits(self, columns: int) -> bool:
        """Whether so many code columns and a time fit into one integer."""
        return columns * self.code_bits + self.time_bits <= 62

    def group(self, columns: Sequence[Ints], rows: int) -> Ints:
        """Code columns side by side in one integer."""
        if len(columns) < 2:
            return columns[0] if columns else np.zeros(rows, np.int64)
        packed = columns[0] << self.code_bits
        for column in columns[1:-1]:
            packed |= column
            packed <<= self.code_bits
        packed |= columns[-1]
        return packed

    def ungroup(self, packed: Ints, columns: int) -> list[Ints]:
        """The code columns that were put side by side."""
        if columns == 1:
            return [packed]
        mask = (1 << self.code_bits) - 1
        return [(packed >> (self.code_bits * place)) & mask for place in reversed(range(columns))]

    def groups(self, left: Sequence[Ints], right: Sequence[Ints], rows: tuple[int, int]) -> tuple[Ints, Ints]:
        """Groups of two sets of rows, comparable, and small enough to have a time packed behind them."""
        if not left or self.fits(len(left)):
            return self.group(left, rows[0]), self.group(right, rows[1])
        a, b = combined_keys(list(left), list(right))
        _, inverse = np.unique(np.concatenate((a, b)), return_inverse=True)
        return inverse[: rows[0]].astype(np.int64), inverse[rows[0] :].astype(np.int64)

    def pack(self, group: Ints, times: Ints) -> Ints:
        """Groups and plain times as points of the packed time-line."""
        if int(np.maximum.reduce(group, initial=0)) >> max(62 - self.time_bits, 0):
            raise EvaluationError(
                f"the times of the stream span 2^{self.time_bits} time-points, too many for so many instances; "
                "look for a time that is far off, or use a coarser time unit"
            )
        packed = self.times(times)
        packed |= group << self.time_bits
        return packed


@dataclass(frozen=True)
class Events:
    """The occurrences of one event: a column per argument, and times."""

    args: tuple[Column, ...]
    time: Ints

    def __len__(self) -> int:
        return len(self.time)

    def in_order(self) -> Events:
        """Sorted by first argument and time: what is derived from it then comes in order, and is found fast."""
        first = self.args[0] if self.args else None
        if not isinstance(first, Codes) or len(self) < 2:
            return self
        low = int(self.time.min())
        time_bits, row_bits = (int(self.time.max()) - low).bit_length(), len(self).bit_length()
        if int(first.data.max()).bit_length() + time_bits + row_bits > 62:
            return self._taken(np.lexsort((self.time, first.data)))
        key = first.data << time_bits
        key += self.time
        key -= low
        if is_sorted(key):
            return self
        if is_sorted(self.time):
            # A stream in order of time: only the argument is left to sort by.
            return self._taken(order_of(first.data))
        if len(self.args) == 1:
            key.sort()
            return Events((Codes(key >> time_bits),), self._times(key, low, time_bits))
        # The row rides in the low bits: sorting plain integers is far faster than sorting indices.
        key <<= row_bits
        key |= np.arange(len(self))
        key.sort()
        rows = key & ((1 << row_bits) - 1)
        key >>= row_bits
        args = (Codes(key >> time_bits), *(column.take(rows) for column in self.args[1:]))
        return Events(args, self._times(key, low, time_bits))

    @staticmethod
    def _times(key: Ints, low: int, bits: int) -> Ints:
        times = key & ((1 << bits) - 1)
        times += low
        return times

    def distinct(self) -> Events:
        """Without repetitions: an event happens once at a time-point, however often it is reported."""
        columns = [column.data for column in self.args if not isinstance(column, Lists)]
        keys, _ = combined_keys([*columns, self.time], [*(column[:0] for column in columns), self.time[:0]])
        return self._taken(np.sort(np.unique(keys, return_index=True)[1]))

    def _taken(self, rows: Ints) -> Events:
        return Events(tuple(column.take(rows) for column in self.args), self.time[rows])


@dataclass(frozen=True)
class Points:
    """Points at which values of a fluent are initiated or terminated.

    `wild` marks arguments and values (the last flag) that a termination leaves open; their columns mean nothing.
    """

    args: tuple[Ints, ...]
    value: Ints
    time: Ints
    wild: tuple[bool, ...] = ()

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: Ints) -> Points:
        """Some of the points."""
        return Points(tuple(column[rows] for column in self.args), self.value[rows], self.time[rows], self.wild)


class Stacked(Points):
    """Points one below the other, none with open columns. Their columns are put together when they are asked for."""

    def __init__(self, parts: Sequence[Points], arity: int) -> None:
        self.__dict__.update(parts=[part for part in parts if len(part)], arity=arity, wild=())

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    parts: list[Points]
    arity: int

    @cached_property
    def args(self) -> tuple[Ints, ...]:
        """A column per argument."""
        return tuple(_together([part.args[place] for part in self.parts]) for place in range(self.arity))

    @cached_property
    def value(self) -> Ints:
        """The values."""
        return _together([part.value for part in self.parts])

    @cached_property
    def time(self) -> Ints:
        """The time-points."""
        return _together([part.time for part in self.parts])


def _together(columns: list[Ints]) -> Ints:
    if len(columns) == 1:
        return columns[0]
    return np.concatenate(columns) if columns else EMPTY


@dataclass(frozen=True)
class Intervals:
    """Maximal intervals of one fluent, sorted by arguments, value and start.

    A simple fluent has one value at a time; its rows are sorted by arguments and start (`single_valued`).
    """

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    single_valued: bool

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def group_columns(self) -> tuple[Ints, ...]:
        """The columns by which the rows are grouped."""
        return self.args if self.single_valued else (*self.args, self.value)

    def take(self, rows: Ints) -> Intervals:
        """Some rows; they must stay in order."""
        return Intervals(
            tuple(column[rows] for column in self.args),
            self.value[rows],
            self.start[rows],
            self.end[rows],
            self.single_valued,
        )

    def spans(self, space: Space, group: Ints) -> Spans:
        """The intervals on the packed time-line, given the group of each row."""
        return space.pack(group, self.start), space.pack(group, self.end)


def no_intervals(arity: int, *, single_valued: bool) -> Intervals:
    """A fluent that never holds."""
    return Intervals((EMPTY,) * arity, EMPTY, EMPTY, EMPTY, single_valued)


def merged(one: Intervals, other: Intervals) -> Intervals:
    """Two tables of one fluent whose intervals do not overlap, as one."""
    args = [np.concatenate(pair) for pair in zip(one.args, other.args, strict=True)]
    value, start, end = (np.concatenate((getattr(one, n), getattr(other, n))) for n in ("value", "start", "end"))
    keys = [start, *reversed(args)] if one.single_valued else [start, value, *reversed(args)]
    order = np.lexsort(keys)
    return Intervals(tuple(c[order] for c in args), value[order], start[order], end[order], one.single_valued)
