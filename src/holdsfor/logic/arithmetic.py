"""Arithmetic on terms, with the usual functions. Integers are exact and unbounded, sums are exactly rounded.

An expression without a value (a division by zero, the root of a negative number, a name in place of a number, a result
beyond the range of floats) raises `NoValue`; its condition fails.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from holdsfor.diagnostics import HoldsforError
from holdsfor.logic.calendar import CALENDAR, calendar_value, field_of, scale_of
from holdsfor.logic.unify import deref
from holdsfor.syntax.numbers import EXACT, Number, plain_number
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor

__all__ = [
    "ARITHMETIC_COMPARISONS",
    "CONSTANTS",
    "FUNCTIONS",
    "EvaluationError",
    "NoValue",
    "Number",
    "Unbound",
    "apply",
    "compare_numbers",
    "evaluate",
    "exact_sum",
    "greatest",
    "least",
    "number_term",
]

_MOST_BITS = 1 << 20
"""Larger integers (about 315,000 digits) indicate a computation that never ends."""


class EvaluationError(HoldsforError):
    """An expression or a goal that cannot be evaluated as written."""


class NoValue(EvaluationError):
    """An expression without a value: its condition fails for these bindings."""


class Unbound(NoValue):
    """An expression with an unbound variable."""


def _integer_division(left: Number, right: Number) -> Number:
    """Truncates towards zero, as `//` does in rules.

    >>> _integer_division(-7, 2)
    -3
    """
    quotient = abs(left) // abs(right)
    return quotient if (left >= 0) == (right >= 0) else -quotient


def _remainder(left: Number, right: Number) -> Number:
    """The remainder of `//`, with the sign of the dividend.

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
    """Rounds to the nearest integer, halves away from zero.

    >>> _round(2.5), _round(-2.5), _round(0.49999999999999994), _round(1e19)
    (3, -3, 0, 10000000000000000000)
    """
    whole = math.trunc(value)
    if abs(value - whole) >= 0.5:
        return whole + (1 if value > 0 else -1)
    return whole


def least(numbers: Iterable[Number]) -> Number:
    """The least number; of an equal float and integer, the float, as in the standard order."""
    return min(numbers, key=_standard_order)


def greatest(numbers: Iterable[Number]) -> Number:
    """The greatest number; of an equal float and integer, the integer."""
    return max(numbers, key=_standard_order)


def _standard_order(number: Number) -> tuple[Number, bool]:
    return number, isinstance(number, int)


def _power(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > 2 * _MOST_BITS:
        if abs(left) > 1:
            raise OverflowError
        right %= 2
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
    ("min", 2): lambda *both: least(both),
    ("max", 2): lambda *both: greatest(both),
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
    """The value of an expression.

    >>> evaluate(Compound("+", (Const(1), Compound("*", (Const(2), Const(3))))), {})
    7
    """
    term = deref(term, bindings)
    if isinstance(term, Const):
        return _constant(term)
    name = functor(term)
    if isinstance(term, Compound) and name in FUNCTIONS:
        return apply(name, [evaluate(arg, bindings) for arg in term.args])
    if isinstance(term, Compound) and name in CALENDAR:
        return _of_calendar(term, evaluate(term.args[0], bindings))
    raise (Unbound if isinstance(term, Var) else NoValue)(f"{print_term(term)} is not a number")


def _of_calendar(term: Compound, time: Number) -> Number:
    try:
        return calendar_value(field_of(term), time, *scale_of(term))
    except ValueError as problem:
        raise NoValue(str(problem)) from problem


def apply(name: tuple[str, int], values: list[Number]) -> Number:
    """Applies an arithmetic function. The result is finite, unless an argument is infinite.

    >>> apply(("*", 2), [3000000001, 3000000001]), apply(("/", 2), [1, 4]), apply(("/", 2), [5.0, 2.5])
    (9000000006000000001, 0.25, 2)
    """
    try:
        found = FUNCTIONS[name](*values)
        if isinstance(found, float):
            if math.isnan(found):
                raise ValueError  # noqa: TRY301 -- as the functions of `math` do
            if math.isinf(found) and not any(isinstance(value, float) and math.isinf(value) for value in values):
                raise OverflowError
            return plain_number(found)
        if found.bit_length() > _MOST_BITS:
            raise OverflowError
    except (ArithmeticError, ValueError) as problem:
        shown = print_term(Compound(name[0], tuple(number_term(value) for value in values)))
        raise NoValue(f"{shown} has no value") from problem
    return found


def _constant(term: Const) -> Number:
    if isinstance(term.value, str):
        if term.value in CONSTANTS:
            return CONSTANTS[term.value]
        raise NoValue(f"{print_term(term)} is not a number")
    return term.value


def number_term(number: Number) -> Term:
    """A computed number as a term: `inf` is written as in rules, and integral floats below 2^53 are integers.

    >>> number_term(2.0), number_term(float("inf"))
    (Const(value=2), Const(value='inf'))
    """
    if isinstance(number, float) and math.isinf(number):
        infinite = Const("inf")
        return infinite if number > 0 else Compound("-", (infinite,))
    return Const(number)


def exact_sum(numbers: Iterable[Number]) -> Number:
    """The sum, rounded once: the same for every order of the numbers. Integers are added exactly.

    >>> exact_sum([1e17, 0.1, -1e17]), exact_sum([0.1] * 10), exact_sum([2**62, 2**62]), exact_sum([1e308, 1e308, -1e308])
    (0.1, 1, 9223372036854775808, 1e+308)
    """
    listed = list(numbers)
    if all(isinstance(number, int) for number in listed):
        return sum(listed)
    try:
        if any(isinstance(number, int) and not -EXACT < number < EXACT for number in listed):
            return plain_number(_sum_of_fractions(listed))
        try:
            found = math.fsum(listed)
        except OverflowError:
            # Only a partial sum may be too large.
            found = _sum_of_fractions(listed)
    except (ArithmeticError, ValueError) as problem:
        raise NoValue("the sum has no value") from problem
    if math.isnan(found):
        raise NoValue("the sum has no value")
    return plain_number(found)


def _sum_of_fractions(numbers: list[Number]) -> float:
    infinite = [number for number in numbers if isinstance(number, float) and math.isinf(number)]
    return math.fsum(infinite) if infinite else float(sum(map(Fraction, numbers)))


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
