"""Scores: the agreement of found intervals with labelled ones, by time and by episode.

An *episode* is a maximal interval of one subject. With a tolerance `d`, an interval of the other side is widened by `d` at both ends
before it is compared. Of n time-points of an episode, those in widened intervals of the other side are *shared*.

- By time: precision is the shared part of all found time, recall the shared part of all labelled time.
- By episode: an episode *agrees* if it shares at least one time-point, and at least the part `overlap` of its own. Precision is the
  part of the found episodes that agree, recall the part of the labelled ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.columns.kernels import EMPTY, Bools, Ints, Spans, find, intersection, maximal
from holdsfor.review.timeline_scale import TimeLine


@dataclass(frozen=True)
class ScoringRules:
    """The rules of counting agreement; `tolerance` is in whole numbers of the time-line."""

    tolerance: int = 0
    overlap: float = 0.0


@dataclass(frozen=True)
class Episodes:
    """Episodes of one side: whose they are, when, how much of each is shared, and whether it agrees."""

    key: Ints
    start: Ints
    end: Ints
    length: Ints
    """In ticks."""
    shared: Ints
    """In ticks."""
    agrees: Bools

    def __len__(self) -> int:
        return len(self.key)


@dataclass(frozen=True)
class Agreement:
    """All episodes of both sides; lags of those labelled ones that something of was found."""

    labelled: Episodes
    found: Episodes
    lagging: Ints
    """Labelled episodes, by number, that some found interval overlaps."""
    start_lag: Ints
    """The lag of each of them: from its start to that of its first found interval."""
    end_lag: Ints
    """The lag of each end: from the end of the label to that of its last found interval."""


@dataclass(frozen=True)
class Score:
    """Counts of episodes, and time in ticks. `points` says that labels are points: then only episodes are counted."""

    labelled: int
    found: int
    labelled_agreed: int
    found_agreed: int
    labelled_time: int
    found_time: int
    labelled_shared: int
    found_shared: int
    points: bool = False

    @property
    def precision(self) -> float:
        """The part of the found episodes that agree."""
        return _part(self.found_agreed, self.found)

    @property
    def recall(self) -> float:
        """The part of the labelled episodes that agree."""
        return _part(self.labelled_agreed, self.labelled)

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return _mean(self.precision, self.recall)

    @property
    def time_precision(self) -> float:
        """The part of the found time that is shared."""
        return math.nan if self.points else _part(self.found_shared, self.found_time)

    @property
    def time_recall(self) -> float:
        """The part of the labelled time that is shared."""
        return math.nan if self.points else _part(self.labelled_shared, self.labelled_time)

    @property
    def time_f1(self) -> float:
        """The harmonic mean of both."""
        return _mean(self.time_precision, self.time_recall)


def agreement(
    labels: tuple[Ints, Ints, Ints],
    found: tuple[Ints, Ints, Ints],
    span: tuple[int, int],
    line: TimeLine,
    rules: ScoringRules,
) -> Agreement:
    """Compare keys, starts and ends of both sides, inside of a span of time."""
    packing = TimeLinePacking(span, line)
    wanted, got = packing.maximal(*labels), packing.maximal(*found)
    return Agreement(*_compared(wanted, got, packing, rules), *_lags(wanted, got, packing, rules.tolerance))


def episodes(
    labels: tuple[Ints, Ints, Ints], found: tuple[Ints, Ints, Ints], packing: TimeLinePacking, rules: ScoringRules
) -> tuple[Episodes, Episodes]:
    """The episodes of both sides, without lags."""
    return _compared(packing.maximal(*labels), packing.maximal(*found), packing, rules)


def _compared(wanted: Spans, got: Spans, packing: TimeLinePacking, rules: ScoringRules) -> tuple[Episodes, Episodes]:
    wide_wanted, wide_got = (packing.widened(spans, rules.tolerance) for spans in (wanted, got))
    of_labels = _episodes(wanted, wide_got, packing, rules.overlap)
    return of_labels, _episodes(got, wide_wanted, packing, rules.overlap)


class TimeLinePacking:
    """Times of all keys on one time-line, each key after the one before."""

    def __init__(self, span: tuple[int, int], line: TimeLine) -> None:
        self.span, self.line = span, line
        self.low = span[0] - (span[0] % 2 if line.is_metric else 0)
        self.bits = int(max(1, span[1] - self.low)).bit_length() + 1

    @property
    def room(self) -> int:
        """The number of keys that fit on the time-line."""
        return 1 << max(0, 62 - self.bits)

    def maximal(self, key: Ints, start: Ints, end: Ints) -> Spans:
        """Maximal intervals, inside of the span."""
        starts, ends = np.clip(start, *self.span) - self.low, np.clip(end, *self.span) - self.low
        base = key << self.bits
        return maximal(base + starts, base + ends)

    def widened(self, spans: Spans, by: int) -> Spans:
        """Intervals that are longer by so much at both ends."""
        if not by:
            return spans
        base = (spans[0] >> self.bits) << self.bits
        last = self.span[1] - self.low
        starts = np.maximum(spans[0] - base - by, self.span[0] - self.low)
        return maximal(base + starts, base + np.minimum(spans[1] - base + by, last))

    def unpacked(self, spans: Spans) -> tuple[Ints, Ints, Ints]:
        """Keys, starts and ends of packed intervals."""
        key = spans[0] >> self.bits
        base = (key << self.bits) - self.low
        return key, spans[0] - base, spans[1] - base


def _episodes(spans: Spans, others: Spans, packing: TimeLinePacking, overlap: float) -> Episodes:
    count = len(spans[0])
    shared = intersection([spans, others]) if count and len(others[0]) else (EMPTY, EMPTY)
    at = find(spans, shared[0]) if len(shared[0]) else EMPTY
    cells = np.bincount(at, shared[1] - shared[0], minlength=count).astype(np.int64)
    time = np.bincount(at, packing.line.measure(*shared), minlength=count).astype(np.int64)
    agrees = (cells > 0) & (cells >= overlap * (spans[1] - spans[0]))
    return Episodes(*packing.unpacked(spans), packing.line.measure(*spans), time, agrees)


def _lags(wanted: Spans, got: Spans, packing: TimeLinePacking, tolerance: int) -> tuple[Ints, Ints, Ints]:
    if not len(wanted[0]) or not len(got[0]):
        return EMPTY, EMPTY, EMPTY
    base = (wanted[0] >> packing.bits) << packing.bits
    low = np.maximum(wanted[0] - tolerance, base)
    high = np.minimum(wanted[1] + tolerance, base + (1 << packing.bits) - 1)
    first = np.searchsorted(got[1], low, "right")
    last = np.searchsorted(got[0], high, "left") - 1
    found = np.flatnonzero(first <= last)
    return found, got[0][first[found]] - wanted[0][found], got[1][last[found]] - wanted[1][found]


def score(found: Agreement, keys: npt.NDArray[np.bool_] | None = None, *, points: bool = False) -> Score:
    """The score of all keys, or of those that are marked."""
    parts = [
        one if keys is None else _of_keys(one, keys[one.key] if len(one) else np.zeros(0, np.bool_))
        for one in (found.labelled, found.found)
    ]
    labelled, got = parts
    return Score(
        len(labelled),
        len(got),
        int(labelled.agrees.sum()),
        int(got.agrees.sum()),
        int(labelled.length.sum()),
        int(got.length.sum()),
        int(labelled.shared.sum()),
        int(got.shared.sum()),
        points,
    )


def _of_keys(one: Episodes, rows: Bools) -> Episodes:
    return Episodes(one.key[rows], one.start[rows], one.end[rows], one.length[rows], one.shared[rows], one.agrees[rows])


def _part(some: int, of: int) -> float:
    """A part of a whole; of nothing, no number."""
    return some / of if of else math.nan


def _mean(one: float, other: float) -> float:
    """The harmonic mean; none if one of them is missing."""
    if math.isnan(one) or math.isnan(other):
        return math.nan
    return 2 * one * other / (one + other) if one + other else 0.0
