"""Programs and facts with time turned round."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.ir.metric import (
    Atom,
    Binary,
    BinaryOperator,
    Comparison,
    MetricAtom,
    MetricLiteral,
    MetricRule,
    Range,
    Truth,
    Unary,
    UnaryOperator,
)
from tests.strategies.metric_programs import Scenario

_OPPOSITE = {
    UnaryOperator.DIAMOND_MINUS: UnaryOperator.DIAMOND_PLUS,
    UnaryOperator.DIAMOND_PLUS: UnaryOperator.DIAMOND_MINUS,
    UnaryOperator.BOX_MINUS: UnaryOperator.BOX_PLUS,
    UnaryOperator.BOX_PLUS: UnaryOperator.BOX_MINUS,
}
_OPPOSITE_BINARY = {BinaryOperator.SINCE: BinaryOperator.UNTIL, BinaryOperator.UNTIL: BinaryOperator.SINCE}


def mirrored(scenario: Scenario) -> Scenario:
    """The scenario in which everything happens at minus its time."""
    return Scenario(
        replace(scenario.program, rules=tuple(map(_rule, scenario.program.rules))),
        tuple(replace(fact, during=mirrored_range(fact.during)) for fact in reversed(scenario.facts)),
        -scenario.end,
        -scenario.start,
    )


def mirrored_range(span: Range) -> Range:
    """The interval of the numbers' opposites."""
    return Range(
        None if span.high is None else -span.high,
        None if span.low is None else -span.low,
        span.high_open,
        span.low_open,
    )


def _rule(rule: MetricRule) -> MetricRule:
    boxes = tuple((_OPPOSITE[operator], during) for operator, during in rule.boxes)
    return MetricRule(boxes, rule.head, tuple(map(_literal, rule.body)))


def _literal(literal: MetricLiteral) -> MetricLiteral:
    return literal if isinstance(literal, Comparison) else replace(literal, atom=_atom(literal.atom))


def _atom(atom: MetricAtom) -> MetricAtom:
    match atom:
        case Atom() | Truth():
            return atom
        case Unary():
            return Unary(_OPPOSITE[atom.operator], atom.range, _atom(atom.operand))
        case Binary():
            return Binary(_OPPOSITE_BINARY[atom.operator], atom.range, _atom(atom.left), _atom(atom.right))
