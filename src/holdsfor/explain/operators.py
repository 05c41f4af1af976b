"""Explains operators on interval lists: which input lists cause, or prevent, a time-point in the result."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.explain.nodes import Kind, Listed, Node
from holdsfor.explain.wording import interval_text, intervals_text, length_text, literal_text, point_text
from holdsfor.ir import AHEAD, DURATIONS, METRIC, Algebra, IntervalOperator, IntervalRule, OpenLength
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.interval_lists import decode
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.intervals import Interval, maximal, related
from holdsfor.syntax.terms import ListTerm, Term

if TYPE_CHECKING:
    from holdsfor.explain.lists import Lists

_FAR = 1 << 40
"""The search distance from a time-point for an operator without limit."""


class Operators:
    """One operator in one solution of a rule."""

    def __init__(self, lists: Lists, rule: IntervalRule, literal: Algebra, answer: Bindings, depth: int) -> None:
        self._lists, self._rule, self._literal, self._answer = lists, rule, literal, answer
        self._depth = depth
        self._inputs = list(_inputs(literal, answer))
        self._values = [decode(resolve(term, answer)) for term in self._inputs]
        self._out = decode(resolve(literal.out, answer))

    def at(self, time: int, *, holds: bool) -> Node | None:
        """The reason why the operator's list contains a time-point, or not."""
        notes, wanted = self._positive(time) if holds else self._negative(time)
        below = [Node(Kind.NOTE, note, holds=holds) for note in notes]
        for place, point, is_in in wanted:
            node = self._lists.listed(self._rule, self._inputs[place], self._answer, point, self._depth, holds=is_in)
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

    def _around(self, place: int, time: int) -> Interval:
        return next(one for one in self._values[place] if one[0] <= time < one[1])

    # Why it is in the list: the text, and the time-points that input lists contain, or do not

    def _positive(self, time: int) -> tuple[list[str], list[tuple[int, int, bool]]]:
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
                one, two = next(pair for pair in self._sequences() if pair[0][0] <= time < pair[1][1])
                note = f"{interval_text(one)} of the first list is followed by {interval_text(two)} of the second"
                return [note], [(0, _point_in(one, time), True), (1, _point_in(two, time), True)]
            case IntervalOperator.ALLEN:
                return self._allen(time)
            case operator if operator in METRIC:
                return self._metric(time)
            case operator:
                around = self._around(0, time)
                assert self._literal.bound is not None
                bound = evaluate(self._literal.bound, self._answer)
                how, now = self._literal.open_length, self._lists.evidence.now
                end = around[1]
                if end == math.inf and how is OpenLength.KEPT:
                    return [f"{interval_text(around)} is still open, and such intervals are kept"], [(0, time, True)]
                if end == math.inf and how is not OpenLength.ENDLESS:
                    end = now + int(how is OpenLength.SO_FAR)
                shown, limit = _length(end - around[0]), _length(bound)
                note = f"{interval_text(around)} is {shown} long, which is {DURATIONS[operator]} {limit}"
                return [note], [(0, time, True)]

    def _sequences(self) -> Iterator[tuple[Interval, Interval]]:
        """Adjacent pairs of the two lists."""
        first, second = self._values
        for a in first:
            for b in second:
                between = (c for c in (*first, *second) if a[1] <= c[0] and c[1] <= b[0])
                if a[1] <= b[0] and next(between, None) is None:
                    yield a, b

    def _allen(self, time: int) -> tuple[list[str], list[tuple[int, int, bool]]]:
        relation = self._literal.relation
        assert relation is not None
        sources, targets = self._values
        pairs = [(a, b) for a in sources for b in targets if related(relation, a, b)]
        with_source = next(((a, b) for a, b in pairs if a[0] <= time < a[1]), None)
        with_target = next(((a, b) for a, b in pairs if b[0] <= time < b[1]), None)
        notes, wanted = [], []
        for chosen in dict.fromkeys(pair for pair in (with_source, with_target) if pair is not None):
            one, two = chosen
            notes.append(f"{interval_text(one)} of the first list {relation} {interval_text(two)} of the second")
            wanted += [(0, _point_in(one, time), True), (1, _point_in(two, time), True)]
        return notes, list(dict.fromkeys(wanted))

    def _metric(self, time: int) -> tuple[list[str], list[tuple[int, int, bool]]]:
        low, high, sign = self._reach(time)
        match self._literal.operator:
            case IntervalOperator.DIAMOND_MINUS | IntervalOperator.DIAMOND_PLUS:
                point = self._witness(0, low, high, sign)
                return [f"at {point_text(point)}, {length_text(abs(time - point))} away"], [(0, point, True)]
            case IntervalOperator.BOX_MINUS | IntervalOperator.BOX_PLUS:
                note = f"at all time-points from {point_text(low)} to {point_text(high)}"
                is_endless = self._literal.distance is not None and self._literal.distance.high is None
                near = high if sign < 0 else low
                return [note], [(0, point, True) for point in sorted({near} if is_endless else {low, high})]
            case _:
                return self._since(time, low, high, sign)

    def _since(self, time: int, low: int, high: int, sign: int) -> tuple[list[str], list[tuple[int, int, bool]]]:
        """The closest witness of `since` or `until`, and the first list in between."""
        for point in self._witnesses(1, low, high, sign):
            first, last = (point + 1, time - 1) if sign < 0 else (time + 1, point - 1)
            if first > last:
                return [f"at {point_text(point)}, {length_text(abs(time - point))} away; nothing lies between"], [
                    (1, point, True)
                ]
            if any(start <= first and last < end for start, end in maximal(self._values[0])):
                note = f"at {point_text(point)}, {length_text(abs(time - point))} away, with the first list {first} to {last}"
                return [note], [(1, point, True), *((0, between, True) for between in sorted({first, last}))]
        raise AssertionError("a list has a time-point that nothing gives it")

    def _reach(self, time: int) -> tuple[int, int, int]:
        """The time-points that a metric operator reads, and their direction."""
        distance = self._literal.distance
        assert distance is not None
        far = _FAR if distance.high is None else distance.high
        if self._literal.operator in AHEAD:
            return time + distance.low, time + far, 1
        return time - far, time - distance.low, -1

    def _witness(self, place: int, low: int, high: int, sign: int) -> int:
        return next(self._witnesses(place, low, high, sign))

    def _witnesses(self, place: int, low: int, high: int, sign: int) -> Iterator[int]:
        """Time-points of a list, closest first: the closest of every interval, then the following ones."""
        found = []
        for start, end in self._values[place]:
            first, last = max(start, low), min(end - 1, high)
            if first <= last:
                found.append((int(last), int(first)) if sign < 0 else (int(first), int(last)))
        yield from (near for near, _ in sorted(found, reverse=sign < 0))
        # The point before an interval of the first list, or one inside it, may be a witness where the closest is not.
        inner = {
            int(edge) + step
            for one in self._values[0]
            for edge in one
            if math.isfinite(edge)
            for step in (-2, -1, 0, 1)
        }
        yield from sorted((p for p in inner if low <= p <= high and self._in(place, p)), reverse=sign < 0)

    # Why it is not in the list

    def _negative(self, time: int) -> tuple[list[str], list[tuple[int, int, bool]]]:
        every = range(len(self._inputs))
        match self._literal.operator:
            case IntervalOperator.UNION:
                return [], [(place, time, False) for place in every]
            case IntervalOperator.INTERSECTION:
                return [], [(place, time, False) for place in every if not self._in(place, time)]
            case IntervalOperator.COMPLEMENT:
                return [], [next((place, time, True) for place in every if self._in(place, time))]
            case IntervalOperator.RELATIVE_COMPLEMENT:
                if not self._in(0, time):
                    return [], [(0, time, False)]
                return [], [next((place, time, True) for place in every if place and self._in(place, time))]
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


def _point_in(interval: Interval, time: int) -> int:
    """A time-point of an interval: the given one, or an end."""
    start, end = interval
    if start <= time < end:
        return time
    return int(start) if math.isfinite(start) else int(end) - 1


def _length(length: float) -> str:
    """A duration as text; a bound may be fractional."""
    if math.isinf(length):
        return "for ever"
    return length_text(int(length)) if length == int(length) else str(length)
