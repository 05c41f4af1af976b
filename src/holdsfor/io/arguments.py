"""Splits terms in canonical text, such as `inArea(tern,fishing)`, into argument columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Value, value_of
from holdsfor.diagnostics import Source
from holdsfor.io.columns import Array, value_column, value_of_text
from holdsfor.syntax.operators import INFIX, PREFIX
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_constant
from holdsfor.syntax.terms import Term, arguments, functor

_SIMPLE = r"'[^'\\]*'|[^'\"()\[\]{}|,]+"
_ALL_SIMPLE = re.compile(rf"(?:{_SIMPLE})(?:,(?:{_SIMPLE}))*")
"""Arguments that are words and numbers, with or without quotes. Others are nested, or contain quotes."""
_ONE = re.compile(_SIMPLE)


def argument_values(terms: Sequence[str], name: str, arity: int) -> list[list[Value | None]]:
    """The arguments of terms with one name, by position; None where a term has fewer arguments.

    >>> argument_values(["near(a,-2.5)", "near('B c',pos(1,2))"], "near", 2)
    [['a', 'B c'], [-2.5, Compound(name='pos', args=(Const(value=1), Const(value=2)))]]
    """
    rows: list[Sequence[Value]] = list(_rows(terms, name))
    columns = [list(column) for column in zip_longest(*rows)]
    return (columns + [[None] * len(rows) for _ in range(arity)])[:arity]


def argument_arrays(terms: Array, name: str, arity: int) -> list[Array]:
    """The arguments as columns: integers or floats if all values are, otherwise text without quotes.

    >>> [column.type for column in argument_arrays(pa.array(["at(a,1)", "at(b,2)"]), "at", 2)]
    [DataType(string), DataType(int64)]
    """
    encoded = (terms.combine_chunks() if isinstance(terms, pa.ChunkedArray) else terms).dictionary_encode()
    columns = argument_values(encoded.dictionary.to_pylist(), name, arity)
    return [typed_column(values).take(encoded.indices) for values in columns]


def arguments_added(table: pa.Table, column: str, name: str, titles: Sequence[str]) -> pa.Table:
    """A table with additional columns for the arguments of the terms in a column, which all have one name."""
    for title, values in zip(titles, argument_arrays(table[column], name, len(titles)), strict=True):
        table = table.append_column(title, values)
    return table


def rows_named(table: pa.Table, column: str, name: str) -> pa.Table:
    """The rows of a table in which a column contains terms with a name.

    >>> rows_named(pa.table({"fluent": ["at(a,1)", "attic(b)", "at"]}), "fluent", "at")["fluent"].to_pylist()
    ['at(a,1)', 'at']
    """
    if name in INFIX or name in PREFIX:
        heads = [functor(_parsed(term)) for term in table[column].to_pylist()]
        return table.filter(pa.array([head is not None and head[0] == name for head in heads], pa.bool_()))
    shown = print_constant(name)
    return table.filter(pc.or_(pc.equal(table[column], shown), pc.starts_with(table[column], f"{shown}(")))


def typed_column(values: Sequence[Value | None]) -> Array:
    """Values as a column of the narrowest common type, null for None."""
    there = [value for value in values if value is not None]
    if not there:
        return pa.nulls(len(values), pa.string())
    found = value_column(there)
    if len(there) == len(values):
        return found
    is_there = np.array([value is not None for value in values])
    return found.take(pa.array(np.cumsum(is_there) - 1, mask=~is_there))


def _rows(terms: Sequence[str], name: str) -> Iterator[Sequence[Value]]:
    """The arguments of each term. Most terms need no parser."""
    begins = len(print_constant(name)) + 1
    is_operator = name in INFIX or name in PREFIX
    for term in terms:
        inside = term[begins:-1]
        if _ALL_SIMPLE.fullmatch(inside) and not is_operator:
            yield [_simple(text) for text in _ONE.findall(inside)]
        elif inside or is_operator:
            yield [value_of(argument) for argument in arguments(_parsed(term))]
        else:
            yield []


def _parsed(term: str) -> Term:
    """Parses a term, which may contain operators."""
    clause = parse(Source("<term>", f"x(({term})).")).clauses[0]
    assert clause.head is not None
    return arguments(clause.head)[0]


def _simple(text: str) -> Value:
    if text[0] == "'":
        return text[1:-1]
    return text if text[0].isalpha() else value_of_text(text)
