"""Small questions about columns of rows: which keys read them, what is in them, whether they are in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.engine.evaluation import Inputs, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import EMPTY, Bools, Ints
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
