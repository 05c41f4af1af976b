"""The ways through a `holdsFor` body: alternatives spelled out, interval lists told apart from conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.diagnostics import HoldsforError
from holdsfor.ir import (
    Algebra,
    Body,
    Compare,
    Cut,
    FindAll,
    Guard,
    IfThenElse,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    walk,
)
from holdsfor.syntax.terms import EMPTY_LIST, Var


class NotSupported(HoldsforError):
    """A construct that the engine has no operator for; the reference evaluator has."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"the columnar engine cannot do this yet: {what}; the reference evaluator can (--engine reference)"
        )


@dataclass(frozen=True)
class Variant:
    """One way: the list behind each interval variable, tests for emptiness, and conditions on other variables."""

    nodes: dict[str, Intervals | Algebra]
    guards: tuple[Guard, ...]
    conditions: Body


def variants(rule: IntervalRule) -> list[Variant]:
    """All ways through a rule's body."""
    return [_variant(body, rule) for body in _alternatives(rule.body)]


def _alternatives(body: Body) -> Iterator[Body]:
    """A body without disjunctions and conditionals that compute interval lists."""
    for position, literal in enumerate(body):
        if not _computes_intervals(literal):
            continue
        before, after = body[:position], body[position + 1 :]
        for branch in _branches(literal):
            yield from _alternatives((*before, *branch, *after))
        return
    yield body


def _computes_intervals(literal: Literal) -> bool:
    nested = isinstance(literal, Or | IfThenElse)
    return nested and any(
        isinstance(inner, Intervals | Algebra | Guard) or _is_alias(inner) for inner in walk((literal,))
    )


def _is_alias(literal: Literal) -> bool:
    return (
        isinstance(literal, Compare)
        and literal.operator == "="
        and isinstance(literal.left, Var)
        and isinstance(literal.right, Var)
    )


def _branches(literal: Literal) -> tuple[Body, ...]:
    if isinstance(literal, Or):
        return literal.branches
    assert isinstance(literal, IfThenElse)
    chosen = (*literal.condition, *literal.then)
    if literal.otherwise is None:
        return (chosen,)
    refused = _refused(literal)
    return (chosen, (*refused, *literal.otherwise))


def _refused(literal: IfThenElse) -> Body:
    """The condition of a conditional, negated."""
    if len(literal.condition) == 1 and isinstance(literal.condition[0], Guard):
        guard = literal.condition[0]
        return (Guard(guard.intervals, not guard.empty, guard.span),)
    return (Not(literal.condition, literal.span),)


def _variant(body: Body, rule: IntervalRule) -> Variant:
    nodes: dict[str, Intervals | Algebra] = {}
    for literal in body:
        if isinstance(literal, Intervals | Algebra) and isinstance(literal.out, Var):
            nodes[literal.out.name] = literal
    guards: list[Guard] = []
    conditions: list[Literal] = []
    for literal in body:
        match literal:
            case Intervals() | Algebra() | Cut():
                continue
            case Guard(intervals=Var(name=name), empty=True) if name not in nodes:
                nodes[name] = Algebra(IntervalOperator.UNION, (EMPTY_LIST,), literal.intervals, span=literal.span)
            case Guard():
                guards.append(literal)
            case Compare(operator="=", left=Var() as one, right=Var() as other) if (
                one.name in nodes or other.name in nodes
            ):
                target, origin = (other, one) if one.name in nodes else (one, other)
                nodes[target.name] = Algebra(IntervalOperator.UNION, (origin,), target, span=literal.span)
            case FindAll() if any(isinstance(inner, Intervals | Algebra) for inner in walk(literal.body)):
                raise NotSupported(
                    f"{rule.span.location}: findall over interval lists; name the lists in union_all instead"
                )
            case _:
                conditions.append(literal)
    return Variant(nodes, tuple(guards), tuple(conditions))
