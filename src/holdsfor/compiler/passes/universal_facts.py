"""Drops conditions that always succeed because a fact matches everything, such as `decrypt(_, _, _).`

Such a fact disables a check. A variable that only such conditions mention needs no value.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.ir import BackgroundRule, Body, Call, FindAll, IfThenElse, Literal, Not, Or, Program
from holdsfor.syntax.terms import Var, arguments, functor

Predicate = tuple[str, int]


def without_universal_calls(program: Program) -> Program:
    """The program without calls of predicates that always hold."""
    universal = frozenset(name for rule in program.background if (name := _universal(rule)) is not None)
    if not universal:
        return program
    rules = tuple(replace(rule, body=_body(rule.body, universal)) if rule.body else rule for rule in program.rules)
    return replace(program, rules=rules)


def _universal(rule: BackgroundRule) -> Predicate | None:
    """The predicate of a fact whose arguments are distinct variables."""
    args = arguments(rule.head)
    named = {arg.name for arg in args if isinstance(arg, Var)}
    return functor(rule.head) if args and not rule.body and len(named) == len(args) else None


def _body(body: Body, universal: frozenset[Predicate]) -> Body:
    kept = tuple(
        _inside(literal, universal)
        for literal in body
        if not (isinstance(literal, Call) and functor(literal.atom) in universal)
    )
    # A body without other conditions stays, because it may be inside a negation.
    return kept or body


def _inside(literal: Literal, universal: frozenset[Predicate]) -> Literal:
    match literal:
        case Not(body=body) | FindAll(body=body):
            return replace(literal, body=_body(body, universal))
        case Or(branches=branches):
            return replace(literal, branches=tuple(_body(branch, universal) for branch in branches))
        case IfThenElse(condition=condition, then=then, otherwise=otherwise):
            other = None if otherwise is None else _body(otherwise, universal)
            return replace(literal, condition=_body(condition, universal), then=_body(then, universal), otherwise=other)
    return literal
