"""Batches of rows put together for the sweep, in order of time and rank.

Columns stay as they are, one behind the other in a pool; only the numbers of rows are sorted.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.cyclic.rows import Batch, Clause
from holdsfor.engine.cyclic.sweep_loop import BATCH, CLAUSE, HAS_VALUE, HOLDS, QUESTION, READS, Sheet
from holdsfor.engine.frames import order_of
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.tables import FOREVER

_STATES = (HOLDS, HAS_VALUE, READS)
"""What is asked of the state before a time-point, and so is not changed by what happens then."""


class _Pool:
    """Columns one behind the other; a column that comes again is not put in again."""

    def __init__(self) -> None:
        self.columns: list[Ints] = [EMPTY]
        self._places: dict[int, int] = {}
        self._size = 0

    def add(self, column: Ints) -> int:
        """The place at which a column begins."""
        place = self._places.get(id(column))
        if place is None:
            place = self._places[id(column)] = self._size
            self.columns.append(column)
            self._size += len(column)
        return place

    def value(self, value: Ints | int) -> tuple[int, int]:
        """One value and no column, or none and a column."""
        return (value, -1) if isinstance(value, int) else (0, self.add(value))


def assembled(batches: list[Batch], delays: Ints) -> Sheet:
    """A sheet of rows in order of time and rank."""
    batches = sorted(batches, key=lambda batch: batch.rank)
    sizes = [len(batch.time) for batch in batches]
    time = np.concatenate([EMPTY, *(batch.time for batch in batches)])
    rank = np.repeat(np.array([batch.rank for batch in batches], np.int64), sizes)
    order = order_of(time)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    pool = _Pool()
    notes = np.array(_notes(batches, pool), np.int64)
    rows = len(time)
    # The last row is none.
    return Sheet(
        _with(order, rows),
        _with(owner[order], len(sizes)),
        _with(time[order], int(FOREVER)),
        _with(rank[order], 0),
        notes,
        np.concatenate(pool.columns),
        delays,
    )


def _with(column: Ints, last: int) -> Ints:
    found = np.empty(len(column) + 1, np.int64)
    found[:-1] = column
    found[-1] = last
    return found


def _notes(batches: list[Batch], pool: _Pool) -> list[int]:
    """The records of batches, clauses and questions."""
    records: list[int] = []
    # Those of batches come first, then what each of them refers to.
    begin = len(batches) * BATCH
    more: list[int] = []
    first = 0
    for batch in batches:
        clauses_end = begin + len(more) + len(batch.clauses) * CLAUSE
        questions: list[int] = []
        clauses: list[int] = []
        is_again = False
        for clause in batch.clauses:
            at = clauses_end + len(questions)
            for question in clause.questions:
                asked = pool.add(question.slot)
                questions += (question.asks, int(question.must_be), asked, *pool.value(question.value))
                is_again = is_again or question.asks not in _STATES
            clauses += (_starts(clause, len(batch.time), pool), at, at + len(clause.questions) * QUESTION)
        reads_at = clauses_end + len(questions)
        root = -1 if batch.root is None else pool.add(batch.root)
        value, value_at = pool.value(batch.value)
        records += (first, batch.action, pool.add(batch.slot), value, value_at, root, int(is_again))
        records += (clauses_end - len(clauses), clauses_end, reads_at, reads_at + len(batch.reads))
        more += clauses
        more += questions
        more += [pool.add(read) for read in batch.reads]
        first += len(batch.time)
    return records + more


def _starts(clause: Clause, rows: int, pool: _Pool) -> int:
    if clause.rows is None:
        return -1
    return pool.add(np.searchsorted(clause.rows, np.arange(rows + 1)))
