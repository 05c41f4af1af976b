"""Maintains domains that input fills (`dynamicDomain`) while the engine advances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from holdsfor.columns.report import ground_term
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.notes import number_note, read_integer, read_items, read_number, read_parts
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Spans = list[tuple[float, float]]


class DomainRecord(NamedTuple):
    """A record: an event, or `F=V` from its start to before its end. An event has no end; points stay separate."""

    term: Term
    start: float
    end: float | None = None
    is_point: bool = False


@dataclass
class Domains:
    """The records of inputs that fill domains, as far as they can be retracted, and the facts in the domains.

    Rows count as in the core: an event from its own time on, unless it is behind the window; of an interval, the part
    after the border of the window. Facts from behind the border stay.
    """

    analysis: Analysis
    start: float = -math.inf
    _pending: list[tuple[DomainRecord, bool]] = field(default_factory=list)
    """Rows inserted or retracted since the last query time."""
    _waiting: dict[tuple[Term, float], None] = field(default_factory=dict)
    """Future events."""
    _spans: dict[Term, Spans] = field(default_factory=dict)
    """The times at which counted records hold, after the border and in order: an event at its time-point, a fluent in its
    intervals.
    """
    _settled: dict[Term, None] = field(default_factory=dict)
    """Records that can no longer be retracted."""
    _facts: frozenset[Term] = frozenset()

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The inputs that fill domains."""
        return frozenset(filling.symbol for filling in self.analysis.fillings)

    @property
    def facts(self) -> frozenset[Term]:
        """The facts in the domains."""
        return self._facts

    def add(self, rows: Iterable[DomainRecord]) -> None:
        """Adds records."""
        self._pending += [(row, True) for row in rows]

    def remove(self, rows: Iterable[DomainRecord]) -> None:
        """Retracts records that exist and are not behind the window."""
        self._pending += [(row, False) for row in rows]

    def advance(self, query: int, border: float) -> bool:
        """Advances to a query time with the border of its window; returns whether the domains have changed."""
        self._settle(border)
        for row, is_added in self._pending:
            if row.end is None:
                self._edit_event(row, border, is_added=is_added)
            else:
                self._edit_interval(row, row.end, border, is_added=is_added)
        self._pending = []
        for term, time in [one for one in self._waiting if one[1] <= query]:
            del self._waiting[term, time]
            if time > border:
                self._hold(term, time, time + 1)
        before, self._facts = self._facts, self._found()
        return self._facts != before

    def _settle(self, border: float) -> None:
        """Makes records at the border or before it permanent."""
        for term in [term for term, spans in self._spans.items() if spans[0][0] <= border]:
            del self._spans[term]
            self._settled[term] = None

    def _edit_event(self, row: DomainRecord, border: float, *, is_added: bool) -> None:
        if is_added:
            if row.start > max(border, self.start):
                self._waiting[row.term, row.start] = None
        elif row.start > border:
            self._waiting.pop((row.term, row.start), None)
            self._cut(row.term, row.start, row.start + 1)

    def _edit_interval(self, row: DomainRecord, end: float, border: float, *, is_added: bool) -> None:
        first = max(row.start, border + 1)
        if first >= end or (is_added and row.is_point and row.start <= border):
            return
        if is_added:
            self._hold(row.term, first, end)
        else:
            self._cut(row.term, first, end)

    def _hold(self, term: Term, start: float, end: float) -> None:
        """Lets a record hold from a start to before an end."""
        self._spans[term] = sorted({*self._spans.get(term, []), (start, end)})

    def _cut(self, term: Term, start: float, end: float) -> None:
        """Removes a record from a start to before an end, whichever rows contained it."""
        known = self._spans.pop(term, [])
        cut = (part for one in known for part in ((one[0], min(one[1], start)), (max(one[0], end), one[1])))
        left = sorted({part for part in cut if part[0] < part[1]})
        if left:
            self._spans[term] = left

    def _found(self) -> frozenset[Term]:
        records = [*self._settled, *self._spans]
        return frozenset(
            fact for filling in self.analysis.fillings for record in records for fact in filling.facts(record)
        )

    # State

    def noted(self) -> Term:
        """The complete state as a term."""
        pending = (_row(row, int(is_added)) for row, is_added in self._pending)
        waiting = (_row(DomainRecord(term, time)) for term, time in self._waiting)
        spans = (_row(DomainRecord(term, *span)) for term, spans in self._spans.items() for span in spans)
        parts = (pending, waiting, spans, self._settled)
        return Compound("domains", tuple(ListTerm(tuple(part)) for part in parts))

    def load_note(self, note: Term, *, is_merge: bool) -> None:
        """Loads a saved state, in place of the current one or in addition to it."""
        pending, waiting, spans, settled = map(read_items, read_parts(note, "domains", 4))
        fresh = self if is_merge else Domains(self.analysis, self.start)
        fresh._pending += [_read_row(one) for one in pending]
        fresh._waiting.update(((row.term, row.start), None) for row, _ in map(_read_row, waiting))
        for row, _ in map(_read_row, spans):
            fresh._hold(row.term, row.start, row.start + 1 if row.end is None else row.end)
        fresh._settled.update((term, None) for term in settled)
        fresh._facts = fresh._found()
        vars(self).update(vars(fresh))


def record_of(symbol: Symbol, columns: Sequence[Term], value: Term | None = None) -> Term:
    """The content of a row as a term."""
    term = ground_term(symbol, list(columns))
    return term if symbol.kind is EntityKind.EVENT or value is None else Compound("=", (term, value))


def _row(row: DomainRecord, is_added: int = 1) -> Term:
    numbers = number_note(row.start), number_note(row.end), Const(int(row.is_point)), Const(is_added)
    return Compound("row", (row.term, *numbers))


def _read_row(note: Term) -> tuple[DomainRecord, bool]:
    term, start, end, is_point, is_added = read_parts(note, "row", 5)
    first = read_number(start)
    row = DomainRecord(term, -math.inf if first is None else first, read_number(end), bool(read_integer(is_point)))
    return row, bool(read_integer(is_added))
