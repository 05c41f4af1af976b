"""The arguments that are read out of the text of a term are those that it was made of, and of the kinds that rules allow."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Value, plain_text, value_of
from holdsfor.compiler.analysis.argument_kinds import VALUE, Kinds, Place, ValueKind, argument_kinds
from holdsfor.diagnostics import Source
from holdsfor.io.arguments import argument_arrays, argument_values, rows_named
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, functor, variables
from holdsfor.syntax.terms import arguments as term_arguments
from tests.strategies.engine_runs import Scenario, on_engine, scenarios
from tests.strategies.scenario_numbers import number_scenarios
from tests.strategies.scenario_terms import term_scenarios
from tests.strategies.terms import constants, names, terms

odd = st.builds(Const, st.sampled_from(["12", "-1.5", "p,q", "it's", "x|y", "A b", "(p)", "", "[", "a\\b", "1,2"]))
"""Atoms that need quotes."""
similar = st.sampled_from(["at", "attic", "a", "At"])
"""Names that begin others."""
ground = terms().filter(lambda term: not any(variables(term)))
arguments = st.lists(st.one_of(constants, odd, ground), max_size=3)


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
@given(st.lists(st.tuples(similar | names, arguments), min_size=1, max_size=5), st.data())
def test_rows_of_a_name(found: list[tuple[str, list[Term]]], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from([name for name, _ in found]))
    texts = [print_term(_term(name, args)) for name, args in found]
    table = pa.table({"fluent": texts, "row": list(range(len(texts)))})
    kept = rows_named(table, "fluent", chosen)["row"].to_pylist()
    assert kept == [row for row, (name, _) in enumerate(found) if name == chosen]


def _kind(value: Value) -> ValueKind:
    if plain_text(value) in ("inf", "- inf"):
        return ValueKind.REAL
    if isinstance(value, str):
        return ValueKind.TEXT
    return ValueKind.WHOLE if isinstance(value, int) else ValueKind.REAL if isinstance(value, float) else ValueKind.TERM


def _input_kinds(records: list[Record]) -> dict[Place, Kinds]:
    """What input says of itself, as narrowly as that can be said."""
    found: dict[Place, Kinds] = {}
    for record in records:
        term = record.event if isinstance(record, Occurrence) else record.fluent
        name, arity = functor(term) or ("", 0)
        values = list(enumerate(map(value_of, term_arguments(term))))
        if not isinstance(record, Occurrence):
            values.append((VALUE, value_of(record.value)))
        for place, value in values:
            found[name, arity, place] = found.get((name, arity, place), frozenset()) | {_kind(value)}
    return found


def check_kinds(scenario: Scenario) -> None:
    """No argument of what is found is of a kind that it cannot be of."""
    rows = on_engine(scenario.reasoner, scenario.records, scenario.span)
    kinds = argument_kinds(scenario.reasoner.analysis.written, _input_kinds(scenario.records))
    found = {(row.fluent, row.value) for row in rows.intervals} | {(row.event, None) for row in rows.events}
    for text, value in found:
        term = _parsed(text)
        name, arity = functor(term) or ("", 0)
        there = list(enumerate(term_arguments(term)))
        if value is not None:
            there.append((VALUE, _parsed(value)))
        for place, argument in there:
            assert _kind(value_of(argument)) in kinds[name, arity, place], (text, place, kinds[name, arity, place])


def _parsed(text: str) -> Term:
    clause = parse(Source("<term>", f"x(({text})).")).clauses[0]
    assert clause.head is not None
    return term_arguments(clause.head)[0]


@settings(max_examples=60)
@given(scenarios(windowed=False))
def test_kinds_of_arguments(scenario: Scenario) -> None:
    check_kinds(scenario)


@settings(max_examples=60)
@given(term_scenarios(windowed=False))
def test_kinds_of_compound_arguments(scenario: Scenario) -> None:
    check_kinds(scenario)


@settings(max_examples=60)
@given(number_scenarios(windowed=False))
def test_kinds_of_numbers(scenario: Scenario) -> None:
    check_kinds(scenario)
