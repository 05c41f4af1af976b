"""Runs of the core over the streams of the reference evaluator, with its rows as results."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.core.host import FOREVER, NEVER, Host
from holdsfor.core.words import Words
from holdsfor.loading import Reasoner
from holdsfor.logic.failures import Failures
from holdsfor.physical.encode import Encoder
from holdsfor.physical.lower import lower
from holdsfor.reference import EventRow, IntervalRow, Record, Reference, Windows
from holdsfor.reference.evaluator import domain_facts
from holdsfor.reference.history import Known, known_at, whole_history
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term
from tests.core.building import built_core


def on_core(reasoner: Reasoner, records: list[Record], windows: Windows | None, threads: int = 1) -> Reference:
    """What the core finds, each query time from scratch."""
    return _Run(reasoner, threads).over(records, windows)


class _Run:
    def __init__(self, reasoner: Reasoner, threads: int) -> None:
        self._analysis = reasoner.plan.analysis
        self._lowered = lower(reasoner.plan)
        encoder = Encoder()
        data = encoder.encode(self._lowered.plan)
        self._host = Host(self._lowered.goals, encoder.sites, self._analysis.background.rules)
        self._core = built_core().Core(data, self._host)
        self._words: Words = self._host.connect(self._core)
        self._tables = {symbol: number for number, symbol in enumerate(self._lowered.symbols)}
        self._threads = threads

    def over(self, records: list[Record], windows: Windows | None) -> Reference:
        used = windows or whole_history(records)
        intervals: list[IntervalRow] = []
        events: list[EventRow] = []
        conflicts: set[tuple[int, ...]] = set()
        for query in used.query_times:
            known = known_at(records, used, query, ignore_arrival=windows is None)
            self._fill(known)
            self._core.run(query, self._threads)
            intervals += self._interval_rows(query, used.size)
            events += self._event_rows(query, used.size)
            conflicts |= set(self._conflicts())
        failures: Failures = self._host.failures
        return Reference(tuple(sorted(intervals)), tuple(sorted(events)), len(conflicts), failures)

    def _fill(self, known: Known) -> None:
        entities = self._analysis.entities
        self._host.replace_rules(self._analysis.background.filled(domain_facts(self._analysis, known)).rules)
        self._core.clear()
        for time, happened in known.events.items():
            for event in happened if time <= known.query_time else ():
                symbol = entities.event(event)
                if symbol in self._tables:
                    row = np.array([self._words.word(arg) for arg in symbol.columns(event)], np.uint64)
                    self._core.add_events(self._tables[symbol], np.array([time], np.int64), row)
        for (fluent, value), found in known.inputs.items():
            symbol = entities.pair(fluent, value)
            for start, end in found if symbol in self._tables else ():
                columns = [self._words.word(arg) for arg in symbol.columns(fluent)]
                until = FOREVER if end == math.inf else int(end)
                is_cut = (fluent, value, start) in known.cut_starts
                number = self._tables[symbol]
                self._core.add_interval(number, columns, self._words.word(value), int(start), until, is_cut)

    def _rows(self, *roles: Role) -> Iterator[tuple[Symbol, list[int]]]:
        for symbol, number in self._tables.items():
            if self._analysis.entities[symbol].role in roles:
                flat, width = self._core.output(number)
                for row in flat.reshape(-1, width).tolist():
                    yield symbol, row

    def _interval_rows(self, query: int, size: float) -> Iterator[IntervalRow]:
        for symbol, (start, end, value, *columns) in self._rows(Role.SIMPLE_FLUENT, Role.STATIC_FLUENT):
            since, until = _time(start), _time(end)
            if until > query - size + 1 or until == math.inf:
                shown = print_term(self._words.term(value))
                yield IntervalRow(query, self._text(symbol, columns), shown, since, until)

    def _event_rows(self, query: int, size: float) -> Iterator[EventRow]:
        for symbol, (time, *columns) in self._rows(Role.DERIVED_EVENT):
            when = int(_time(time))
            if query - size < when <= query:
                yield EventRow(query, self._text(symbol, columns), when)

    def _conflicts(self) -> Iterator[tuple[int, ...]]:
        for symbol, number in self._tables.items():
            if self._analysis.entities[symbol].role is Role.SIMPLE_FLUENT:
                flat, width = self._core.conflicts(number)
                yield from ((number, *row) for row in flat.reshape(-1, width).tolist())

    def _text(self, symbol: Symbol, columns: list[int]) -> str:
        terms = iter([self._words.term(word) for word in columns])
        inner = {place: (name, arity) for place, name, arity in symbol.inner}
        args: list[Term] = []
        for place in range(symbol.arity):
            if place not in inner:
                args.append(next(terms))
                continue
            name, arity = inner[place]
            parts = tuple(next(terms) for _ in range(arity))
            args.append(Compound(name, parts) if parts else Const(name))
        return print_term(Compound(symbol.name, tuple(args)) if args else Const(symbol.name))


def _time(word: int) -> float:
    time = word - (1 << 64) if word >= 1 << 63 else word
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time
