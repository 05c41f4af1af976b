"""Several query times of a recorded stream in one go.

A small window costs more for what has to be called than for its rows. Where nothing comes late, and nothing that is said
of the past depends on what comes after it, the answer at a query time is that at a later one, cut: what begins after the
query time is not there yet, and what ends after it is still open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.compiler.plan import Plan
from holdsfor.engine.kernels import Ints, true_rows
from holdsfor.engine.retention import retention
from holdsfor.engine.run import Batches
from holdsfor.engine.step import Answer
from holdsfor.engine.tables import FOREVER, Intervals

MOST_ROWS = 1 << 17
"""Beyond that, an evaluation costs as much as its rows."""
MOST_QUERIES = 32
"""Every answer is cut out of all of them."""


def is_settled(plan: Plan) -> bool:
    """Whether what the rules say of a time-point depends on nothing after it, and is told no sooner."""
    kept = retention(plan)
    later = kept.whole, kept.parts, kept.derivable, kept.unsettled, kept.lists, kept.lag, kept.back
    return not any(later) and kept.room == (0, 0) and not plan.has_metric_rules


def how_many(batches: Batches, place: int) -> int:
    """How many query times from one on can be answered together."""
    rows = np.cumsum(batches.sizes[place : place + MOST_QUERIES])
    fits = batches.is_prompt[place : place + MOST_QUERIES] & (rows <= MOST_ROWS)
    return len(fits) if fits.all() else max(1, int(np.argmin(fits)))


def answers(last: Answer, broken: Ints, queries: Ints, previous: int, size: int) -> Iterator[Answer]:
    """The answers at query times, from the last of them. `broken` are the times of all conflicts after `previous`."""
    counts = np.diff(np.searchsorted(np.sort(broken), [previous, *queries.tolist()], side="right"))
    for query, conflicts in zip(queries.tolist(), counts.tolist(), strict=True):
        fluents = {symbol: _known(table, query, query - size) for symbol, table in last.fluents.items()}
        events = {symbol: table.between(query - size, query) for symbol, table in last.events.items()}
        yield Answer(query, fluents, events, conflicts)


def _known(table: Intervals, query: int, low: int) -> Intervals:
    """Intervals as they are known at a query time, of those that reach into its window."""
    found = table.take(true_rows((table.start <= query + 1) & (table.end > low + 1)))
    # The column is ours.
    np.putmask(found.end, found.end > query + 1, FOREVER)
    return found
