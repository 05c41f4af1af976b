"""The standard order of terms."""

from __future__ import annotations

import random

import pytest

from holdsfor.logic.order import ORDER_COMPARISONS, order_key
from holdsfor.syntax.printer import print_term
from tests.unit.logic.reading import term


@pytest.mark.parametrize(
    "texts",
    [
        ["X", "-2", "1", "1.5", "2", "[]", "'A'", "a", "ab", "b", "f(a)"],
        ["f(z)", "z(a)", "a - b", "[a]", "[a, b]", "[b]", "f(a, b)", "f(b, a)", "f(b, f(a))", "a(a, a, a)"],
    ],
)
def test_standard_order(texts: list[str]) -> None:
    terms = [term(text) for text in texts]
    shuffled = random.Random(7).sample(terms, len(terms))
    assert [print_term(one) for one in sorted(shuffled, key=order_key)] == [print_term(one) for one in terms]


def test_one_value_has_one_place() -> None:
    assert order_key(term("1")) == order_key(term("1.0"))
    assert order_key(term("f(1, [a])")) == order_key(term("f(1.0, [a])"))


def test_an_open_list_is_not_a_closed_one() -> None:
    assert len({order_key(term(text)) for text in ("[a]", "[a, b]", "[a|b]", "[a|X]")}) == 4


@pytest.mark.parametrize(
    ("operator", "holds"),
    [
        ("@<", [True, False, False]),
        ("@>", [False, False, True]),
        ("@=<", [True, True, False]),
        ("@>=", [False, True, True]),
        ("==", [False, True, False]),
        ("\\==", [True, False, True]),
    ],
)
def test_comparisons(operator: str, holds: list[bool]) -> None:
    assert [ORDER_COMPARISONS[operator](term(left), term("b")) for left in ("1", "b", "f(a)")] == holds
