"""What was pushed and taken back, numbered, so that changes can name what caused them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.compiled import compiled_core
from holdsfor.core.engine import EventRows, FluentRows, Rows
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.notes import number_note, read_integer, read_integer_or_none, read_items, read_parts, read_text
from holdsfor.core.vocabulary import WordArray
from holdsfor.engine.dictionary import Dictionary, Value
from holdsfor.engine.kernels import Ints
from holdsfor.engine.report import ground_term
from holdsfor.engine.stream import EventColumns, FluentColumns
from holdsfor.engine.tables import FOREVER
from holdsfor.session.texts import Texts, as_strings
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    import pyarrow as pa


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


class _Words(NamedTuple):
    """Rows of one table that came together, as the core has them."""

    table: int
    symbol: Symbol
    kind: CauseKind
    known_until: float
    rows: Rows
    texts: Texts

    def last(self) -> float:
        return int(self.rows.time.max()) if isinstance(self.rows, EventRows) else -float("inf")

    def cause(self, place: int) -> Cause:
        return self.causes(np.array([place]))[0]

    def causes(self, places: Ints) -> list[Cause]:
        """Some of them, spelled out."""
        kinds, times, ends = self._when(places)
        is_open = ends == CORE_FOREVER
        last = np.where(is_open, 0, ends).astype(object)
        last[is_open] = None
        texts = self.texts.rows(self.rows, places).strings()
        columns = [_KINDS[kinds].tolist(), texts, times.tolist(), last.tolist()]
        found: list[Cause] = compiled_core().records(Cause, columns)
        return found

    def shown(self, places: Ints, tick: int, scale: TimeScale | None) -> pa.Array:
        """Some of them as text."""
        kinds, times, ends = self._when(places)
        texts = self.texts.rows(self.rows, places)
        if scale is None:
            ends = np.where(ends == CORE_FOREVER, CORE_FOREVER, ends * tick)
            names = [kind.value for kind in CauseKind]
            return as_strings(compiled_core().shown_causes(kinds, names, texts, times * tick, ends))
        import pyarrow as pa
        import pyarrow.compute as pc

        from holdsfor.io.scaled import time_texts

        is_open = pa.array(ends == CORE_FOREVER)
        starts = time_texts(pa.array(times * tick), scale)
        last = time_texts(pa.array(np.where(ends == CORE_FOREVER, times, ends) * tick), scale)
        spans = pc.binary_join_element_wise("from", starts, "to", last, " ")
        when = pc.if_else(is_open, pc.binary_join_element_wise("at", starts, " "), spans)
        names = pa.array([kind.value for kind in CauseKind]).take(pa.array(kinds))
        return pc.binary_join_element_wise(names, as_strings(texts), when, " ")

    def _when(self, places: Ints) -> tuple[npt.NDArray[np.uint8], Ints, Ints]:
        """What they did, when they begin, and their ends; those of events, and of what is open, are for ever."""
        rows = self.rows
        if isinstance(rows, EventRows):
            times, ends = rows.time[places], np.full(len(places), CORE_FOREVER)
        else:
            times = rows.start[places]
            ends = np.where(rows.is_point[places], CORE_FOREVER, rows.end[places])
        number = _ORDER[self.kind]
        kinds = np.full(len(places), number, np.uint8)
        if self.kind is CauseKind.ARRIVED:
            kinds[times <= self.known_until] = _ORDER[CauseKind.LATE]
        return kinds, times, ends


_KINDS = np.array(list(CauseKind), object)
_ORDER = {kind: number for number, kind in enumerate(CauseKind)}


class _Told(NamedTuple):
    """One input that was spelled out, because its session was saved."""

    table: int
    told: Cause
    is_event: bool

    def last(self) -> float:
        return self.told.time if self.is_event else -float("inf")

    def cause(self, place: int) -> Cause:  # noqa: ARG002
        return self.told


_Batch: TypeAlias = _One | _Many | _Words | _Told


def _cause(kind: CauseKind, known_until: float, text: str, time: int, end: int | None) -> Cause:
    is_late = kind is CauseKind.ARRIVED and time <= known_until
    return Cause(CauseKind.LATE if is_late else kind, text, time, end)


def _term(value: Value) -> Term:
    return value if isinstance(value, Compound | ListTerm) else Const(value)


def _text(symbol: Symbol, args: Iterable[Term]) -> str:
    return print_term(ground_term(symbol, list(args)))


def _size(batch: _Batch) -> int:
    if isinstance(batch, _Words):
        return len(batch.rows)
    return len(batch.rows.arrival) if isinstance(batch, _Many) else 1


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

    def add_rows(self, symbol: Symbol, kind: CauseKind, known_until: float, rows: Rows, texts: Texts) -> int:
        """Take in rows as the core has them; the number of the first."""
        number = self._next
        self._firsts.append(number)
        self._batches.append(_Words(rows.table, symbol, kind, known_until, rows, texts))
        self._next += len(rows)
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

    def causes(self, numbers: Iterable[int]) -> dict[int, Cause]:
        """Some inputs by their numbers, spelled out."""
        wanted = sorted(set(numbers))
        found: dict[int, Cause] = {}
        at = 0
        while at < len(wanted):
            place = bisect_right(self._firsts, wanted[at]) - 1
            batch, first = self._batches[place], self._firsts[place]
            if isinstance(batch, _Words):
                end = bisect_left(wanted, first + len(batch.rows), at)
                causes = batch.causes(np.array(wanted[at:end]) - first)
                found.update(zip(wanted[at:end], causes, strict=True))
                at = end
            else:
                found[wanted[at]] = batch.cause(wanted[at] - first)
                at += 1
        return found

    def shown(self, numbers: Ints, tick: int, scale: TimeScale | None) -> pa.Array:
        """Some inputs as text, by their numbers, which are in order."""
        import pyarrow as pa

        places = np.searchsorted(np.array(self._firsts, np.int64), numbers, "right") - 1
        ends = np.flatnonzero(np.diff(places, append=-1)) + 1
        parts = [pa.array([], pa.string())]
        begin = 0
        for end in ends.tolist():
            place = int(places[begin])
            batch, rows = self._batches[place], numbers[begin:end] - self._firsts[place]
            if isinstance(batch, _Words):
                parts.append(batch.shown(rows, tick, scale))
            else:
                causes = (batch.cause(row).in_time(tick) for row in rows.tolist())
                parts.append(pa.array([cause.shown(scale) for cause in causes], pa.string()))
            begin = end
        return pa.concat_arrays(parts)

    def words(self) -> list[WordArray]:
        """The words of what may still be spelled out."""
        rows = [batch.rows for batch in self._batches if isinstance(batch, _Words)]
        return [one.words.reshape(-1) for one in rows] + [one.value for one in rows if isinstance(one, FluentRows)]

    def noted(self) -> Term:
        """All of it as a term, to be saved."""
        rows = []
        for first, batch in zip(self._firsts, self._batches, strict=True):
            for place in range(_size(batch)):
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
