"""Scores of many settings at once: only subjects that a setting changes are counted anew, all of them together.

A *version* of a subject is its results from one setting that changes them to the next such setting. Versions take the place of
subjects in `scoring`, in blocks, so that there is no loop over settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.columns.kernels import EMPTY, Bools, Ints
from holdsfor.review.scoring import Episodes, Score, ScoringRules, TimeLinePacking, episodes
from holdsfor.review.timeline_scale import TimeLine

Columns = tuple[Ints, Ints, Ints]
"""Keys, starts and ends."""
Held = tuple[Ints, Ints, Ints, Ints]
"""The results of a setting: keys, starts and ends, and the number of subjects of the key with the interval."""
Counts = npt.NDArray[np.int64]
_COUNTS = 8
_ROWS = 1 << 20
"""The number of intervals that are counted in a block, unless one version has more."""


@dataclass(frozen=True)
class IntervalEdits:
    """Intervals that settings add and remove, with the numbers of the settings, which begin at 0."""

    setting: Ints
    key: Ints
    start: Ints
    end: Ints
    is_added: Bools

    def __len__(self) -> int:
        return len(self.key)


class IncrementalScores:
    """Counts by subject, and their totals, for several spans of time."""

    def __init__(
        self, labels: Columns, spans: Sequence[tuple[int, int]], line: TimeLine, rules: ScoringRules, *, points: bool
    ) -> None:
        self._spans, self._line, self._rules, self._points = spans, line, rules, points
        order = np.argsort(labels[0], kind="stable")
        # Labels of one subject are adjacent.
        self._labels = labels[0][order], labels[1][order], labels[2][order]
        self._held: Held = (EMPTY, EMPTY, EMPTY, EMPTY)
        keys = np.unique(labels[0])
        self._counts = [np.zeros((int(keys.max(initial=-1)) + 1, _COUNTS), np.int64) for _ in spans]
        for counts, span in zip(self._counts, spans, strict=True):
            counts[keys] = self._counted(keys, (EMPTY, EMPTY, EMPTY), span)
        self._totals = [counts.sum(axis=0) for counts in self._counts]

    def scores(self, settings: int, edits: IntervalEdits) -> list[list[Score]]:
        """The scores of a number of settings, one after the other, for each span. The first setting follows the last one of
        the previous call.
        """
        steps = [np.zeros((settings, _COUNTS), np.int64) for _ in self._spans]
        if len(edits):
            self._make_room(int(edits.key.max()) + 1)
            versions = _Versions(settings, edits, self._held)
            self._held = versions.held
            for keys, setting, follows, found in versions.blocks(self._labels[0]):
                for place, span in enumerate(self._spans):
                    counts = self._counts[place]
                    now = self._counted(keys, found, span)
                    before = np.where(follows[:, None], np.roll(now, 1, axis=0), counts[keys])
                    np.add.at(steps[place], setting, now - before)
                    # The counts of the last version of a subject are kept.
                    is_last = np.append(keys[1:] != keys[:-1], True)
                    counts[keys[is_last]] = now[is_last]
        totals = [total + step.cumsum(axis=0) for total, step in zip(self._totals, steps, strict=True)]
        if settings:
            self._totals = [total[-1] for total in totals]
        return [[self._score(total[place].tolist()) for total in totals] for place in range(settings)]

    def _make_room(self, keys: int) -> None:
        for place, counts in enumerate(self._counts):
            if len(counts) < keys:
                more = np.zeros((keys + keys // 2 - len(counts), _COUNTS), np.int64)
                self._counts[place] = np.concatenate((counts, more))

    def _counted(self, keys: Ints, found: Columns, span: tuple[int, int]) -> Counts:
        """The counts of versions of subjects; `found` has the numbers of versions as keys."""
        labels = self._labels_of(keys)
        packing = TimeLinePacking(span, self._line)
        made = []
        # As many versions as fit on one packed time-line.
        for first in range(0, len(keys), packing.room):
            some = slice(first, first + packing.room)
            sides = [_between(one, first, first + packing.room) for one in (labels, found)]
            of_labels, of_found = episodes(sides[0], sides[1], packing, self._rules)
            made.append(_by_key(of_labels, of_found, len(keys[some])))
        return np.concatenate([np.zeros((0, _COUNTS), np.int64), *made])

    def _labels_of(self, keys: Ints) -> Columns:
        """The labels of some subjects in order, with the index of the subject as key."""
        first, last = (np.searchsorted(self._labels[0], keys, side) for side in ("left", "right"))
        place, rows = _spread(first, last)
        return place, self._labels[1][rows], self._labels[2][rows]

    def _score(self, total: Sequence[int]) -> Score:
        one, two, three, four, five, six, seven, eight = total
        return Score(one, two, three, four, five, six, seven, eight, self._points)


class _Versions:
    """The versions of all subjects that some settings change, and the intervals of each."""

    def __init__(self, settings: int, edits: IntervalEdits, held: Held) -> None:
        before = np.isin(held[0], edits.key)
        *was, times = (column[before] for column in held)
        columns = [np.concatenate(pair) for pair in zip(was, (edits.key, edits.start, edits.end), strict=True)]
        # Earlier intervals have a setting before the first one.
        setting = np.concatenate((np.full(len(times), -1), edits.setting))
        sign = np.concatenate((times, np.where(edits.is_added, 1, -1)))
        order = np.lexsort((setting, columns[2], columns[1], columns[0]))
        key, start, end, setting, sign = (column[order] for column in (*columns, setting, sign))
        is_same = np.zeros(len(key), np.bool_)
        is_same[1:] = (key[1:] == key[:-1]) & (start[1:] == start[:-1]) & (end[1:] == end[:-1])
        # The number of subjects with the interval after a row.
        times = sign.cumsum()
        first = np.flatnonzero(~is_same)
        times -= np.repeat(times[first] - sign[first], np.diff(np.append(first, len(key))))
        to_setting = np.full(len(key), settings)
        to_setting[:-1][is_same[1:]] = setting[1:][is_same[1:]]
        kept = np.flatnonzero((times > 0) & (to_setting > setting))
        self._key, self._start, self._end = key[kept], start[kept], end[kept]
        self._from_setting, self._to_setting = setting[kept], to_setting[kept]
        remains = self._to_setting == settings
        last = (self._key, self._start, self._end, times[kept])
        key, start, end, times = (
            np.concatenate((old[~before], new[remains])) for old, new in zip(held, last, strict=True)
        )
        self.held: Held = (key, start, end, times)
        self._width = settings + 1
        self._versions = np.unique(edits.key * self._width + edits.setting)

    def blocks(self, labelled: Ints) -> Iterator[tuple[Ints, Ints, Bools, Columns]]:
        """Keys and settings of some versions, whether the block also has the version before, and their intervals."""
        versions = self._versions
        base = self._key * self._width
        first = np.searchsorted(versions, base + np.maximum(self._from_setting, 0))
        last = np.searchsorted(versions, base + self._to_setting)
        keys = versions // self._width
        count = len(versions)
        rows = np.bincount(first, minlength=count + 1) - np.bincount(last, minlength=count + 1)
        rows = rows.cumsum()[:count] + np.searchsorted(labelled, keys, "right") - np.searchsorted(labelled, keys)
        filled = rows.cumsum()
        low = 0
        while low < count:
            done = int(filled[low - 1]) if low else 0
            high = max(low + 1, int(np.searchsorted(filled, done + _ROWS, "right")))
            kept = np.flatnonzero((first < high) & (last > low))
            place, row = _spread(np.maximum(first[kept], low), np.minimum(last[kept], high))
            kept = kept[place]
            found = row - low, self._start[kept], self._end[kept]
            some = keys[low:high]
            follows = np.append(False, some[1:] == some[:-1])
            yield some, versions[low:high] % self._width, follows, found
            low = high


def _spread(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """All numbers of some ranges, and the index of the range of each.

    >>> [column.tolist() for column in _spread(np.array([4, 7]), np.array([6, 8]))]
    [[0, 0, 1], [4, 5, 7]]
    """
    sizes = last - first
    place = np.repeat(np.arange(len(sizes)), sizes)
    return place, np.arange(len(place)) + np.repeat(first - (sizes.cumsum() - sizes), sizes)


def _between(columns: Columns, low: int, high: int) -> Columns:
    key = columns[0]
    if not len(key) or (low == 0 and int(key.max()) < high):
        return columns
    rows = np.flatnonzero((key >= low) & (key < high))
    return key[rows] - low, columns[1][rows], columns[2][rows]


def _by_key(labelled: Episodes, found: Episodes, keys: int) -> Counts:
    made = np.zeros((keys, _COUNTS), np.int64)
    for side, one in enumerate((labelled, found)):
        weights = (np.ones(len(one), np.int64), one.agrees.astype(np.int64), one.length, one.shared)
        # Episodes are in the order of their keys.
        first = np.flatnonzero(np.append(True, one.key[1:] != one.key[:-1])) if len(one) else EMPTY
        for place, weight in enumerate(weights):
            if len(first):
                made[one.key[first], 2 * place + side] = np.add.reduceat(weight, first)
    return made
