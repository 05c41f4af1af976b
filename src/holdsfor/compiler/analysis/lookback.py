"""Computes how far conditions with their own time-point look back.

From the comparisons of a body it derives, for a second time variable T0, the least and the greatest value that T - T0
can have.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

from holdsfor.ir import Assign, Body, Compare, IfThenElse, Literal, sub_bodies
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Const, Term, Var

Linear = dict[str, float]
"""A linear expression: coefficient by variable, the constant under the empty name."""

_FLIPPED = {"<": ">", "=<": ">=", ">": "<", ">=": "=<", "=:=": "=:=", "=": "="}


@record
class LookBackRange:
    """The range of T - T0. `related` is False if no comparison relates the two."""

    least: float
    most: float
    related: bool

    @property
    def is_past(self) -> bool:
        """Whether T0 is never after T."""
        return self.least >= 0


def reach(body: Body, now: str, other: str) -> LookBackRange:
    """The range of `now - other` that a body allows. Time-points are whole numbers.

    >>> from holdsfor.syntax.terms import Var
    >>> reach((Compare("<", Var("T0"), Var("T1")), Compare("<", Var("T1"), Var("T"))), "T", "T0")
    LookBackRange(least=2, most=inf, related=True)
    """
    definitions = {
        lit.target.name: lit.expression for lit in body if isinstance(lit, Assign) and isinstance(lit.target, Var)
    }
    differences = list(_differences(body, definitions))
    limits = _closed(dict(_limits(differences)))
    most, least = limits.get((now, other), math.inf), -limits.get((other, now), math.inf)
    mentions = any({now, other} <= set(difference) for _, difference in differences)
    return LookBackRange(least, most, mentions or math.isfinite(most) or math.isfinite(least))


def surroundings(body: Body, literal: Literal) -> Body:
    """The conditions that hold together with a literal: the conjunctions around it, from the outside in."""
    for candidate in body:
        if candidate is literal:
            return body
        for inner in sub_bodies(candidate):
            found = surroundings(inner, literal)
            if found:
                before = candidate.condition if isinstance(candidate, IfThenElse) and inner is candidate.then else ()
                return (*body, *before, *found)
    return ()


def _limits(differences: list[tuple[str, Linear]]) -> Iterator[tuple[tuple[str, str], float]]:
    """Limits `first - second =< limit` by their two variables, in decreasing order."""
    found: list[tuple[tuple[str, str], float]] = []
    for operator, difference in differences:
        for sign, relation in ((1, operator), (-1, _FLIPPED[operator])):
            as_difference = _as_difference(difference, sign)
            if as_difference is None or relation in (">", ">="):
                continue
            pair, factor = as_difference
            limit = Fraction(-sign * difference.get("", 0)) / Fraction(factor)
            found.append((pair, math.ceil(limit) - 1 if relation == "<" else math.floor(limit)))
    return iter(sorted(found, key=lambda item: -item[1]))


def _closed(limits: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """All implied limits: shortest paths between the variables."""
    names = dict.fromkeys(name for pair in limits for name in pair)
    for middle, first, last in itertools.product(names, repeat=3):
        if (first, middle) in limits and (middle, last) in limits and first != last:
            through = limits[first, middle] + limits[middle, last]
            limits[first, last] = min(limits.get((first, last), math.inf), through)
    return limits


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


def _as_difference(difference: Linear, sign: int) -> tuple[tuple[str, str], float] | None:
    """The two variables of an expression that is a multiple of their difference, with an optional constant."""
    factors = {name: factor * sign for name, factor in difference.items() if name and factor}
    if len(factors) != 2 or sum(factors.values()) != 0:
        return None
    second, first = sorted(factors, key=lambda name: factors[name])
    return (first, second), factors[first]


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
