"""Facts of metric predicates as columns, on the doubled time-line.

Rational times are multiples of a tick, `1 / scale`; the point `t` is the even number `2 * t * scale`, and the gap after
it the odd number that follows. So every interval, open or closed at either end, is half-open over integers, and whatever
works on time-points works on rational time. An end of `FOREVER` and a start of `-FOREVER` are infinite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine import kernels
from holdsfor.engine.frames import row_keys
from holdsfor.engine.kernels import EMPTY, Bools, Ints, Spans, is_sorted
from holdsfor.engine.tables import FOREVER

Signature = tuple[str, int]
"""A predicate's name and arity."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of one predicate: a column of codes for each argument, and the interval of each row.

    *Maximal* facts are in order of their arguments and starts, and the intervals of the same arguments neither overlap
    nor touch.
    """

    args: tuple[Ints, ...]
    start: Ints
    end: Ints

    @property
    def rows(self) -> int:
        """The number of facts."""
        return len(self.start)

    def take(self, rows: Ints | Bools) -> Facts:
        """Some of the facts."""
        return Facts(tuple(column[rows] for column in self.args), self.start[rows], self.end[rows])

    def during(self, start: Ints, end: Ints) -> Facts:
        """The same arguments over other intervals; those that are empty disappear."""
        keep = start < end
        if keep.all():
            return Facts(self.args, start, end)
        return Facts(tuple(column[keep] for column in self.args), start[keep], end[keep])

    def clipped(self, low: int, high: int) -> Facts:
        """What lies in [low, high)."""
        if not self.rows or (self.start.min() >= low and self.end.max() <= high):
            return self
        return self.during(np.maximum(self.start, low), np.minimum(self.end, high))


@dataclass(frozen=True, slots=True)
class FactSet:
    """Facts of many predicates on a time-line of `scale` ticks to a unit of time."""

    scale: int
    tables: Mapping[Signature, Facts]


def no_facts(arity: int) -> Facts:
    """A table without rows."""
    return Facts((EMPTY,) * arity, EMPTY, EMPTY)


def stacked(tables: Sequence[Facts]) -> Facts:
    """Tables one below the other."""
    if len(tables) == 1:
        return tables[0]
    columns = zip(*(table.args for table in tables), strict=True)
    return Facts(
        tuple(np.concatenate(column) for column in columns),
        np.concatenate([table.start for table in tables]),
        np.concatenate([table.end for table in tables]),
    )


class Packing:
    """How arguments and a time become one integer that sorts as they do."""

    __slots__ = ("_base", "_bits", "_distinct", "_last", "_widths")

    def __init__(self, facts: Facts) -> None:
        self._base, last = _finite_bounds(facts)
        # Zero and the greatest number stand for what is infinite.
        self._bits = max(2, (last - self._base + 2).bit_length())
        self._last = (1 << self._bits) - 1
        self._widths = [max(1, int(column.max()).bit_length()) for column in facts.args] if facts.rows else []
        self._distinct: tuple[Ints, ...] | None = None

    @property
    def bits(self) -> int:
        """The width of the time."""
        return self._bits

    def pack(self, facts: Facts) -> Spans:
        """Starts and ends of the facts that the packing was made for, row by row."""
        group = self._groups(facts)
        group <<= self._bits
        return group | self._small(facts.start), group | self._small(facts.end)

    def _groups(self, facts: Facts) -> Ints:
        if not facts.args:
            return np.zeros(facts.rows, np.int64)
        if sum(self._widths) + self._bits > 62:
            _, first, number = np.unique(row_keys(facts.args), return_index=True, return_inverse=True)
            self._distinct = tuple(column[first] for column in facts.args)
            return number.astype(np.int64)
        group = facts.args[0].copy()
        for column, width in zip(facts.args[1:], self._widths[1:], strict=True):
            group <<= width
            group |= column
        return group

    def _small(self, times: Ints) -> Ints:
        small = times - (self._base - 1)
        np.maximum(small, 0, out=small)
        return np.minimum(small, self._last, out=small)

    def unpack(self, spans: Spans) -> Facts:
        """Facts of packed intervals."""
        starts, ends = spans
        group = starts >> self._bits
        return Facts(self._arguments(group), self._plain(starts), self._plain(ends))

    def _arguments(self, group: Ints) -> tuple[Ints, ...]:
        if self._distinct is not None:
            return tuple(column[group] for column in self._distinct)
        if len(self._widths) == 1:
            return (group,)
        columns = []
        for width in reversed(self._widths):
            columns.append(group & ((1 << width) - 1))
            group = group >> width
        return tuple(reversed(columns))

    def _plain(self, packed: Ints) -> Ints:
        times = packed & self._last
        infinite = times == self._last
        before = times == 0
        times += self._base - 1
        if infinite.any():
            times[infinite] = FOREVER
        if before.any():
            times[before] = -FOREVER
        return times


def _finite_bounds(facts: Facts) -> tuple[int, int]:
    if not facts.rows:
        return 0, 0
    start, end = facts.start, facts.end
    low, high = int(start.min()), int(end.max())
    if low <= -FOREVER:
        finite = start[start > -FOREVER]
        low = int(min(finite.min(initial=FOREVER), end.min()))
    if high >= FOREVER:
        finite = end[end < FOREVER]
        high = int(max(finite.max(initial=-FOREVER), start.max()))
    if low >= FOREVER or high <= -FOREVER:
        return 0, 0
    return min(low, high), max(low, high)


def maximal(tables: Sequence[Facts]) -> Facts:
    """Facts of one predicate joined where they overlap or touch."""
    tables = [table for table in tables if table.rows] or list(tables[:1])
    facts = stacked(tables)
    if facts.rows < 2:
        return facts
    packing = Packing(facts)
    starts, ends = packing.pack(facts)
    if len(tables) > 1 or not is_sorted(starts):
        starts.sort(kind="stable")
        ends.sort(kind="stable")
    elif not is_sorted(ends):
        ends.sort(kind="stable")
    return packing.unpack(kernels.union([(starts, ends)]))


def minus(facts: Facts, others: Facts) -> Facts:
    """Where facts hold and others do not; both maximal."""
    if not facts.rows or not others.rows:
        return facts
    packing = Packing(both := stacked([facts, others]))
    starts, ends = packing.pack(both)
    rows = facts.rows
    return packing.unpack(kernels.difference((starts[:rows], ends[:rows]), [(starts[rows:], ends[rows:])]))


def common(tables: Sequence[Facts]) -> Facts:
    """Where facts of all tables hold together, for the same arguments; all maximal."""
    if len(tables) == 1:
        return tables[0]
    if not all(table.rows for table in tables):
        return no_facts(len(tables[0].args))
    packing = Packing(together := stacked(tables))
    starts, ends = packing.pack(together)
    cuts = np.cumsum([table.rows for table in tables])[:-1]
    parts = zip(np.split(starts, cuts), np.split(ends, cuts), strict=True)
    return packing.unpack(kernels.intersection(list(parts)))


def covering(facts: Facts, pieces: Facts) -> Facts:
    """Those of maximal facts that have some piece inside them; every piece lies inside a fact."""
    if not pieces.rows:
        return no_facts(len(facts.args))
    packing = Packing(both := stacked([facts, pieces]))
    starts, _ = packing.pack(both)
    at = kernels.search(starts[: facts.rows], starts[facts.rows :], "right") - 1
    return facts.take(np.unique(at))
