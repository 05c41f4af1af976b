"""What can hold or happen inside a component, found by taking every condition on it for possible.

Conditions on what lies outside the component are solved set at a time. A condition on the component itself waits until
all slots are known, or is joined with the slots or pairs that it may be about; whether it is true is left to the sweep.
Where what is joined depends on itself, a fixpoint finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.cyclic.component import Component, PlannedWay
from holdsfor.engine.cyclic.conditions import Condition, Part
from holdsfor.engine.cyclic.growth import Mode, Split
from holdsfor.engine.cyclic.moments import SLOT, VALUE, Moments
from holdsfor.engine.cyclic.pairs import Possible
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import UNIT, Codes, Column, Frame, Numbers, is_in
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
from holdsfor.engine.relations import join, relation
from holdsfor.engine.tables import Intervals
from holdsfor.ir import Boundary, DelayRule, Effect, Fvp, Happens, Holds, Literal, variable_names
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.terms import Term, Var

_MAX_ROUNDS = 3_000
_NOTHING = Frame(0, {})


@dataclass(frozen=True)
class _Before:
    """Pairs known from before, with times at which they were or are initiated."""

    args: tuple[Ints, ...]
    value: Ints
    time: Ints | None
    begins: bool = False
    is_held: bool = False


class _ComponentBodies(Bodies):
    """Solves bodies in which every condition on the component is possible for every pair."""

    def __init__(self, grounding: Grounding) -> None:
        super().__init__(grounding.evaluation)
        self._grounding = grounding
        self.joined: dict[int, Condition] = {}

    def apply(self, literal: Literal, frame: Frame) -> Frame:
        condition = self.joined.get(id(literal))
        if condition is None:
            return super().apply(literal, frame)
        return join(frame, self._grounding.matches(condition), self._dictionary)


class Grounding:
    """The slots and pairs of a component, and the bindings of its rules."""

    def __init__(self, evaluation: Evaluation, component: Component) -> None:
        self.evaluation = evaluation
        self.component = component
        self.possible = Possible(evaluation.dictionary)
        self.initial: list[tuple[Ints, Ints, Ints]] = []
        """(time, slot, value) of what is initiated from outside: initial values, delayed effects of other fluents."""
        self.carried: dict[tuple[Symbol, bool], Ints] = {}
        """The slots of what holds at the border of a fluent, and of its attempts under way there."""
        self._dictionary = evaluation.dictionary
        self._bodies = _ComponentBodies(self)
        self._solved: dict[int, tuple[tuple[int, ...], Frame]] = {}
        self._beginnings: dict[int, Frame] = {}
        self._heads: dict[int, tuple[Frame, Ints]] = {}
        self._delayed: dict[int, tuple[tuple[int, ...], int, tuple[Frame, Ints, Ints]]] = {}
        self._moments = Moments(self)
        for symbol in component.members:
            self.possible.declare(symbol, width(symbol))
        for rule in component.delays:
            if rule.effect is not None:
                effect = evaluation.entities.fluent(rule.effect)
                self.possible.declare(effect, width(effect))

    def find(self) -> None:
        """Everything that can hold or happen."""
        order = self.component.order
        if order is not None:
            self.possible.is_in_order = True
            for symbol in order:
                self._find_instances(symbol)
            return
        for symbol in self.component.members:
            for part in self._known_before(symbol):
                slot = self.possible.add_pairs(symbol, part.args, part.value)
                self._seed(symbol, part, slot)
        if not self.possible.slots and not any(map(self._can_fire, self.component.ways)):
            return
        self._find_all()

    def _find_all(self) -> None:
        """Solve rules again and again, until nothing more becomes possible."""
        everything = list(self.possible.known)
        rounds = 0
        while rounds < _MAX_ROUNDS:
            before = self.possible.version(everything)
            for way in self.component.ways:
                if way.gives_instances:
                    frame = self.solve(way)
                    if frame.rows and way.argument_names <= frame.columns.keys():
                        self.heads(way, frame)
            for rule in self.component.delays:
                self.delay_frame(rule)
            is_same = self.possible.version(everything) == before
            if is_same and not self._moments.are_more():
                return
            rounds += not is_same
        raise EvaluationError(
            "the arguments of a fluent are computed from its own arguments over and over; bound them with a condition"
        )

    @property
    def is_complete(self) -> bool:
        """Whether rules were tried at every time-point at which anything may happen."""
        return self._moments.is_complete

    def find_more(self, touched: Sequence[tuple[Ints, Ints]]) -> bool:
        """Given slots with the times at which they were touched, find what may happen where no rule was tried yet."""
        found = []
        for slot, time in touched:
            for symbol, known in self.possible.known.items():
                rows = true_rows(is_in(slot, known.slot))
                at = self.possible.places()[slot[rows]]
                found.append((symbol, tuple(column[at] for column in known.args), time[rows]))
        if not self._moments.are_left_out(found):
            return False
        self._find_all()
        return True

    def _known_before(self, symbol: Symbol) -> Iterator[_Before]:
        """What is known of a fluent before any rule is looked at."""
        if symbol.kind is EntityKind.EVENT:
            return
        evaluation = self.evaluation
        for points in evaluation.initial_points(symbol) + evaluation.scheduled.get(symbol, []):
            yield _Before(points.args, points.value, points.time, begins=True)
        held = evaluation.border.holding.get(symbol)
        if held is not None:
            yield _Before(held.args, held.value, None, is_held=True)
        attempts = evaluation.border.attempts.get(symbol)
        if attempts is not None:
            yield _Before(attempts.args, attempts.value, attempts.initiated)

    def _seed(self, symbol: Symbol, before: _Before, slot: Ints) -> None:
        if before.begins:
            assert before.time is not None
            self.initial.append((before.time, slot, before.value))
        else:
            self.carried[symbol, not before.is_held] = slot
        if before.time is not None:
            self._moments.seed(symbol, before.args, before.time)

    def _find_instances(self, symbol: Symbol) -> None:
        """All instances of a symbol; those that are enumerated to find them are known."""
        parts: list[tuple[Sequence[Ints], int]] = []
        values: list[Ints | int | None] = []
        before = list(self._known_before(symbol)) if symbol in self.component.members else []
        for part in before:
            parts.append((part.args, len(part.value)))
            values.append(part.value)
        solved = []
        for way in self.component.ways_of.get(symbol, ()):
            frame = self.solve(way)
            if frame.rows and way.argument_names <= frame.columns.keys():
                solved.append((way, frame))
                args, value = way.head
                parts.append((self.codes(args, frame), frame.rows))
                values.append(None if value is None else self._value(way, value, frame))
        reaching = [rule for rule in self.component.deadlines.others if self._effect(rule) == symbol]
        delayed = [self._delay_frame(rule, self._triggers(rule.trigger, rule)) for rule in reaching]
        parts += [(columns, rows) for _, columns, rows, _ in delayed]
        values += [given for _, _, _, given in delayed]
        found = self.possible.add_all(symbol, parts)
        known = self.possible.known[symbol]
        known.coming = [(slot, value) for slot, value in zip(found, values, strict=True) if value is not None]
        for deadline in self.component.deadlines.own.get(symbol, ()):
            if deadline.effect is not None:
                known.coming.append((known.slot, self._dictionary.code(value_of(deadline.effect))))
        slots = iter(found)
        for part in before:
            self._seed(symbol, part, next(slots))
        for way, frame in solved:
            self._heads[id(way)] = frame, next(slots)
        for rule, (frame, _, rows, given) in zip(reaching, delayed, strict=True):
            self._delayed[id(rule)] = (), rows, (frame, next(slots), _written_out(given, rows))

    def _value(self, way: PlannedWay, value: Term, frame: Frame) -> Ints | int | None:
        """The value in a rule's head, row by row or one of all; None if only the sweep knows it."""
        if way.fixed_value is not None:
            return self._dictionary.code(way.fixed_value)
        return self.codes([value], frame)[0] if way.value_names <= frame.columns.keys() else None

    def _effect(self, rule: DelayRule) -> Symbol | None:
        return None if rule.effect is None else self.evaluation.entities.fluent(rule.effect)

    # Bodies

    def solve(self, way: PlannedWay) -> Frame:
        """The bindings of a way; solved anew only if more has become possible of what it asks about."""
        known = self._solved.get(id(way))
        if self.component.order is not None:
            if known is None:
                known = self._solved[id(way)] = (), self._solve(way)
            return known[1]
        version = (*self.possible.version(way.reads), self._moments.rows if way.reads else 0)
        if known is None or known[0] != version:
            known = self._solved[id(way)] = version, self._solve(way)
        return known[1]

    def _solve(self, way: PlannedWay) -> Frame:
        """What the bodies of several ways begin with is solved once."""
        if not self._can_fire(way):
            return _NOTHING
        frame = UNIT
        self._bodies.joined = way.part.by_literal
        for stage in self.component.stages[id(way)]:
            if not frame.rows:
                return _NOTHING
            if stage.number is None:
                frame = self._bodies.solve(stage.body, frame)
                continue
            found = self._beginnings.get(stage.number)
            if found is None:
                found = self._beginnings[stage.number] = self._bodies.solve(stage.body, frame)
            frame = found
        return frame

    def _can_fire(self, way: PlannedWay) -> bool:
        """Whether there are any of the events that a way needs, as far as they are known beforehand."""
        return all(map(self.evaluation.occurs, way.events))

    def solve_part(self, part: Part, frame: Frame) -> Frame:
        """A frame extended by everything that makes the part of a body possible that is solved beforehand."""
        self._bodies.joined = part.by_literal
        return self._bodies.solve(part.body, frame)

    def solve_tail(self, split: Split, frame: Frame) -> Frame:
        """A frame with the values of slots bound, extended by the rest of the body."""
        return self._bodies.solve(split.tail, frame)

    def matches(self, condition: Condition) -> Frame:
        """What a condition on the component may be about; slots and values go into columns of their own."""
        literal, symbol, number = condition.literal, condition.symbol, condition.number
        if condition.mode is Mode.PAIR and condition.value is not None:
            is_seen = isinstance(literal, Holds | Boundary)
            found = self._matching_pairs(symbol, (*condition.args, condition.value), number, is_seen=is_seen)
        else:
            found = self.matching_slots(symbol, condition.args, f"{SLOT}{number}")
        if isinstance(literal, Happens | Boundary | Effect):
            return self._moments.at(symbol, found, literal.time)
        return found

    def slots_of(self, condition: Condition, frame: Frame) -> Ints:
        """The slots that a condition asks about in the rows of a frame, -1 where there is none."""
        if condition.waits:
            return self.possible.find_slots(condition.symbol, self.codes(condition.args, frame), frame.rows)
        return frame.ints(f"{SLOT}{condition.number}")

    def matching_slots(self, symbol: Symbol, args: tuple[Term, ...], name: str) -> Frame:
        """The slots of a symbol that match terms, with their numbers in a column of some name."""
        known = self.possible.known[symbol]
        columns: list[Column] = [*(Codes(column) for column in known.args), Numbers(known.slot)]
        return relation((*args, Var(name)), columns, len(known.slot), self._dictionary)

    def _matching_pairs(self, symbol: Symbol, terms: tuple[Term, ...], number: int, *, is_seen: bool) -> Frame:
        known = self.possible.known[symbol]
        known.settle_pairs()
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
        found = []
        for term in terms:
            column = frame.columns[term.name] if isinstance(term, Var) else column_of(term, frame, self._dictionary)
            found.append(column.data if isinstance(column, Codes) else codes_of(column, self._dictionary))
        return found

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
        known = self._delayed.get(id(rule))
        if self.component.order is not None and known is not None:
            return known[2]
        version = self.possible.version([self.evaluation.entities.fluent(rule.trigger)])
        if known is None or known[0] != version:
            triggers = self._triggers(rule.trigger, rule)
            # Pairs are only ever added: as many as before are the same ones.
            if known is None or known[1] != triggers.rows:
                known = version, triggers.rows, self._affected(rule, triggers)
            known = self._delayed[id(rule)] = version, *known[1:]
        return known[2]

    def _affected(self, rule: DelayRule, triggers: Frame) -> tuple[Frame, Ints, Ints]:
        frame, args, rows, value = self._delay_frame(rule, triggers)
        target = self._effect(rule)
        if target is None or not rows:
            return frame, np.full(rows, -1), np.full(rows, -1)
        if value is None:
            return frame, self.possible.add_slots(target, args, rows), np.full(rows, -1)
        return frame, self.possible.add_pairs(target, args, value), value

    def _delay_frame(self, rule: DelayRule, frame: Frame) -> tuple[Frame, list[Ints], int, Ints | None]:
        """The bindings of a delay rule; arguments, number and, unless they are those of the trigger, values of effects."""
        frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
        target = self._effect(rule)
        if rule.effect is None or target is None or not frame.rows:
            return frame, [EMPTY] * (width(target) if target is not None else 0), frame.rows, None
        args = self.codes(target.columns(rule.effect.fluent), frame)
        if not names(rule.effect.value) <= frame.columns.keys():
            return frame, args, frame.rows, None
        return frame, args, frame.rows, self.codes([rule.effect.value], frame)[0]

    def _triggers(self, trigger: Fvp, rule: DelayRule) -> Frame:
        symbol = self.evaluation.entities.fluent(trigger)
        args = symbol.columns(trigger.fluent)
        if symbol not in self.component.growing:
            return _renamed(self._matching_pairs(symbol, (*args, trigger.value), 0, is_seen=False))
        found = self.matching_slots(symbol, args, SLOT)
        free = names(trigger.value)
        if not free:
            value = self._dictionary.code(value_of(trigger.value))
        else:
            used = {name for term in (rule.delay, *args) for name in names(term)}
            used |= variable_names(rule.body)
            is_kept = rule.effect is None or rule.effect.value == trigger.value or not free & names(rule.effect.value)
            if not isinstance(trigger.value, Var) or free & used or not is_kept:
                raise NotSupported(
                    f"a delayed effect that depends on a value of {symbol}, which takes ever new values in a cycle",
                    rule.span,
                )
            value = -1
        return found.with_columns({VALUE: Numbers(np.full(found.rows, value))})

    def postponed(self) -> tuple[Ints, Ints]:
        """Slots and values whose delayed effects a new initiation postpones; a value of -1 stands for all."""
        slots, values = [], []
        for rule in self.component.deadlines.other_postpones:
            symbol = self.evaluation.entities.fluent(rule.fvp)
            args = symbol.columns(rule.fvp.fluent)
            if symbol in self.component.growing:
                frame = self.matching_slots(symbol, args, SLOT)
                is_free = isinstance(rule.fvp.value, Var)
                value = -1 if is_free else self._dictionary.code(value_of(rule.fvp.value))
                frame = frame.with_columns({VALUE: Numbers(np.full(frame.rows, value))})
            else:
                frame = _renamed(self._matching_pairs(symbol, (*args, rule.fvp.value), 0, is_seen=False))
            frame = self.evaluation.bodies.solve(self.evaluation.analysis.body(rule), frame)
            if frame.rows:
                slots.append(frame.ints(SLOT))
                values.append(frame.ints(VALUE))
        none = np.empty(0, np.int64)
        return np.concatenate([none, *slots]), np.concatenate([none, *values])


def _renamed(frame: Frame) -> Frame:
    """The columns of the first condition, as the only ones."""
    return Frame(
        frame.rows, {name.removesuffix("0") if name[:1] == "#" else name: c for name, c in frame.columns.items()}
    )


def _written_out(value: Ints | None, rows: int) -> Ints:
    return np.full(rows, -1) if value is None else value
