"""Determines which input rows a question needs: those with the names and keys that its rules lead to.

A demand on a fluent or event is a set of *patterns*: values for some of its argument places, with the others open. The
head of a rule takes its values from a pattern. The rule then demands its inputs with the values of shared variables. A
pattern without values demands everything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np

from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import FactSet, Signature
from holdsfor.columns.stream import Stream
from holdsfor.compiler.analysis.alignment import RuleShape, rule_shape
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.analysis.metric_shapes import metric_shapes, read_columns
from holdsfor.compiler.plan import Plan
from holdsfor.ir.metric import Atom, MetricProgram
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Const, Term, Var

Pattern: TypeAlias = tuple[Value | None, ...]
"""A value for each argument place; None matches any."""

_Name = TypeVar("_Name")
_MOST_PATTERNS = 64
"""Beyond this number of patterns, everything is demanded."""


@dataclass(frozen=True)
class Demand:
    """The demanded patterns of each fluent and event."""

    patterns: Mapping[Symbol, frozenset[Pattern]]

    def narrowed(self, stream: Stream, dictionary: Dictionary) -> Stream:
        """The demanded rows."""
        events = {one: rows for one, rows in stream.events.items() if self.patterns.get(one)}
        fluents = {one: rows for one, rows in stream.fluents.items() if self.patterns.get(one)}
        return Stream(
            {one: rows.take(self._rows(one, rows.args, len(rows.time), dictionary)) for one, rows in events.items()},
            {one: rows.take(self._rows(one, rows.args, len(rows.start), dictionary)) for one, rows in fluents.items()},
        )

    def _rows(self, symbol: Symbol, args: tuple[Ints, ...], count: int, dictionary: Dictionary) -> Ints | slice:
        patterns = self.patterns[symbol]
        if any(all(value is None for value in pattern) for pattern in patterns):
            return slice(None)
        return np.flatnonzero(fitting(args, count, patterns, dictionary))


def fitting(args: tuple[Ints, ...], count: int, patterns: Collection[Pattern], dictionary: Dictionary) -> Bools:
    """Which rows match one of the patterns."""
    found: Bools = np.zeros(count, np.bool_)
    for pattern in patterns:
        fits: Bools = np.ones(count, np.bool_)
        for column, value in zip(args, pattern, strict=True):
            if value is not None:
                fits &= column == dictionary.find(value)
        found |= fits
    return found


@dataclass(frozen=True)
class Read(Generic[_Name]):
    """What a condition of a rule reads, and the head of the rule.

    All instances determine the values of `local` variables, not only those of the question.
    """

    head: Sequence[Term]
    name: _Name
    columns: Sequence[Term]
    local: frozenset[str] = frozenset()

    def pattern(self, head: Pattern) -> Pattern | None:
        """What is read for a pattern of the head; None if the head does not match."""
        values: dict[str, Value] = {}
        for column, value in zip(self.head, head, strict=True):
            if value is None:
                continue
            if isinstance(column, Var):
                if values.setdefault(column.name, value) != value:
                    return None
            elif is_ground(column) and value_of(column) != value:
                return None
        # A single variable has all its values in one place.
        if self.local - (values.keys() if len(values) == 1 else set()):
            return (None,) * len(self.columns)
        return tuple(_value(column, values) for column in self.columns)


def demanded(
    wanted: dict[_Name, set[Pattern]], start: _Name, reads_of: Callable[[_Name], Iterable[Read[_Name]]]
) -> dict[_Name, set[Pattern]]:
    """The patterns that rules lead to from those that are wanted of a fluent, event or predicate."""
    waiting = [start]
    while waiting:
        name = waiting.pop()
        for read in reads_of(name):
            for pattern in list(wanted[name]):
                found = read.pattern(pattern)
                if found is not None and _add(wanted, read.name, found):
                    waiting.append(read.name)
    return wanted


def demand_of(plan: Plan, symbol: Symbol, term: Term) -> Demand:
    """The demand of a question about one instance."""
    # All records determine the values of a domain.
    wanted: dict[Symbol, set[Pattern]] = {filling: {(None,) * filling.width} for filling in plan.filling}
    wanted[symbol] = {tuple(value_of(column) for column in symbol.columns(term))}

    def reads_of(read: Symbol) -> Iterator[Read[Symbol]]:
        for shape in _shapes(read, plan):
            for one in shape.readings:
                yield Read(shape.columns, one.symbol, one.columns, one.names & shape.ranging)

    return Demand({one: frozenset(patterns) for one, patterns in demanded(wanted, symbol, reads_of).items()})


def _shapes(symbol: Symbol, plan: Plan) -> list[RuleShape]:
    """The inputs of the rules of a fluent or event."""
    entities, graph = plan.analysis.entities, plan.analysis.graph
    if symbol in graph.metric:
        together = next(members for members in graph.fluent_components if symbol in members)
        return [shape for shape in metric_shapes(together, plan.analysis) if shape.symbol == symbol]
    shapes = (rule_shape(rule, symbol, entities) for rule in entities[symbol].rules)
    return [shape for shape in shapes if shape is not None]


def narrowed_facts(
    program: MetricProgram, facts: FactSet, dictionary: Dictionary, question: Atom
) -> tuple[MetricProgram, FactSet]:
    """The metric rules and facts that a question needs."""

    def reads_of(head: Signature) -> Iterator[Read[Signature]]:
        for rule in program.rules:
            for atom, columns in read_columns(rule) if rule.head.signature == head else ():
                yield Read(rule.head.args, atom.signature, columns)

    wanted = demanded({question.signature: {tuple(map(value_of, question.args))}}, question.signature, reads_of)
    rules = tuple(rule for rule in program.rules if rule.head.signature in wanted)
    kept = tuple(fact for fact in program.facts if (fact.predicate, len(fact.args)) in wanted)
    tables = {
        name: table.take(fitting(table.args, table.rows, wanted[name], dictionary))
        for name, table in facts.tables.items()
        if name in wanted
    }
    return MetricProgram(rules, kept), FactSet(facts.scale, tables)


def _add(wanted: dict[_Name, set[Pattern]], symbol: _Name, pattern: Pattern) -> bool:
    """Adds a pattern; returns whether it is new."""
    known = wanted.setdefault(symbol, set())
    if any(_covers(one, pattern) for one in known):
        return False
    known.difference_update({one for one in known if _covers(pattern, one)})
    known.add(pattern)
    if len(known) > _MOST_PATTERNS:
        known.clear()
        known.add((None,) * len(pattern))
    return True


def _covers(wide: Pattern, narrow: Pattern) -> bool:
    return all(value is None or value == other for value, other in zip(wide, narrow, strict=True))


def _value(column: Term, values: Mapping[str, Value]) -> Value | None:
    if isinstance(column, Var):
        return values.get(column.name)
    # An empty constant stands for a variable that is not one of the rule.
    return value_of(column) if is_ground(column) and column != Const("") else None
