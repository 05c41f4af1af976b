"""Normalises literals as the parser does, so that a built program equals its text."""

from __future__ import annotations

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.scope import RuleKind, alias
from holdsfor.ir import Algebra, Body, Call, Compare, Guard, IfThenElse, Intervals, Literal, Not, Or
from holdsfor.syntax.terms import EMPTY_LIST, Const, Term, Var

_UNIFICATIONS = {"=": True, "==": True, "\\=": False, "\\==": False}


def comparison(operator: str, left: Term, right: Term, setting: RuleKind, place: Span) -> Literal:
    """A comparison; in a rule about intervals, a comparison with `[]` is a guard."""
    if setting is RuleKind.INTERVAL and operator in _UNIFICATIONS:
        for one, other in ((left, right), (right, left)):
            if other == EMPTY_LIST and isinstance(one, Var):
                return Guard(one, _UNIFICATIONS[operator], place)
    return Compare(operator, left, right, place)


def negation(body: Body, place: Span) -> Literal:
    """A negation; the negation of a guard is the opposite guard."""
    if len(body) == 1 and isinstance(body[0], Guard):
        return Guard(body[0].intervals, not body[0].empty, place)
    return Not(body, place)


def disjunction(branches: tuple[Body, ...], place: Span) -> Or:
    """A flat disjunction."""
    *before, last = branches
    if len(last) == 1 and isinstance(last[0], Or):
        return Or((*(_closed(branch) for branch in before), *last[0].branches), place)
    return Or((*(_closed(branch) for branch in before), last), place)


def _closed(branch: Body) -> Body:
    """Adds an else branch, because `(C -> A) ; B` would be parsed as an if-then-else."""
    if len(branch) == 1 and isinstance(branch[0], IfThenElse) and branch[0].otherwise is None:
        only = branch[0]
        return (IfThenElse(only.condition, only.then, (Call(Const("fail"), only.span),), only.span),)
    return branch


def resolve_aliases(body: Body, out: Term) -> Body:
    """Turns `I = I1` between interval lists into an alias."""
    defined = {lit.out.name for lit in body if isinstance(lit, Intervals | Algebra) and isinstance(lit.out, Var)}
    lists = defined | {v.name for v in (out,) if isinstance(v, Var)}
    return tuple(_resolve_alias(literal, defined, lists - defined) for literal in body)


def _resolve_alias(literal: Literal, defined: set[str], undefined: set[str]) -> Literal:
    if isinstance(literal, Compare) and literal.operator == "=":
        for target, origin in ((literal.left, literal.right), (literal.right, literal.left)):
            if not (isinstance(target, Var) and isinstance(origin, Var)):
                continue
            if origin.name in defined and target.name in undefined:
                return alias(origin, target, literal.span)
    return literal
