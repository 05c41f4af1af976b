"""What was pushed and taken back, numbered, so that changes can name what caused them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.notes import number_note, read_integer, read_integer_or_none, read_items, read_parts, read_text
from holdsfor.engine.dictionary import Dictionary, Value
from holdsfor.engine.report import ground_term
from holdsfor.engine.stream import EventColumns, FluentColumns
from holdsfor.engine.tables import FOREVER
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term
from holdsfor.times import TimeScale


class CauseKind(StrEnum):
    """How an input made a difference."""

    ARRIVED = "arrived"
    LATE = "late"
    RETRACTED = "retracted"
    CORRECTED = "corrected"
    CORRECTION = "correction"


class Cause(NamedTuple):
    """An input that made a difference: what it says, and when that is."""

    kind: CauseKind
    text: str
    time: int
    end: int | None = None

    def __str__(self) -> str:
        return self.shown()

    def shown(self, scale: TimeScale | None = None) -> str:
        """The cause as text, with times as a scale has them."""
        shown = str if scale is None else scale.text
        when = f"at {shown(self.time)}" if self.end is None else f"from {shown(self.time)} to {shown(self.end)}"
        return f"{self.kind} {self.text} {when}"

    def in_time(self, tick: int) -> Cause:
        """The same with times in the place of numbers of ticks."""
        return self._replace(time=self.time * tick, end=None if self.end is None else self.end * tick)


class _One(NamedTuple):
    """One event that came alone. What lies before `known_until` came late."""

    table: int
    symbol: Symbol
    kind: CauseKind
    known_until: float
    time: int
    args: tuple[Value, ...]

    def last(self) -> int:
        return self.time

    def cause(self, place: int) -> Cause:  # noqa: ARG002
        return _cause(self.kind, self.known_until, _text(self.symbol, map(_term, self.args)), self.time, None)


class _Many(NamedTuple):
    """Rows of one table that came together."""

    table: int
    symbol: Symbol
    kind: CauseKind
    known_until: float
    rows: EventColumns | FluentColumns
    dictionary: Dictionary

    def last(self) -> float:
        """The last time-point for which one of them may wait."""
        return int(self.rows.time.max()) if isinstance(self.rows, EventColumns) else -float("inf")

    def cause(self, place: int) -> Cause:
        rows, dictionary = self.rows, self.dictionary
        text = _text(self.symbol, (dictionary.term(int(column[place])) for column in rows.args))
        if isinstance(rows, EventColumns):
            return _cause(self.kind, self.known_until, text, int(rows.time[place]), None)
        text = f"{text}={print_term(dictionary.term(int(rows.value[place])))}"
        start, end = int(rows.start[place]), int(rows.end[place])
        is_open = end >= FOREVER or bool(rows.is_point[place])
        return _cause(self.kind, self.known_until, text, start, None if is_open else end)


class _Told(NamedTuple):
    """One input that was spelled out, because its session was saved."""

    table: int
    told: Cause
    is_event: bool

    def last(self) -> float:
        return self.told.time if self.is_event else -float("inf")

    def cause(self, place: int) -> Cause:  # noqa: ARG002
        return self.told


_Batch: TypeAlias = _One | _Many | _Told


def _cause(kind: CauseKind, known_until: float, text: str, time: int, end: int | None) -> Cause:
    is_late = kind is CauseKind.ARRIVED and time <= known_until
    return Cause(CauseKind.LATE if is_late else kind, text, time, end)


def _term(value: Value) -> Term:
    return value if isinstance(value, Compound | ListTerm) else Const(value)


def _text(symbol: Symbol, args: Iterable[Term]) -> str:
    return print_term(ground_term(symbol, list(args)))


class Inputs:
    """All input since the changes were last asked for."""

    def __init__(self, first: int = 0) -> None:
        self._firsts: list[int] = []
        self._batches: list[_Batch] = []
        self._next = first

    def add_one(
        self, table: int, symbol: Symbol, kind: CauseKind, known_until: float, time: int, args: tuple[Value, ...]
    ) -> int:
        """Take in one event; its number."""
        number = self._next
        self._firsts.append(number)
        self._batches.append(_One(table, symbol, kind, known_until, time, args))
        self._next += 1
        return number

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
        self._firsts.append(number)
        self._batches.append(_Many(table, symbol, kind, known_until, rows, dictionary))
        self._next += len(rows.arrival)
        return number

    def table(self, number: int) -> int:
        """The table of an input."""
        return self._batches[bisect_right(self._firsts, number) - 1].table

    def cause(self, number: int) -> Cause:
        """An input, spelled out."""
        place = bisect_right(self._firsts, number) - 1
        return self._batches[place].cause(number - self._firsts[place])

    def noted(self) -> Term:
        """All of it as a term, to be saved."""
        rows = []
        for first, batch in zip(self._firsts, self._batches, strict=True):
            for place in range(len(batch.rows.arrival) if isinstance(batch, _Many) else 1):
                kind, text, time, end = batch.cause(place)
                is_event = batch.is_event if isinstance(batch, _Told) else batch.symbol.kind is EntityKind.EVENT
                numbers = (first + place, batch.table, int(is_event), time)
                row = (*map(Const, numbers), number_note(end), Const(kind.value), Const(text))
                rows.append(Compound("input", row))
        return Compound("inputs", (Const(self._next), ListTerm(tuple(rows))))

    @staticmethod
    def of_note(note: Term) -> Inputs:
        """What was noted."""
        following, rows = read_parts(note, "inputs", 2)
        found = Inputs(read_integer(following))
        for row in read_items(rows):
            *numbers, end, kind, text = read_parts(row, "input", 7)
            number, table, is_event, time = map(read_integer, numbers)
            told = Cause(CauseKind(read_text(kind)), read_text(text), time, read_integer_or_none(end))
            found._firsts.append(number)
            found._batches.append(_Told(table, told, bool(is_event)))
        return found

    def after(self, now: int) -> Inputs:
        """The inputs that still wait for their time; numbers go on."""
        left = Inputs(self._next)
        for first, batch in zip(self._firsts, self._batches, strict=True):
            if batch.last() > now:
                left._firsts.append(first)
                left._batches.append(batch)
        return left
