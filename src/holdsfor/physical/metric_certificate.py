"""Computes how much a stream keeps of metric relations: distances, and numbers of intervals for each instance.

An operator is applied when its operand happens. Its results after that wait until they are due, and two of them that
are not joined are as long as the interval of the operator. So their number has a bound unless this interval is
punctual.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from holdsfor.physical.instructions import Origin
from holdsfor.physical.metric import (
    MetricComponent,
    MetricErode,
    MetricJoin,
    MetricLast,
    MetricMove,
    MetricOffsets,
    MetricRule,
    MetricStratum,
)
from holdsfor.records import record

WAITS, GOES_ON, ARMED, RECENT = "to come", "that goes on", "to come while its left side holds", "of the recent past"
_Operator: TypeAlias = MetricMove | MetricErode | MetricLast


@record
class MetricBound:
    """The rows that a stream keeps of a relation for one instance: intervals that reach over `span` ticks. None is without
    limit.

    Without a limit of intervals, `why` is the rule that prevents it.
    """

    relation: int
    what: str
    span: int | None
    intervals: int | None
    why: Origin | None = None


def reach(component: MetricComponent) -> Fraction:
    """The paper's t_Π: the largest distance in the rules."""
    ends = [end for rule in _operators(component) for end in (rule.offsets.low, rule.offsets.high) if end is not None]
    return Fraction(max(map(abs, ends), default=0), component.scale)


def granularity(component: MetricComponent) -> Fraction | None:
    """The length of the shortest interval in the rules; None if no interval is bounded."""
    lengths = [_length(rule.offsets) for rule in _operators(component)]
    return min((Fraction(length, component.scale) for length in lengths if length is not None), default=None)


def looks_ahead(component: MetricComponent) -> bool:
    """Whether a rule depends on later times."""
    return any(
        rule.offsets.low is None or rule.offsets.low < 0 or (isinstance(rule, MetricLast) and rule.is_until)
        for rule in _operators(component)
    )


def stream_bounds(stratum: MetricStratum) -> list[MetricBound]:
    """The rows that a stream keeps for a stratum. Bounds of several rules for a relation add up."""
    found: dict[tuple[int, str], MetricBound] = {}
    for rule in stratum.rules:
        for one in () if isinstance(rule, MetricJoin) else _kept(rule):
            if one.span == 0 and one.what == WAITS:
                continue
            known = found.get((one.relation, one.what))
            found[one.relation, one.what] = one if known is None else _together(known, one)
    return list(found.values())


def _kept(rule: _Operator) -> Iterator[MetricBound]:
    offsets, length = rule.offsets, _length(rule.offsets)
    match rule:
        case MetricMove(head=head):
            yield _waiting(head, WAITS, offsets.high, length, rule)
        case MetricErode(head=head, source=source):
            yield MetricBound(source, GOES_ON, length, 1)
            yield _waiting(head, WAITS, offsets.low, length, rule)
        case MetricLast(left=left, right=right, waits=waits) if waits:
            for scan in (left, right):
                yield MetricBound(scan.relation, RECENT, waits, None, rule.origin)
        case MetricLast(head=head, left=left, right=right):
            for scan in (left, right):
                yield MetricBound(scan.relation, GOES_ON, 0, 1)
            yield _waiting(head, ARMED, offsets.high, length, rule)


def _waiting(head: int, what: str, span: int | None, length: int | None, rule: MetricRule) -> MetricBound:
    """Results that wait: all but the first lie between now and `span`, and each is at least as long as the interval."""
    if span is None or length is None or span == 0:
        return MetricBound(head, what, span, 1)
    if length == 0:
        return MetricBound(head, what, span, None, rule.origin)
    return MetricBound(head, what, span, span // length + 1)


def _together(one: MetricBound, other: MetricBound) -> MetricBound:
    span = None if one.span is None or other.span is None else max(one.span, other.span)
    if one.intervals is None or other.intervals is None:
        return MetricBound(one.relation, one.what, span, None, one.why or other.why)
    # An interval that goes on is kept once, however many rules read it.
    count = 1 if one.what == GOES_ON else one.intervals + other.intervals
    return MetricBound(one.relation, one.what, span, count)


def _operators(component: MetricComponent) -> Iterator[_Operator]:
    return (rule for stratum in component.part.strata for rule in stratum.rules if not isinstance(rule, MetricJoin))


def _length(offsets: MetricOffsets) -> int | None:
    return None if offsets.low is None or offsets.high is None else offsets.high - offsets.low
