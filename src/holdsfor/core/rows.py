"""Rows of one table for the core: times, and the words of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from holdsfor.columns.frames import Codes, Numbers
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.stream import EventColumns, FluentColumns
from holdsfor.columns.tables import FOREVER
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.vocabulary import Vocabulary, WordArray
from holdsfor.records import record


@record
class EventRows:
    """Occurrences for the core: times, and the words of their arguments row by row."""

    table: int
    time: Ints
    words: WordArray

    def __len__(self) -> int:
        return len(self.time)

    def columns(self) -> tuple[Any, ...]:
        """Table, times and words."""
        return self.table, self.time, self.words.reshape(-1)

    def take(self, rows: slice | Ints) -> EventRows:
        """A subset of the rows."""
        return EventRows(self.table, self.time[rows], self.words[rows])

    def kept(self) -> EventRows:
        """A private copy of the times, because the core reads pushed columns only when it
        advances.
        """
        return EventRows(self.table, self.time.copy(), self.words)


@record
class FluentRows:
    """Intervals of input fluents for the core."""

    table: int
    start: Ints
    end: Ints
    value: WordArray
    words: WordArray
    is_point: Bools

    def __len__(self) -> int:
        return len(self.start)

    def columns(self) -> tuple[Any, ...]:
        """Table, starts, ends, values, words, and a mask of points."""
        return self.table, self.start, self.end, self.value, self.words.reshape(-1), self.is_point

    def take(self, rows: slice | Ints) -> FluentRows:
        """A subset of the rows."""
        start, end, is_point = self.start[rows], self.end[rows], self.is_point[rows]
        return FluentRows(self.table, start, end, self.value[rows], self.words[rows], is_point)

    def kept(self) -> FluentRows:
        """The same rows, because the core copies intervals when they are pushed."""
        return self


Rows = EventRows | FluentRows


def event_rows(table: int, columns: EventColumns, vocabulary: Vocabulary) -> EventRows:
    """Columns of an event."""
    found = []
    for column in columns.columns:
        assert isinstance(column, Codes | Numbers)
        is_code = isinstance(column, Codes)
        found.append(vocabulary.words(column.data) if is_code else vocabulary.numbers(column.data))
    return EventRows(table, _contiguous(columns.time), _side_by_side(found, len(columns.time)))


def fluent_rows(table: int, columns: FluentColumns, vocabulary: Vocabulary) -> FluentRows:
    """Columns of an input fluent."""
    end = np.where(columns.end >= FOREVER, CORE_FOREVER, columns.end)
    words = _side_by_side([vocabulary.words(codes) for codes in columns.args], len(end))
    return FluentRows(table, _contiguous(columns.start), end, vocabulary.words(columns.value), words, columns.is_point)


def _contiguous(times: Ints) -> Ints:
    return np.ascontiguousarray(times, np.int64)


def _side_by_side(columns: Sequence[WordArray], rows: int) -> WordArray:
    """Columns as rows in row-major order."""
    if len(columns) == 1:
        return columns[0].reshape(rows, 1)
    found = np.empty((rows, len(columns)), np.uint64)
    for place, column in enumerate(columns):
        found[:, place] = column
    return found
