"""Shows the metric rules of a plan as lines of text.

Rules are in normal form: an operator derives a new, named relation from another one. Distances are in time-points and
may be fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from holdsfor.ir.metric import AggregateFunction
from holdsfor.physical.instructions import Apply, Expression, Register, Shape
from holdsfor.physical.metric import (
    MetricComponent,
    MetricErode,
    MetricGiven,
    MetricJoin,
    MetricLast,
    MetricLiteral,
    MetricMove,
    MetricOffsets,
    MetricRule,
    MetricScan,
    MetricTest,
    MetricTotal,
)
from holdsfor.physical.metric_certificate import MetricBound, looks_ahead, stream_bounds
from holdsfor.physical.show import shape as shown_shape

_FUNCTIONS = [str(one) for one in AggregateFunction]


def metric_rules(component: MetricComponent) -> list[dict[str, Any]]:
    """The rules and facts of a component: source position, result, and lines of each."""
    shown = _Shown(component)
    rules = [
        {"at": str(rule.origin), "head": f"gives {shown.head(rule)}", "program": list(shown.body(rule))}
        for stratum in component.part.strata
        for rule in stratum.rules
    ]
    return rules + [{"at": "", "head": f"fact {shown.fact(one)}", "program": []} for one in component.facts]


def stream_keeps(component: MetricComponent) -> Iterator[str]:
    """The rows that a stream keeps of the relations for each instance, in words."""
    if looks_ahead(component):
        return
    labels = [relation.label for relation in component.part.relations]
    for stratum in component.part.strata:
        for one in stream_bounds(stratum):
            yield f"{labels[one.relation]}: {_bound(one, component.scale)}"


def recursion(component: MetricComponent) -> Iterator[str]:
    """How the rules of a component are recursive: in which direction of time, and by which distance at least."""
    for stratum in component.part.strata:
        if stratum.is_recursive and stratum.stride:
            direction = "backward" if stratum.is_backward else "forward"
            yield f"recursive {direction} by {Fraction(stratum.stride, component.scale)}"
        elif stratum.is_recursive:
            yield "recursive"


def _bound(one: MetricBound, scale: int) -> str:
    far = "without end" if one.span is None else f"for {Fraction(one.span, scale)}"
    if one.intervals is None:
        return f"all intervals {one.what}, {far}, because of the punctual interval at {one.why}"
    many = "1 interval" if one.intervals == 1 else f"at most {one.intervals} intervals"
    return f"{many} {one.what}" + (f", {far}" if one.span != 0 else "")


def register(number: int) -> str:
    """A register; register 0 has no special meaning here."""
    return f"r{number + 1}"


def shape(given: Shape | Expression) -> str:
    """A term or an expression."""
    match given:
        case Register(number=number):
            return register(number)
        case Apply(function=name, args=args):
            return f"{name}({','.join(map(shape, args))})"
        case _:
            return shown_shape(given)


class _Shown:
    def __init__(self, component: MetricComponent) -> None:
        self._scale = component.scale
        self._names = [relation.label.rpartition("/")[0] for relation in component.part.relations]
        self._columns = [relation.columns for relation in component.part.relations]

    def head(self, rule: MetricRule) -> str:
        match rule:
            case MetricMove(head=head) | MetricErode(head=head):
                return self._row(head, self._own(head))
            case MetricLast(head=head, columns=columns):
                return self._row(head, map(register, columns))
            case MetricJoin(head=head, terms=terms):
                return self._row(head, map(shape, terms))

    def body(self, rule: MetricRule) -> Iterator[str]:
        match rule:
            case MetricMove(source=source, offsets=offsets):
                yield f"{self._row(source, self._own(source))} at some time {self._offsets(offsets)}"
            case MetricErode(source=source, offsets=offsets):
                yield f"{self._row(source, self._own(source))} at all times {self._offsets(offsets)}"
            case MetricLast(left=left, right=right, offsets=offsets, is_until=is_until):
                yield f"{self._scan(right)} at some time {self._offsets(offsets)}"
                yield f"{self._scan(left)} at all times {'until' if is_until else 'since'} then"
            case MetricJoin(literals=literals):
                yield from map(self._literal, literals)

    def fact(self, fact: MetricGiven) -> str:
        row = self._row(fact.relation, map(shape, fact.columns))
        low = "(-inf" if fact.start is None else f"{'(' if fact.start % 2 else '['}{self._time(fact.start // 2)}"
        high = "inf)" if fact.end is None else f"{self._time(fact.end // 2)}{']' if fact.end % 2 else ')'}"
        return f"{row}@{low},{high}"

    def _own(self, relation: int) -> Iterator[str]:
        return map(register, range(self._columns[relation]))

    def _row(self, relation: int, columns: Iterator[str]) -> str:
        inside = ",".join(columns)
        return f"{self._names[relation]}({inside})" if inside else self._names[relation]

    def _scan(self, scan: MetricScan) -> str:
        return f"{'not ' if scan.negated else ''}{self._row(scan.relation, map(shape, scan.columns))}"

    def _literal(self, literal: MetricLiteral) -> str:
        match literal:
            case MetricScan():
                return self._scan(literal)
            case MetricTest(operator=operator, left=left, right=right):
                return f"{shape(left)} {operator} {shape(right)}"
            case MetricTotal(function=function, result=result, terms=terms, scan=scan):
                inside = ",".join(map(register, terms))
                return f"{register(result)} = {_FUNCTIONS[function]}({inside} : {self._scan(scan)})"

    def _offsets(self, offsets: MetricOffsets) -> str:
        low = "(-inf" if offsets.low is None else f"{'(' if offsets.low_open else '['}{self._time(offsets.low)}"
        high = "inf)" if offsets.high is None else f"{self._time(offsets.high)}{')' if offsets.high_open else ']'}"
        return f"{low},{high} before"

    def _time(self, ticks: int) -> Fraction:
        return Fraction(ticks, self._scale)
