"""Programs in which compound values are variables with an equation: `holdsAt(f=p(X,_),T)` is `holdsAt(f=V,T), V = p(X,_)`.

Both mean the same. An error that all evaluators share, such as a dependency that the compiler overlooks, changes the first
alone, for a variable may be any value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from holdsfor import ir
from holdsfor.syntax.terms import Compound, Var


def with_equations(program: ir.Program) -> ir.Program:
    """The program with variables for compound values, in conditions and in heads that give a value."""
    return replace(program, rules=tuple(_Spread().rule(rule) for rule in program.rules))


class _Spread:
    def __init__(self) -> None:
        self._numbers = itertools.count()

    def rule(self, rule: ir.Rule) -> ir.Rule:
        """One rule."""
        body = self.body(rule.body)
        if isinstance(rule, ir.IntervalRule) and len(rule.body) > 1:
            # A pair that never holds has an empty list; a variable takes values that hold at some time only.
            return rule
        match rule:
            case (
                ir.EffectRule(kind=ir.EffectKind.INITIATED, fvp=fvp)
                | ir.IntervalRule(fvp=fvp)
                | ir.InitiallyRule(fvp=fvp)
            ):
                pair, equations = self._pair(fvp)
                return replace(rule, fvp=pair, body=(*body, *equations))
            case _:
                return replace(rule, body=body)

    def body(self, body: ir.Body) -> ir.Body:
        """One body."""
        return tuple(spread for literal in body for spread in self._literal(literal))

    def _pair(self, fvp: ir.Fvp) -> tuple[ir.Fvp, ir.Body]:
        if not isinstance(fvp.value, Compound):
            return fvp, ()
        variable = Var(f"Value{next(self._numbers)}")
        return replace(fvp, value=variable), (ir.Compare("=", variable, fvp.value),)

    def _literal(self, literal: ir.Literal) -> Iterator[ir.Literal]:
        match literal:
            case ir.Holds(fvp=fvp) | ir.Boundary(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp):
                pair, equations = self._pair(fvp)
                yield replace(literal, fvp=pair)
                yield from equations
            case ir.Not(body=body) | ir.FindAll(body=body):
                yield replace(literal, body=self.body(body))
            case ir.Or(branches=branches):
                yield replace(literal, branches=tuple(map(self.body, branches)))
            case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
                rest = None if otherwise is None else self.body(otherwise)
                yield replace(literal, condition=self.body(condition), then=self.body(then), otherwise=rest)
            case _:
                yield literal
