"""What the engine found, as a solver for conditions: rows are looked up in its columns and decoded when asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.report import ground_term
from holdsfor.engine.tables import FOREVER
from holdsfor.explain.nodes import Pair
from holdsfor.ir import Boundary, Edge, Effect, EffectKind, Fvp, Happens, Holds, Instance, Literal
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.reference.intervals import Interval
from holdsfor.syntax.terms import Compound, Const, Term, Var


class Rows:
    """Columns of codes with times, found by the constants of a pattern."""

    def __init__(self, columns: Sequence[Ints], start: Ints, end: Ints, dictionary: Dictionary) -> None:
        self.columns, self.start, self.end = tuple(columns), start, end
        self._dictionary = dictionary

    def matching(self, pattern: Sequence[Term], time: int | None = None) -> Ints:
        """The rows that have the pattern's ground terms, and that hold or happen at a time-point if one is given."""
        found: Bools | None = None
        if time is not None:
            found = (self.start <= time) & (time < self.end)
        for column, term in zip(self.columns, pattern, strict=True):
            if is_ground(term):
                same = column == self._dictionary.find(value_of(term))
                found = same if found is None else found & same
        return np.arange(len(self.start)) if found is None else np.flatnonzero(found)

    def terms(self, row: int) -> list[Term]:
        """The terms of a row."""
        return self._dictionary.terms([int(column[row]) for column in self.columns])


class Evidence(Solver):
    """All that is known at one query time and follows from it; `given` are the inputs that have any rows."""

    def __init__(self, analysis: Analysis, evaluation: Evaluation, given: frozenset[Symbol]) -> None:
        self.background = evaluation.domains.background if analysis.fillings else analysis.background
        super().__init__(self.background.rules)
        self.analysis, self.evaluation, self.given = analysis, evaluation, given
        self.entities, self.dictionary = analysis.entities, evaluation.dictionary
        self.now, self.origin = evaluation.moment.now, evaluation.moment.origin
        self._tables: dict[object, Rows] = {}
        self._declared: dict[Pair, bool] = {}
        self._raw: dict[Term, dict[Term, list[Interval]]] = {}

    # Tables

    def events(self, symbol: Symbol) -> Rows:
        """The occurrences of an event."""
        if symbol not in self._tables:
            found = self.evaluation.events(symbol)
            columns = [codes_of(column, self.dictionary) for column in found.args]
            self._tables[symbol] = Rows(columns, found.time, found.time + 1, self.dictionary)
        return self._tables[symbol]

    def fluents(self, symbol: Symbol) -> Rows:
        """The intervals of a fluent; the last column is the value."""
        if symbol not in self._tables:
            found = self.evaluation.intervals(symbol)
            self._tables[symbol] = Rows((*found.args, found.value), found.start, found.end, self.dictionary)
        return self._tables[symbol]

    def points(self, symbol: Symbol, kind: EffectKind) -> Rows:
        """Where values are initiated or terminated."""
        if (symbol, kind) not in self._tables:
            found = self.evaluation.points.get((symbol, kind))
            empty = np.empty(0, np.int64)
            width = len(self.fluents(symbol).columns)
            columns = (empty,) * width if found is None else (*found.args, found.value)
            time = empty if found is None else found.time
            self._tables[symbol, kind] = Rows(columns, time, time + 1, self.dictionary)
        return self._tables[symbol, kind]

    def _boundaries(self, symbol: Symbol, edge: Edge) -> Rows:
        if (symbol, edge) not in self._tables:
            found = self.evaluation.boundaries(symbol, edge)
            self._tables[symbol, edge] = Rows((*found.args, found.value), found.time, found.time + 1, self.dictionary)
        return self._tables[symbol, edge]

    # What is so

    def intervals(self, pair: Pair) -> list[Interval]:
        """The maximal intervals of a pair."""
        symbol = self.entities.pair(*pair)
        table = self.fluents(symbol)
        rows = table.matching((*symbol.columns(pair[0]), pair[1]))
        return sorted(_interval(table, row) for row in rows.tolist())

    def holds(self, pair: Pair, time: int) -> bool:
        """Whether a pair holds at a time-point."""
        return any(start <= time < end for start, end in self.intervals(pair))

    def happens(self, event: Term, time: int) -> bool:
        """Whether an event happens at a time-point."""
        symbol = self.entities.event(event)
        return len(self.events(symbol).matching(symbol.columns(event), time)) > 0

    def is_given(self, event: Term, time: int) -> bool:
        """Whether a row of the input says that an event happens at a time-point."""
        symbol = self.entities.event(event)
        given = self.evaluation.inputs.events.get(symbol)
        if given is None:
            return False
        columns = [codes_of(column, self.dictionary) for column in given.args]
        table = Rows(columns, given.time, given.time + 1, self.dictionary)
        return len(table.matching(symbol.columns(event), time)) > 0

    def effect_times(self, kind: EffectKind, pair: Pair) -> list[int]:
        """When a pair is initiated or terminated, whatever comes of it."""
        symbol = self.entities.pair(*pair)
        table = self.points(symbol, kind)
        rows = table.matching((*symbol.columns(pair[0]), pair[1]))
        return sorted(set(table.start[rows].tolist()))

    def pairs(self, symbol: Symbol) -> list[Pair]:
        """All pairs of a fluent that hold at some time."""
        table = self.fluents(symbol)
        terms = dict.fromkeys(tuple(table.terms(row)) for row in range(len(table.start)))
        return [(ground_term(symbol, list(columns[:-1])), columns[-1]) for columns in terms]

    def is_declared(self, pair: Pair) -> bool:
        """Whether a pair is among the groundings of its fluent; without groundings, every pair is."""
        if pair not in self._declared:
            symbol = self.entities.pair(*pair)
            declarations = self.entities[symbol].groundings if symbol in self.entities.table else []
            self._declared[pair] = not declarations or any(
                self.provable(self.analysis.body(declaration), bound)
                for declaration in declarations
                for bound in bind({}, (declaration.args[0], Compound("=", pair)))
            )
        return self._declared[pair]

    def has(self, pair: Pair, time: int) -> bool:
        """Whether a pair has been brought about and not broken, be it among the groundings of its fluent or not."""
        return any(start <= time < end for start, end in self.raw(pair[0]).get(pair[1], ()))

    def raw(self, fluent: Term) -> dict[Term, list[Interval]]:
        """The intervals of all values of a simple fluent by the law of inertia, groundings left aside."""
        if fluent not in self._raw:
            self._raw[fluent] = self._by_inertia(fluent)
        return self._raw[fluent]

    def _by_inertia(self, fluent: Term) -> dict[Term, list[Interval]]:
        started, ended = (self._effects_by_time(kind, fluent) for kind in EffectKind)
        found: dict[Term, list[Interval]] = {}
        value: Term | None = None
        since = 0.0
        for time in sorted(started.keys() | ended.keys()):
            new, over = started.get(time, set()), ended.get(time, set())
            if value is not None and (value in over or new - {value}):
                found.setdefault(value, []).append((since, time + 1))
                value = None
            if len(new) == 1 and not new & over and value is None:
                (value,), since = new, time + 1
        if value is not None:
            found.setdefault(value, []).append((since, math.inf))
        return found

    def _effects_by_time(self, kind: EffectKind, fluent: Term) -> dict[int, set[Term]]:
        symbol = self.entities.by_events(fluent)
        table = self.points(symbol, kind)
        found: dict[int, set[Term]] = {}
        for row in table.matching((*symbol.columns(fluent), Var("V"))).tolist():
            found.setdefault(int(table.start[row]), set()).add(table.terms(row)[-1])
        return found

    def is_input(self, symbol: Symbol) -> bool:
        """Whether an event or fluent comes from the stream."""
        return self.entities[symbol].role in (Role.INPUT_EVENT, Role.INPUT_FLUENT)

    # Conditions

    def temporal(self, literal: Literal, bindings: Bindings) -> Iterator[Bindings]:
        """Conditions on events and fluents."""
        match literal:
            case Happens(event=event, time=time):
                symbol = self.entities.event(event)
                table = self.events(symbol)
                columns = [resolve(column, bindings) for column in symbol.columns(event)]
                for row in self._in_order(table, columns, resolve(time, bindings)):
                    happened = ground_term(symbol, table.terms(row))
                    yield from bind(bindings, (event, happened), (time, Const(int(table.start[row]))))
            case Holds(fvp=fvp, time=time):
                yield from self._holding(fvp, resolve(time, bindings), bindings)
            case Boundary(edge=edge, fvp=fvp, time=time):
                yield from self._pointed(self._boundaries(self._symbol(fvp), edge), fvp, time, bindings)
            case Effect(kind=kind, fvp=fvp, time=time):
                yield from self._pointed(self.points(self._symbol(fvp), kind), fvp, time, bindings)
            case Instance(fvp=fvp, time=time):
                yield from self._instances(fvp, resolve(time, bindings), bindings)
            case _:
                yield from super().temporal(literal, bindings)

    def _symbol(self, fvp: Fvp) -> Symbol:
        return self.entities.fluent(fvp)

    def _in_order(self, table: Rows, columns: Sequence[Term], time: Term) -> list[int]:
        """The rows that match, first ones first: lists that rules collect are in order of time."""
        rows = table.matching(columns, _point(time))
        found: list[int] = [] if _is_odd(time) else rows[np.argsort(table.start[rows], kind="stable")].tolist()
        return found

    def _holding(self, fvp: Fvp, time: Term, bindings: Bindings) -> Iterator[Bindings]:
        symbol, point = self._symbol(fvp), _point(time)
        if point is None:
            return
        table = self.fluents(symbol)
        pattern = [resolve(term, bindings) for term in (*symbol.columns(fvp.fluent), fvp.value)]
        for row in table.matching(pattern, point).tolist():
            *args, value = table.terms(row)
            yield from bind(bindings, (fvp.fluent, ground_term(symbol, args)), (fvp.value, value))

    def _pointed(self, table: Rows, fvp: Fvp, time: Term, bindings: Bindings) -> Iterator[Bindings]:
        symbol = self._symbol(fvp)
        pattern = [resolve(term, bindings) for term in (*symbol.columns(fvp.fluent), fvp.value)]
        seen = set()
        for row in self._in_order(table, pattern, resolve(time, bindings)):
            *args, value = table.terms(row)
            key = (tuple(args), value, int(table.start[row]))
            if key not in seen:
                seen.add(key)
                fluent = ground_term(symbol, args)
                yield from bind(bindings, (fvp.fluent, fluent), (fvp.value, value), (time, Const(key[2])))

    def _instances(self, fvp: Fvp, time: Term, bindings: Bindings) -> Iterator[Bindings]:
        symbol, point = self._symbol(fvp), _point(time)
        if point is None:
            return
        table = self.points(symbol, EffectKind.INITIATED)
        pattern = [resolve(term, bindings) for term in (*symbol.columns(fvp.fluent), fvp.value)]
        for columns in dict.fromkeys(tuple(table.terms(row)) for row in table.matching(pattern).tolist()):
            pair = ground_term(symbol, list(columns[:-1])), columns[-1]
            if self.has(pair, point) or point in self.effect_times(EffectKind.INITIATED, pair):
                yield from bind(bindings, (fvp.fluent, pair[0]), (fvp.value, pair[1]))


def _interval(table: Rows, row: int) -> Interval:
    start, end = int(table.start[row]), int(table.end[row])
    return (-math.inf if start <= -FOREVER else start, math.inf if end >= FOREVER else end)


def _point(time: Term) -> int | None:
    return time.value if isinstance(time, Const) and isinstance(time.value, int) else None


def _is_odd(time: Term) -> bool:
    """Whether a time is something that no time-point can be."""
    return not isinstance(time, Var) and _point(time) is None
