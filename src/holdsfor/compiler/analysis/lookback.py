"""How far conditions with a time-point of their own look back.

From the comparisons of a body it derives, for a second time variable T0, the least and the greatest value that
T - T0 can have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.ir import Assign, Body, Compare
from holdsfor.syntax.terms import Compound, Const, Term, Var

Linear = dict[str, float]
"""A linear expression: coefficient by variable, the constant under the empty name."""

_FLIPPED = {"<": ">", "=<": ">=", ">": "<", ">=": "=<", "=:=": "=:=", "=": "="}


@dataclass(frozen=True, slots=True)
class Reach:
    """The range of T - T0. `related` is False when nothing ties the two together."""

    least: float
    most: float
    related: bool

    @property
    def is_past(self) -> bool:
        """Whether T0 can never lie after T."""
        return self.least >= 0


def reach(body: Body, now: str, other: str) -> Reach:
    """The range of `now - other` that a body allows.

    >>> from holdsfor.syntax.terms import Var
    >>> reach((Compare("<", Var("T0"), Var("T")),), "T", "T0")
    Reach(least=1, most=inf, related=True)
    """
    definitions = {
        lit.target.name: lit.expression for lit in body if isinstance(lit, Assign) and isinstance(lit.target, Var)
    }
    least, most, related = -math.inf, math.inf, False
    for operator, difference in _differences(body, definitions):
        for sign, relation in ((1, operator), (-1, _FLIPPED[operator])):
            bound = _bound(difference, sign, now, other)
            if bound is None:
                continue
            related = True
            if relation in ("<", "=<", "=:=", "="):
                most = min(most, bound - 1 if relation == "<" else bound)
            if relation in (">", ">=", "=:=", "="):
                least = max(least, bound + 1 if relation == ">" else bound)
    mentions = any({now, other} <= set(difference) for _, difference in _differences(body, definitions))
    return Reach(least, most, related or mentions)


def _differences(body: Body, definitions: dict[str, Term]) -> Iterator[tuple[str, Linear]]:
    """Comparisons `left op right` as `left - right op 0`; an assignment is an equation."""
    for literal in body:
        if isinstance(literal, Compare) and literal.operator in _FLIPPED:
            left, right = _linear(literal.left, definitions), _linear(literal.right, definitions)
            if left is not None and right is not None:
                yield literal.operator, _add(left, right, -1)
        elif isinstance(literal, Assign):
            left, right = _linear(literal.target, {}), _linear(literal.expression, {})
            if left is not None and right is not None:
                yield "=:=", _add(left, right, -1)


def _bound(difference: Linear, sign: int, now: str, other: str) -> float | None:
    """The constant c in `now - other op c`, if the expression is just that."""
    if {name for name, factor in difference.items() if name and factor} != {now, other}:
        return None
    if difference[now] * sign == 1 and difference[other] * sign == -1:
        return -sign * difference.get("", 0) + 0
    return None


def _linear(term: Term, definitions: dict[str, Term], depth: int = 0) -> Linear | None:
    match term:
        case Const(value=int() | float() as value):
            return {"": value}
        case Var(name=name):
            if name in definitions and depth < 10:
                return _linear(definitions[name], definitions, depth + 1)
            return {name: 1}
        case Compound(name="+" | "-" as name, args=(left, right)):
            a, b = _linear(left, definitions, depth), _linear(right, definitions, depth)
            return None if a is None or b is None else _add(a, b, 1 if name == "+" else -1)
        case Compound(name="*", args=(left, right)):
            return _scaled(_linear(left, definitions, depth), _linear(right, definitions, depth))
        case Compound(name="-", args=(inner,)):
            return _scaled({"": -1}, _linear(inner, definitions, depth))
        case _:
            return None


def _add(left: Linear, right: Linear, factor: float) -> Linear:
    return {name: left.get(name, 0) + factor * right.get(name, 0) for name in dict.fromkeys((*left, *right))}


def _scaled(left: Linear | None, right: Linear | None) -> Linear | None:
    if left is None or right is None:
        return None
    for constant, other in ((left, right), (right, left)):
        if set(constant) == {""}:
            return {name: constant[""] * factor for name, factor in other.items()}
    return None
