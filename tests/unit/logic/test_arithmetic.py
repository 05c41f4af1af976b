"""Arithmetic: values, types, and what has no value."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.logic.arithmetic import EvaluationError, NoValue, Number, compare_numbers, evaluate, exact_sum
from holdsfor.syntax.terms import Const
from tests.unit.logic.reading import term


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("2 + 3 * 4", 14),
        ("2 - 3 - 4", -5),
        ("- (2 + 3)", -5),
        ("+ 7", 7),
        ("6 / 3", 2),
        ("7 / 2", 3.5),
        ("-6 / 3", -2),
        ("6.0 / 3", 2),
        ("7 // 2", 3),
        ("-7 // 2", -3),
        ("7 // -2", -3),
        ("-7 // -2", 3),
        ("0 // -5", 0),
        ("7 div 2", 3),
        ("-7 div 2", -4),
        ("7 mod 3", 1),
        ("-7 mod 3", 2),
        ("7 mod -3", -2),
        ("7 rem 3", 1),
        ("-7 rem 3", -1),
        ("7 rem -3", 1),
        ("9007199254740993 rem 10", 3),
        ("7.5 rem 2", 1.5),
        ("2 ** 10", 1024),
        ("2 ^ 10", 1024),
        ("2 ** -1", 0.5),
        ("2 ** 0.5", math.sqrt(2)),
        ("2 ** 3 ** 1", None),
        ("min(2, 1.5)", 1.5),
        ("max(2, 1.5)", 2),
        ("abs(-3)", 3),
        ("sign(-2.5)", -1),
        ("sign(0)", 0),
        ("floor(-1.5)", -2),
        ("ceiling(-1.5)", -1),
        ("truncate(-1.5)", -1),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(2.4)", 2),
        ("integer(2.5)", 3),
        ("float(2)", 2),
        ("sqrt(16)", 4),
        ("exp(0)", 1),
        ("log(1)", 0),
        ("log2(8)", 3),
        ("sin(0)", 0),
        ("cos(0)", 1),
        ("tan(0)", 0),
        ("asin(0)", 0),
        ("acos(1)", 0),
        ("atan(0)", 0),
        ("atan2(1, 0)", math.pi / 2),
        ("atan(1, 0)", math.pi / 2),
        ("pi", math.pi),
        ("e", math.e),
        ("inf", math.inf),
        ("infinite", math.inf),
        ("X * 2", 10),
        ("9223372036854775807 + 1", 2**63),
        ("3000000001 * 3000000001", 9000000006000000001),
        ("9007199254740993 mod 7", 9007199254740993 % 7),
        ("floor(1.0e19)", 10**19),
        ("round(1.0e19)", 10**19),
        ("round(0.49999999999999994)", 0),
        ("round(4503599627370497)", 4503599627370497),
        ("truncate(-1.0e300)", -int(1e300)),
        ("float(10 ** 17)", 1e17),
        ("1.0e17 + 1", 1e17),
        ("4503599627370496.0 * 4", 2**54),
        ("0 * -1.5", 0),
        ("1.0e308 + inf", math.inf),
        ("max(10 ** 17, 1.0e17)", 10**17),
        ("min(10 ** 17, 1.0e17)", 1e17),
        ("(-1) ** (10 ** 30 + 1)", -1),
    ],
)
def test_values(text: str, value: Number | None) -> None:
    if value is None:
        # `**` does not chain.
        with pytest.raises(AssertionError):
            term(text)
        return
    found = evaluate(term(text), {"X": Const(5)})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "1/0 has no value"),
        ("1.5 / 0", "1.5/0 has no value"),
        ("1 // 0", "1 // 0 has no value"),
        ("1 mod 0", "1 mod 0 has no value"),
        ("1 rem 0", "1 rem 0 has no value"),
        ("1 div (2 - 2)", "1 div 0 has no value"),
        ("0 ** -1", "0 ** -1 has no value"),
        ("sqrt(-1)", "sqrt(-1) has no value"),
        ("log(0)", "log(0) has no value"),
        ("exp(1000)", "exp(1000) has no value"),
        ("(-8) ** 0.5", "-8**0.5 has no value"),
        ("10 ** 1000000", "10**1000000 has no value"),
        ("floor(inf)", "floor(inf) has no value"),
        ("1.0e308 * 10", "1.0e+308 * 10 has no value"),
        ("inf - inf", "inf - inf has no value"),
        ("inf * 0", "inf * 0 has no value"),
        ("a", "a is not a number"),
        ("'two words' + 1", "'two words' is not a number"),
        ("X", "X is not a number"),
        ("1 + X", "X is not a number"),
        ("f(1)", "f(1) is not a number"),
        ("abs(1, 2)", "abs(1,2) is not a number"),
        ("[1]", "[1] is not a number"),
    ],
)
def test_no_value(text: str, message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        evaluate(term(text), {})
    assert str(caught.value) == message


def test_numbers_do_not_grow_without_end() -> None:
    assert evaluate(term("2 ** 1000 - 2 ** 1000"), {}) == 0
    assert evaluate(term("2 ** 1000 * 2 ** 1000"), {}) == 2**2000
    for text in ("(2 ** 10000) ** 1000", "2 ** 1000000 * 2 ** 1000000", "2 ** (2 ** 100)"):
        with pytest.raises(EvaluationError, match="has no value"):
            evaluate(term(text), {})


@pytest.mark.parametrize(
    ("operator", "holds"),
    [
        ("<", [True, False, False]),
        (">", [False, False, True]),
        ("=<", [True, True, False]),
        (">=", [False, True, True]),
        ("=:=", [False, True, False]),
        ("=\\=", [True, False, True]),
    ],
)
def test_comparisons(operator: str, holds: list[bool]) -> None:
    assert [compare_numbers(operator, left, 2.0) for left in (1, 2, 3)] == holds


@given(st.lists(st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False))), st.randoms())
def test_sums_are_exactly_rounded_in_any_order(numbers: list[Number], chance: random.Random) -> None:
    shuffled = chance.sample(numbers, len(numbers))
    found, again = _sum(numbers), _sum(shuffled)
    assert (found, type(found)) == (again, type(again))
    if all(isinstance(number, int) for number in numbers):
        assert found == sum(numbers)
    elif found is not None and all(abs(number) < 2**53 for number in numbers):
        assert found == math.fsum(numbers)


def _sum(numbers: list[Number]) -> Number | None:
    try:
        return exact_sum(numbers)
    except NoValue:
        return None
