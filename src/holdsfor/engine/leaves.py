"""The rows of interval tables that literals match, found once in an evaluation however many rules ask for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeAlias

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.asked import ROW, AskedPair
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.frames import Codes, Column, Frame, Numbers, distinct
from holdsfor.engine.kernels import Ints
from holdsfor.engine.tables import Intervals

_Key: TypeAlias = tuple[Symbol, Hashable]


class Leaves:
    """Matched rows, by what is matched: literals that differ in the names of their variables alone share them."""

    def __init__(self, intervals: Callable[[Symbol], Intervals], dictionary: Dictionary) -> None:
        self._intervals = intervals
        self._dictionary = dictionary
        self._rows: dict[_Key, tuple[Intervals, Ints | None]] = {}
        self._frames: dict[_Key, tuple[Intervals, Frame]] = {}
        self._instances: dict[_Key, tuple[Intervals, Frame]] = {}

    def rows_with(self, asked: AskedPair) -> Ints | None:
        """The rows that have the constants of a literal; None is all."""
        if not asked.fixed.selects:
            return None
        table, key = self._intervals(asked.symbol), (asked.symbol, asked.fixed.shape)
        known = self._rows.get(key)
        if known is None or known[0] is not table:
            found = asked.fixed.match(_columns(table), len(table), self._dictionary)
            row = found.columns[ROW]
            assert isinstance(row, Numbers)
            known = self._rows[key] = table, None if found.rows == len(table) else row.data
        return known[1]

    def frame(self, asked: AskedPair) -> Frame:
        """The rows that match a literal: its variables, and the numbers of the rows."""
        table, key = self._intervals(asked.symbol), (asked.symbol, asked.pattern.shape)
        known = self._frames.get(key)
        if known is None or known[0] is not table:
            found = asked.pattern.match(_columns(table), len(table), self._dictionary)
            known = self._frames[key] = table, found
        return _renamed(known[1], asked.pattern.names)

    def instances(self, asked: AskedPair) -> Frame:
        """The distinct bindings of a literal's variables."""
        table, key = self._intervals(asked.symbol), (asked.symbol, asked.pattern.shape)
        known = self._instances.get(key)
        if known is None or known[0] is not table:
            found = self.frame(asked)
            columns = {name: column for name, column in found.columns.items() if name != ROW}
            known = self._instances[key] = table, distinct(Frame(found.rows, columns))
        return _renamed(known[1], asked.pattern.names)


def _columns(table: Intervals) -> list[Column]:
    columns: list[Column] = [Codes(column) for column in table.args]
    columns += (Codes(table.value), Numbers(np.arange(len(table))))
    return columns


def _renamed(frame: Frame, names: tuple[str, ...]) -> Frame:
    """A frame with other names for its columns, in the order they have; there may be one name more."""
    return Frame(frame.rows, dict(zip(names, frame.columns.values(), strict=False)))
