"""Chooses times of metric proofs: what an operator reads, and where a condition is met or missed."""

from __future__ import annotations

from fractions import Fraction

from holdsfor.ir.metric import BinaryOperator, MetricRule, Range, UnaryOperator
from holdsfor.reference.metric.times import Times

_LOOKS_BACK = (UnaryOperator.DIAMOND_MINUS, UnaryOperator.BOX_MINUS, BinaryOperator.SINCE)


def window_of(operator: UnaryOperator | BinaryOperator, during: Range, at: Fraction) -> Times:
    """The times that an operator reads."""
    point = Times.of([((at, 0), (at, 1))])
    return point.earlier(during) if operator in _LOOKS_BACK else point.later(during)


def body_times(rule: MetricRule, time: Fraction) -> Times:
    """The times of the body from which the head holds at a time."""
    found = Times.of([((time, 0), (time, 1))])
    for operator, during in reversed(rule.boxes):
        found = found.earlier(during) if operator is UnaryOperator.BOX_PLUS else found.later(during)
    return found


def around(times: Times, time: Fraction) -> Range | None:
    """The interval of a set that contains a time."""
    return next((one for one in times.ranges() if time in one), None)


def between(one: Fraction, other: Fraction) -> Range:
    """The times between two points, without them."""
    return Range(min(one, other), max(one, other), low_open=True, high_open=True)


def chosen(times: Times, near: Fraction) -> Fraction | None:
    """A time of a set: the given one if it is in the set, otherwise a simple one."""
    if near in times or not times:
        return near if times else None

    def distance(during: Range) -> Fraction:
        return min((abs(end - near) for end in (during.low, during.high) if end is not None), default=Fraction(0))

    # The closest past time comes first, then the closest future time.
    return _easy(min(times.ranges(), key=distance), near)


def _easy(during: Range, near: Fraction) -> Fraction:
    """A point of an interval: its closest end if included, otherwise a point close to it."""
    low, high = during.low, during.high
    is_past = low is None or (high is not None and high <= near)
    end, is_open, step = (high, during.high_open, -1) if is_past else (low, during.low_open, 1)
    assert end is not None
    if not is_open:
        return end
    return end + step if low is None or high is None else (low + high) / 2


def representatives(window: Times, at: Fraction) -> list[Fraction]:
    """One or two points that represent the interval that an operator reads."""
    (during,) = window.ranges()
    low, high = during.low, during.high
    if low is None or high is None:
        return [_easy(during, at)]
    middle = (low + high) / 2
    return list(dict.fromkeys([middle if during.low_open else low, middle if during.high_open else high]))


def witness(right: Times, left: Times, at: Fraction, *, back: bool) -> Fraction:
    """The closest time of the right operand from which the left operand persists."""
    if at in right:
        return at
    found = {_easy(during, at) for stretch in left.stretches() for during in (right & stretch).ranges()}
    lasting = ((point, Times.during(between(point, at))) for point in sorted(found, reverse=back))
    return next(point for point, needed in lasting if needed & left == needed)
