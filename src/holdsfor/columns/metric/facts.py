"""Facts of metric predicates as columns, on the doubled time-line.

Rational times are multiples of a tick, `1 / scale`. The point `t` is the even number `2 * t * scale`, and the gap after
it is the next odd number. So every interval, open or closed at either end, is half-open over integers, and algorithms
for time-points work on rational time. An end of `FOREVER` and a start of `-FOREVER` are infinite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.columns import kernels
from holdsfor.columns.frames import row_keys
from holdsfor.columns.kernels import EMPTY, Bools, Ints, Spans
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.limits import FURTHEST

MOST_CELLS = 2 * FURTHEST + 1
"""Cells farther from 0 than this are not distinguished."""
BEYOND = int(FOREVER) - 2
"""Represents all finite times that lie farther away."""
Signature = tuple[str, int]
"""A predicate's name and arity."""


class Facts:
    """Facts of one predicate: a column of codes for each argument, and the interval of each row.

    *Maximal* facts are ordered by arguments and start, and intervals of the same arguments neither overlap nor touch.
    Tables are immutable.
    """

    __slots__ = ("_bounds", "args", "end", "is_maximal", "start")

    def __init__(self, args: tuple[Ints, ...], start: Ints, end: Ints, *, is_maximal: bool = False) -> None:
        self.args = args
        self.start = start
        self.end = end
        self.is_maximal = is_maximal or len(start) < 2
        self._bounds: tuple[int, int] | None = None

    @property
    def rows(self) -> int:
        """The number of facts."""
        return len(self.start)

    @property
    def bounds(self) -> tuple[int, int]:
        """The first start and the last end; an empty interval if there are no facts."""
        if self._bounds is None:
            self._bounds = (int(self.start.min()), int(self.end.max())) if len(self.start) else (0, 0)
        return self._bounds

    def take(self, rows: Ints | Bools) -> Facts:
        """A subset of the facts, in order."""
        args = tuple(column[rows] for column in self.args)
        return Facts(args, self.start[rows], self.end[rows], is_maximal=self.is_maximal)

    def during(self, start: Ints, end: Ints, *, is_maximal: bool = False) -> Facts:
        """The same arguments with other intervals; empty intervals are removed."""
        keep = start < end
        if np.logical_and.reduce(keep):
            return Facts(self.args, start, end, is_maximal=is_maximal)
        rows = np.flatnonzero(keep)
        return Facts(tuple(column[rows] for column in self.args), start[rows], end[rows], is_maximal=is_maximal)

    def clipped(self, low: int, high: int) -> Facts:
        """The parts within [low, high)."""
        low, high = max(low, -int(FOREVER)), min(high, int(FOREVER))
        first, last = self.bounds
        if first >= low and last <= high:
            return self
        if first >= high or last <= low:
            return no_facts(len(self.args))
        start = self.start if first >= low else np.maximum(self.start, low)
        end = self.end if last <= high else np.minimum(self.end, high)
        return self.during(start, end, is_maximal=self.is_maximal)


@dataclass(frozen=True, slots=True)
class Repeating:
    """Facts that repeat for ever, each with its period in cells. A negative period extends into the past."""

    facts: Facts
    period: Ints

    def during(self, low: int, high: int) -> Facts:
        """All repetitions in [low, high), which must be finite on the side to which they extend."""
        facts, period = self.facts, np.abs(self.period)
        is_past = self.period < 0
        # The number of repetitions of each fact, and the first and last time.
        first = np.where(is_past, -((facts.end - low + period - 1) // period), (low - facts.end) // period)
        last = np.where(is_past, (high - facts.start + period - 1) // period, (high - facts.start - 1) // period)
        first = np.where(is_past, first, np.maximum(first, 0))
        last = np.where(is_past, np.minimum(last, 0), last)
        count = np.maximum(last - first + 1, 0)
        rows = np.repeat(np.arange(facts.rows), count)
        turn = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count) + first[rows]
        moved = facts.take(rows)
        by = turn * period[rows]
        return maximal([Facts(moved.args, moved.start + by, moved.end + by).clipped(low, high)])

    def spelled_out(self, low: int, high: int) -> tuple[Facts, Repeating | None]:
        """All repetitions in [low, high) of facts that extend to a bounded side, and the other repeating facts."""
        is_limited = np.where(self.period < 0, low > -FOREVER, high < FOREVER)
        if not is_limited.any():
            return no_facts(len(self.facts.args)), self
        limited, others = np.flatnonzero(is_limited), np.flatnonzero(~is_limited)
        found = Repeating(self.facts.take(limited), self.period[limited]).during(low, high)
        return found, Repeating(self.facts.take(others), self.period[others]) if len(others) else None


@dataclass(frozen=True, slots=True)
class FactSet:
    """Facts of several predicates on a time-line with `scale` ticks per time unit."""

    scale: int
    tables: Mapping[Signature, Facts]
    dated: bool = False
    """Whether some of the times are timestamps or dates."""
    repeats: Mapping[Signature, Repeating] = field(default_factory=dict)
    """Facts that repeat for ever; the tables contain them once."""

    def during(self, low: int, high: int) -> FactSet:
        """All facts between two cells at any distance."""
        tables = {
            signature: maximal([table.clipped(low, high), self.repeats[signature].during(low, high)])
            if signature in self.repeats
            else table.clipped(low, high)
            for signature, table in self.tables.items()
        }
        return FactSet(self.scale, tables, dated=self.dated)


def no_facts(arity: int) -> Facts:
    """A table without rows."""
    return Facts((EMPTY,) * arity, EMPTY, EMPTY)


def stacked(tables: Sequence[Facts]) -> Facts:
    """The concatenation of tables."""
    if len(tables) == 1:
        return tables[0]
    columns = zip(*(table.args for table in tables), strict=True)
    return Facts(
        tuple(np.concatenate(column) for column in columns),
        np.concatenate([table.start for table in tables]),
        np.concatenate([table.end for table in tables]),
    )


_MOST_BITS = 62
"""The bits of a packed number that keep it positive, with one to spare."""


class Packing:
    """Packs arguments and a time into one integer with the same order."""

    __slots__ = ("_base", "_bits", "_distinct", "_is_finite", "_last", "_times", "_widths")

    def __init__(self, facts: Facts) -> None:
        first, last = facts.bounds
        self._is_finite = first > -FOREVER and last < FOREVER
        if not self._is_finite:
            first, last = _finite_bounds(facts)
        # Zero and the greatest number represent infinite times.
        self._base = first - 1
        self._bits = max(2, (last - first + 2).bit_length())
        self._last = (1 << self._bits) - 1
        self._widths = [int(np.maximum.reduce(column)).bit_length() for column in facts.args]
        self._distinct: tuple[Ints, ...] | None = None
        self._times: Ints | None = None

    def pack(self, facts: Facts) -> Spans:
        """The packed starts and ends of the facts for which the packing was created, row by row."""
        if not facts.args and self._bits <= _MOST_BITS:
            return self._small(facts.start), self._small(facts.end)
        group = self._groups(facts)
        if self._bits + int(np.maximum.reduce(group, initial=0)).bit_length() > _MOST_BITS:
            return self._ranked(group, facts)
        group = group << self._bits
        return group | self._small(facts.start), group | self._small(facts.end)

    def _ranked(self, group: Ints, facts: Facts) -> Spans:
        """Replaces times by their ranks if their range leaves no bits for the arguments."""
        self._times, number = np.unique(np.concatenate((facts.start, facts.end)), return_inverse=True)
        self._bits = max(1, (len(self._times) - 1).bit_length())
        self._last = (1 << self._bits) - 1
        group = group << self._bits
        return group | number[: facts.rows], group | number[facts.rows :]

    def _groups(self, facts: Facts) -> Ints:
        if not facts.args:
            return np.zeros(facts.rows, np.int64)
        if sum(self._widths) + self._bits > _MOST_BITS:
            _, first, number = np.unique(row_keys(facts.args), return_index=True, return_inverse=True)
            self._distinct = tuple(column[first] for column in facts.args)
            return number.astype(np.int64)
        group = facts.args[0]
        for column, width in zip(facts.args[1:], self._widths[1:], strict=True):
            group = group << width
            group |= column
        return group

    def _small(self, times: Ints) -> Ints:
        small = times - self._base
        if self._is_finite:
            return small
        np.maximum(small, 0, out=small)
        return np.minimum(small, self._last, out=small)

    def unpack(self, spans: Spans) -> Facts:
        """Maximal facts of packed intervals."""
        starts, ends = spans
        args = self._arguments(starts >> self._bits)
        return Facts(args, self._plain(starts), self._plain(ends), is_maximal=True)

    def _arguments(self, group: Ints) -> tuple[Ints, ...]:
        if self._distinct is not None:
            return tuple(column[group] for column in self._distinct)
        if len(self._widths) < 2:
            return (group,) * len(self._widths)
        columns = []
        for width in reversed(self._widths):
            columns.append(group & ((1 << width) - 1))
            group = group >> width
        return tuple(reversed(columns))

    def _plain(self, packed: Ints) -> Ints:
        small = packed & self._last
        if self._times is not None:
            ranked: Ints = self._times[small]
            return ranked
        times = small + self._base
        if not self._is_finite:
            np.putmask(times, small == self._last, FOREVER)
            np.putmask(times, small == 0, -FOREVER)
        return times


def _finite_bounds(facts: Facts) -> tuple[int, int]:
    """The least and greatest finite time."""
    times = np.concatenate((facts.start, facts.end))
    times = times[np.abs(times) < FOREVER]
    return (int(times.min()), int(times.max())) if len(times) else (0, 0)


def maximal(tables: Sequence[Facts]) -> Facts:
    """Maximal facts of one predicate: overlapping or touching intervals are joined."""
    filled = [table for table in tables if len(table.start)]
    if len(filled) < 2:
        facts = filled[0] if filled else tables[0]
        if facts.is_maximal:
            return facts
    else:
        facts = stacked(filled)
    packing = Packing(facts)
    starts, ends = packing.pack(facts)
    starts.sort(kind="stable")
    ends.sort(kind="stable")
    return packing.unpack(kernels.union([(starts, ends)]))


def minus(facts: Facts, others: Facts) -> Facts:
    """The difference of facts; both must be maximal."""
    if not facts.rows or not others.rows:
        return facts
    packing = Packing(both := stacked([facts, others]))
    starts, ends = packing.pack(both)
    rows = facts.rows
    return packing.unpack(kernels.difference((starts[:rows], ends[:rows]), [(starts[rows:], ends[rows:])]))
