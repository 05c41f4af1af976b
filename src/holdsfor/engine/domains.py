"""Relations that input fills, and the background predicates that follow from them: worked out anew in an evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from holdsfor.compiler.analysis.domains import Filling
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.background import Background
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.facts import fact_columns
from holdsfor.engine.frames import Codes, Column, Frame, Lists, distinct
from holdsfor.engine.patterns import Pattern
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.relations import Lookup
from holdsfor.engine.tables import Events, Intervals
from holdsfor.ir import Call
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import resolve
from holdsfor.syntax.terms import Compound, Term, arguments, functor, variables


class Domains:
    """The background knowledge of one evaluation, with what the records it sees put into domains."""

    def __init__(
        self, prepared: Prepared, events: Mapping[Symbol, Events], intervals: Mapping[Symbol, Intervals]
    ) -> None:
        self._prepared = prepared
        self._dictionary: Dictionary = prepared.dictionary
        self._events, self._intervals = events, intervals
        self._lookups: dict[int, tuple[Call, Lookup]] = {}

    def lookup(self, literal: Call) -> Lookup:
        """The facts that match a condition."""
        found = self._lookups.get(id(literal))
        if found is None:
            name = functor(literal.atom)
            assert name is not None
            columns, rows = fact_columns(self.solver, name)
            coded = [Codes(self._dictionary.encode(column)) for column in columns]
            frame = Pattern(arguments(literal.atom)).match(coded, rows, self._dictionary)
            found = self._lookups[id(literal)] = literal, Lookup(frame, self._dictionary)
        return found[1]

    @cached_property
    def background(self) -> Background:
        """All that is known."""
        return self._prepared.analysis.background.filled(dict.fromkeys(self._facts()))

    @cached_property
    def solver(self) -> Solver:
        """A solver over all that is known."""
        return self.background.solver(self._dictionary.failures)

    def _facts(self) -> Iterator[Term]:
        for filling in self._prepared.analysis.fillings:
            symbol = filling.symbol
            if symbol.kind is EntityKind.EVENT:
                events = self._events.get(symbol)
                if events is not None:
                    yield from self._of_records(filling, symbol.columns(filling.pattern), events.args, len(events))
            elif (table := self._intervals.get(symbol)) is not None:
                assert isinstance(filling.pattern, Compound)
                fluent, value = filling.pattern.args
                columns = [Codes(column) for column in (*table.args, table.value)]
                yield from self._of_records(filling, (*symbol.columns(fluent), value), columns, len(table))

    def _of_records(
        self, filling: Filling, terms: Sequence[Term], columns: Sequence[Column], rows: int
    ) -> Iterator[Term]:
        """What the rows of a table of records put into domains."""
        matched = Pattern(terms).match(columns, rows, self._dictionary)
        names = list(dict.fromkeys(v.name for atom in filling.atoms for v in variables(atom)))
        if not matched.rows:
            return
        if not names:
            yield from filling.atoms
            return
        found = matched.only(names)
        coded = {n: Codes(codes_of(c, self._dictionary)) for n, c in found.columns.items() if not isinstance(c, Lists)}
        values = distinct(Frame(found.rows, coded))
        for row in zip(*(codes_of(values.columns[name], self._dictionary).tolist() for name in names), strict=True):
            bindings = {name: self._dictionary.term(code) for name, code in zip(names, row, strict=True)}
            yield from (resolve(atom, bindings) for atom in filling.atoms)
