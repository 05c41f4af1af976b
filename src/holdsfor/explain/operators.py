"""Explains operators on interval lists: which input lists cause, or prevent, a time-point in the result."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.core.trace import RuleTrace
from holdsfor.explain.nodes import Kind, Listed, Node
from holdsfor.explain.wording import interval_text, intervals_text, length_text, literal_text, point_text
from holdsfor.ir import AHEAD, DURATIONS, METRIC, Algebra, IntervalOperator, OpenLength
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.interval_lists import decode
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.intervals import Interval, maximal, related
from holdsfor.syntax.terms import ListTerm, Term

if TYPE_CHECKING:
    from holdsfor.explain.lists import Lists

_FAR = 1 << 40
"""The search distance from a time-point for an operator without limit."""
_Reason: TypeAlias = tuple[list[str], list[tuple[int, int, bool]]]
"""Notes, and the time-points that input lists contain, or do not, by the place of the list."""


class Operators:
    """One operator in one solution of a rule."""

    def __init__(self, lists: Lists, trace: RuleTrace, literal: Algebra, answer: Bindings, depth: int) -> None:
        self._lists, self._trace, self._literal, self._answer = lists, trace, literal, answer
        self._depth = depth
        self._inputs = list(_inputs(literal, answer))
        self._values = [decode(resolve(term, answer)) for term in self._inputs]
        self._out = decode(resolve(literal.out, answer))

    def at(self, time: int, *, holds: bool) -> Node | None:
        """The reason why the operator's list contains a time-point, or not."""
        notes, wanted = self._positive(time) if holds else self._negative(time)
        below = [Node(Kind.NOTE, note, holds=holds) for note in notes]
        for place, point, is_in in wanted:
            node = self._lists.listed(self._trace, self._inputs[place], self._answer, point, self._depth, holds=is_in)
            if node is None:
                return None
            below.append(node)
        found = intervals_text(self._out, time)
        verb = "has" if holds else "does not have"
        text = f"{literal_text(self._literal, self._answer)} {verb} {point_text(time)}; it is {found}"
        claim = Listed(self._literal.out, time, self._answer)
        return Node(Kind.OPERATOR, text, holds=holds, claim=claim, children=tuple(below))

    def _in(self, place: int, time: int) -> bool:
        return any(start <= time < end for start, end in self._values[place])

    # Why it is in the list

    def _positive(self, time: int) -> _Reason:
        every = range(len(self._inputs))
        match self._literal.operator:
            case IntervalOperator.UNION:
                return [], [next((place, time, True) for place in every if self._in(place, time))]
            case IntervalOperator.INTERSECTION:
                return [], [(place, time, True) for place in every]
            case IntervalOperator.COMPLEMENT:
                return [], [(place, time, False) for place in every]
            case IntervalOperator.RELATIVE_COMPLEMENT:
                return [], [(place, time, place == 0) for place in every]
            case IntervalOperator.SEQUENCE:
                return self._related(
                    [next(pair for pair in self._sequences() if pair[0][0] <= time < pair[1][1])], time
                )
            case IntervalOperator.ALLEN:
                relation = self._literal.relation
                assert relation is not None
                sources, targets = self._values
                pairs = [(a, b) for a in sources for b in targets if related(relation, a, b)]
                sides = [next((pair for pair in pairs if pair[at][0] <= time < pair[at][1]), None) for at in (0, 1)]
                return self._related(list(dict.fromkeys(pair for pair in sides if pair is not None)), time)
            case operator if operator in METRIC:
                return self._metric(time)
            case operator:
                return self._lasting(DURATIONS[operator], time)

    def _lasting(self, comparison: str, time: int) -> _Reason:
        """The interval that is long or short enough."""
        start, end = around = next(one for one in self._values[0] if one[0] <= time < one[1])
        assert self._literal.bound is not None
        how, shown = self._literal.open_length, interval_text(around)
        if end == math.inf and how is OpenLength.KEPT:
            return [f"{shown} is still open, and such intervals are kept"], [(0, time, True)]
        if end == math.inf and how is not OpenLength.ENDLESS:
            end = self._lists.evidence.now + int(how is OpenLength.SO_FAR)
        limit = _length(evaluate(self._literal.bound, self._answer))
        return [f"{shown} is {_length(end - start)} long, which is {comparison} {limit}"], [(0, time, True)]

    def _sequences(self) -> Iterator[tuple[Interval, Interval]]:
        """Adjacent pairs of the two lists."""
        first, second = self._values
        for a in first:
            for b in second:
                between = (c for c in (*first, *second) if a[1] <= c[0] and c[1] <= b[0])
                if a[1] <= b[0] and next(between, None) is None:
                    yield a, b

    def _related(self, pairs: Sequence[tuple[Interval, Interval]], time: int) -> _Reason:
        """Pairs of intervals of the two lists that are related."""
        verb = self._literal.relation or "is followed by"
        notes = [f"{interval_text(a)} of the first list {verb} {interval_text(b)} of the second" for a, b in pairs]
        wanted = [(place, _point_in(one, time), True) for pair in pairs for place, one in enumerate(pair)]
        return notes, list(dict.fromkeys(wanted))

    def _metric(self, time: int) -> _Reason:
        distance, operator = self._literal.distance, self._literal.operator
        assert distance is not None
        near, far = distance.low, _FAR if distance.high is None else distance.high
        sign = 1 if operator in AHEAD else -1
        low, high = sorted((time + sign * near, time + sign * far))
        if operator in (IntervalOperator.BOX_MINUS, IntervalOperator.BOX_PLUS):
            note = f"at all time-points from {point_text(low)} to {point_text(high)}"
            points = {time + sign * near} if distance.high is None else {low, high}
            return [note], [(0, point, True) for point in sorted(points)]
        if operator in (IntervalOperator.DIAMOND_MINUS, IntervalOperator.DIAMOND_PLUS):
            point = next(self._witnesses(0, low, high, sign))
            return [_away(point, time)], [(0, point, True)]
        # The closest witness of `since` or `until`, and the first list in between.
        for point in self._witnesses(1, low, high, sign):
            first, last = (point + 1, time - 1) if sign < 0 else (time + 1, point - 1)
            if first > last:
                return [f"{_away(point, time)}; nothing lies between"], [(1, point, True)]
            if any(start <= first and last < end for start, end in maximal(self._values[0])):
                note = f"{_away(point, time)}, with the first list {first} to {last}"
                return [note], [(1, point, True), *((0, between, True) for between in sorted({first, last}))]
        raise AssertionError("a list has a time-point that nothing gives it")

    def _witnesses(self, place: int, low: int, high: int, sign: int) -> Iterator[int]:
        """Time-points of a list, closest first: the closest of every interval, then the following ones."""
        inside = ((max(start, low), min(end - 1, high)) for start, end in self._values[place])
        found = [int(last if sign < 0 else first) for first, last in inside if first <= last]
        yield from sorted(found, reverse=sign < 0)
        # The point before an interval of the first list, or one inside it, may be a witness where the closest is not.
        edges = (int(edge) for one in self._values[0] for edge in one if math.isfinite(edge))
        inner = {edge + step for edge in edges for step in (-2, -1, 0, 1)}
        yield from sorted((p for p in inner if low <= p <= high and self._in(place, p)), reverse=sign < 0)

    # Why it is not in the list

    def _negative(self, time: int) -> _Reason:
        every = range(len(self._inputs))
        match self._literal.operator:
            case IntervalOperator.UNION:
                return [], [(place, time, False) for place in every]
            case IntervalOperator.INTERSECTION:
                return [], [(place, time, False) for place in every if not self._in(place, time)]
            case IntervalOperator.RELATIVE_COMPLEMENT if not self._in(0, time):
                return [], [(0, time, False)]
            case IntervalOperator.COMPLEMENT | IntervalOperator.RELATIVE_COMPLEMENT as operator:
                first = int(operator is IntervalOperator.RELATIVE_COMPLEMENT)
                return [], [next((place, time, True) for place in every[first:] if self._in(place, time))]
            case _:
                return [f"its lists: {intervals_text(values, time)}" for values in self._values], []


def _inputs(literal: Algebra, answer: Bindings) -> Iterator[Term]:
    for term in literal.inputs:
        if isinstance(term, ListTerm) and term.tail is not None:
            whole = resolve(term.tail, answer)
            assert isinstance(whole, ListTerm)
            yield from whole.items
        else:
            yield term


def decoded(out: Term, answer: Bindings) -> list[Interval]:
    """The intervals of a variable of a rule."""
    found = resolve(out, answer)
    return decode(found) if isinstance(found, ListTerm) else []


def _point_in(interval: Interval, time: int) -> int:
    """A time-point of an interval: the given one, or an end."""
    start, end = interval
    if start <= time < end:
        return time
    return int(start) if math.isfinite(start) else int(end) - 1


def _away(point: int, time: int) -> str:
    return f"at {point_text(point)}, {length_text(abs(time - point))} away"


def _length(length: float) -> str:
    """A duration as text; a bound may be fractional."""
    if math.isinf(length):
        return "for ever"
    return length_text(int(length)) if length == int(length) else str(length)
