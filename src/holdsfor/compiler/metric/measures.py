"""Computes properties of a plan before it runs: reach, granularity, stream state, and readable rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from holdsfor.compiler.metric.plan import MetricPlan, MetricStratum
from holdsfor.compiler.metric.rules import (
    Eroded,
    Joined,
    JoinLiteral,
    Lasting,
    Moved,
    NormalRule,
    Relation,
    Scan,
    Total,
    negative,
)
from holdsfor.ir.metric import (
    Aggregate,
    Atom,
    Binary,
    BinaryOperator,
    Condition,
    MetricAtom,
    MetricLiteral,
    MetricRule,
    Range,
    Unary,
    UnaryOperator,
)
from holdsfor.syntax.terms import Const, Var

_ZERO = Fraction(0)


def reach(plan: MetricPlan) -> Fraction:
    """The largest number in the rules in normal form, t_Π: the required length of a window."""
    bounds = [bound for offsets in _distances(plan) for bound in (offsets.low, offsets.high) if bound is not None]
    return max(map(abs, bounds), default=_ZERO)


def granularity(plan: MetricPlan) -> Fraction | None:
    """The length of the shortest interval in the rules in normal form; None if there is no bounded interval.

    If it is not 0, the state that a stream keeps does not depend on the number of facts.
    """
    lengths = [
        offsets.high - offsets.low
        for offsets in _distances(plan)
        if offsets.low is not None and offsets.high is not None
    ]
    return min(lengths, default=None)


def _distances(plan: MetricPlan) -> Iterator[Range]:
    return (rule.offsets for rule in plan.rules if not isinstance(rule, Joined))


@dataclass(frozen=True, slots=True)
class Kept:
    """What a stream keeps of a relation. `time` is the length of time; None is unbounded."""

    relation: Relation
    what: str
    time: Fraction | None


def kept(stratum: MetricStratum) -> list[Kept]:
    """The state that a stratum running forward carries from one step to the next."""
    longest: dict[tuple[Relation, str], Fraction | None] = {}
    for rule in stratum.rules:
        for relation, what, time in _kept_by(rule):
            before = longest.setdefault((relation, what), time)
            longest[relation, what] = None if before is None or time is None else max(before, time)
    return [Kept(relation, what, time) for (relation, what), time in longest.items() if time != 0]


def _kept_by(rule: NormalRule) -> Iterator[tuple[Relation, str, Fraction | None]]:
    match rule:
        case Moved(head=head, offsets=offsets):
            yield head, "to come", offsets.high
        case Eroded(head=head, source=source, offsets=offsets):
            width = None if offsets.high is None or offsets.low is None else offsets.high - offsets.low
            yield source, "going on", width
            yield head, "to come", offsets.low
        case Lasting(head=head, offsets=offsets):
            yield head, "as long as its left side goes on", offsets.high
        case Joined():
            pass


# Rules in normal form, written as rules


def as_rule(rule: NormalRule) -> MetricRule:
    """A rule in normal form in the syntax of rules."""
    match rule:
        case Moved(head=head, source=source, offsets=offsets):
            args = _arguments(head)
            atom = _apply(offsets, UnaryOperator.DIAMOND_MINUS, UnaryOperator.DIAMOND_PLUS, Atom(source.name, args))
            return MetricRule((), Atom(head.name, args), (Condition(atom),))
        case Eroded(head=head, source=source, offsets=offsets):
            args = _arguments(head)
            atom = _apply(offsets, UnaryOperator.BOX_MINUS, UnaryOperator.BOX_PLUS, Atom(source.name, args))
            return MetricRule((), Atom(head.name, args), (Condition(atom),))
        case Lasting(head=head, columns=columns, left=left, right=right, offsets=offsets, is_until=is_until):
            operator = BinaryOperator.UNTIL if is_until else BinaryOperator.SINCE
            during = negative(offsets) if is_until else offsets
            lasting = Binary(operator, during, _atom(left), _atom(right))
            return MetricRule((), Atom(head.name, columns), (Condition(lasting),))
        case Joined(head=head, terms=terms, literals=literals):
            written = tuple(term for term in terms if isinstance(term, Var | Const))
            return MetricRule((), Atom(head.name, written), tuple(map(_literal, literals)))


def _arguments(relation: Relation) -> tuple[Var, ...]:
    return tuple(Var(f"X{place + 1}") for place in range(relation.arity))


def _atom(scan: Scan) -> Atom:
    return Atom(scan.relation.name, scan.args)


def _literal(literal: JoinLiteral) -> MetricLiteral:
    match literal:
        case Scan(negated=negated):
            return Condition(_atom(literal), negated)
        case Total(function=function, result=result, terms=terms, scan=scan):
            return Aggregate(function, result, terms, _atom(scan))
        case _:
            return literal


def _apply(offsets: Range, back: UnaryOperator, ahead: UnaryOperator, atom: MetricAtom) -> MetricAtom:
    """Applies an operator to distances that may lie before and after now, as two nested operators."""
    low, high = offsets.low, offsets.high
    if low is not None and low >= 0:
        return Unary(back, offsets, atom)
    if high is not None and high <= 0:
        return Unary(ahead, negative(offsets), atom)
    if low is not None:
        width = None if high is None else high - low
        wide = Unary(back, Range(_ZERO, width, offsets.low_open, offsets.high_open), atom)
        return Unary(ahead, Range(-low, -low), wide)
    wide = Unary(ahead, Range(_ZERO, None, offsets.high_open, high_open=True), atom)
    return Unary(back, Range(_ZERO, None, high_open=True) if high is None else Range(high, high), wide)
