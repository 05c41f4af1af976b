"""An evaluation in which every key begins at another time-point: before it, nothing but the state there is known of it."""

from __future__ import annotations

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.carrying import places
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.kernels import Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Border
from holdsfor.engine.tables import FOREVER, Intervals, Points, merged
from holdsfor.incremental.entries import Begins
from holdsfor.incremental.slots import Slots
from holdsfor.ir import Edge

Spreadings = dict[Symbol, tuple[int, ...]]
"""The arguments of every symbol that are its key."""


class Stretch(Evaluation):
    """An evaluation of keys from when they begin; those of `moment` are about all of them."""

    def __init__(
        self,
        prepared: Prepared,
        moment: Moment,
        inputs: Inputs,
        border: Border,
        *,
        begins: Begins,
        slots: Slots,
        spreading: Spreadings,
    ) -> None:
        super().__init__(prepared, moment, inputs, border)
        self._begins, self._slots, self._spreading = begins, slots, spreading
        self.broken: list[tuple[Symbol, tuple[Ints, ...]]] = []
        """Initiations that were broken at their own time-point: arguments and times."""
        self.held: dict[Symbol, Intervals] = {}
        """What states are made of: intervals whether they are reported or not."""

    def begins(self, symbol: Symbol, args: tuple[Ints, ...], rows: int) -> Ints:
        """When the keys of rows begin."""
        return self._begins.of(self._slots.of(args, self._spreading[symbol], rows))

    def add_conflicts(self, times: Ints, symbol: Symbol | None = None, args: tuple[Ints, ...] = ()) -> None:
        """Keep initiations that were broken at their own time-point."""
        if symbol is not None and len(times):
            self.broken.append((symbol, (*args, times)))

    def boundaries(self, symbol: Symbol, edge: Edge) -> Points:
        """Where intervals start or end after their keys begin."""
        found = super().boundaries(symbol, edge)
        return found.take(np.flatnonzero(found.time >= self.begins(symbol, found.args, len(found.time))))

    def carried(self, symbol: Symbol, table: Intervals) -> Intervals:
        """Intervals from where keys begin on, joined to what held right before."""
        first = self._first(symbol, table.args, len(table))
        rows = np.flatnonzero(table.end > first)
        table, first = table.take(rows), first[rows]
        start = np.maximum(table.start, first)
        held = self.border.holding.get(symbol)
        if held is None:
            return Intervals(table.args, table.value, start, table.end, table.single_valued)
        rows = np.flatnonzero(start == first)
        at = places([column[rows] for column in (*table.args, table.value)], [*held.args, held.value])
        start[rows[at >= 0]] = held.since[at[at >= 0]]
        is_over = np.ones(len(held.since), np.bool_)
        is_over[at[at >= 0]] = False
        joined = Intervals(table.args, table.value, start, table.end, table.single_valued)
        over = np.flatnonzero(is_over)
        if not len(over):
            return joined
        args = tuple(column[over] for column in held.args)
        end = self._first(symbol, args, len(over))
        return merged(Intervals(args, held.value[over], held.since[over], end, single_valued=False), joined)

    def _hold(self, symbol: Symbol, table: Intervals, first: Ints) -> None:
        super()._hold(symbol, table, first)
        self.held[symbol] = table

    def _first(self, symbol: Symbol, args: tuple[Ints, ...], rows: int) -> Ints:
        """The first time-point that is worked out; before time began nothing is known to have held."""
        begins = self.begins(symbol, args, rows)
        return np.where(begins <= self.moment.origin, -FOREVER, begins)

    def is_new(self, symbol: Symbol, args: tuple[Ints, ...], end: Ints) -> Ints:
        """The rows of a table that say something of the time after their keys begin."""
        return np.flatnonzero(end > self._first(symbol, args, len(end)))
