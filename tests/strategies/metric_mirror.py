"""Programs and facts with time turned round."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricLiteral, MetricRule
from tests.strategies.metric_programs import Scenario

_OPPOSITE = {
    metric.UnaryOperator.DIAMOND_MINUS: metric.UnaryOperator.DIAMOND_PLUS,
    metric.UnaryOperator.DIAMOND_PLUS: metric.UnaryOperator.DIAMOND_MINUS,
    metric.UnaryOperator.BOX_MINUS: metric.UnaryOperator.BOX_PLUS,
    metric.UnaryOperator.BOX_PLUS: metric.UnaryOperator.BOX_MINUS,
}
_OPPOSITE_BINARY = {
    metric.BinaryOperator.SINCE: metric.BinaryOperator.UNTIL,
    metric.BinaryOperator.UNTIL: metric.BinaryOperator.SINCE,
}


def mirrored(scenario: Scenario) -> Scenario:
    """The scenario in which everything happens at minus its time."""
    return Scenario(
        replace(scenario.program, rules=tuple(map(_rule, scenario.program.rules))),
        tuple(replace(fact, during=mirrored_range(fact.during)) for fact in reversed(scenario.facts)),
        -scenario.end,
        -scenario.start,
    )


def mirrored_range(span: metric.Range) -> metric.Range:
    """The interval of the numbers' opposites."""
    return metric.Range(
        None if span.high is None else -span.high,
        None if span.low is None else -span.low,
        span.high_open,
        span.low_open,
    )


def _rule(rule: MetricRule) -> MetricRule:
    boxes = tuple((_OPPOSITE[operator], during) for operator, during in rule.boxes)
    return MetricRule(boxes, rule.head, tuple(map(_literal, rule.body)))


def _literal(literal: MetricLiteral) -> MetricLiteral:
    return literal if isinstance(literal, metric.Comparison) else replace(literal, atom=_atom(literal.atom))


def _atom(atom: MetricAtom) -> MetricAtom:
    match atom:
        case metric.Atom() | metric.Truth():
            return atom
        case metric.Unary():
            return metric.Unary(_OPPOSITE[atom.operator], atom.range, _atom(atom.operand))
        case metric.Binary():
            return metric.Binary(_OPPOSITE_BINARY[atom.operator], atom.range, _atom(atom.left), _atom(atom.right))
