"""Windows that overlap, and events that come late: one engine that goes on, against one from scratch at every query time.

`python -m benchmarks.engines.overlaps voyages|uniform|fleet [--quick]` prints figures as JSON. Answers are compared.
"""

from __future__ import annotations

import json
import sys
import time
from functools import partial

import numpy as np
from benchmarks.suite.data.late_streams import SETTINGS, Setting, late_stream, rules

from holdsfor import loads
from holdsfor.core.engine import Engine, FluentRows, Rows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.stream import Stream

DELAYED = 0.05
TIMED = 6


def figures(kind: str, quick: bool) -> dict[str, float]:
    """Milliseconds of a query time by the number of steps in a window, and what follows from them."""
    setting = SETTINGS[kind](1_000, 300) if quick else SETTINGS[kind]()
    found: dict[str, float] = {}
    sizes = (1, setting.sizes[-1])
    for size in sizes:
        changed, scratch = _measured(setting, size)
        found |= {
            f"changed_{size}_ms": changed,
            f"scratch_{size}_ms": scratch,
            f"times_scratch_{size}": scratch / changed,
        }
    first, last = sizes
    return found | {"growth": found[f"changed_{last}_ms"] / found[f"changed_{first}_ms"]}


def _measured(setting: Setting, size: int) -> tuple[float, float]:
    """The least time of a query time: by what changed, and from scratch."""
    plan, dictionary = loads(rules(setting)).plan, Dictionary()
    steps = max(setting.sizes) + TIMED
    stream = late_stream(dictionary, setting, steps, DELAYED)
    window = size * setting.step
    going_on = Engine(plan, window, threads=1)
    rows = _rows(going_on, stream, dictionary)
    changed, scratch = [], []
    for number in range(1, steps + 1):
        query = number * setting.step
        new = [_between(one, arrival, query - setting.step, query) for one, arrival in rows]
        taken = _clocked(partial(_feed, going_on, new, query))
        if number <= max(setting.sizes):
            continue
        changed.append(taken)
        # From scratch, the window has what lies inside it and came in time.
        fresh = Engine(plan, window, threads=1)
        again = _rows(fresh, stream, dictionary)
        seen = [_inside(one, arrival, query - window, query, setting.step) for one, arrival in again]
        scratch.append(_clocked(partial(_feed, fresh, seen, query)))
    return 1e3 * min(changed), 1e3 * min(scratch)


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
    return time.process_time() - used


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1], "--quick" in sys.argv)))
