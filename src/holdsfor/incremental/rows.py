"""Small questions about columns of rows: which keys read them, what is in them, whether they are in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Inputs, width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, row_keys
from holdsfor.engine.kernels import EMPTY, Bools, Ints, is_sorted
from holdsfor.engine.tables import Events, Intervals
from holdsfor.incremental.keys import keys_of
from holdsfor.incremental.parts import Keys, Part, in_order
from holdsfor.incremental.sections import Columns


def is_read(part: Part, spreading: Sequence[Sequence[int]], keys: Keys) -> Bools:
    """Which rows some keys read."""
    chosen = np.zeros(len(part), np.bool_)
    for places in spreading:
        chosen |= keys.has(keys_of(part.columns, places, len(part)))
    return chosen


def values_in(inputs: Inputs, state: Iterable[Columns]) -> Keys:
    """All arguments in the input and the state of some keys."""
    columns = [column for table in inputs.intervals.values() for column in table.args]
    columns += [column.data for events in inputs.events.values() for column in events.args if isinstance(column, Codes)]
    columns += [column for _, symbol, table, _ in state for column in table[: width(symbol)]]
    return Keys(in_order(np.concatenate([EMPTY, *columns])))


def is_ordered(columns: Sequence[Ints]) -> bool:
    """Whether rows are in order of their columns, the first one first."""
    same = np.ones(max(0, len(columns[0]) - 1), np.bool_)
    for column in columns:
        one, next_one = column[:-1], column[1:]
        if (same & (next_one < one)).any():
            return False
        same &= next_one == one
    return True


def interval_columns(table: Intervals) -> tuple[Ints, ...]:
    """Arguments, value, start and end."""
    return (*table.args, table.value, table.start, table.end)


def rows_until(columns: tuple[Ints, ...], until: int) -> tuple[Ints, ...]:
    """Rows up to a time-point, which is their last column."""
    rows = np.flatnonzero(columns[-1] <= until)
    return columns if len(rows) == len(columns[-1]) else tuple(column[rows] for column in columns)


def event_columns(events: Events, dictionary: Dictionary) -> tuple[Ints, ...]:
    """Arguments and time."""
    return (*(codes_of(column, dictionary) for column in events.args), events.time)


def in_engine_order(columns: tuple[Ints, ...], wide: int, *, is_simple: bool = False) -> tuple[Ints, ...]:
    """Rows in the order of the engine: by arguments, and then by start, or value and start."""
    value, start = columns[wide], columns[wide + 1]
    key = row_keys([*columns[:wide], start] if is_simple else [*columns[:wide], value, start])
    if is_sorted(key):
        return columns
    order = np.argsort(key, kind="stable")
    return tuple(column[order] for column in columns)
