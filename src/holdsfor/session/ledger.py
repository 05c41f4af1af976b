"""What was last said of every interval, and what of that has changed: only instances that changed are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.engine.evaluation import width
from holdsfor.engine.frames import row_keys
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.matching import Compared, Op, both_spans, compared
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.heap import FIRST, KEY, SECTION, Heap, Rows, different, fingerprints, stacked
from holdsfor.incremental.sections import FINAL, NEW
from holdsfor.incremental.stage import Change as Found
from holdsfor.incremental.stage import StageRun

_FEW = 64
"""So many rows are told apart one by one; for more, there is NumPy."""


@dataclass(frozen=True)
class Entries:
    """Rows of a ledger, with what became of each and where it was before."""

    rows: Rows
    op: npt.NDArray[np.str_]
    previous: Rows
    """The rows as they were; those that are opened stand here as they are."""

    def __len__(self) -> int:
        return len(self.rows)


class Ledger:
    """Intervals by fluent, arguments and value: all that were shown, and what has become of some since.

    The columns of a row are its key, the number of its fluent, arguments, value, start and end, and what makes its id:
    the start and the query time with which it was first shown.
    """

    def __init__(self, stages: Sequence[StageRun]) -> None:
        members = [symbol for stage in stages for symbol in stage.members if symbol.kind is EntityKind.FLUENT]
        self.symbols = members
        self._number = {symbol: number for number, symbol in enumerate(members)}
        self.value = FIRST + max((width(symbol) for symbol in members), default=0)
        self.start, self.end, self.first_start, self.first_query = (self.value + place for place in range(1, 5))
        self._width = self.value + 5
        self._shown = Heap(self._width)
        self._gone: list[Rows] = []
        self._come: list[Rows] = []

    def note(self, found: Iterable[tuple[StageRun, Found]]) -> None:
        """Remember what stages say that they did not say before."""
        for stage, change in found:
            is_last = change.pane + 1 == len(stage.panes)
            need = NEW if is_last else NEW | FINAL
            for rows, listed in ((change.removed, self._gone), (change.added, self._come)):
                if len(rows):
                    self._note(stage, rows, need, listed)

    def _note(self, stage: StageRun, rows: Rows, need: int, listed: list[Rows]) -> None:
        for section, found in stage.sections.tables(rows):
            if section.kind != "table":
                continue
            wide = width(section.symbol)
            told = found[(found[:, FIRST + wide + 3] & need) == need]
            if len(told):
                made = np.zeros((len(told), self._width), np.int64)
                made[:, SECTION] = self._number[section.symbol]
                made[:, FIRST : FIRST + wide] = told[:, FIRST : FIRST + wide]
                made[:, self.value : self.end + 1] = told[:, FIRST + wide : FIRST + wide + 3]
                listed.append(made)

    def changes(self, query: int, low: int, before: int) -> Entries:
        """What has changed since the last time, at a query time whose window begins after `low`."""
        gone, come = self._net()
        if not len(gone) and not len(come):
            return Entries(gone, np.empty(0, "<U7"), gone)
        for rows in (gone, come):
            rows[:, KEY] = fingerprints(rows[:, SECTION : self.start])
        keys = different(np.concatenate((gone[:, KEY], come[:, KEY])))
        old = self._shown.of(keys)
        new = np.concatenate((old[~self._is_among(old, gone)], come[~self._is_among(come, old)]))
        new[:, self.first_start], new[:, self.first_query] = new[:, self.start], query
        both = np.concatenate((old, new))
        spans = both_spans(self._pairs(both), both[:, self.start], both[:, self.end], len(old))
        now = compared(*spans, low, before)
        goes_on = now.earlier >= 0
        new[goes_on, self.first_start :] = old[now.earlier[goes_on], self.first_start :]
        self._shown.put(keys, new[now.in_sight])
        return _entries(old, new, now)

    def _net(self) -> tuple[Rows, Rows]:
        """What is gone and what has come, without what is both."""
        gone, come = stacked(self._gone, self._width), stacked(self._come, self._width)
        self._gone, self._come = [], []
        if len(gone) + len(come) <= _FEW:
            counts = Counter(map(tuple, come.tolist()))
            counts.subtract(map(tuple, gone.tolist()))
            return tuple(
                np.array([row for row, count in counts.items() if count * sign > 0], np.int64).reshape(-1, self._width)
                for sign in (-1, 1)
            )  # type: ignore[return-value]
        both = np.concatenate((gone, come))
        weight = np.repeat(np.array([-1, 1]), (len(gone), len(come)))
        _, first, place = np.unique(row_keys(list(both[:, SECTION : self.end + 1].T)), True, True)
        count = np.bincount(place, weight, len(first))
        return both[first[count < 0]], both[first[count > 0]]

    def _is_among(self, rows: Rows, others: Rows) -> Bools:
        """Which rows are also among others, whatever their ids."""
        if len(rows) + len(others) <= _FEW:
            there = set(map(tuple, others[:, SECTION : self.first_start].tolist()))
            return np.array([tuple(row) in there for row in rows[:, SECTION : self.first_start].tolist()], np.bool_)
        mine, theirs = (fingerprints(found[:, SECTION : self.first_start]) for found in (rows, others))
        return np.isin(mine, theirs)

    def _pairs(self, rows: Rows) -> Ints:
        """A number for the fluent, arguments and value of each row."""
        if len(rows) <= _FEW:
            numbers: dict[tuple[int, ...], int] = {}
            pairs = map(tuple, rows[:, SECTION : self.start].tolist())
            return np.array([numbers.setdefault(pair, len(numbers)) for pair in pairs], np.int64)
        keys = row_keys(list(rows[:, SECTION : self.start].T))
        return np.unique(keys, return_inverse=True)[1].astype(np.int64)

    def forget(self, low: int) -> None:
        """Let go of intervals that the window has left behind."""
        rows = self._shown.all()
        self._shown.put(None, rows[rows[:, self.end] > low + 1])

    def __len__(self) -> int:
        return len(self._shown)


def _entries(old: Rows, new: Rows, now: Compared) -> Entries:
    previous = old[now.earlier[now.changed]]
    op = np.concatenate(
        (
            np.full(len(now.opened), Op.OPEN.value, "<U7"),
            now.op,
            np.full(len(now.gone), Op.RETRACT.value, "<U7"),
        )
    )
    gone = old[now.gone]
    opened = new[now.opened]
    rows, before = (np.concatenate((opened, changed, gone)) for changed in (new[now.changed], previous))
    # What is made of others comes after them.
    order = np.argsort(rows[:, SECTION], kind="stable")
    return Entries(rows[order], op[order], before[order])


def finite(time: int) -> int | None:
    """A time, or None for one before or after all time."""
    return None if abs(time) >= FOREVER else time
