"""The dictionary: numbers and the standard order, while it grows."""

from __future__ import annotations

import random

import numpy as np
import pytest

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.logic.order import ORDER_COMPARISONS, order_key
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

TERMS: list[Term] = [
    *(Const(f"name{number}") for number in range(40)),
    *(Const(number) for number in range(-20, 20)),
    *(Const(number / 8) for number in range(-20, 20)),
    Const(2**53),
    Const(2**53 + 1),
    ListTerm(()),
    ListTerm((Const(1), Const("b"))),
    *(Compound("pair", (Const(number), Const("x"))) for number in range(5)),
    Compound("one", (Const("b"),)),
]


@pytest.mark.parametrize("seed", range(10))
def test_ranks_are_those_of_the_standard_order_whenever_they_are_asked_for(seed: int) -> None:
    chance = random.Random(seed)
    dictionary = Dictionary()
    for _ in range(8):
        some = chance.choices(TERMS, k=chance.randint(1, 40))
        codes = dictionary.encode([value_of(term) for term in some])
        left, right = (codes[[chance.randrange(len(codes)) for _ in range(20)]] for _ in range(2))
        ranks = dictionary.ranks(left, right)
        for one, other in zip(left.tolist(), right.tolist(), strict=True):
            keys = order_key(dictionary.term(one)), order_key(dictionary.term(other))
            assert (ranks[one] < ranks[other]) == (keys[0] < keys[1])
            assert (ranks[one] == ranks[other]) == (one == other)


def test_numbers_are_floats_unless_integers_would_be_rounded() -> None:
    dictionary = Dictionary()
    small = dictionary.encode([3, 0.5, 1e17, "a", "pi"])
    assert dictionary.numbers(small).dtype == np.float64
    np.testing.assert_array_equal(dictionary.numbers(small), [3, 0.5, 1e17, np.nan, np.pi])
    large = dictionary.encode([7, 10**30, 2**53, "a"])
    assert dictionary.numbers(large).tolist() == [7, 10**30, 2**53, None]
    assert dictionary.numbers(small).dtype == np.float64


def test_large_floats_are_no_integers() -> None:
    dictionary = Dictionary()
    codes = dictionary.encode([1e17, 10**17, 2.0, 2, -0.0, 0, 1e17])
    assert codes.tolist() == [0, 1, 2, 2, 3, 3, 0]
    assert dictionary.find(1e17) == 0
    assert dictionary.code(10**17) == 1
    assert [type(value) for value in dictionary.values] == [float, int, int, int]


@pytest.mark.parametrize(
    ("numbers", "values"),
    [([2, 1, 2], [2, 1, 2]), ([2.0, 1.0], [2, 1]), ([0.5, 2.0, np.inf], [0.5, 2, "inf"]), ([2.0**60], [2.0**60])],
)
def test_numbers_without_a_fraction_get_the_codes_of_whole_ones(numbers: list[float], values: list[Value]) -> None:
    dictionary = Dictionary()
    assert [dictionary.values[code] for code in dictionary.encode_numbers(np.array(numbers))] == values
    assert sorted(map(repr, dictionary.values)) == sorted(map(repr, set(values)))


ORDERED: list[str | int | float] = ["b", "a", 10, 9, 2.5, -1, 2**53, 2**53 + 1, "z"]


@pytest.mark.parametrize("operator", sorted(ORDER_COMPARISONS))
@pytest.mark.parametrize("only_numbers", [False, True])
def test_comparisons_in_the_standard_order(operator: str, *, only_numbers: bool) -> None:
    values = [value for value in ORDERED if not only_numbers or isinstance(value, int | float)]
    rules = f"initiatedAt(found(A, B)=true, T) :- happensAt(pair(A, B), T), A {operator} B."
    rows = [(1, one, other) for one in values for other in values]
    found = loads(rules).recognise({"pair": rows}).to_arrow()
    expected = [(one, other) for _, one, other in rows if ORDER_COMPARISONS[operator](Const(one), Const(other))]
    assert len(found) == len(expected)


@pytest.mark.parametrize(("operator", "count"), [("=", 1), ("==", 1), ("\\=", 2), ("\\==", 2)])
def test_terms_are_compared_with_computed_numbers(operator: str, count: int) -> None:
    rules = f"initiatedAt(found(A)=true, T) :- happensAt(seen(A, B), T), C is B * 2, A {operator} C."
    found = loads(rules).recognise({"seen": [(1, 3, 1.5), (1, 4, 1), (1, "a", 1)]}).to_arrow()
    assert len(found) == count


def test_columns_of_whole_numbers_get_the_codes_that_single_ones_have() -> None:
    chance = np.random.default_rng(2)
    dictionary, simple = Dictionary(), Dictionary()
    for spread in (10_000, 50, 200_000, 10**12, 3_000):
        column = chance.integers(-spread // 3, spread, 20_000)
        for one in (dictionary, simple):
            one.encode(["a", 7, 8.0, 2.5, int(column[0]), int(column.max()) + 5])
        codes = dictionary.encode_wholes(column)
        assert codes.dtype == np.int64
        assert [dictionary.find(value) for value in column[:50].tolist()] == codes[:50].tolist()
        np.testing.assert_array_equal(np.array(dictionary.values_of(codes)), column)
        simple.encode(column.tolist())
        assert len(dictionary) == len(simple)
        assert set(dictionary.values) == set(simple.values)
        assert dictionary.code(7) == dictionary.find(7.0)
    assert [dictionary.find(value) for value in dictionary.values] == list(range(len(dictionary)))


def test_numbers_and_words_while_columns_wait_to_be_spelled() -> None:
    dictionary = Dictionary()
    dictionary.code("a")
    codes = dictionary.encode_wholes(np.arange(10_000) % 5_000)
    assert dictionary.code("b") == 5_001
    assert dictionary.code(3) == codes[3]
    dictionary.encode_wholes(np.arange(4_000, 12_000))
    assert dictionary.code("c") == 12_002
    assert np.isnan(dictionary.numbers(np.array([0, 5_001, 12_002]))).all()
    assert dictionary.numbers(codes).tolist() == [number % 5_000 for number in range(10_000)]
    assert dictionary.wholes_of(codes[:10]) is not None
    assert dictionary.wholes_of(np.array([0, 3])) is None
    assert dictionary.values_of(np.array([0, 5_001, codes[7]])) == ["a", "b", 7]


def test_whole_floats_are_found_in_columns_of_whole_numbers() -> None:
    dictionary = Dictionary()
    dictionary.code(8.0)
    codes = dictionary.encode_wholes(np.arange(10_000))
    assert codes[8] == 0
    assert dictionary.wholes_of(codes) is not None
    assert dictionary.wholes_of(codes[9:]) is not None
