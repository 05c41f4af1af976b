"""The arguments that are read out of the text of a term are those that it was made of, whatever they are."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.dictionary import Value, plain_text, value_of
from holdsfor.io.arguments import argument_arrays, argument_values, rows_named
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, variables
from tests.strategies.terms import constants, names, terms

ground = terms().filter(lambda term: not any(variables(term)))
arguments = st.lists(st.one_of(constants, constants, ground), max_size=3)


def _term(name: str, args: list[Term]) -> Term:
    return Compound(name, tuple(args)) if args else Const(name)


def _shown(value: Value | None) -> str | float | None:
    """Compound terms are text in columns."""
    return value if value is None or isinstance(value, int | float) else plain_text(value)


@settings(max_examples=400)
@given(names, st.lists(arguments, min_size=1, max_size=4))
def test_arguments_come_back(name: str, rows: list[list[Term]]) -> None:
    texts = [print_term(_term(name, args)) for args in rows]
    arity = max(map(len, rows))
    found = [[_shown(value) for value in column] for column in argument_values(texts, name, arity)]
    expected = [
        [_shown(value_of(args[place])) if place < len(args) else None for args in rows] for place in range(arity)
    ]
    assert found == expected
    assert [list(map(type, column)) for column in found] == [list(map(type, column)) for column in expected]
    assert [len(column) for column in argument_arrays(pa.array(texts), name, arity)] == [len(rows)] * arity


@settings(max_examples=200)
@given(st.lists(st.tuples(names, arguments), min_size=1, max_size=5), st.data())
def test_rows_of_a_name(found: list[tuple[str, list[Term]]], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from([name for name, _ in found]))
    texts = [print_term(_term(name, args)) for name, args in found]
    table = pa.table({"fluent": texts, "row": list(range(len(texts)))})
    kept = rows_named(table, "fluent", chosen)["row"].to_pylist()
    assert kept == [row for row, (name, _) in enumerate(found) if name == chosen]
