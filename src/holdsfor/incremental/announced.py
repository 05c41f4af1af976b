"""Events that are known before their time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.inputs import stacked_events
from holdsfor.engine.state import Border
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.tables import Events


class Announced:
    """Occurrences ahead of the last query time."""

    def __init__(self) -> None:
        self._waiting: dict[Symbol, EventColumns] = {}

    def and_those(self, arrived: Stream, low: int) -> Iterator[tuple[Symbol, EventColumns]]:
        """What was announced and what arrived, as far as it is in the window that begins after a time-point.

        What was announced may have come and gone between two windows.
        """
        waiting, self._waiting = self._waiting, {}
        for symbol in dict.fromkeys((*waiting, *arrived.events)):
            for events in (waiting.get(symbol), arrived.events.get(symbol)):
                if events is not None:
                    in_time = events.time > low
                    yield symbol, events if in_time.all() else events.take(np.flatnonzero(in_time))

    def without_those_ahead(self, symbol: Symbol, events: EventColumns, now: int) -> EventColumns:
        """The occurrences up to a query time; others have to wait."""
        ahead = events.time > now
        if not ahead.any():
            return events
        waiting, there = events.take(np.flatnonzero(ahead)), self._waiting.get(symbol)
        self._waiting[symbol] = waiting if there is None else _both(there, waiting)
        return events.take(np.flatnonzero(~ahead))

    def add_to(self, border: Border, dictionary: Dictionary) -> None:
        """Keep what waits in a state."""
        for symbol, ahead in self._waiting.items():
            waiting, there = Events(ahead.columns, ahead.time), border.events.get(symbol)
            border.events[symbol] = waiting if there is None else stacked_events([there, waiting], dictionary)


def _both(one: EventColumns, other: EventColumns) -> EventColumns:
    args = tuple(np.concatenate(pair) for pair in zip(one.args, other.args, strict=True))
    return EventColumns(args, np.concatenate((one.time, other.time)), np.concatenate((one.arrival, other.arrival)))
