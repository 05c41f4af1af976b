"""Scores that are kept up to date: only the subjects that have changed are counted again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from holdsfor.engine.kernels import Ints
from holdsfor.review.scoring import Agreement, Episodes, Rules, Score, agreement
from holdsfor.review.timeline_scale import Line

Columns = tuple[Ints, Ints, Ints]
"""Keys, starts and ends."""
_COUNTS = 8


class Book:
    """Counts by subject, for several spans of time."""

    def __init__(
        self, labels: Columns, spans: Sequence[tuple[int, int]], line: Line, rules: Rules, *, points: bool
    ) -> None:
        self._labels, self._spans, self._line, self._rules, self._points = labels, spans, line, rules, points
        self._counts: list[npt.NDArray[np.int64]] = [np.zeros((0, _COUNTS), np.int64) for _ in spans]
        keys = int(labels[0].max()) + 1 if len(labels[0]) else 0
        self.update(keys, None, (np.zeros(0, np.int64),) * 3)

    def update(self, keys: int, changed: Collection[int] | None, found: Columns) -> None:
        """Count some subjects again, of `keys` that there are; `found` has all that is found of them. None is all."""
        labels = self._labels
        which = np.ones(keys, np.bool_) if changed is None else np.zeros(keys, np.bool_)
        if changed is not None:
            which[list(changed)] = True
            rows = which[labels[0]]
            labels = labels[0][rows], labels[1][rows], labels[2][rows]
        for place, span in enumerate(self._spans):
            counts = self._counts[place]
            if len(counts) < keys:
                room = np.zeros((keys - len(counts), _COUNTS), np.int64)
                counts = self._counts[place] = np.concatenate((counts, room))
            agreed = agreement(labels, found, span, self._line, self._rules)
            counts[which] = _by_key(agreed, keys)[which]

    def scores(self) -> list[Score]:
        """The score of each span."""
        return [self._score(counts.sum(axis=0)) for counts in self._counts]

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
