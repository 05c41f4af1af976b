"""Windows that overlap, and events that come late: one engine that goes on, against one from scratch at every query time.

Both take turns at every query time. An engine from scratch gets the rows of the window alone; what held before it is not
known to it, so that it has somewhat less to do.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
from benchmarks.suite.data.late_streams import Setting, late_stream, rules

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import Stream
from holdsfor.core.engine import Engine
from holdsfor.core.rows import FluentRows, Rows
from holdsfor.core.vocabulary import Vocabulary

TIMED = 8
"""So many query times are timed, once the longest window is full."""


@dataclass
class Cell:
    """Times of one window size and share of delayed events, in ms by query time: from scratch, and only what changed."""

    delayed: int
    size: int
    taken: list[tuple[float, float]]

    def least(self) -> tuple[float, float]:
        """The least of each."""
        scratch, changed = (min(column) for column in zip(*self.taken, strict=True))
        return scratch, changed

    def mean_ratio(self) -> float:
        """From scratch to what changed, on average."""
        scratch, changed = (sum(column) for column in zip(*self.taken, strict=True))
        return scratch / changed


def measured(setting: Setting, delayed: int, size: int, timed: int = TIMED) -> Cell:
    """Both ways in turn at every query time."""
    plan, dictionary, steps = loads(rules(setting)).plan, Dictionary(), max(setting.sizes) + timed
    stream = late_stream(dictionary, setting, steps, delayed / 100)
    window = size * setting.step
    going_on = Engine(plan, window, threads=1)
    rows = _rows(going_on, stream, dictionary)
    found = Cell(delayed, size, [])
    for number in range(1, steps + 1):
        query = number * setting.step
        new = [_between(one, arrival, query - setting.step, query) for one, arrival in rows]
        changed = _clocked(partial(_feed, going_on, new, query))
        if number <= max(setting.sizes):
            continue
        # From scratch, the window has what lies inside it and came in time.
        fresh = Engine(plan, window, threads=1)
        again = _rows(fresh, stream, dictionary)
        seen = [_inside(one, arrival, query - window, query, setting.step) for one, arrival in again]
        found.taken.append((_clocked(partial(_feed, fresh, seen, query)), changed))
    return found


def _rows(engine: Engine, stream: Stream, dictionary: Dictionary) -> list[tuple[Rows, Ints]]:
    vocabulary = Vocabulary(dictionary, engine.words)
    found = [(engine.rows(symbol, columns, vocabulary), columns.arrival) for symbol, columns in stream.tables()]
    return [(rows, arrival) for rows, arrival in found if rows is not None]


def _between(rows: Rows, arrival: Ints, after: int, until: int) -> Rows:
    return rows.take(np.flatnonzero((arrival > after) & (arrival <= until)))


def _inside(rows: Rows, arrival: Ints, low: int, query: int, step: int) -> Rows:
    """What counts at a query time and lies inside its window."""
    if isinstance(rows, FluentRows):
        return rows.take(np.flatnonzero((arrival <= query) & (rows.end > low + 1)))
    loaded = -(-arrival // step) * step
    return rows.take(np.flatnonzero((arrival <= query) & (rows.time > low) & (rows.time > loaded - (query - low))))


def _feed(engine: Engine, rows: list[Rows], query: int) -> None:
    for one in rows:
        engine.push(one)
    engine.advance(query)


def _clocked(work: partial[None]) -> float:
    used = time.process_time()
    work()
    return 1e3 * (time.process_time() - used)
