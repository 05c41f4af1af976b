"""What was last said of every interval, and what of that has changed: only instances that changed are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.engine.evaluation import width
from holdsfor.engine.frames import row_keys
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.matching import Compared, both_spans, compared
from holdsfor.engine.op import Op
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.heap import FIRST, KEY, SECTION, Heap, Rows, different, fingerprint, fingerprints, stacked
from holdsfor.incremental.sections import FINAL, NEW
from holdsfor.incremental.stage import Change as Found
from holdsfor.incremental.stage import StageRun
from holdsfor.session.mixed.few import became, earlier_of, is_gone

_FEW = 64
"""So many rows are compared one by one; for more, there is NumPy."""


@dataclass(frozen=True)
class Entries:
    """Rows of a ledger, what became of each, and how it was before; those that are opened stand there as they are."""

    rows: list[list[int]]
    op: list[str]
    previous: list[list[int]]

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
        gone, come = stacked(self._gone, self._width), stacked(self._come, self._width)
        self._gone, self._come = [], []
        if len(gone) + len(come) <= _FEW:
            return self._few_changes(gone.tolist(), come.tolist(), query, low, before)
        gone, come = self._net(gone, come)
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

    def _few_changes(self, gone: list[list[int]], come: list[list[int]], query: int, low: int, before: int) -> Entries:
        """The same, one instance after the other."""
        net: dict[tuple[int, ...], Counter[tuple[int, int]]] = {}
        for rows, sign in ((gone, -1), (come, 1)):
            for row in rows:
                net.setdefault(tuple(row[SECTION : self.start]), Counter())[row[self.start], row[self.end]] += sign
        made: list[tuple[str, list[int], list[int]]] = []
        for pair, counts in sorted(net.items()):
            if any(counts.values()):
                made += self._changes_of(pair, counts, query, low, before)
        return Entries([row for _, row, _ in made], [op for op, _, _ in made], [was for _, _, was in made])

    def _changes_of(
        self, pair: tuple[int, ...], counts: Counter[tuple[int, int]], query: int, low: int, before: int
    ) -> list[tuple[str, list[int], list[int]]]:
        key = fingerprint(pair)
        keys, head = np.array([key]), [key, *pair]
        shown = self._shown.of(keys).tolist()
        old = sorted(row[self.start :] for row in shown if tuple(row[SECTION : self.start]) == pair)
        others = [row for row in shown if tuple(row[SECTION : self.start]) != pair]
        spans = {(start, end) for start, end, *_ in old}
        spans |= {span for span, count in counts.items() if count > 0}
        spans -= {span for span, count in counts.items() if count < 0}
        new = [[*span, span[0], query] for span in sorted(spans)]
        earlier = earlier_of(old, new)
        made: list[tuple[str, list[int], list[int]]] = []
        for span, place in zip(new, earlier, strict=True):
            if place >= 0:
                span[2:] = old[place][2:]
                op = became(old[place], span, low, before)
                if op is not None:
                    made.append((op, [*head, *span], [*head, *old[place]]))
            elif span[1] > low + 1:
                made.append((Op.OPEN, [*head, *span], [*head, *span]))
        taken = set(earlier)
        for place, span in enumerate(old):
            if place not in taken and is_gone(span, new, low):
                made.append((Op.RETRACT, [*head, *span], [*head, *span]))
        left = others + [[*head, *span] for span in new if span[1] > low + 1]
        self._shown.put(keys, np.array(left, np.int64).reshape(-1, self._width))
        return made

    def _net(self, gone: Rows, come: Rows) -> tuple[Rows, Rows]:
        """What is gone and what has come, without what is both."""
        both = np.concatenate((gone, come))
        weight = np.repeat(np.array([-1, 1]), (len(gone), len(come)))
        _, first, place = np.unique(row_keys(list(both[:, SECTION : self.end + 1].T)), True, True)
        count = np.bincount(place, weight, len(first))
        return both[first[count < 0]], both[first[count > 0]]

    def _is_among(self, rows: Rows, others: Rows) -> Bools:
        """Which rows are also among others, whatever their ids."""
        mine, theirs = (fingerprints(found[:, SECTION : self.first_start]) for found in (rows, others))
        return np.isin(mine, theirs)

    def _pairs(self, rows: Rows) -> Ints:
        """A number for the fluent, arguments and value of each row."""
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
    order = np.lexsort(rows.T[SECTION:-2][::-1])
    return Entries(rows[order].tolist(), op[order].tolist(), before[order].tolist())


def finite(time: int) -> int | None:
    """A time, or None for one before or after all time."""
    return None if abs(time) >= FOREVER else time
