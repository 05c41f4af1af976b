"""What was pushed and taken back, numbered, so that changes can name what caused them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.tables import FOREVER
from holdsfor.session.texts import Words
from holdsfor.times import TimeScale


class CauseKind(StrEnum):
    """How an input made a difference."""

    ARRIVED = "arrived"
    LATE = "late"
    RETRACTED = "retracted"
    CORRECTED = "corrected"
    CORRECTION = "correction"


@dataclass(frozen=True, slots=True)
class Cause:
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
        return replace(self, time=self.time * tick, end=None if self.end is None else self.end * tick)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows of one symbol that came together. What was there before `known_until` came late."""

    symbol: Symbol
    kind: CauseKind
    known_until: int
    rows: EventColumns | FluentColumns


class Inputs:
    """All input since the changes were last asked for. Rows have their numbers in place of an arrival."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._batches: list[_Batch] = []
        self._next = 0

    def numbered(self, stream: Stream, kind: CauseKind, known_until: int) -> Stream:
        """A stream whose rows are numbered from here on."""
        made = Stream()
        for symbol, events in stream.events.items():
            made.events[symbol] = replace(events, arrival=self._numbers(len(events.time)))
            self._add(symbol, kind, known_until, made.events[symbol])
        for symbol, reports in stream.fluents.items():
            made.fluents[symbol] = replace(reports, arrival=self._numbers(len(reports.start)))
            self._add(symbol, kind, known_until, made.fluents[symbol])
        return made

    def _numbers(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.arange(self._next, self._next + count, dtype=np.int64)

    def _add(self, symbol: Symbol, kind: CauseKind, known_until: int, rows: EventColumns | FluentColumns) -> None:
        self._firsts.append(self._next)
        self._batches.append(_Batch(symbol, kind, known_until, rows))
        self._next += len(rows.arrival)

    def symbol(self, number: int) -> Symbol:
        """What an input is a row of."""
        return self._batch(number).symbol

    def cause(self, number: int, words: Words) -> Cause:
        """An input, spelled out."""
        batch = self._batch(number)
        rows = batch.rows
        place = number - int(rows.arrival[0])
        args = [int(column[place]) for column in rows.args]
        text = words.term(batch.symbol, args)
        if isinstance(rows, EventColumns):
            time, end = int(rows.time[place]), None
        else:
            text = f"{text}={words.value(int(rows.value[place]))}"
            time, end = int(rows.start[place]), int(rows.end[place])
            end = None if end >= FOREVER or rows.is_point[place] else end
        is_late = batch.kind is CauseKind.ARRIVED and time <= batch.known_until
        return Cause(CauseKind.LATE if is_late else batch.kind, text, time, end)

    def _batch(self, number: int) -> _Batch:
        return self._batches[bisect_right(self._firsts, number) - 1]

    def after(self, now: int) -> Inputs:
        """The inputs that still wait for their time; numbers go on."""
        left = Inputs()
        left._next = self._next
        for first, batch in zip(self._firsts, self._batches, strict=True):
            if isinstance(batch.rows, EventColumns) and (batch.rows.time > now).any():
                left._firsts.append(first)
                left._batches.append(batch)
        return left
