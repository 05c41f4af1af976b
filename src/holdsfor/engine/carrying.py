"""Statically determined fluents across a border: what is settled stays, what goes on keeps its true start."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.frames import combined_keys
from holdsfor.engine.kernels import Ints, is_sorted, search, true_rows
from holdsfor.engine.state import Holding, Settled
from holdsfor.engine.tables import Intervals, merged


def carried_on(table: Intervals, held: Holding | None, settled: Settled | None, border: int) -> Intervals:
    """Intervals from the first unsettled time-point on, joined to what held right before it."""
    first = first_unsettled(table, settled, border)
    rows = true_rows(table.end > first)
    table, first = table.take(rows), first[rows]
    start = np.maximum(table.start, first)
    ended = None
    if held is not None:
        rows = true_rows(start == first)
        at = places([column[rows] for column in (*table.args, table.value)], [*held.args, held.value])
        start[rows[at >= 0]] = held.since[at[at >= 0]]
        is_over = np.ones(len(held.since), np.bool_)
        is_over[at[at >= 0]] = False
        ended = _ended(held, settled, true_rows(is_over), border)
    found = Intervals(table.args, table.value, start, table.end, table.single_valued)
    return found if ended is None or not len(ended) else merged(ended, found)


def _ended(held: Holding, settled: Settled | None, rows: Ints, border: int) -> Intervals:
    """What held right before the first unsettled time-point, and no longer."""
    args, value, since = tuple(column[rows] for column in held.args), held.value[rows], held.since[rows]
    over = Intervals(args, value, since, since, single_valued=False)
    return Intervals(args, value, since, first_unsettled(over, settled, border), single_valued=False)


def first_unsettled(table: Intervals, settled: Settled | None, border: int) -> Ints:
    """The first unsettled time-point of every row's instance."""
    first = np.full(len(table), border + 1)
    if settled is not None:
        at = places([*table.args, table.value], [*settled.args, settled.value])
        first[at >= 0] = settled.first[at[at >= 0]]
    return first


def holding_before(table: Intervals, first: Ints) -> Holding | None:
    """The instances that hold right before a time-point, and since when."""
    rows = true_rows((table.start < first) & (table.end >= first))
    if not len(rows):
        return None
    return Holding(tuple(column[rows] for column in table.args), table.value[rows], table.start[rows])


def places(mine: Sequence[Ints], theirs: Sequence[Ints]) -> Ints:
    """For every row its place among distinct others, or -1."""
    one, other = combined_keys(mine, theirs)
    if not len(other):
        return np.full(len(one), -1)
    order = None if is_sorted(other) else np.argsort(other)
    ordered = other if order is None else other[order]
    at = np.minimum(search(ordered, one, "left"), len(other) - 1)
    return np.where(ordered[at] == one, at if order is None else order[at], -1)
