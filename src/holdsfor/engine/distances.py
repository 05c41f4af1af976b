"""Metric operators for all groups of a packed time-line at once, and how far they move what they read.

J holds at t iff the list holds at some or all time-points at a distance from A to B of t. On half-open intervals that
is a shift of both ends: `diamond_minus` makes [s+A, e+B) of [s, e), `box_minus` [s+B, e+A), and those that look ahead
the same in the other direction. An open end stays open, a start before all time stays there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.variants import Variant
from holdsfor.engine.kernels import EMPTY, Ints, Spans, maximal, union
from holdsfor.ir import AHEAD, METRIC, Algebra, Distance, IntervalOperator, Intervals
from holdsfor.syntax.terms import Term, Var


def metric(operator: IntervalOperator, distance: Distance, lists: list[Spans], bits: int) -> Spans:
    """The result of a metric operator; intervals of a list must not touch."""
    line = _Line(bits)
    match operator:
        case IntervalOperator.DIAMOND_MINUS:
            return line.sometime_back(lists[0], distance)
        case IntervalOperator.DIAMOND_PLUS:
            return line.sometime_ahead(lists[0], distance)
        case IntervalOperator.BOX_MINUS:
            return line.always_back(lists[0], distance)
        case IntervalOperator.BOX_PLUS:
            return line.always_ahead(lists[0], distance)
        case _:
            return line.across(lists[0], lists[1], distance, ahead=operator is IntervalOperator.UNTIL)


class _Line:
    """A packed time-line, with room for everything to be moved."""

    def __init__(self, bits: int) -> None:
        self._last = (1 << bits) - 1

    def _moved(self, points: Ints, by: int) -> Ints:
        """Points moved; those at the rim, before or after all time, stay."""
        small = points & self._last
        return np.where((small == 0) | (small == self._last), points, points + by)

    def sometime_back(self, spans: Spans, distance: Distance) -> Spans:
        starts, ends = spans
        late = ends | self._last if distance.high is None else self._moved(ends, distance.high)
        return union([(self._moved(starts, distance.low), late)])

    def sometime_ahead(self, spans: Spans, distance: Distance) -> Spans:
        starts, ends = spans
        early = starts & ~self._last if distance.high is None else self._moved(starts, -distance.high)
        return union([(early, self._moved(ends, -distance.low))])

    def always_back(self, spans: Spans, distance: Distance) -> Spans:
        starts, ends = spans
        if distance.high is None:
            keep = np.flatnonzero(starts & self._last == 0)
            return starts[keep], self._moved(ends[keep], distance.low)
        return _filled(self._moved(starts, distance.high), self._moved(ends, distance.low))

    def always_ahead(self, spans: Spans, distance: Distance) -> Spans:
        starts, ends = spans
        if distance.high is None:
            keep = np.flatnonzero(ends & self._last == self._last)
            return self._moved(starts[keep], -distance.low), ends[keep]
        return _filled(self._moved(starts, -distance.low), self._moved(ends, -distance.high))

    def across(self, during: Spans, spans: Spans, distance: Distance, *, ahead: bool) -> Spans:
        """`since`, or `until` if `ahead`: what is found at a distance, with nothing but `during` strictly between.

        Both time-points lie inside an interval of `during`, or right before or after it: on one *stretch*. Stretches
        share a point at most, so that there are few pairs of a stretch with an interval found on it.
        """
        first, last = self._moved(during[0], -1), self._moved(during[1], 1)
        begin = np.searchsorted(spans[1], first, side="right")
        count = np.maximum(np.searchsorted(spans[0], last, side="left") - begin, 0)
        stretch = np.repeat(np.arange(len(first)), count)
        found = np.arange(len(stretch)) - np.repeat(np.cumsum(count) - count - begin, count)
        first, last = first[stretch], last[stretch]
        starts, ends = np.maximum(spans[0][found], first), np.minimum(spans[1][found], last)
        low, high = distance.low, distance.high
        if ahead:
            ends = self._moved(ends, -low)
            starts = first if high is None else np.maximum(self._moved(starts, -high), first)
        else:
            starts = self._moved(starts, low)
            ends = last if high is None else np.minimum(self._moved(ends, high), last)
        beside = self._beside(spans, distance, ahead=ahead)
        return maximal(np.concatenate((starts, beside[0])), np.concatenate((ends, beside[1])))

    def _beside(self, spans: Spans, distance: Distance, *, ahead: bool) -> Spans:
        """What is found at a time-point itself or next to it: nothing lies between."""
        if distance.low > 1:
            return EMPTY, EMPTY
        near = Distance(distance.low, 1 if distance.high is None else min(distance.high, 1))
        return self.sometime_ahead(spans, near) if ahead else self.sometime_back(spans, near)


def _filled(starts: Ints, ends: Ints) -> Spans:
    keep = np.flatnonzero(starts < ends)
    return starts[keep], ends[keep]


@dataclass(frozen=True)
class Offset:
    """How far a list is from the result that is made of it.

    The result at a time-point depends on the list from `back` time-points before it to `ahead` after it, not counting
    what is marked by itself for being kept. An end of the list is moved at most `later` or `earlier`.
    """

    back: int = 0
    ahead: int = 0
    later: int = 0
    earlier: int = 0

    def over(self, node: Algebra) -> Offset:
        """The offset of what an operator reads."""
        distance = node.distance
        if node.operator not in METRIC or distance is None:
            return self
        far = distance.low if distance.high is None else distance.high
        if node.operator in AHEAD:
            return Offset(self.back, self.ahead + far, self.later, self.earlier + far + 1)
        # Without a limit, what counts of the time long ago is found out by looking at it.
        back = far if distance.high is not None or node.operator is IntervalOperator.BOX_MINUS else 1
        return Offset(self.back + back, self.ahead, self.later + far + 1, self.earlier)

    def joined(self, other: Offset) -> Offset:
        """The farther of two, in each direction."""
        return Offset(
            max(self.back, other.back),
            max(self.ahead, other.ahead),
            max(self.later, other.later),
            max(self.earlier, other.earlier),
        )


def offsets(variant: Variant, out: Term) -> dict[str, Offset]:
    """The offset of every list that a result is made of."""
    found: dict[str, Offset] = {}

    def visit(term: Term, offset: Offset) -> None:
        node = variant.nodes.get(term.name) if isinstance(term, Var) else None
        if node is None or not isinstance(term, Var):
            return
        known = found.get(term.name)
        found[term.name] = offset if known is None else offset.joined(known)
        if known == found[term.name] or isinstance(node, Intervals):
            return
        for item in node.inputs:
            visit(item, found[term.name].over(node))

    visit(out, Offset())
    return found


def is_endless(node: Algebra) -> bool:
    """Whether a metric operator looks back or ahead without limit."""
    return node.distance is not None and node.distance.high is None
