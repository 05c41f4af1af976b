"""Prepares a recorded stream for the core, in the order in which query times first see its rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.columns.frames import order_of
from holdsfor.columns.kernels import Ints, is_sorted
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.engine import Engine
from holdsfor.core.rows import Rows


class Feed:
    """Pushes the rows first seen at each query time; without windows, there is only one."""

    def __init__(self, engine: Engine, tables: Iterable[tuple[Rows, Ints]], windows: WindowPlan | None) -> None:
        """`tables` are rows with their arrivals."""
        self._engine = engine
        self._tables: list[tuple[Rows, Ints]] = []
        """Rows ordered by query time, with the end of each query time's rows."""
        queries = None if windows is None else windows.query_times
        self._last = 0 if queries is None else len(queries) - 1
        for rows, arrival in tables:
            if windows is None or queries is None:
                self._tables.append((rows, np.array([0, len(rows)])))
                continue
            # Rows that are never seen come last, and are never pushed.
            place = np.searchsorted(queries, windows.loaded_at(arrival))
            in_order = rows if is_sorted(place) else rows.take(order_of(place))
            ends = np.cumsum(np.bincount(place, minlength=len(queries) + 1))
            self._tables.append((in_order, np.concatenate(([0], ends[:-1]))))

    def push(self, place: int) -> None:
        """Pushes the rows first seen at a query time, by its index."""
        tables = self._tables
        if place == self._last:
            # The core keeps them as long as it needs them.
            self._tables = []
        for rows, ends in tables:
            first, last = int(ends[place]), int(ends[place + 1])
            if last > first:
                is_all = last - first == len(rows)
                self._engine.push(rows if is_all else rows.take(slice(first, last)))
