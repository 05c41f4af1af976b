"""Arithmetic on terms, with the usual functions."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping

from holdsfor.diagnostics import HoldsforError
from holdsfor.logic.unify import deref
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, functor

Number = int | float
_LARGEST_BITS = 1024


class EvaluationError(HoldsforError):
    """An expression or a goal that cannot be evaluated as it stands."""


def _integer_division(left: Number, right: Number) -> Number:
    """Truncates towards zero, as `//` does in rules.

    >>> _integer_division(-7, 2)
    -3
    """
    quotient = abs(left) // abs(right)
    return quotient if (left >= 0) == (right >= 0) else -quotient


def _remainder(left: Number, right: Number) -> Number:
    """What `//` leaves; it has the sign of the dividend.

    >>> _remainder(-7, 2)
    -1
    """
    if isinstance(left, int) and isinstance(right, int):
        return left - right * int(_integer_division(left, right))
    return math.fmod(left, right)


def _divide(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and left % right == 0:
        return left // right
    return left / right


def _round(value: Number) -> Number:
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def _power(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 2 * _LARGEST_BITS:
        raise OverflowError
    result = left**right
    if isinstance(result, complex):
        raise ValueError  # noqa: TRY004 -- the power exists, but not among the numbers we have
    return result


FUNCTIONS: dict[tuple[str, int], Callable[..., Number]] = {
    ("+", 2): operator.add,
    ("-", 2): operator.sub,
    ("*", 2): operator.mul,
    ("/", 2): _divide,
    ("//", 2): _integer_division,
    ("div", 2): operator.floordiv,
    ("mod", 2): operator.mod,
    ("rem", 2): _remainder,
    ("**", 2): _power,
    ("^", 2): _power,
    ("min", 2): min,
    ("max", 2): max,
    ("-", 1): operator.neg,
    ("+", 1): operator.pos,
    ("abs", 1): abs,
    ("sign", 1): lambda x: (x > 0) - (x < 0),
    ("floor", 1): math.floor,
    ("ceiling", 1): math.ceil,
    ("round", 1): _round,
    ("truncate", 1): math.trunc,
    ("integer", 1): _round,
    ("float", 1): float,
    ("sqrt", 1): math.sqrt,
    ("exp", 1): math.exp,
    ("log", 1): math.log,
    ("log2", 1): math.log2,
    ("sin", 1): math.sin,
    ("cos", 1): math.cos,
    ("tan", 1): math.tan,
    ("asin", 1): math.asin,
    ("acos", 1): math.acos,
    ("atan", 1): math.atan,
    ("atan2", 2): math.atan2,
    ("atan", 2): math.atan2,
}
CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e, "inf": math.inf, "infinite": math.inf}


def evaluate(term: Term, bindings: Mapping[str, Term]) -> Number:
    """The number an expression stands for.

    >>> evaluate(Compound("+", (Const(1), Compound("*", (Const(2), Const(3))))), {})
    7
    """
    term = deref(term, bindings)
    if isinstance(term, Const):
        return _constant(term)
    name = functor(term)
    if isinstance(term, Compound) and name in FUNCTIONS:
        values = [evaluate(arg, bindings) for arg in term.args]
        try:
            return _in_range(FUNCTIONS[name](*values))
        except (ZeroDivisionError, OverflowError, ValueError) as problem:
            shown = print_term(Compound(term.name, tuple(Const(value) for value in values)))
            raise EvaluationError(f"{shown} has no value") from problem
    raise EvaluationError(f"{print_term(term)} is not a number")


def _in_range(value: Number) -> Number:
    """Intermediate results may leave 64 bits, but not grow without end."""
    if isinstance(value, int) and value.bit_length() > _LARGEST_BITS:
        raise OverflowError
    return value


def _constant(term: Const) -> Number:
    if isinstance(term.value, str):
        if term.value in CONSTANTS:
            return CONSTANTS[term.value]
        raise EvaluationError(f"{print_term(term)} is not a number")
    return term.value


def compare_numbers(operator_name: str, left: Number, right: Number) -> bool:
    """An arithmetic comparison by its name in rule text."""
    return _COMPARISONS[operator_name](left, right)


_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=<": operator.le,
    ">=": operator.ge,
    "=:=": operator.eq,
    "=\\=": operator.ne,
}
ARITHMETIC_COMPARISONS = frozenset(_COMPARISONS)
