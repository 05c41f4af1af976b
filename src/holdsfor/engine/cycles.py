"""The sweep method: components that depend on themselves, and delayed effects.

Conditions on what lies outside the component are solved set at a time. What can hold at all (the *pairs*) is found by
a fixpoint that takes every condition on the component for possible; each remaining rule instance is a row for the sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.instant import DELAYED, EVENT, INITIATED, TERMINATED, Moment
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.evaluation import Evaluation, times_of, width
from holdsfor.engine.expressions import codes_of, column_of, evaluate
from holdsfor.engine.frames import UNIT, Codes, Column, Frame, Numbers, distinct, ranges, stack
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.relations import join, relation
from holdsfor.engine.residual import Splitter, Way
from holdsfor.engine.state import Attempts
from holdsfor.engine.statics import run_static
from holdsfor.engine.sweep import (
    ENDS,
    HAPPEN,
    HAPPENED,
    HOLDS,
    INITIATE,
    STARTS,
    TERMINATE,
    Delays,
    Pairs,
    Rows,
    Swept,
    sweep,
)
from holdsfor.engine.sweep import (
    INITIATED as ASKS_INITIATED,
)
from holdsfor.engine.sweep import (
    TERMINATED as ASKS_TERMINATED,
)
from holdsfor.engine.tables import Events, Intervals, Points
from holdsfor.ir import (
    Boundary,
    DelayRule,
    Edge,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Happens,
    Holds,
    Instance,
    Literal,
    walk,
)
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var, variables

PAIR = "#pair"
_TIME = "#time"
_MAX_ROUNDS = 100_000


def run_sweep(evaluation: Evaluation, stratum: Stratum) -> None:
    """Evaluate a component by sweeping over its rows."""
    component = _Component(evaluation, stratum)
    component.find_pairs()
    rows, delays = component.rows(), component.delays()
    swept = sweep(rows, component.pairs(delays), delays, evaluation.moment.now)
    component.publish(swept)
    component.keep_attempts(swept, delays)
    for symbol in stratum.members:
        if evaluation.entities[symbol].role is Role.STATIC_FLUENT:
            run_static(evaluation, symbol)


@dataclass
class _PairTable:
    """The pairs of one symbol, as columns; their numbers run from `first`."""

    columns: list[Ints]
    number: Ints


@dataclass
class _Found:
    """Rows collected from one way through a rule."""

    time: Ints
    pair: Ints
    action: int
    rank: Ints
    clauses: list[tuple[Ints, list[tuple[int, Ints, bool]]]] = field(default_factory=list)


class _ComponentBodies(Bodies):
    """Solves bodies in which every condition on the component is possible for every pair."""

    def __init__(self, component: _Component) -> None:
        super().__init__(component.evaluation)
        self._component = component

    def apply(self, literal: Literal, frame: Frame) -> Frame:
        if isinstance(literal, Instance) and self._component.owns(self._component.symbol_of(literal)):
            return join(frame, self._component.possible(literal, None), self._dictionary)
        if self._component.splitter.asks_component(literal):
            name = f"{PAIR}{self._component.literal_number(literal)}"
            return join(frame, self._component.possible(literal, name), self._dictionary)
        return super().apply(literal, frame)


class _Component:
    def __init__(self, evaluation: Evaluation, stratum: Stratum) -> None:
        self.evaluation = evaluation
        self._dictionary = evaluation.dictionary
        self._members = stratum.members
        self.splitter = Splitter(evaluation.analysis, stratum.members)
        self._ways: list[Way] = [
            way
            for rule in stratum.rules
            if isinstance(rule, EffectRule | EventRule)
            for way in self.splitter.ways(rule)
        ]
        self._delay_rules = [rule for rule in stratum.rules if isinstance(rule, DelayRule) and self._triggers(rule)]
        self._bodies = _ComponentBodies(self)
        self._tables: dict[Symbol, dict[tuple[int, ...], int]] = {symbol: {} for symbol in stratum.members}
        self._next = 0
        self._frames: dict[Symbol, _PairTable] = {}
        self._literals: dict[int, int] = {}
        self._initial: list[tuple[Ints, Ints]] = []
        self._pending: list[tuple[int, int, int]] = []
        self._rank = evaluation.prepared.ranks
        self._moments: dict[Symbol, Frame] = {}
        self._asks_moments = any(
            self.splitter.asks_component(literal) and not isinstance(literal, Holds)
            for way in self._ways
            for literal in walk((*way.body, *way.negated))
        )

    # Names

    def owns(self, symbol: Symbol) -> bool:
        return symbol in self._tables

    def _triggers(self, rule: DelayRule) -> bool:
        return self.evaluation.entities.fluent(rule.trigger.fluent) in self._members

    def symbol_of(self, literal: Literal) -> Symbol:
        if isinstance(literal, Happens):
            return self.evaluation.entities.event(literal.event)
        assert isinstance(literal, Holds | Boundary | Effect | Instance)
        return self.evaluation.entities.fluent(literal.fvp.fluent)

    def literal_number(self, literal: Literal) -> int:
        return self._literals.setdefault(id(literal), len(self._literals))

    def _terms(self, literal: Literal, symbol: Symbol) -> tuple[Term, ...]:
        if isinstance(literal, Happens):
            return symbol.columns(literal.event)
        assert isinstance(literal, Holds | Boundary | Effect | Instance)
        return (*symbol.columns(literal.fvp.fluent), literal.fvp.value)

    # Pairs

    def possible(self, literal: Literal, name: str | None) -> Frame:
        """The pairs that a literal may be about; their numbers go into a column of their own."""
        symbol = self.symbol_of(literal)
        table = self._pair_table(symbol)
        if isinstance(literal, Holds | Boundary):
            table = self._declared(symbol, table)
        columns: list[Column] = [*(Codes(column) for column in table.columns), Numbers(table.number)]
        terms = (*self._terms(literal, symbol), Var(name or "#ignored"))
        if isinstance(literal, Happens | Boundary | Effect):
            return self._at_moments(symbol, columns, (*terms, literal.time))
        found = relation(terms, columns, len(table.number), self._dictionary)
        if name is None:
            return Frame(found.rows, {other: column for other, column in found.columns.items() if other != "#ignored"})
        return found

    def _at_moments(self, symbol: Symbol, columns: list[Column], terms: tuple[Term, ...]) -> Frame:
        """Pairs of an event-like literal together with every time-point at which something may happen to them."""
        names = [f"c{place}" for place in range(len(columns))]
        pairs = Frame(len(_data(columns[-1])), dict(zip(names, columns, strict=True)))
        timed = join(pairs, self._moments.get(symbol, _no_moments(symbol)), self._dictionary)
        return relation(terms, [timed.columns[name] for name in (*names, _TIME)], timed.rows, self._dictionary)

    def _declared(self, symbol: Symbol, table: _PairTable) -> _PairTable:
        """The pairs that can be seen to hold; one outside its grounding breaks its fellows and no more."""
        numbers = table.number
        pairs = Intervals(tuple(table.columns[:-1]), table.columns[-1], numbers, numbers, single_valued=False)
        seen = self.evaluation.narrowed(symbol, pairs)
        return table if len(seen) == len(pairs) else _PairTable([*seen.args, seen.value], seen.start)

    def _pair_table(self, symbol: Symbol) -> _PairTable:
        known = self._tables[symbol]
        if symbol not in self._frames or len(self._frames[symbol].number) != len(known):
            width_of = width(symbol) + (symbol.kind is EntityKind.FLUENT)
            rows = np.array(list(known), np.int64).reshape(len(known), width_of)
            self._frames[symbol] = _PairTable(
                [rows[:, i] for i in range(width_of)], np.array(list(known.values()), np.int64)
            )
        return self._frames[symbol]

    def _add(self, symbol: Symbol, columns: list[Ints], rows: int = 1) -> Ints:
        """The numbers of pairs, new ones if need be; an event without arguments has one pair, for so many rows."""
        table = self._tables.setdefault(symbol, {})
        numbers = []
        keys = zip(*(column.tolist() for column in columns), strict=True) if columns else [()] * rows
        for key in keys:
            if key not in table:
                table[key] = self._next
                self._next += 1
            numbers.append(table[key])
        return np.array(numbers, np.int64)

    def _head_columns(self, symbol: Symbol, terms: tuple[Term, ...], frame: Frame) -> list[Ints]:
        del symbol
        return [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in terms]

    def find_pairs(self) -> None:
        """Everything that can hold or happen, taking every condition on the component for possible."""
        for symbol in self._members:
            if symbol.kind is EntityKind.FLUENT:
                self._seed(symbol)
        for _ in range(_MAX_ROUNDS):
            before = self._next
            for way in self._ways:
                if isinstance(way.rule, EventRule) or way.rule.kind is EffectKind.INITIATED:
                    self._add_heads(way)
            for rule in self._delay_rules:
                self._delay_frame(rule)
            if self._next == before and not (self._asks_moments and self._more_moments()):
                return
        raise EvaluationError("a fluent takes ever new values; bound them with a condition")

    def _more_moments(self) -> bool:
        """Collect the time-points at which rules may touch each instance; says whether there are more than before."""
        before = sum(frame.rows for frame in self._moments.values())
        for way in self._ways:
            frame = self._bodies.solve(way.body, UNIT)
            if frame.rows:
                symbol, terms = self._head(way)
                self._add_moments(symbol, terms[: width(symbol)], frame, times_of(way.rule.time, frame))
        for rule in self._delay_rules:
            self._delayed_moments(rule)
        return sum(frame.rows for frame in self._moments.values()) > before

    def _add_moments(self, symbol: Symbol, terms: tuple[Term, ...], frame: Frame, time: Ints) -> None:
        frame = frame.with_columns({_TIME: Numbers(time)}).where(time <= self.evaluation.moment.now)
        if any(v.name not in frame.columns for term in terms for v in variables(term)):
            # A termination that leaves arguments open may touch every instance that matches.
            table = self._pair_table(symbol)
            columns = [Codes(column) for column in table.columns[: width(symbol)]]
            frame = join(frame, relation(terms, columns, len(table.number), self._dictionary), self._dictionary)
        found: dict[str, Column] = {
            f"c{place}": Codes(codes_of(column_of(term, frame, self._dictionary), self._dictionary))
            for place, term in enumerate(terms)
        }
        found[_TIME] = frame.columns[_TIME]
        known = self._moments.get(symbol)
        both = [Frame(frame.rows, found)] if known is None else [known, Frame(frame.rows, found)]
        self._moments[symbol] = distinct(stack(both, found))

    def _delayed_moments(self, rule: DelayRule) -> None:
        """A delayed effect may come about its delay after anything that may happen to its trigger."""
        symbol = self.evaluation.entities.fluent(rule.trigger.fluent)
        target = rule.effect or rule.trigger
        affected = self.evaluation.entities.fluent(target.fluent)
        if affected not in self._members:
            return
        frame, _, _ = self._delay_frame(rule)
        names = [f"c{place}" for place in range(width(symbol))]
        trigger = self._head_columns(symbol, symbol.columns(rule.trigger.fluent), frame)
        keyed = frame.with_columns({name: Codes(column) for name, column in zip(names, trigger, strict=True)})
        timed = join(keyed, self._moments.get(symbol, _no_moments(symbol)), self._dictionary)
        due = _plain(timed, _TIME) + evaluate(rule.delay, timed, self._dictionary).astype(np.int64)
        self._add_moments(affected, affected.columns(target.fluent), timed, due)

    def _seed(self, symbol: Symbol) -> None:
        evaluation = self.evaluation
        for points in evaluation.initial_points(symbol) + evaluation.scheduled.get(symbol, []):
            numbers = self._add(symbol, [*points.args, points.value])
            self._initial.append((points.time, numbers))
            self._seed_moments(symbol, points.args, points.time)
        held = evaluation.border.holding.get(symbol)
        if held is not None:
            self._add(symbol, [*held.args, held.value])
        attempts = evaluation.border.attempts.get(symbol)
        if attempts is not None:
            self._add(symbol, [*attempts.args, attempts.value])
            self._seed_moments(symbol, attempts.args, attempts.initiated)

    def _seed_moments(self, symbol: Symbol, args: tuple[Ints, ...], time: Ints) -> None:
        if self._asks_moments:
            names = tuple(Var(f"c{place}") for place in range(len(args)))
            frame = Frame(len(time), {name.name: Codes(column) for name, column in zip(names, args, strict=True)})
            self._add_moments(symbol, names, frame, time)

    def _head(self, way: Way) -> tuple[Symbol, tuple[Term, ...]]:
        rule = way.rule
        if isinstance(rule, EventRule):
            symbol = self.evaluation.entities.event(rule.event)
            return symbol, symbol.columns(rule.event)
        symbol = self.evaluation.entities.fluent(rule.fvp.fluent)
        return symbol, (*symbol.columns(rule.fvp.fluent), rule.fvp.value)

    def _add_heads(self, way: Way) -> None:
        frame = self._bodies.solve(way.body, UNIT)
        symbol, terms = self._head(way)
        if frame.rows:
            columns = self._head_columns(symbol, terms, frame)
            self._add(symbol, list(np.unique(np.stack(columns), axis=1)) if columns else [])

    # Rows

    def rows(self) -> Rows:
        found = [found for way in self._ways for found in self._way_rows(way)]
        for time, numbers in self._initial:
            found.append(_Found(time, numbers, INITIATE, np.zeros(len(time), np.int64)))
        return _assembled(found)

    def _way_rows(self, way: Way) -> list[_Found]:
        frame = self._bodies.solve(way.body, UNIT)
        if frame.rows and self.evaluation.kept.reach:
            # What is kept for looking back must not make rules fire again.
            frame = frame.where(times_of(way.rule.time, frame) > self.evaluation.moment.border)
        symbol, terms = self._head(way)
        if isinstance(way.rule, EffectRule) and way.rule.kind is EffectKind.TERMINATED:
            # A termination ends what there is: its head is matched with the pairs, open columns with all of them.
            table = self._pair_table(symbol)
            columns: list[Column] = [*(Codes(column) for column in table.columns), Numbers(table.number)]
            pairs = relation((*terms, Var(PAIR)), columns, len(table.number), self._dictionary)
            frame = join(frame, pairs, self._dictionary) if frame.rows else frame.take(EMPTY)
            number = _plain(frame, PAIR) if frame.rows else EMPTY
            action = TERMINATE
        else:
            columns_of = self._head_columns(symbol, terms, frame) if frame.rows else []
            number = self._add(symbol, columns_of, frame.rows) if frame.rows else EMPTY
            action = HAPPEN if isinstance(way.rule, EventRule) else INITIATE
        if not frame.rows:
            return []
        what = {HAPPEN: EVENT, INITIATE: INITIATED, TERMINATE: TERMINATED}[action]
        found = _Found(times_of(way.rule.time, frame), number, action, self._ranks_of(what, symbol, number))
        found.clauses.extend(self._positive_clauses(way, frame))
        found.clauses.extend(
            clause for negation in way.negated for clause in self._negative_clauses(negation.body, frame)
        )
        return [found]

    def _ranks_of(self, what: str, symbol: Symbol, numbers: Ints) -> Ints:
        """The place in the order inside a time-point at which something is decided for each of some pairs."""
        graph = self.evaluation.analysis.graph
        if symbol.kind is EntityKind.EVENT:
            return np.full(len(numbers), self._rank[Moment(what, graph.of_symbol(symbol)[0])])
        table = self._pair_table(symbol)
        order = np.argsort(table.number)
        values = table.columns[-1][order[np.searchsorted(table.number[order], numbers)]]
        distinct, inverse = np.unique(values, return_inverse=True)
        ranks = [
            max(
                self._rank.get(Moment(what, vertex), 0)
                for vertex in graph.matching(symbol, self._dictionary.term(code))
            )
            for code in distinct.tolist()
        ]
        return np.array(ranks, np.int64)[inverse]

    def _positive_clauses(self, way: Way, frame: Frame) -> list[tuple[Ints, list[tuple[int, Ints, bool]]]]:
        rows = np.arange(frame.rows)
        return [
            (rows, [(_asks(literal), _plain(frame, f"{PAIR}{self.literal_number(literal)}"), True)])
            for literal in way.body
            if self.splitter.asks_component(literal)
        ]

    def _negative_clauses(
        self, body: tuple[Literal, ...], frame: Frame
    ) -> list[tuple[Ints, list[tuple[int, Ints, bool]]]]:
        """`\\+ (A, B)`: for every way in which both could be true, one of them must not be."""
        numbered = frame.with_columns({"#row": Numbers(np.arange(frame.rows))})
        answers = self._bodies.solve(body, numbered)
        if not answers.rows:
            return []
        literals = [
            (_asks(literal), _plain(answers, f"{PAIR}{self.literal_number(literal)}"), False)
            for literal in body
            if self.splitter.asks_component(literal)
        ]
        return [(_plain(answers, "#row"), literals)]

    # Delayed effects

    def _delay_frame(self, rule: DelayRule) -> tuple[Frame, Ints, Ints]:
        """For every trigger pair of a delay rule: the frame, the trigger's number, the effect's number (or -1)."""
        frame = self.possible(Instance(rule.trigger, Var("#t")), PAIR)
        frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
        trigger = _plain(frame, PAIR) if frame.rows else EMPTY
        if rule.effect is None or not frame.rows:
            return frame, trigger, np.full(frame.rows, -1)
        target = self.evaluation.entities.fluent(rule.effect.fluent)
        terms = (*target.columns(rule.effect.fluent), rule.effect.value)
        return frame, trigger, self._add(target, self._head_columns(target, terms, frame))

    def delays(self) -> Delays:
        entries: list[tuple[int, int, int, int, int]] = []
        postponed = self._postponed()
        for rule in self._delay_rules:
            frame, trigger, effect = self._delay_frame(rule)
            amounts = evaluate(rule.delay, frame, self._dictionary) if frame.rows else EMPTY
            for one, other, amount in zip(trigger.tolist(), effect.tolist(), amounts.tolist(), strict=True):
                if amount != int(amount) or amount < 1:
                    shown = print_term(rule.trigger.fluent)
                    raise EvaluationError(f"the delay of {shown} is {amount}; it must be a positive whole number")
                postponable = one in postponed
                rank = self._delay_rank(rule, one if other < 0 else other, postponable)
                entries.append((one, int(amount), other, int(postponable), rank))
        entries.sort(key=lambda entry: entry[0])
        table = np.array(entries, np.int64).reshape(len(entries), 5)
        at = np.searchsorted(table[:, 0], np.arange(self._next + 1))
        return Delays(at, table[:, 1], table[:, 2], table[:, 3], table[:, 4])

    def _delay_rank(self, rule: DelayRule, pair: int, postponable: bool) -> int:
        target = rule.effect or rule.trigger
        symbol = self.evaluation.entities.fluent(target.fluent)
        if symbol not in self._members:
            return 0
        what = TERMINATED if rule.effect is None else DELAYED if postponable else INITIATED
        return int(self._ranks_of(what, symbol, np.array([pair]))[0])

    def _postponed(self) -> set[int]:
        """The pairs whose delayed effects a new initiation postpones."""
        found: set[int] = set()
        for rule in self.evaluation.analysis.program.postpones:
            if self.owns(self.evaluation.entities.fluent(rule.fvp.fluent)):
                frame = self.possible(Instance(rule.fvp, Var("#t")), PAIR)
                frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
                found.update(_plain(frame, PAIR).tolist() if frame.rows else ())
        return found

    # State

    def pairs(self, delays: Delays) -> Pairs:
        slot = np.full(self._next, -1, np.int64)
        slots: dict[tuple[Symbol, tuple[int, ...]], int] = {}
        for symbol in self._members:
            for key, number in self._tables[symbol].items():
                instance = key[:-1] if symbol.kind is EntityKind.FLUENT else key
                slot[number] = slots.setdefault((symbol, instance), len(slots))
        pairs = Pairs(slot, len(slots))
        border = self.evaluation.border
        for symbol in self._members:
            held = border.holding.get(symbol)
            if held is not None and symbol.kind is EntityKind.FLUENT:
                numbers = self._add(symbol, [*held.args, held.value])
                pairs.holding.extend(zip(numbers.tolist(), held.since.tolist(), strict=True))
            attempts = border.attempts.get(symbol)
            if attempts is not None:
                numbers = self._add(symbol, [*attempts.args, attempts.value])
                for number, initiated in zip(numbers.tolist(), attempts.initiated.tolist(), strict=True):
                    for entry in range(delays.at[number], delays.at[number + 1]):
                        due = initiated + int(delays.delay[entry])
                        if due > self.evaluation.moment.border:
                            pairs.pending.append((due, initiated, entry))
        self._pending = pairs.pending
        return pairs

    def keep_attempts(self, swept: Swept, delays: Delays) -> None:
        """Remember the initiations whose delayed effects are still to come at the next border."""
        border = self.evaluation.moment.next_border
        trigger = np.repeat(np.arange(len(delays.at) - 1), np.diff(delays.at)).tolist()
        under_way = [(initiated, due, entry) for due, initiated, entry in self._pending] + swept.attempts
        kept = {(trigger[entry], initiated) for initiated, due, entry in under_way if initiated <= border < due}
        by_pair: dict[int, list[int]] = {}
        for number, initiated in kept:
            by_pair.setdefault(number, []).append(initiated)
        for symbol in self._members:
            rows = [(*key, time) for key, number in self._tables[symbol].items() for time in by_pair.get(number, ())]
            if rows:
                table = np.array(rows, np.int64)
                columns = [table[:, place] for place in range(table.shape[1])]
                self.evaluation.next_border.attempts[symbol] = Attempts(tuple(columns[:-2]), columns[-2], columns[-1])

    # Results

    def publish(self, swept: Swept) -> None:
        evaluation = self.evaluation
        evaluation.conflicts += swept.conflicts
        pair = np.array(swept.pair, np.int64)
        start, end = np.array(swept.start, np.int64), np.array(swept.end, np.int64)
        initiated, terminated, happened = (
            np.array(found, np.int64).reshape(len(found), 2)
            for found in (swept.initiated, swept.terminated, swept.happened)
        )
        for symbol, table in self._tables.items():
            columns_of = width(symbol) + (symbol.kind is EntityKind.FLUENT)
            keys = np.array(list(table), np.int64).reshape(len(table), columns_of)
            numbers = np.array(list(table.values()), np.int64)
            if symbol not in self._members:
                args, value, time = _select(keys, numbers, happened)
                evaluation.scheduled.setdefault(symbol, []).append(Points(args, value, time))
            elif symbol.kind is EntityKind.EVENT:
                columns, time = _select_all(keys, numbers, happened)
                evaluation.derived[symbol] = Events(tuple(Codes(column) for column in columns), time)
            elif evaluation.entities[symbol].role is Role.SIMPLE_FLUENT:
                evaluation.points[symbol, EffectKind.INITIATED] = Points(*_select(keys, numbers, initiated))
                evaluation.points[symbol, EffectKind.TERMINATED] = Points(*_select(keys, numbers, terminated))
                evaluation.set_fluent(symbol, _intervals(keys, numbers, pair, start, end))


def _data(column: Column) -> Ints:
    assert isinstance(column, Numbers)
    return np.asarray(column.data, np.int64)


def _no_moments(symbol: Symbol) -> Frame:
    none: dict[str, Column] = {f"c{place}": Codes(EMPTY) for place in range(width(symbol))}
    return Frame(0, {**none, _TIME: Numbers(EMPTY)})


def _asks(literal: Literal) -> int:
    match literal:
        case Holds():
            return HOLDS
        case Happens():
            return HAPPENED
        case Boundary(edge=edge):
            return STARTS if edge is Edge.START else ENDS
        case Effect(kind=kind):
            return ASKS_INITIATED if kind is EffectKind.INITIATED else ASKS_TERMINATED
        case _:
            raise AssertionError(literal)


def _plain(frame: Frame, name: str) -> Ints:
    column = frame.columns[name]
    assert not isinstance(column, tuple)
    return np.asarray(column.data, np.int64)  # type: ignore[union-attr]


def _select(keys: Ints, numbers: Ints, found: Ints) -> tuple[tuple[Ints, ...], Ints, Ints]:
    columns, time = _select_all(keys, numbers, found)
    return tuple(columns[:-1]), columns[-1], time


def _select_all(keys: Ints, numbers: Ints, found: Ints) -> tuple[list[Ints], Ints]:
    """The columns and times of the rows that are about some pairs."""
    rows, place = _places(numbers, found[:, 0])
    return [keys[place, column] for column in range(keys.shape[1])], found[rows, 1]


def _places(numbers: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    order = np.argsort(numbers)
    at = np.minimum(np.searchsorted(numbers[order], wanted), max(len(numbers) - 1, 0))
    rows = np.flatnonzero(numbers[order][at] == wanted) if len(numbers) else EMPTY
    return rows, order[at[rows]] if len(numbers) else EMPTY


def _intervals(keys: Ints, numbers: Ints, pair: Ints, start: Ints, end: Ints) -> Intervals:
    rows, place = _places(numbers, pair)
    columns = [keys[place, column] for column in range(keys.shape[1])]
    start, end = start[rows], end[rows]
    order = np.lexsort((start, *reversed(columns[:-1])))
    return Intervals(
        tuple(c[order] for c in columns[:-1]), columns[-1][order], start[order], end[order], single_valued=True
    )


def _assembled(found: list[_Found]) -> Rows:
    """Rows of all ways one below the other, their clauses in the order of the rows."""
    sizes = [len(one.time) for one in found]
    shifts = np.cumsum([0, *sizes])
    total = int(shifts[-1])
    rows_of: list[Ints] = []
    sizes_of: list[Ints] = []
    asks: list[Ints] = []
    asked: list[Ints] = []
    positive: list[Ints] = []
    for one, shift in zip(found, shifts, strict=False):
        for rows, literals in one.clauses:
            rows_of.append(rows + shift)
            sizes_of.append(np.full(len(rows), len(literals)))
            asks.append(np.tile([kind for kind, _, _ in literals], len(rows)))
            asked.append(np.stack([pairs for _, pairs, _ in literals], axis=1).reshape(-1))
            positive.append(np.tile([int(sign) for _, _, sign in literals], len(rows)))
    clause_row, clause_size = _joined(rows_of), _joined(sizes_of)
    order = np.argsort(clause_row, kind="stable")
    starts = np.concatenate(([0], np.cumsum(clause_size)))[:-1] if len(clause_size) else EMPTY
    literal_order = ranges(starts[order], clause_size[order])
    return Rows(
        time=_joined([one.time for one in found]),
        rank=_joined([one.rank for one in found]),
        action=np.repeat([one.action for one in found], sizes).astype(np.int64) if found else EMPTY,
        pair=_joined([one.pair for one in found]),
        clause_at=np.searchsorted(clause_row[order], np.arange(total + 1)),
        literal_at=np.concatenate(([0], np.cumsum(clause_size[order]))).astype(np.int64),
        asks=_joined(asks)[literal_order],
        asked=_joined(asked)[literal_order],
        positive=_joined(positive)[literal_order],
    )


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else EMPTY
