"""A stream cut into what arrives for each query time."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from holdsfor.columns.frames import order_of
from holdsfor.columns.kernels import Ints, is_sorted
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.entities import Symbol

NEVER = -int(FOREVER)


class Batches:
    """A stream cut into what arrives for each query time, of rows that arrive after `seen`."""

    def __init__(self, stream: Stream, windows: WindowPlan, queries: Ints, seen: int) -> None:
        self._stream, self._windows, self._queries = stream, windows, queries
        self._places: dict[Symbol, Ints] = {}
        """The number of the query time at which each row is first seen, from 1 on; 0 for those seen before."""
        self._cuts: dict[Symbol, tuple[Ints, Ints | None]] = {}
        arrivals = {symbol: table.arrival for symbol, table in stream.events.items()}
        arrivals |= {symbol: table.arrival for symbol, table in stream.fluents.items()}
        for symbol, arrival in arrivals.items():
            if windows.size is None and seen == NEVER:
                self._cuts[symbol] = np.array([0, len(arrival)]), None
                continue
            place = np.searchsorted(queries, windows.loaded_at(arrival))
            place += 1
            if seen != NEVER:
                place[arrival <= seen] = 0
            self._places[symbol] = place
            counts = np.bincount(place, minlength=len(queries) + 1)
            self._cuts[symbol] = np.cumsum(counts), None if is_sorted(place) else order_of(place)

    def of(self, place: int, count: int = 1) -> Stream:
        """What is first seen at a query time, or at several."""
        found = Stream()
        for symbol, events in self._stream.events.items():
            rows = self._rows(symbol, place, count)
            if rows is not None:
                found.events[symbol] = events.take(rows)
        for symbol, fluents in self._stream.fluents.items():
            rows = self._rows(symbol, place, count)
            if rows is not None:
                found.fluents[symbol] = fluents.take(rows)
        return found

    @cached_property
    def sizes(self) -> Ints:
        """How many rows are first seen at each query time."""
        count = len(self._queries)
        return sum((np.diff(cuts[: count + 1]) for cuts, _ in self._cuts.values()), np.zeros(count, np.int64))

    def _rows(self, symbol: Symbol, place: int, count: int) -> slice | Ints | None:
        cuts, order = self._cuts[symbol]
        first, last = cuts[place], cuts[place + count]
        if first == last:
            return None
        return slice(first, last) if order is None else order[first:last]
