"""Query times at which nothing is due: nothing has come in for them, and nothing goes on from before.

What comes in matters until no window sees it any more and all delayed effects have come about. From then on every query
time answers what the one before it did, until something comes in again: those in between are not asked. So one row with a
time far from the others costs no more than any other row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from holdsfor.compiler.plan import Plan
from holdsfor.engine.kernels import Ints
from holdsfor.engine.retention import retention
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.deadlines import fixed_delays
from holdsfor.spark.job import _compiled
from holdsfor.spark.streaming.clock import Windows

Spans: TypeAlias = list[tuple[int, int]]
"""Stretches of time in which something comes in, begins or ends: first and last time-point of each, in order."""

FEW = 64
"""So many query times are asked without a look at what is due."""
_MOST_SPANS = 500


def spans_of(times: Ints, gap: int) -> Spans:
    """Stretches that cover all of some times, with more than `gap` between them.

    >>> spans_of(np.array([5, 900, 7, 14]), 10)
    [(5, 14), (900, 900)]
    """
    if not len(times):
        return []
    times = np.unique(times)
    while True:
        cuts = np.flatnonzero(np.diff(times) > gap)
        if len(cuts) < _MOST_SPANS:
            break
        gap *= 4
    first = times[np.concatenate(([0], cuts + 1))]
    last = times[np.concatenate((cuts, [len(times) - 1]))]
    return list(zip(first.tolist(), last.tolist(), strict=True))


def joined(spans: Iterable[Sequence[int]], gap: int) -> Spans:
    """Stretches of several buckets and batches as one list."""
    found: Spans = []
    for first, last in sorted((int(first), int(last)) for first, last in spans):
        if found and first - found[-1][1] <= gap:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return found


def asked(due: range, spans: Spans, quiet: int | None) -> tuple[range, ...]:
    """The query times to ask of those that are due: `quiet` after a stretch nothing goes on. The last is always asked.

    >>> asked(range(10, 10_001, 10), [(3, 3), (5_000, 5_000)], 20)
    (range(10, 24, 10), range(5000, 5021, 10), range(10000, 10001, 10))
    """
    if quiet is None or len(due) <= FEW:
        return (due,)
    step, found = due.step, []
    before = due.start - step
    for first, last in joined([(before, before), *spans, (due[-1], due[-1])], quiet + step):
        begin = max(due.start, due.start - (due.start - first) // step * step)
        end = min(due[-1], last + quiet)
        if begin <= end:
            found.append(range(begin, end + 1, step))
    return tuple(found)


def quiet_time(plan: Plan, windows: Windows) -> int | None:
    """How long after the last that comes in nothing goes on any more; None if that cannot be told from the rules.

    Time alone may make a difference to metric rules and to fluents whose past is not settled, and delays that go round
    in a circle never end.
    """
    kept, graph = retention(plan), plan.analysis.graph
    delays = fixed_delays(plan.strata)
    if plan.has_metric_rules or kept.unsettled or kept.derivable or delays is None or kept.back >= FOREVER:
        return None
    if delays and graph.is_cyclic(graph.vertices):
        return None
    per_edge = [rule.delay for rule in graph.f_edges.values()]
    waiting = sum(delays) + sum(getattr(delay, "value", 0) for delay in per_edge)
    far = max((*kept.reach.values(), *kept.lists.values(), *kept.lag.values(), kept.back, 0))
    if far >= FOREVER:
        return None
    return 2 * windows.size + windows.step + waiting + far + sum(kept.room)


@lru_cache(maxsize=8)
def quiet_time_of(program: bytes, windows: Windows) -> int | None:
    """The same of a program as workers are told of it."""
    return quiet_time(_compiled(program), windows)
