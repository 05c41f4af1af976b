"""Domains that input fills (`dynamicDomain`): what the rows that count put into them, while the engine goes on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.report import ground_term
from holdsfor.syntax.terms import Compound, Term


class Row(NamedTuple):
    """A record: an event or `F=V`, its last time-point, and the one from which on it counts."""

    term: Term
    last: float
    since: float = -math.inf


@dataclass
class Domains:
    """The records of inputs that fill domains: those that count, and those that wait for their time."""

    analysis: Analysis
    _waiting: list[Row] = field(default_factory=list)
    _counted: Counter[Row] = field(default_factory=Counter)
    _facts: frozenset[Term] = frozenset()
    _border: float = -math.inf

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The inputs that fill domains."""
        return frozenset(filling.symbol for filling in self.analysis.fillings)

    def add(self, rows: Iterable[Row]) -> None:
        """Take in records."""
        self._waiting.extend(rows)

    def remove(self, rows: Iterable[Row]) -> None:
        """Take records back, as far as they are there and not behind the window."""
        for row in rows:
            if row in self._waiting:
                self._waiting.remove(row)
            elif self._counted[row] and row.last > self._border:
                self._counted[row] -= 1

    def advance(self, query: int, border: float) -> frozenset[Term] | None:
        """Go on to a query time whose window begins after a border; what is in the domains, None if that is as before."""
        self._border = border
        for row in self._waiting:
            if row.since <= query and row.last > border:
                self._counted[row] += 1
        self._waiting = [row for row in self._waiting if row.since > query]
        facts = frozenset(self._found())
        if facts == self._facts:
            return None
        self._facts = facts
        return facts

    def _found(self) -> Iterator[Term]:
        records = dict.fromkeys(row.term for row, count in self._counted.items() if count)
        for filling in self.analysis.fillings:
            for record in records:
                yield from filling.facts(record)


def record_of(symbol: Symbol, columns: Sequence[Term], value: Term | None = None) -> Term:
    """What a row says, as a term."""
    term = ground_term(symbol, list(columns))
    return term if symbol.kind is EntityKind.EVENT or value is None else Compound("=", (term, value))
