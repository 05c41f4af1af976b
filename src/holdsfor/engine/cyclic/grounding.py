"""What can hold or happen inside a component, found by a fixpoint that takes every condition on it for possible.

Conditions on what lies outside the component are solved set at a time. A condition on the component itself is joined
with the slots or pairs that it may be about; whether it is true is left to the sweep.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.cyclic.component import Component, PlannedWay, symbol_of
from holdsfor.engine.cyclic.growth import Mode, Split
from holdsfor.engine.cyclic.pairs import Possible
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation, times_of, width
from holdsfor.engine.expressions import codes_of, column_of, evaluate
from holdsfor.engine.frames import UNIT, Codes, Column, Frame, Numbers, distinct, stack
from holdsfor.engine.kernels import Ints
from holdsfor.engine.relations import join, relation
from holdsfor.engine.tables import Intervals, Points
from holdsfor.engine.variants import NotSupported
from holdsfor.ir import Boundary, DelayRule, Effect, Fvp, Happens, Holds, Instance, Literal, variable_names
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.terms import Term, Var

SLOT, VALUE, TIME = "#slot", "#value", "#time"
_MAX_ROUNDS = 3_000
_NOTHING = Frame(0, {})


class _ComponentBodies(Bodies):
    """Solves bodies in which every condition on the component is possible for every pair."""

    def __init__(self, grounding: Grounding) -> None:
        super().__init__(grounding.evaluation)
        self._grounding = grounding
        self.modes: dict[int, Mode] = {}

    def apply(self, literal: Literal, frame: Frame) -> Frame:
        mode = self.modes.get(id(literal))
        if mode is None:
            return super().apply(literal, frame)
        return join(frame, self._grounding.matches(literal, mode), self._dictionary)


class Grounding:
    """The slots and pairs of a component, and the bindings of its rules."""

    def __init__(self, evaluation: Evaluation, component: Component) -> None:
        self.evaluation = evaluation
        self.component = component
        self.possible = Possible(evaluation.dictionary)
        self.initial: list[tuple[Ints, Ints, Ints]] = []
        """(time, slot, value) of what is initiated from outside: initial values, delayed effects of other fluents."""
        self._dictionary = evaluation.dictionary
        self._bodies = _ComponentBodies(self)
        self._solved: dict[int, tuple[tuple[int, ...], Frame]] = {}
        self._heads: dict[int, tuple[Frame, Ints]] = {}
        self._delayed: dict[int, tuple[tuple[int, ...], int, tuple[Frame, Ints, Ints]]] = {}
        self._moments: dict[Symbol, Frame] = {}
        self._moment_rows = 0
        for symbol in component.members:
            self.possible.declare(symbol, width(symbol))
        for rule in component.delays:
            if rule.effect is not None:
                effect = evaluation.entities.fluent(rule.effect.fluent)
                self.possible.declare(effect, width(effect))

    def find(self) -> None:
        """Everything that can hold or happen."""
        for symbol in self.component.members:
            if symbol.kind is EntityKind.FLUENT:
                self._seed(symbol)
        if not self.possible.slots and not any(map(self._can_fire, self.component.ways)):
            return
        everything = list(self.possible.known)
        for _ in range(_MAX_ROUNDS):
            before = self.possible.version(everything)
            for way in self.component.ways:
                self._add_heads(way)
            for rule in self.component.delays:
                self.delay_frame(rule)
            if self.possible.version(everything) == before and not self._more_moments():
                return
        raise EvaluationError(
            "the arguments of a fluent are computed from its own arguments over and over; bound them with a condition"
        )

    def _seed(self, symbol: Symbol) -> None:
        evaluation = self.evaluation
        for points in evaluation.initial_points(symbol) + evaluation.scheduled.get(symbol, []):
            slot = self.possible.add_pairs(symbol, points.args, points.value)
            self.initial.append((points.time, slot, points.value))
            self._seed_moments(symbol, points.args, points.time)
        held = evaluation.border.holding.get(symbol)
        if held is not None:
            self.possible.add_pairs(symbol, held.args, held.value)
        attempts = evaluation.border.attempts.get(symbol)
        if attempts is not None:
            self.possible.add_pairs(symbol, attempts.args, attempts.value)
            self._seed_moments(symbol, attempts.args, attempts.initiated)

    # Bodies

    def solve(self, way: PlannedWay) -> Frame:
        """The bindings of a way; solved anew only if more has become possible of what it asks about."""
        version = (*self.possible.version(way.reads), self._moment_rows if way.reads else 0)
        known = self._solved.get(id(way))
        if known is None or known[0] != version:
            start = UNIT if self._can_fire(way) else _NOTHING
            known = self._solved[id(way)] = (version, self.solve_split(way.split, start))
        return known[1]

    def _can_fire(self, way: PlannedWay) -> bool:
        """Whether there are any of the events that a way needs, as far as they are known beforehand."""
        occurs, members = self.evaluation.occurs, self.component.members
        return all(
            symbol.kind is not EntityKind.EVENT or symbol in members or occurs(symbol)
            for symbol in self.evaluation.prepared.notes.needed(way.rule)
        )

    def solve_split(self, split: Split, frame: Frame) -> Frame:
        """A frame extended by everything that makes the part of a body possible that is solved beforehand."""
        self._bodies.modes = split.modes
        return self._bodies.solve(split.body, frame)

    def solve_tail(self, split: Split, frame: Frame) -> Frame:
        """A frame with the values of slots bound, extended by the rest of the body."""
        return self._bodies.solve(split.tail, frame)

    def matches(self, literal: Literal, mode: Mode) -> Frame:
        """What a condition on the component may be about; slots and values go into columns of their own."""
        symbol = symbol_of(self.evaluation.analysis, literal)
        number = self.component.number(literal)
        if isinstance(literal, Happens):
            found = self._matching_slots(symbol, symbol.columns(literal.event), f"{SLOT}{number}")
            return self._at_moments(symbol, found, literal.time)
        assert isinstance(literal, Holds | Boundary | Effect | Instance)
        args = symbol.columns(literal.fvp.fluent)
        if mode is Mode.PAIR:
            is_seen = isinstance(literal, Holds | Boundary)
            found = self._matching_pairs(symbol, (*args, literal.fvp.value), number, is_seen=is_seen)
        else:
            found = self._matching_slots(symbol, args, f"{SLOT}{number}")
        if isinstance(literal, Boundary | Effect):
            return self._at_moments(symbol, found, literal.time)
        return found

    def _matching_slots(self, symbol: Symbol, args: tuple[Term, ...], name: str) -> Frame:
        known = self.possible.known[symbol]
        columns: list[Column] = [*(Codes(column) for column in known.args), Numbers(known.slot)]
        return relation((*args, Var(name)), columns, len(known.slot), self._dictionary)

    def _matching_pairs(self, symbol: Symbol, terms: tuple[Term, ...], number: int, *, is_seen: bool) -> Frame:
        known = self.possible.known[symbol]
        columns = known.pair_columns(self.possible.places())
        slot, value = known.pair_slot, known.pair_value
        if is_seen:
            # A pair outside its grounding breaks its fellows and no more.
            row = np.arange(len(slot))
            pairs = Intervals(tuple(columns[:-1]), columns[-1], row, row, single_valued=False)
            kept = self.evaluation.narrowed(symbol, pairs).start
            if len(kept) < len(slot):
                columns, slot, value = [column[kept] for column in columns], slot[kept], value[kept]
        listed: list[Column] = [*(Codes(column) for column in columns), Numbers(slot), Numbers(value)]
        return relation((*terms, Var(f"{SLOT}{number}"), Var(f"{VALUE}{number}")), listed, len(slot), self._dictionary)

    # Heads

    def codes(self, terms: Sequence[Term], frame: Frame) -> list[Ints]:
        """The codes of terms in every row."""
        return [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in terms]

    def _add_heads(self, way: PlannedWay) -> None:
        if way.is_termination and way.symbol not in self.component.asked_ends:
            return
        frame = self.solve(way)
        if frame.rows and way.argument_names <= frame.columns.keys():
            self.heads(way, frame)

    def heads(self, way: PlannedWay, frame: Frame) -> Ints:
        """The slots that a way is about, row by row; with their values they become possible."""
        known = self._heads.get(id(way))
        if known is None or known[0] is not frame:
            args, value = way.head
            columns = self.codes(args, frame)
            if value is None or not way.value_names <= frame.columns.keys():
                slot = self.possible.add_slots(way.symbol, columns, frame.rows)
            else:
                slot = self.possible.add_pairs(way.symbol, columns, self.codes([value], frame)[0])
            known = self._heads[id(way)] = (frame, slot)
        return known[1]

    # Delayed effects

    def delay_frame(self, rule: DelayRule) -> tuple[Frame, Ints, Ints]:
        """For every pair that triggers a delay rule: the bindings, the slot and value affected (or -1 and -1)."""
        version = self.possible.version([self.evaluation.entities.fluent(rule.trigger.fluent)])
        known = self._delayed.get(id(rule))
        if known is None or known[0] != version:
            triggers = self._triggers(rule.trigger, rule)
            # Pairs are only ever added: as many as before are the same ones.
            is_old = known is not None and known[1] == triggers.rows
            found = known[2] if known is not None and is_old else self._delay_frame(rule, triggers)
            known = self._delayed[id(rule)] = (version, triggers.rows, found)
        return known[2]

    def _delay_frame(self, rule: DelayRule, frame: Frame) -> tuple[Frame, Ints, Ints]:
        frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
        if rule.effect is None or not frame.rows:
            return frame, np.full(frame.rows, -1), np.full(frame.rows, -1)
        target = self.evaluation.entities.fluent(rule.effect.fluent)
        args = self.codes(target.columns(rule.effect.fluent), frame)
        if not names(rule.effect.value) <= frame.columns.keys():
            return frame, self.possible.add_slots(target, args, frame.rows), np.full(frame.rows, -1)
        value = self.codes([rule.effect.value], frame)[0]
        return frame, self.possible.add_pairs(target, args, value), value

    def _triggers(self, trigger: Fvp, rule: DelayRule) -> Frame:
        symbol = self.evaluation.entities.fluent(trigger.fluent)
        args = symbol.columns(trigger.fluent)
        if symbol not in self.component.growing:
            return _renamed(self._matching_pairs(symbol, (*args, trigger.value), 0, is_seen=False))
        found = self._matching_slots(symbol, args, SLOT)
        free = names(trigger.value)
        if not free:
            value = self._dictionary.code(value_of(trigger.value))
        else:
            used = {name for term in (rule.delay, *args) for name in names(term)}
            used |= variable_names(rule.body)
            is_kept = rule.effect is None or rule.effect.value == trigger.value or not free & names(rule.effect.value)
            if not isinstance(trigger.value, Var) or free & used or not is_kept:
                raise NotSupported(
                    f"{rule.span.location}: a delayed effect that depends on a value of {symbol}, which takes ever "
                    "new values in a cycle"
                )
            value = -1
        return found.with_columns({VALUE: Numbers(np.full(found.rows, value))})

    def postponed(self) -> tuple[Ints, Ints]:
        """Slots and values whose delayed effects a new initiation postpones; a value of -1 stands for all."""
        slots, values = [], []
        for rule in self.component.postpones:
            symbol = self.evaluation.entities.fluent(rule.fvp.fluent)
            args = symbol.columns(rule.fvp.fluent)
            if symbol in self.component.growing:
                frame = self._matching_slots(symbol, args, SLOT)
                is_free = isinstance(rule.fvp.value, Var)
                value = -1 if is_free else self._dictionary.code(value_of(rule.fvp.value))
                frame = frame.with_columns({VALUE: Numbers(np.full(frame.rows, value))})
            else:
                frame = _renamed(self._matching_pairs(symbol, (*args, rule.fvp.value), 0, is_seen=False))
            frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
            if frame.rows:
                slots.append(plain(frame, SLOT))
                values.append(plain(frame, VALUE))
        none = np.empty(0, np.int64)
        return np.concatenate([none, *slots]), np.concatenate([none, *values])

    # Moments: for rules that are driven by what happens inside the component

    def _at_moments(self, symbol: Symbol, found: Frame, time: Term) -> Frame:
        """Slots of an event-like literal together with every time-point at which something may happen to them."""
        columns = self._argument_columns(symbol, found)
        timed = join(found.with_columns(columns), self._moments.get(symbol, _no_moments(symbol)), self._dictionary)
        kept = {name: column for name, column in timed.columns.items() if name not in columns}
        assert isinstance(time, Var)
        return Frame(timed.rows, {time.name if name == TIME else name: column for name, column in kept.items()})

    def _argument_columns(self, symbol: Symbol, frame: Frame) -> dict[str, Column]:
        slot_name = next(name for name in frame.columns if name.startswith(SLOT))
        rows = self.possible.places()[plain(frame, slot_name)]
        known = self.possible.known[symbol]
        return {f"#c{place}": Codes(column[rows]) for place, column in enumerate(known.args)}

    def _more_moments(self) -> bool:
        """Collect the time-points at which rules may touch each instance; says whether there are more than before."""
        if not self.component.asks_moments:
            return False
        for way in self.component.ways:
            frame = self.solve(way)
            if frame.rows:
                self._add_moments(way.symbol, way.head[0], frame, times_of(way.rule.time, frame))
        for rule in self.component.delays:
            self._delayed_moments(rule)
        before, self._moment_rows = self._moment_rows, sum(frame.rows for frame in self._moments.values())
        return self._moment_rows > before

    def _add_moments(self, symbol: Symbol, terms: tuple[Term, ...], frame: Frame, time: Ints) -> None:
        frame = frame.with_columns({TIME: Numbers(time)}).where(time <= self.evaluation.moment.now)
        if not all(names(term) <= frame.columns.keys() for term in terms):
            # A termination that leaves arguments open may touch every instance that matches.
            frame = join(frame, self._matching_slots(symbol, terms, "#any"), self._dictionary)
        columns = self.codes(terms, frame)
        found: dict[str, Column] = {f"#c{place}": Codes(column) for place, column in enumerate(columns)}
        found[TIME] = frame.columns[TIME]
        known = self._moments.get(symbol)
        both = [Frame(frame.rows, found)] if known is None else [known, Frame(frame.rows, found)]
        self._moments[symbol] = distinct(stack(both, found))

    def _delayed_moments(self, rule: DelayRule) -> None:
        """A delayed effect may come about its delay after anything that may happen to its trigger."""
        symbol = self.evaluation.entities.fluent(rule.trigger.fluent)
        target = rule.effect or rule.trigger
        affected = self.evaluation.entities.fluent(target.fluent)
        if affected not in self.component.members:
            return
        frame, _, _ = self.delay_frame(rule)
        trigger = self.codes(symbol.columns(rule.trigger.fluent), frame)
        keyed = frame.with_columns({f"#c{place}": Codes(column) for place, column in enumerate(trigger)})
        timed = join(keyed, self._moments.get(symbol, _no_moments(symbol)), self._dictionary)
        due = plain(timed, TIME) + evaluate(rule.delay, timed, self._dictionary).astype(np.int64)
        self._add_moments(affected, affected.columns(target.fluent), timed, due)

    def _seed_moments(self, symbol: Symbol, args: tuple[Ints, ...], time: Ints) -> None:
        if self.component.asks_moments:
            terms = tuple(Var(f"#a{place}") for place in range(len(args)))
            frame = Frame(len(time), {term.name: Codes(column) for term, column in zip(terms, args, strict=True)})
            self._add_moments(symbol, terms, frame, time)

    def points(self, symbol: Symbol, slot: Ints, value: Ints, time: Ints) -> Points:
        """What happened to slots of a symbol, with their arguments spelled out."""
        known = self.possible.known[symbol]
        rows = self.possible.places()[slot]
        return Points(tuple(column[rows] for column in known.args), value, time)


def _renamed(frame: Frame) -> Frame:
    """The columns of the first condition, as the only ones."""
    return Frame(
        frame.rows, {name.removesuffix("0") if name[:1] == "#" else name: c for name, c in frame.columns.items()}
    )


def _no_moments(symbol: Symbol) -> Frame:
    none = np.empty(0, np.int64)
    columns: dict[str, Column] = {f"#c{place}": Codes(none) for place in range(width(symbol))}
    return Frame(0, {**columns, TIME: Numbers(none)})


def plain(frame: Frame, name: str) -> Ints:
    """A column of whole numbers."""
    column = frame.columns[name]
    assert isinstance(column, Codes | Numbers)
    return np.asarray(column.data, np.int64)
