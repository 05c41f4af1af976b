"""Answers put together from panes: their columns are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import width
from holdsfor.engine.frames import Codes, Column, row_keys
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.tables import Events, Intervals
from holdsfor.incremental.sections import Section


class Whole(Protocol):
    """All that was worked out of a stage."""

    def told(self, section: Section) -> Sequence[Ints] | None:
        """The columns of a table; None if there is nothing in it."""


class Assembled(Intervals):
    """The intervals of a fluent that end after a window begins, from those of its panes."""

    def __init__(self, whole: Whole, symbol: Symbol, low: int, *, single_valued: bool) -> None:
        self.__dict__.update(_whole=whole, _symbol=symbol, _low=low, single_valued=single_valued)
        self.__dict__["_arity"] = width(symbol)

    _whole: Whole
    _symbol: Symbol
    _arity: int
    _low: int

    @cached_property
    def _columns(self) -> tuple[Ints, ...]:
        """Arguments, value, start and end, in order."""
        found = self._whole.told(Section("table", self._symbol))
        if found is None:
            return (EMPTY,) * (self._arity + 3)
        rows = np.flatnonzero(found[self._arity + 2] > self._low + 1)
        *args, value, start, end = (column[rows] for column in found[: self._arity + 3])
        # Every pane comes in order: merging such runs is far faster than sorting.
        order = np.argsort(row_keys([*args, start] if self.single_valued else [*args, value, start]), kind="stable")
        return tuple(column[order] for column in (*args, value, start, end))

    @cached_property
    def args(self) -> tuple[Ints, ...]:
        """A column per argument."""
        return self._columns[: self._arity]

    @cached_property
    def value(self) -> Ints:
        """The values."""
        return self._columns[self._arity]

    @cached_property
    def start(self) -> Ints:
        """Where they start."""
        return self._columns[self._arity + 1]

    @cached_property
    def end(self) -> Ints:
        """Where they end."""
        return self._columns[self._arity + 2]


class AssembledEvents(Events):
    """The occurrences of a derived event inside a window, from those of its panes."""

    def __init__(self, whole: Whole, symbol: Symbol, low: int, now: int) -> None:
        self.__dict__.update(_whole=whole, _symbol=symbol, _arity=width(symbol), _span=(low, now))

    _whole: Whole
    _symbol: Symbol
    _arity: int
    _span: tuple[int, int]

    @cached_property
    def _columns(self) -> tuple[Ints, ...]:
        found = self._whole.told(Section("happened", self._symbol))
        if found is None:
            return (EMPTY,) * (self._arity + 1)
        low, now = self._span
        *args, time = found[: self._arity + 1]
        rows = np.flatnonzero((time > low) & (time <= now))
        rows = rows[np.lexsort((time[rows], *(column[rows] for column in reversed(args))))]
        return tuple(column[rows] for column in (*args, time))

    @cached_property
    def args(self) -> tuple[Column, ...]:
        """A column per argument."""
        return tuple(map(Codes, self._columns[: self._arity]))

    @cached_property
    def time(self) -> Ints:
        """The times."""
        return self._columns[-1]
