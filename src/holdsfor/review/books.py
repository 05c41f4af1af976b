"""Scores that are kept up to date: only the subjects that have changed are counted again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from holdsfor.columns.kernels import Ints
from holdsfor.review.scoring import Agreement, Episodes, Rules, Score, agreement
from holdsfor.review.timeline_scale import Line

Columns = tuple[Ints, Ints, Ints]
"""Keys, starts and ends."""
_COUNTS = 8


class Book:
    """Counts by subject, and in all, for several spans of time."""

    def __init__(
        self, labels: Columns, spans: Sequence[tuple[int, int]], line: Line, rules: Rules, *, points: bool
    ) -> None:
        self._spans, self._line, self._rules, self._points = spans, line, rules, points
        order = np.argsort(labels[0], kind="stable")
        # By subject: those of one stand together.
        self._labels = labels[0][order], labels[1][order], labels[2][order]
        self._counts: list[npt.NDArray[np.int64]] = [np.zeros((0, _COUNTS), np.int64) for _ in spans]
        self._totals = [np.zeros(_COUNTS, np.int64) for _ in spans]
        keys = int(labels[0].max()) + 1 if len(labels[0]) else 0
        self.update(keys, None, (np.zeros(0, np.int64),) * 3)

    def update(self, keys: int, changed: Collection[int] | None, found: Columns) -> None:
        """Count some subjects again, of `keys` that there are; `found` has all that is found of them. None is all."""
        which = np.arange(keys) if changed is None else np.array(sorted(changed), np.int64)
        labels = self._labels if changed is None else self._labels_of(which)
        # Few subjects cost little, however many there are.
        mine = tuple((np.searchsorted(which, one[0]), one[1], one[2]) for one in (labels, found))
        for place, span in enumerate(self._spans):
            counts = self._counts[place]
            if len(counts) < keys:
                # Room for more than there are: subjects come one after the other.
                room = np.zeros((keys + keys // 2 - len(counts), _COUNTS), np.int64)
                counts = self._counts[place] = np.concatenate((counts, room))
            now = _by_key(agreement(mine[0], mine[1], span, self._line, self._rules), len(which))
            self._totals[place] += now.sum(axis=0) - counts[which].sum(axis=0)
            counts[which] = now

    def _labels_of(self, which: Ints) -> Columns:
        """The labels of some subjects, which are in order."""
        keys = self._labels[0]
        first, last = np.searchsorted(keys, which, "left"), np.searchsorted(keys, which, "right")
        sizes = last - first
        rows = np.repeat(first - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes) + np.arange(sizes.sum())
        return keys[rows], self._labels[1][rows], self._labels[2][rows]

    def scores(self) -> list[Score]:
        """The score of each span."""
        return [self._score(total) for total in self._totals]

    def _score(self, total: npt.NDArray[np.int64]) -> Score:
        one, two, three, four, five, six, seven, eight = (int(number) for number in total)
        return Score(one, two, three, four, five, six, seven, eight, self._points)


def _by_key(found: Agreement, keys: int) -> npt.NDArray[np.int64]:
    columns = [
        column
        for pair in zip(_counted(found.labelled, keys), _counted(found.found, keys), strict=True)
        for column in pair
    ]
    return np.stack(columns, axis=1)


def _counted(one: Episodes, keys: int) -> list[npt.NDArray[np.int64]]:
    weights = [np.ones(len(one)), one.agrees, one.length, one.shared]
    return [np.bincount(one.key, weight, minlength=keys).astype(np.int64) for weight in weights]
