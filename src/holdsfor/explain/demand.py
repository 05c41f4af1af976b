"""Determines which input rows a question needs: those with the names and keys that its rules lead to.

A demand on a fluent or event is a set of *patterns*: values for some of its argument places, with the others open. The
head of a rule takes its values from a pattern. The rule then demands its inputs with the values of shared variables. A
pattern without values demands everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np

from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.stream import Stream
from holdsfor.compiler.analysis.alignment import RuleReading, RuleShape, rule_shape
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
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

    def __contains__(self, symbol: object) -> bool:
        return symbol in self.patterns

    def narrowed(self, stream: Stream, dictionary: Dictionary) -> Stream:
        """The demanded rows."""
        found = Stream()
        for symbol, events in stream.events.items():
            rows = self._rows(symbol, events.args, len(events.time), dictionary)
            if rows is not None:
                found.events[symbol] = events.take(rows)
        for symbol, fluent in stream.fluents.items():
            rows = self._rows(symbol, fluent.args, len(fluent.start), dictionary)
            if rows is not None:
                found.fluents[symbol] = fluent.take(rows)
        return found

    def _rows(self, symbol: Symbol, args: tuple[Ints, ...], rows: int, dictionary: Dictionary) -> Ints | slice | None:
        patterns = self.patterns.get(symbol)
        if not patterns:
            return None
        if any(all(value is None for value in pattern) for pattern in patterns):
            return slice(None)
        return np.flatnonzero(fitting(args, rows, patterns, dictionary))


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


def demand_of(plan: Plan, symbol: Symbol, term: Term) -> Demand:
    """The demand of a question about one instance."""
    wanted: dict[Symbol, set[Pattern]] = {symbol: {tuple(value_of(c) for c in symbol.columns(term))}}
    for filling in plan.filling:
        # All records determine the values of a domain.
        wanted[filling] = {(None,) * filling.width}
    waiting = [symbol]
    while waiting:
        asked = waiting.pop()
        for shape in _shapes(asked, plan):
            for pattern in list(wanted[asked]):
                for reading in shape.readings:
                    for read in _read_patterns(shape, reading, pattern):
                        if add_pattern(wanted, reading.symbol, read):
                            waiting.append(reading.symbol)
    return Demand({one: frozenset(patterns) for one, patterns in wanted.items()})


def _shapes(symbol: Symbol, plan: Plan) -> list[RuleShape]:
    """The inputs of the rules of a fluent or event."""
    entities = plan.analysis.entities
    if symbol in plan.analysis.graph.metric:
        from holdsfor.compiler.analysis.metric_shapes import metric_shapes

        together = next(members for members in plan.analysis.graph.fluent_components if symbol in members)
        return [shape for shape in metric_shapes(together, plan.analysis) if shape.symbol == symbol]
    shapes = (rule_shape(rule, symbol, entities) for rule in entities[symbol].rules)
    return [shape for shape in shapes if shape is not None]


def add_pattern(wanted: dict[_Name, set[Pattern]], symbol: _Name, pattern: Pattern) -> bool:
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


def _read_patterns(shape: RuleShape, reading: RuleReading, pattern: Pattern) -> Iterator[Pattern]:
    """What a rule reads for a pattern of its head; empty if the head does not match."""
    values: dict[str, Value] = {}
    for column, value in zip(shape.columns, pattern, strict=True):
        if value is None:
            continue
        if isinstance(column, Var):
            if values.setdefault(column.name, value) != value:
                return
        elif is_ground(column) and value_of(column) != value:
            return
    fixed = values.keys() if len(values) == 1 else set()
    if (reading.names & shape.ranging) - fixed:
        # All instances determine the values of such a variable, not only those of the question. A single variable has
        # all its values in one place.
        yield (None,) * len(reading.columns)
        return
    yield tuple(_value(column, values) for column in reading.columns)


def _value(column: Term, values: Mapping[str, Value]) -> Value | None:
    if isinstance(column, Var):
        return values.get(column.name)
    if isinstance(column, Const) and column.value == "":
        return None  # Stands for a variable that is not one of the rule.
    return value_of(column) if is_ground(column) else None
