"""What a stage has taken in: occurrences and reports by key, and from when on something has changed for keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import Inputs, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.inputs import seen_intervals
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.stream import EventColumns
from holdsfor.engine.tables import FOREVER, Events
from holdsfor.incremental.chunks import Table, stacked
from holdsfor.incremental.entries import Begins
from holdsfor.incremental.reports import reports_of
from holdsfor.incremental.slots import Slots
from holdsfor.incremental.stretch import Spreadings

Run = tuple[Ints, EventColumns]
"""Occurrences, and the key of each."""


@dataclass(frozen=True)
class Clock:
    """A query: asked at `now`, after one at `previous`. Nothing before `floor` can change any more."""

    now: int
    previous: int
    floor: int
    origin: int


class Taken:
    """Input by key."""

    def __init__(self, slots: Slots, spreading: Spreadings) -> None:
        self._slots, self._spreading = slots, spreading
        self.events: dict[Symbol, list[Run]] = {}
        self.reports: dict[Symbol, tuple[Ints, Table]] = {}
        self._marked: list[tuple[Ints, Ints | int]] = []
        self._waiting: list[Ints] = []
        """Keys to which something happened at the query time itself: it is seen once more."""
        self.floor = 0
        """Nothing before it matters any more."""

    def _slots_of(self, symbol: Symbol, columns: Table) -> Ints:
        return self._slots.given(columns, self._spreading[symbol], len(columns[-1]))

    def begin(self, keys: Ints, begin: int) -> None:
        """Begin at a time-point with keys that something is known of already."""
        self.floor = begin
        self._marked.append((keys, begin))

    def take_events(self, symbol: Symbol, events: EventColumns, now: int) -> None:
        """Occurrences up to the query time: their keys have changed from then on."""
        slots = self._slots_of(symbol, (*events.args, events.time))
        runs = self.events.setdefault(symbol, [])
        runs.append((slots, events))
        while len(runs) > 1 and len(runs[-2][0]) < 2 * len(runs[-1][0]):
            runs.append(_together([runs.pop(-2), runs.pop()], self.floor))
        self._marked.append((slots, events.time))
        at_once = events.time >= now
        if at_once.any():
            self._waiting.append(slots[at_once])

    def take_reports(self, symbol: Symbol, columns: Table) -> None:
        """Pieces of an input fluent."""
        slots = self._slots_of(symbol, columns)
        self._marked.append((slots, columns[width(symbol) + 1] - 1))
        there = self.reports.get(symbol)
        if there is not None:
            slots, columns = np.concatenate((there[0], slots)), stacked([there[1], columns])
        self.reports[symbol] = slots, columns

    # What has changed

    def mark(self, symbol: Symbol, columns: Table, times: Ints) -> None:
        """Say that something has changed for the keys of rows of a symbol."""
        self._marked.append((self._slots_of(symbol, columns), times))

    def mark_values(self, values: Ints, times: Ints, codes: int, held: Iterable[tuple[Ints, Table]]) -> None:
        """Say that something has changed for all keys that have some values in their input, or in what they held."""
        since = Begins.least(values, times, codes)
        for symbol, (slots, columns) in self.reports.items():
            self._mark_rows(slots, columns[: width(symbol)], columns[width(symbol) + 2], since)
        for runs in self.events.values():
            for slots, events in runs:
                self._mark_rows(slots, events.args, events.time, since)
        for slots, args in held:
            self._mark_rows(slots, args, np.full(len(slots), int(FOREVER) - 1), since)

    def _mark_rows(self, slots: Ints, args: Table, ends: Ints, since: Begins) -> None:
        """Rows that were not over when one of their arguments changed."""
        earliest = np.full(len(slots), int(FOREVER))
        for column in args:
            np.minimum(earliest, since.of(column), out=earliest)
        rows = np.flatnonzero(ends >= earliest)
        if len(rows):
            self._marked.append((slots[rows], earliest[rows]))

    def changed(self, clock: Clock, restless: Ints) -> tuple[Ints, Ints]:
        """The keys for which something has changed, and from when on; to some, time alone makes a difference."""
        since = np.full(len(self._slots), int(FOREVER))
        for slots, times in self._marked:
            np.minimum.at(since, slots, np.maximum(times, clock.floor))
        for slots in (restless, *(self._lasting(symbol, clock.previous) for symbol in self.reports)):
            since[slots] = np.minimum(since[slots], clock.previous)
        # What happened right at a query time is not in the state there.
        self._marked, self._waiting = [(slots, clock.now) for slots in self._waiting], []
        keys = np.flatnonzero(since < FOREVER)
        return keys, since[keys]

    def _lasting(self, symbol: Symbol, previous: int) -> Ints:
        """The keys of reports that were not over at the last query."""
        slots, columns = self.reports[symbol]
        return slots[columns[width(symbol) + 2] >= previous]

    # What is seen of it

    def inputs(self, begins: Begins, until: int, *, is_now: bool) -> Inputs:
        """The input of keys from when they begin up to a time-point."""
        inputs = Inputs()
        for symbol, runs in self.events.items():
            found = []
            for slots, events in runs:
                chosen = begins.of(slots) <= events.time
                if not is_now:
                    chosen &= events.time <= until
                rows = np.flatnonzero(chosen)
                if len(rows):
                    found.append((*(column[rows] for column in events.args), events.time[rows]))
            if found:
                *args, time = stacked(found)
                inputs.events[symbol] = Events(tuple(map(Codes, args)), time)
        for symbol, (slots, columns) in self.reports.items():
            reports = reports_of(columns)
            needed = begins.of(slots) <= reports.end
            if not is_now:
                needed &= reports.start <= until
            if needed.any():
                table, is_cut, _ = seen_intervals(reports.take(np.flatnonzero(needed)), until, self._slots.codes)
                inputs.intervals[symbol], inputs.is_cut[symbol] = table, is_cut
        return inputs

    def is_moved(self, begins: Begins, until: int) -> Bools:
        """For which keys something happened between when they begin and a time-point."""
        moved = np.zeros(len(self._slots) + 1, np.bool_)
        for runs in self.events.values():
            for slots, events in runs:
                moved[slots[(events.time < until) & (begins.of(slots) <= events.time)]] = True
        return moved

    def forget(self, floor: int) -> None:
        """Let go of what is over before a time-point: some now, some later on, when it would have to be copied."""
        self.floor = floor
        for symbol, (slots, columns) in self.reports.items():
            rows = np.flatnonzero(columns[width(symbol) + 2] >= floor)
            self.reports[symbol] = slots[rows], tuple(column[rows] for column in columns)


def _together(runs: Sequence[Run], floor: int) -> Run:
    """Occurrences from a time-point on, one below the other."""
    slots, *args, time, arrival = stacked([(slots, *e.args, e.time, e.arrival) for slots, e in runs])
    events, rows = EventColumns(tuple(args), time, arrival), np.flatnonzero(time >= floor)
    return (slots, events) if len(rows) == len(slots) else (slots[rows], events.take(rows))
