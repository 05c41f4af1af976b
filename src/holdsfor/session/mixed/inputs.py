"""What was pushed and taken back, numbered, so that changes can name what caused them."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import ground_term
from holdsfor.engine.stream import EventColumns, FluentColumns
from holdsfor.engine.tables import FOREVER
from holdsfor.session.causes import Cause, CauseKind
from holdsfor.syntax.printer import print_term


class _Batch(NamedTuple):
    """Rows of one table that came together. What lies before `known_until` came late."""

    first: int
    table: int
    symbol: Symbol
    kind: CauseKind
    known_until: float
    rows: EventColumns | FluentColumns
    dictionary: Dictionary

    def last(self) -> float:
        """The last time-point for which one of them may wait."""
        return int(self.rows.time.max()) if isinstance(self.rows, EventColumns) else -float("inf")

    def cause(self, place: int, tick: int) -> Cause:
        """One of them, spelled out, with times in the place of numbers of ticks."""
        rows, dictionary = self.rows, self.dictionary
        args = [dictionary.term(int(column[place])) for column in rows.args]
        text, last = print_term(ground_term(self.symbol, args)), None
        if isinstance(rows, EventColumns):
            start = int(rows.time[place])
        else:
            text = f"{text}={print_term(dictionary.term(int(rows.value[place])))}"
            start, end = int(rows.start[place]), int(rows.end[place])
            last = None if end >= FOREVER or bool(rows.is_point[place]) else end * tick
        is_late = self.kind is CauseKind.ARRIVED and start <= self.known_until
        return Cause(CauseKind.LATE if is_late else self.kind, text, start * tick, last)


class Inputs:
    """All input since the changes were last asked for."""

    def __init__(self, first: int = 0) -> None:
        self._batches: list[_Batch] = []
        self._next = first

    def add(
        self,
        table: int,
        symbol: Symbol,
        kind: CauseKind,
        known_until: float,
        rows: EventColumns | FluentColumns,
        dictionary: Dictionary,
    ) -> int:
        """Take in rows; the number of the first."""
        number = self._next
        self._batches.append(_Batch(number, table, symbol, kind, known_until, rows, dictionary))
        self._next += len(rows.arrival)
        return number

    def _batch(self, number: int) -> _Batch:
        return self._batches[bisect_right(self._batches, number, key=lambda batch: batch.first) - 1]

    def table(self, number: int) -> int:
        """The table of an input."""
        return self._batch(number).table

    def cause(self, number: int, tick: int) -> Cause:
        """An input, spelled out."""
        batch = self._batch(number)
        return batch.cause(number - batch.first, tick)

    def after(self, now: int) -> Inputs:
        """The inputs that still wait for their time; numbers go on."""
        left = Inputs(self._next)
        left._batches = [batch for batch in self._batches if batch.last() > now]
        return left
