"""Answers as tables of canonical text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.report import Texts, ground_term, interval_table
from holdsfor.columns.tables import FOREVER, Intervals
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm

VALUES: list[Value] = [
    "a",
    "A b",
    "it's",
    "é",
    "mod",
    "[]",
    7,
    -3,
    2.5,
    -1e30,
    Compound("-", (Const(1), Const(2))),
    Compound(",", (Const("x"), Const("y"))),
    Compound(":-", (Const("x"), Const("y"))),
    ListTerm((Const(1), Const("b"))),
]
SYMBOLS = [
    Symbol(EntityKind.FLUENT, "on", 0),
    Symbol(EntityKind.FLUENT, "Odd name", 1),
    Symbol(EntityKind.FLUENT, "per", 2, ((0, "vote", 2),)),
    Symbol(EntityKind.FLUENT, "per", 2, ((1, "null", 0),)),
    Symbol(EntityKind.FLUENT, ":", 2),
    Symbol(EntityKind.FLUENT, "f", 1, ((0, "mod", 2),)),
    Symbol(EntityKind.FLUENT, "-", 1),
]


@pytest.mark.parametrize("symbol", SYMBOLS, ids=str)
@given(st.lists(st.integers(0, len(VALUES) - 1), min_size=1, max_size=6))
def test_terms_are_printed_as_one_by_one(symbol: Symbol, picks: list[int]) -> None:
    dictionary = Dictionary()
    dictionary.encode(VALUES)
    width = symbol.arity - len(symbol.inner) + sum(arity for _, _, arity in symbol.inner)
    columns = [np.roll(np.array(picks), place) for place in range(width)]
    rows = [[int(column[row]) for column in columns] for row in range(len(picks))]
    expected = [print_term(ground_term(symbol, dictionary.terms(row))) for row in rows]
    assert Texts(dictionary).terms(symbol, columns, len(picks)).to_pylist() == expected


def test_rows_are_sorted_by_text() -> None:
    dictionary = Dictionary()
    z, a, ten, nine = dictionary.encode(["z", "a", 10, 9]).tolist()
    symbol = Symbol(EntityKind.FLUENT, "f", 1)
    table = Intervals(
        (np.array([z, z, a, a]),),
        np.array([ten, nine, nine, nine]),
        np.array([1, 1, -FOREVER, 7]),
        np.array([2, 2, 5, FOREVER]),
        single_valued=False,
    )
    texts = Texts(dictionary)
    rows = interval_table(Answer(9, {symbol: table}, {}, 0), texts).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (9, "f(a)", "9", None, 5),
        (9, "f(a)", "9", 7, None),
        (9, "f(z)", "10", 1, 2),
        (9, "f(z)", "9", 1, 2),
    ]
    later = dictionary.encode(["new"])
    assert texts.values(np.concatenate((later, [z]))).to_pylist() == ["new", "z"]
