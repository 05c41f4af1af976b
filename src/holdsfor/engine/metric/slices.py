"""Recursion that runs through time, slice by slice: each slice sees only what still matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdsfor.compiler.metric.rules import Relation
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.facts import Facts, maximal, minus, no_facts, stacked
from holdsfor.engine.metric.operators import by, moved
from holdsfor.engine.metric.stratum import Carried, NeverEnds, Stratum
from holdsfor.engine.tables import FOREVER

_MOST_SLICES = 200_000
"""After so many slices without a new fact from outside, and without a period, we give up."""


class Feeder:
    """A table handed out slice by slice, in order of time."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts.take(np.argsort(facts.start, kind="stable"))
        self._next = 0
        self._active = no_facts(len(facts.args))
        finite = [int(column[np.abs(column) < FOREVER].max(initial=-FOREVER)) for column in (facts.start, facts.end)]
        self.last_change = max(finite)

    @property
    def next_start(self) -> int:
        """Where the next fact begins that was not handed out yet."""
        return int(self._facts.start[self._next]) if self._next < self._facts.rows else int(FOREVER)

    def fresh(self, high: int) -> Facts:
        """The facts that begin before `high` and were not handed out yet."""
        stop = int(np.searchsorted(self._facts.start, high))
        rows = slice(self._next, stop)
        self._next = stop
        return Facts(tuple(column[rows] for column in self._facts.args), self._facts.start[rows], self._facts.end[rows])

    def during(self, low: int, high: int) -> Facts:
        """What holds in a slice; slices follow each other."""
        active = stacked([self._active, self.fresh(high)])
        self._active = active.take(active.end > low)
        return maximal([self._active.clipped(low, high)])


@dataclass(frozen=True)
class Through:
    """How far, and by how much at a time."""

    stride: int
    limit: int


def run_slices(
    stratum: Stratum, seeds: Mapping[Relation, Facts], given: Mapping[Relation, Facts], through: Through
) -> dict[Relation, Facts]:
    """All that follows from seeds, up to a limit."""
    feeds = {relation: Feeder(facts) for relation, facts in seeds.items()}
    inputs = {relation: Feeder(facts) for relation, facts in given.items()}
    last_change = max((feed.last_change for feed in (*feeds.values(), *inputs.values())), default=-int(FOREVER))
    found: dict[Relation, list[Facts]] = {relation: [] for relation in stratum.relations}
    carried, seen = Carried(), _Seen()
    high = -int(FOREVER)
    while (low := _next_start(stratum, carried, feeds, high)) < through.limit:
        high = min(_slice_end(low, through.stride, last_change), through.limit)
        tables = {relation: feed.during(low, high) for relation, feed in inputs.items()}
        for relation, feed in feeds.items():
            tables[relation] = maximal([feed.fresh(high)])
        now, carried = stratum.advance(tables, carried, (low, high))
        for relation, facts in now.items():
            found[relation].append(facts)
        if through.limit >= FOREVER and high > last_change and (since := seen.last(carried, high)) is not None:
            raise _never_ends(found, since, high)
    return {relation: maximal(tables) if tables else no_facts(relation.arity) for relation, tables in found.items()}


def _next_start(stratum: Stratum, carried: Carried, feeds: Mapping[Relation, Feeder], reached: int) -> int:
    """Where something may happen next."""
    if stratum.has_since and (carried.armed or carried.going_on):
        # Whether the left side of a `Since` goes on is not ours to know: another stratum may have derived it.
        return reached
    starts = [int(table.start.min()) for table in carried.ahead.values()]
    return max(reached, min([*starts, *(feed.next_start for feed in feeds.values())], default=int(FOREVER)))


def _slice_end(low: int, stride: int, last_change: int) -> int:
    """Slices end with a point. One that begins before all time ends before anything changes, or with what never does."""
    if low <= -FOREVER:
        return (min(last_change, 0) | 1) if last_change > -FOREVER else 1
    return ((low >> 1) + stride) * 2 + 1


def _never_ends(found: Mapping[Relation, list[Facts]], since: int, high: int) -> NeverEnds:
    """What repeats, with the shortest period that the facts found so far show, in ticks."""
    tables = [maximal(parts).clipped(since, high) for parts in found.values() if parts]
    whole = (high - since) >> 1
    period = min(ticks for ticks in range(1, whole + 1) if whole % ticks == 0 and _repeats(tables, ticks, since, high))
    return NeverEnds(Fraction(since >> 1), Fraction(period))


def _repeats(tables: Sequence[Facts], ticks: int, since: int, high: int) -> bool:
    for facts in tables:
        later, same = moved(facts, by(ticks)).clipped(since + 2 * ticks, high), facts.clipped(since + 2 * ticks, high)
        if minus(later, same).rows or minus(same, later).rows:
            return False
    return True


class _Seen:
    """States that were seen, to find out that one has come back."""

    def __init__(self) -> None:
        self._at: dict[tuple[object, ...], int] = {}

    def last(self, carried: Carried, high: int) -> int | None:
        """Where this state was before; what followed then will follow again."""
        state = tuple(
            (str(name), *(column.tobytes() for column in (*facts.args, _ago(facts.start, high), _ago(facts.end, high))))
            for group in (carried.ahead, carried.going_on, carried.armed)
            for name, facts in sorted(group.items(), key=lambda item: str(item[0]))
        )
        if not state:
            return None
        before = self._at.setdefault(state, high)
        if len(self._at) > _MOST_SLICES:
            raise NeverEnds(Fraction(min(self._at.values()) >> 1))
        return None if before == high else before


def _ago(times: Ints, high: int) -> Ints:
    return np.where(np.abs(times) >= FOREVER, times, times - high)
