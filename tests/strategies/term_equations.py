"""Programs in which compound values are variables with an equation: `holdsAt(f=p(X,_),T)` is `holdsAt(f=V,T), V = p(X,_)`.

Both mean the same. An error that all evaluators share, such as a dependency that the compiler overlooks, changes the first
alone, for a variable may be any value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from holdsfor.ir import (
    Body,
    Boundary,
    Compare,
    Effect,
    EffectKind,
    EffectRule,
    FindAll,
    Fvp,
    Holds,
    IfThenElse,
    InitiallyRule,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    Program,
    Rule,
)
from holdsfor.syntax.terms import Compound, Var


def with_equations(program: Program) -> Program:
    """The program with variables for compound values, in conditions and in heads that give a value."""
    return replace(program, rules=tuple(_Spread().rule(rule) for rule in program.rules))


class _Spread:
    def __init__(self) -> None:
        self._numbers = itertools.count()

    def rule(self, rule: Rule) -> Rule:
        """One rule."""
        body = self.body(rule.body)
        if isinstance(rule, IntervalRule) and len(rule.body) > 1:
            # A pair that never holds has an empty list; a variable takes values that hold at some time only.
            return rule
        match rule:
            case EffectRule(kind=EffectKind.INITIATED, fvp=fvp) | IntervalRule(fvp=fvp) | InitiallyRule(fvp=fvp):
                pair, equations = self._pair(fvp)
                return replace(rule, fvp=pair, body=(*body, *equations))
            case _:
                return replace(rule, body=body)

    def body(self, body: Body) -> Body:
        """One body."""
        return tuple(spread for literal in body for spread in self._literal(literal))

    def _pair(self, fvp: Fvp) -> tuple[Fvp, Body]:
        if not isinstance(fvp.value, Compound):
            return fvp, ()
        variable = Var(f"Value{next(self._numbers)}")
        return replace(fvp, value=variable), (Compare("=", variable, fvp.value),)

    def _literal(self, literal: Literal) -> Iterator[Literal]:
        match literal:
            case Holds(fvp=fvp) | Boundary(fvp=fvp) | Effect(fvp=fvp) | Intervals(fvp=fvp):
                pair, equations = self._pair(fvp)
                yield replace(literal, fvp=pair)
                yield from equations
            case Not(body=body) | FindAll(body=body):
                yield replace(literal, body=self.body(body))
            case Or(branches=branches):
                yield replace(literal, branches=tuple(map(self.body, branches)))
            case IfThenElse(condition=condition, then=then, otherwise=otherwise):
                rest = None if otherwise is None else self.body(otherwise)
                yield replace(literal, condition=self.body(condition), then=self.body(then), otherwise=rest)
            case _:
                yield literal
