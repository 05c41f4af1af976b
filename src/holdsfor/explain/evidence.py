"""The results of an engine at one query time: its tables, and the keys whose rules can be traced."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.report import ground_term
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.core.trace import RuleTrace, Traces
from holdsfor.core.vocabulary import WordArray
from holdsfor.explain.nodes import Effected, Happening, Holding, Pair
from holdsfor.ir import EffectKind, EffectRule, EventRule, IntervalRule
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, is_ground, unify
from holdsfor.reference.evaluator import bind
from holdsfor.reference.intervals import Interval, maximal
from holdsfor.syntax.terms import Compound, Const, Term, Var

_EVENT, _INTERVAL, _INITIATION, _TERMINATION = range(4)
"""The kinds of results of the core."""


class Rows:
    """Columns of words with times, indexed by constants. Words of open terms match several terms."""

    def __init__(self, columns: Sequence[WordArray], start: Ints, end: Ints, traces: Traces) -> None:
        self.columns, self.start, self.end = tuple(columns), start, end
        self._traces = traces
        self._open: list[list[tuple[int, Term]]] = [[] for _ in self.columns]

    def with_open_terms(self) -> Rows:
        """The same columns, with open terms: terminations of all instances."""
        for place, column in enumerate(self.columns):
            terms = ((word, self._traces.term(word)) for word in np.unique(column).tolist())
            self._open[place] = [(word, term) for word, term in terms if not is_ground(term)]
        return self

    def matching(self, pattern: Sequence[Term], time: int | None = None) -> Ints:
        """The rows with the pattern's ground terms, at a time-point if given."""
        found: Bools = np.ones(len(self.start), np.bool_)
        if time is not None:
            found = (self.start <= time) & (time < self.end)
        for column, term, some in zip(self.columns, pattern, self._open, strict=True):
            if is_ground(term):
                same: Bools = column == self._traces.word(term)
                for word, one in some:
                    if unify(one, term, {}) is not None:
                        same |= column == word
                found &= same
        return np.flatnonzero(found)

    def interval(self, row: int) -> Interval:
        """The interval of a row."""
        start, end = int(self.start[row]), int(self.end[row])
        return (-math.inf if start <= -FOREVER else start, math.inf if end >= FOREVER else end)

    def terms(self, row: int) -> list[Term]:
        """The terms of a row."""
        return [self._traces.term(int(column[row])) for column in self.columns]


class Evidence:
    """Everything known at one query time, and its results.

    `inputs` are the rows that count and the results of metric rules, `given` the inputs with rows.
    """

    def __init__(
        self,
        plan: Plan,
        engine: Engine,
        inputs: dict[Symbol, Rows],
        given: frozenset[Symbol],
        moment: tuple[int, int],
        traces: Traces,
    ) -> None:
        self.analysis, self.given = plan.analysis, given
        self.entities = plan.analysis.entities
        self.origin, self.now = moment
        self.background = engine.background
        self.solver = Solver(self.background)
        self._engine, self._traces, self._inputs = engine, traces, inputs
        self._tables: dict[object, Rows] = {}
        self._declared: dict[Pair, bool] = {}

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._engine.tables

    def traced(self, goal: Holding | Effected | Happening) -> Iterator[tuple[RuleTrace, Bindings]]:
        """The rules that can give a fluent, an effect or an event, with the values of their heads.

        Each rule is traced in the key of the instance; `holdsFor` rules give fluents.
        """
        if isinstance(goal, Happening):
            symbol, term = self.entities.event(goal.event), goal.event
        else:
            symbol, term = self.entities.pair(*goal.pair), goal.pair[0]
        for rule in self.entities[symbol].rules:
            match goal, rule:
                case Happening(event, time), EventRule(event=head, time=now):
                    heads = [(head, event), (now, Const(time))]
                case Effected(kind, (fluent, value)), EffectRule(fvp=fvp) if rule.kind is kind:
                    heads = [(fvp.fluent, fluent), (fvp.value, value)]
                case Holding((fluent, value)), IntervalRule(fvp=fvp):
                    heads = [(fvp.fluent, fluent), (fvp.value, value)]
                case _:
                    continue
            for bound in bind({}, *heads):
                yield self._traces.of(rule, symbol, symbol.columns(term)), bound

    def moments(self) -> Iterator[Ints]:
        """All time-points at which something happens or changes."""
        for symbol, entity in self.entities.table.items():
            if symbol in self:
                table, is_event = self.table(symbol), symbol.kind is EntityKind.EVENT
                yield table.start if is_event else np.concatenate((table.start, table.end)) - 1
                if entity.role is Role.SIMPLE_FLUENT:
                    yield from (self.points(symbol, kind).start for kind in EffectKind)

    # Tables

    def table(self, symbol: Symbol) -> Rows:
        """The occurrences of an event, or the intervals of a fluent; the last column is the value."""
        is_event = symbol.kind is EntityKind.EVENT
        if not self.is_input(symbol):
            return self._results(symbol, _EVENT if is_event else _INTERVAL)
        if symbol not in self._inputs:
            none, columns = np.empty(0, np.int64), [np.empty(0, np.uint64)] * (self._width(symbol) + (not is_event))
            self._inputs[symbol] = Rows(columns, none, none, self._traces)
        return self._inputs[symbol]

    def points(self, symbol: Symbol, kind: EffectKind) -> Rows:
        """The time-points at which values are initiated or terminated."""
        return self._results(symbol, _INITIATION if kind is EffectKind.INITIATED else _TERMINATION)

    def _width(self, symbol: Symbol) -> int:
        return self._engine.lowered.plan.tables[self._engine.tables[symbol]].columns

    def _results(self, symbol: Symbol, kind: int) -> Rows:
        if (symbol, kind) not in self._tables:
            is_interval = kind == _INTERVAL
            head = 3 if is_interval else 1
            width = head + self._width(symbol) + (kind in (_INITIATION, _TERMINATION))
            cells = self._engine.core.result_rows(self._engine.tables[symbol], kind).reshape(-1, width)
            start = cells[:, 0].view(np.int64)
            end = cells[:, 1].view(np.int64) if is_interval else start + 1
            columns = [cells[:, place] for place in (*range(head, width), *((2,) if is_interval else ()))]
            found = Rows(columns, start, end, self._traces)
            self._tables[symbol, kind] = found.with_open_terms() if kind == _TERMINATION else found
        return self._tables[symbol, kind]

    # State queries

    def intervals(self, pair: Pair) -> list[Interval]:
        """The maximal intervals of a pair."""
        symbol = self.entities.pair(*pair)
        if self.is_input(symbol) and not self.is_declared(pair):
            return []
        table = self.table(symbol)
        rows = table.matching((*symbol.columns(pair[0]), pair[1]))
        return maximal(map(table.interval, rows.tolist()))

    def around(self, pair: Pair, time: int) -> Interval | None:
        """The interval of a pair that contains a time-point."""
        return next((one for one in self.intervals(pair) if one[0] <= time < one[1]), None)

    def holds(self, pair: Pair, time: int) -> bool:
        """Whether a pair holds at a time-point."""
        return self.around(pair, time) is not None

    def happens(self, event: Term, time: int) -> bool:
        """Whether an event happens at a time-point."""
        symbol = self.entities.event(event)
        return len(self.table(symbol).matching(symbol.columns(event), time)) > 0

    def is_given(self, event: Term, time: int) -> bool:
        """Whether a row of the input contains an event at a time-point."""
        return self.is_input(self.entities.event(event)) and self.happens(event, time)

    def effect_times(self, kind: EffectKind, pair: Pair) -> list[int]:
        """The initiations or terminations of a pair, including those without effect."""
        symbol = self.entities.pair(*pair)
        table = self.points(symbol, kind)
        rows = table.matching((*symbol.columns(pair[0]), pair[1]))
        return sorted(set(table.start[rows].tolist()))

    def is_declared(self, pair: Pair) -> bool:
        """Whether a pair is among the groundings of its fluent; without groundings, every pair is."""
        if pair not in self._declared:
            symbol = self.entities.pair(*pair)
            declarations = self.entities[symbol].groundings if symbol in self.entities.table else []
            self._declared[pair] = not declarations or any(
                self.solver.provable(self.analysis.body(declaration), bound)
                for declaration in declarations
                for bound in bind({}, (declaration.args[0], Compound("=", pair)))
            )
        return self._declared[pair]

    def _initiations(self, symbol: Symbol, pattern: Sequence[Term]) -> Iterator[tuple[list[Term], int]]:
        table = self.points(symbol, EffectKind.INITIATED)
        return ((table.terms(row), int(table.start[row])) for row in table.matching(pattern).tolist())

    def others(self, pair: Pair) -> dict[Term, set[int]]:
        """The initiations of other values of a fluent."""
        symbol = self.entities.pair(*pair)
        found: dict[Term, set[int]] = {}
        for (*_, value), time in self._initiations(symbol, (*symbol.columns(pair[0]), Var("V"))):
            if value != pair[1]:
                found.setdefault(value, set()).add(time)
        return found

    def breaks(self, pair: Pair) -> list[int]:
        """The time-points that end a pair: its terminations, and the initiations of other values."""
        ended = self.effect_times(EffectKind.TERMINATED, pair)
        return sorted(set(ended).union(*self.others(pair).values()))

    def initiated(self, symbol: Symbol, columns: Sequence[Term], value: Term) -> list[Pair]:
        """The pairs that match a pattern and are initiated at some time."""
        found = dict.fromkeys(tuple(terms) for terms, _ in self._initiations(symbol, (*columns, value)))
        return [(ground_term(symbol, terms), last) for *terms, last in found]

    def is_input(self, symbol: Symbol) -> bool:
        """Whether an event or fluent comes from the stream, or is treated as input."""
        return self.entities[symbol].role in (Role.INPUT_EVENT, Role.INPUT_FLUENT, Role.METRIC_FLUENT)
