"""What one stage reads of another: which rows have changed, and which values keys ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from holdsfor.engine.evaluation import Inputs, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.chunks import Table
from holdsfor.incremental.parts import fingerprints
from holdsfor.incremental.sections import Columns, Section

Keyed = tuple[Ints, Table]
"""The keys of rows, and their columns."""


class Values:
    """A set of codes."""

    def __init__(self, columns: Iterable[Ints]) -> None:
        self._codes = np.concatenate([EMPTY, *columns])
        self._is_there = np.zeros(int(self._codes.max(initial=0)) + 2, np.bool_)
        self._is_there[self._codes] = True

    @classmethod
    def of(cls, inputs: Inputs, state: Iterable[Columns]) -> Values:
        """All arguments in the input and the state of some keys."""
        columns = [column for table in inputs.intervals.values() for column in table.args]
        columns += [c.data for events in inputs.events.values() for c in events.args if isinstance(c, Codes)]
        columns += [column for _, symbol, table, _ in state for column in table[: width(symbol)]]
        return cls(columns)

    def has(self, codes: Ints) -> Bools:
        """Which codes are in the set."""
        last = len(self._is_there) - 1
        return self._is_there[np.minimum(codes, last)] if int(codes.max(initial=0)) > last else self._is_there[codes]


def changed_rows(section: Section, tables: Sequence[Keyed], keys: int, previous: int) -> Iterator[Keyed]:
    """Of rows that went and rows that came, those of keys for which they are not the same, and those that tell of the time
    since the last query whether they are or not: what is known of the time ahead makes a difference when that time comes.
    """
    if not any(len(slots) for slots, _ in tables):
        return
    weight = np.zeros(keys, np.int64)
    for sign, (slots, columns) in zip((-1, 1), tables, strict=True):
        np.add.at(weight, slots, sign * fingerprints(columns, 0))
    is_changed = weight != 0
    for slots, columns in tables:
        rows = np.flatnonzero(is_changed[slots] | _is_recent(section, columns, previous))
        if len(rows):
            yield slots[rows], tuple(column[rows] for column in columns)


def _is_recent(section: Section, table: Table, previous: int) -> Bools:
    if section.kind != "table":
        return np.asarray(table[-1] >= previous)
    start, end = table[-2:]
    return (start >= previous) | ((end >= previous) & (end < FOREVER))
