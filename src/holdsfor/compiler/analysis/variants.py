"""Expands the branches of `holdsFor` rules: which condition gives each interval variable its list."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor import ir
from holdsfor.syntax.terms import Var

ListDefinitions = dict[str, ir.Intervals | ir.Algebra]
"""By interval variable, the condition that gives its list."""


def branch_definitions(rule: ir.IntervalRule) -> list[ListDefinitions]:
    """The definitions of interval variables, for each branch of a rule."""
    return [_with_aliases(body) for body in _alternatives(rule.body)]


def _alternatives(body: ir.Body) -> Iterator[ir.Body]:
    """The alternatives of a body without disjunctions and conditionals that compute interval lists."""
    for position, literal in enumerate(body):
        if not _computes_intervals(literal):
            continue
        before, after = body[:position], body[position + 1 :]
        for branch in _branches(literal):
            yield from _alternatives((*before, *branch, *after))
        return
    yield body


def _computes_intervals(literal: ir.Literal) -> bool:
    nested = isinstance(literal, ir.Or | ir.IfThenElse)
    return nested and any(
        isinstance(inner, ir.Intervals | ir.Algebra | ir.Guard) or _is_alias(inner) for inner in ir.walk((literal,))
    )


def _is_alias(literal: ir.Literal) -> bool:
    return (
        isinstance(literal, ir.Compare)
        and literal.operator == "="
        and isinstance(literal.left, Var)
        and isinstance(literal.right, Var)
    )


def _branches(literal: ir.Literal) -> tuple[ir.Body, ...]:
    if isinstance(literal, ir.Or):
        return literal.branches
    assert isinstance(literal, ir.IfThenElse)
    chosen = (*literal.condition, *literal.then)
    if literal.otherwise is None:
        return (chosen,)
    return (chosen, literal.otherwise)


def _with_aliases(body: ir.Body) -> ListDefinitions:
    """The definitions of a body, including variables that are aliases of a list."""
    found = list_definitions(body)
    for literal in body:
        match literal:
            case ir.Compare(operator="=", left=Var() as one, right=Var() as other) if (
                one.name in found or other.name in found
            ):
                target, origin = (other, one) if one.name in found else (one, other)
                found.setdefault(
                    target.name, ir.Algebra(ir.IntervalOperator.UNION, (origin,), target, span=literal.span)
                )
            case _:
                continue
    return found


def list_definitions(body: ir.Body) -> ListDefinitions:
    """The condition that gives each interval variable its list. Further conditions with the same list are equality
    tests.

    >>> from holdsfor.syntax.terms import Const
    >>> again = ir.Algebra(ir.IntervalOperator.UNION, (Var("I"), Var("I")), Var("I"))
    >>> leaf = ir.Intervals(ir.Fvp(Const("a"), Const("true")), Var("I"))
    >>> list_definitions((again, leaf)) == {"I": leaf}
    True
    """
    found: ListDefinitions = {}
    for kind in (ir.Intervals, ir.Algebra):
        for literal in body:
            if isinstance(literal, kind) and isinstance(literal.out, Var):
                given = literal.inputs if isinstance(literal, ir.Algebra) else ()
                if literal.out not in given:
                    found.setdefault(literal.out.name, literal)
    return found
