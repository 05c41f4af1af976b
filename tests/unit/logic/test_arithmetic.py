"""Arithmetic: values, types, and what has no value."""

from __future__ import annotations

import math

import pytest

from holdsfor.logic.arithmetic import EvaluationError, Number, compare_numbers, evaluate
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
        ("6.0 / 3", 2.0),
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
        ("float(2)", 2.0),
        ("sqrt(16)", 4.0),
        ("exp(0)", 1.0),
        ("log(1)", 0.0),
        ("log2(8)", 3.0),
        ("sin(0)", 0.0),
        ("cos(0)", 1.0),
        ("tan(0)", 0.0),
        ("asin(0)", 0.0),
        ("acos(1)", 0.0),
        ("atan(0)", 0.0),
        ("atan2(1, 0)", math.pi / 2),
        ("atan(1, 0)", math.pi / 2),
        ("pi", math.pi),
        ("e", math.e),
        ("inf", math.inf),
        ("infinite", math.inf),
        ("X * 2", 10),
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
        ("1.0 / 0", "1.0/0 has no value"),
        ("1 // 0", "1 // 0 has no value"),
        ("1 mod 0", "1 mod 0 has no value"),
        ("1 rem 0", "1 rem 0 has no value"),
        ("1 div (2 - 2)", "1 div 0 has no value"),
        ("0 ** -1", "0 ** -1 has no value"),
        ("sqrt(-1)", "sqrt(-1) has no value"),
        ("log(0)", "log(0) has no value"),
        ("exp(1000)", "exp(1000) has no value"),
        ("(-8) ** 0.5", "-8**0.5 has no value"),
        ("10 ** 100000", "10**100000 has no value"),
        ("floor(inf)", "floor(inf) has no value"),
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
    for text in ("(2 ** 1000) ** 1000", "2 ** 1000 * 2 ** 1000"):
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
