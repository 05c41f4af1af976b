"""The rows of a sweep: what each way through a rule does, row by row, and what it still has to ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.dependencies import Vertex
from holdsfor.compiler.analysis.instant import EVENT, INITIATED, TERMINATED, Moment
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.cyclic.component import PlannedWay
from holdsfor.engine.cyclic.conditions import Condition, Part
from holdsfor.engine.cyclic.grounding import Grounding
from holdsfor.engine.cyclic.growth import Mode
from holdsfor.engine.cyclic.memory import Memory, Tail
from holdsfor.engine.cyclic.moments import VALUE as VALUE_COLUMN
from holdsfor.engine.cyclic.pairs import pair_keys
from holdsfor.engine.cyclic.sweep_loop import (
    CLEARED,
    ENDED,
    ENDS,
    HAPPENED,
    HAS_VALUE,
    HOLDS,
    OCCURS,
    READS,
    STARTED,
    STARTS,
)
from holdsfor.engine.cyclic.sweep_loop import INITIATED as ASKS_INITIATED
from holdsfor.engine.cyclic.sweep_loop import TERMINATED as ASKS_TERMINATED
from holdsfor.engine.dictionary import Value
from holdsfor.engine.evaluation import times_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers, classes, is_in
from holdsfor.engine.kernels import EMPTY, Ints, is_sorted, true_rows
from holdsfor.engine.relations import join, relation
from holdsfor.ir import (
    INITIAL,
    Boundary,
    DelayRule,
    Edge,
    Effect,
    EffectKind,
    Happens,
    Holds,
    Instance,
    Literal,
    Rule,
    variable_names,
)
from holdsfor.syntax.terms import Term, Var

_ROW, _CLASS, _ASKED, _MATCHED = "#row", "#class", "#asked", "#matched"


@dataclass(frozen=True)
class Question:
    """What is asked of slots and values, and whether it must be so. A slot of -1 is none; a value may be one of all."""

    asks: int
    slot: Ints
    value: Ints | int
    must_be: bool


@dataclass(frozen=True)
class Clause:
    """Questions of which one has to be answered as it must be, for each of its rows; without rows, one per row of the
    batch. Rows are in order.
    """

    questions: list[Question]
    rows: Ints | None = None


@dataclass
class Batch:
    """Rows from one way through a rule: at times, an action on slots and values, in the order of ranks.

    There may be one value of all rows.
    """

    time: Ints
    action: int
    slot: Ints
    value: Ints | int
    rank: int
    root: Ints | None = None
    reads: list[Ints] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)


class RowWriter:
    """Turns the ways of a component into rows."""

    def __init__(self, grounding: Grounding, memory: Memory) -> None:
        self._grounding = grounding
        self._component = grounding.component
        self._evaluation = grounding.evaluation
        self._dictionary = grounding.evaluation.dictionary
        self._memory = memory
        self._graph = grounding.evaluation.analysis.graph

    def rows(self) -> list[Batch]:
        """All rows, a batch for each way."""
        found = []
        for way in self._component.ways:
            batch = self._batch(way)
            if batch is not None:
                found.append(batch)
        found += [Batch(time, STARTED, slot, value, 0) for time, slot, value in self._grounding.initial if len(time)]
        return found

    def _batch(self, way: PlannedWay) -> Batch | None:
        frame = self._grounding.solve(way)
        if not frame.rows:
            return None
        args, value = way.head
        if way.is_termination:
            assert value is not None
            frame, slot, action = self._ended(way, args, value, frame)
        else:
            slot, action = self._grounding.heads(way, frame), STARTED if value is not None else HAPPENED
        time = times_of(way.rule.time, frame) if frame.rows else EMPTY
        if len(time) and self._evaluation.kept.reach:
            # What is kept for looking back must not make rules fire again.
            now = true_rows(time > self._evaluation.moment.border)
            if len(now) < len(time):
                frame, slot, time = frame.take(now), slot[now], time[now]
        if not len(time):
            return None
        codes: Ints | int | None = None
        if _MATCHED in frame.columns:
            codes = frame.ints(_MATCHED)
        elif value is not None and action != CLEARED:
            codes = self._value(value, way.fixed_value, frame)
        rank = self._rank(way.rule, _KINDS[action], self._graph.heads(way.rule))
        batch = Batch(time, action, slot, 0 if codes is None else codes, rank)
        known = {way.about: slot}
        questions = self._questions(way.part, frame, known, must_be=True)
        batch.clauses += [Clause([question]) for question in questions]
        for negation in way.negations:
            batch.clauses += self._negated(negation, frame, known)
        if way.part.reads:
            batch.reads = [self._slots(read, frame, known) for read in way.part.reads]
            batch.root = self._roots(way.part, None if action == CLEARED else value, frame)
        return batch

    def _value(self, value: Term, fixed: Value | None, frame: Frame) -> Ints | int | None:
        """The codes of a value, one for all rows if it is a constant; None if only the sweep knows it."""
        if fixed is not None:
            return self._dictionary.code(fixed)
        return self._grounding.codes([value], frame)[0] if names(value) <= frame.columns.keys() else None

    def _ended(self, way: PlannedWay, args: tuple[Term, ...], value: Term, frame: Frame) -> tuple[Frame, Ints, int]:
        """A termination ends what there is: its head is matched with the slots, open arguments with all of them."""
        possible = self._grounding.possible
        known = possible.known[way.symbol]
        bound = frame.columns.keys()
        is_given = way.value_names <= bound | way.dynamic_names
        if is_given or (isinstance(value, Var) and value.name not in way.argument_names):
            action = ENDED if is_given else CLEARED
            if way.argument_names <= bound:
                slot = possible.find_slots(way.symbol, self._grounding.codes(args, frame), frame.rows)
                there = true_rows(slot >= 0)
                return (frame, slot, action) if len(there) == len(slot) else (frame.take(there), slot[there], action)
            columns: list[Column] = [*(Codes(column) for column in known.args), Numbers(known.slot)]
            found = relation((*args, Var(_ASKED)), columns, len(known.slot), self._dictionary)
        else:
            action = ENDED
            if way.symbol in self._component.growing:
                raise NotSupported("a pattern for a value that grows in its own cycle", way.rule.span)
            known.settle_pairs()
            listed = (Codes(column) for column in known.pair_columns(possible.places()))
            pairs: list[Column] = [*listed, Numbers(known.pair_slot), Numbers(known.pair_value)]
            terms = (*args, value, Var(_ASKED), Var(_MATCHED))
            found = relation(terms, pairs, len(known.pair_slot), self._dictionary)
        frame = join(frame, found, self._dictionary)
        return frame, frame.ints(_ASKED) if frame.rows else EMPTY, action

    # The order inside a time-point

    def delay_rank(self, rule: DelayRule, kind: str) -> int:
        """The place in the order inside a time-point at which a delayed effect is decided."""
        return self._rank(rule, kind, self._graph.of_fvp(rule.effect or rule.trigger))

    def _rank(self, rule: Rule, kind: str, heads: Sequence[Vertex]) -> int:
        """The place at which a rule is decided: before whatever reads any of its heads.

        Each of its heads comes after all that the rule reads, so the first of them is late enough.
        """
        found = self._component.ranks.get((kind, id(rule)))
        if found is None:
            known = self._evaluation.prepared.notes.ranks
            # A value that nothing initiates has no place in the order, and needs none.
            found = min((known.get(Moment(kind, head), 0) for head in heads), default=0)
            self._component.ranks[kind, id(rule)] = found
        return found

    # What is asked

    def _questions(self, part: Part, frame: Frame, known: _Slots, *, must_be: bool) -> list[Question]:
        """What is left to ask of a body that is solved as far as it can be beforehand."""
        found = []
        for condition in part.conditions:
            if condition.mode is Mode.READ or isinstance(condition.literal, Instance):
                continue
            slot = self._slots(condition, frame, known)
            value: Ints | int = 0
            asks = _asks(condition.literal)
            if condition.mode is Mode.ANY:
                asks = HAS_VALUE
            elif condition.value is not None and not (condition.waits or condition.mode is Mode.KNOWN):
                value = frame.ints(f"{VALUE_COLUMN}{condition.number}")
            elif condition.value is not None:
                given = self._value(condition.value, condition.fixed_value, frame)
                assert given is not None
                value = given
            if asks == STARTS:
                slot = self._without_initial(condition, slot, value, frame)
            found.append(Question(asks, slot, value, must_be))
        return found

    def _without_initial(self, condition: Condition, slot: Ints, value: Ints | int, frame: Frame) -> Ints:
        """Slots of which it is asked whether a value starts: none where it is an initial value that begins."""
        assert isinstance(condition.literal, Boundary)
        rows = true_rows(times_of(condition.literal.time, frame) == INITIAL)
        if not len(rows):
            return slot
        first = self._evaluation.initial_pairs(condition.symbol)
        slots = self._grounding.possible.find_slots(condition.symbol, first.args, len(first))
        mine = pair_keys(slot[rows], value if isinstance(value, int) else value[rows])
        slot = slot.copy()
        slot[rows[is_in(mine, pair_keys(slots, first.value))]] = -1
        return slot

    def _slots(self, condition: Condition, frame: Frame, known: _Slots) -> Ints:
        """The slots that a condition asks about; those of the same terms are looked up once."""
        if not condition.waits:
            return self._grounding.slots_of(condition, frame)
        slot = known.get(condition.about)
        if slot is None:
            slot = known[condition.about] = self._grounding.slots_of(condition, frame)
        return slot

    def _negated(self, part: Part, frame: Frame, known: _Slots) -> list[Clause]:
        """`\\+ (A, B)`: for every way in which both could be true, one of them must not be."""
        rows = None
        if part.body:
            numbered = frame.with_columns({_ROW: Numbers(np.arange(frame.rows))})
            frame, known = self._grounding.solve_part(part, numbered), {}
            if not frame.rows:
                return []
            rows = frame.ints(_ROW)
            if not is_sorted(rows):
                frame = frame.take(np.argsort(rows, kind="stable"))
                rows = frame.ints(_ROW)
        questions = self._questions(part, frame, known, must_be=False)
        for read in part.reads:
            slot = self._slots(read, frame, known)
            questions.append(Question(READS, slot, self._roots(part, None, frame), must_be=False))
        return [Clause(questions, rows)]

    def _roots(self, part: Part, value: Term | None, frame: Frame) -> Ints:
        """Where the memory of a tail begins for each row: rows that agree on what the tail uses share it."""
        used = variable_names(part.split.tail) | (names(value) if value else set())
        shared = frame.only(sorted(used & frame.columns.keys()))
        if any(isinstance(column, Lists) for column in shared.columns.values()):
            shared = shared.with_columns({_CLASS: Numbers(np.arange(frame.rows))})
            groups, number = shared, np.arange(frame.rows)
        else:
            groups, number = classes(shared)
        return self._memory.roots(groups.rows, self._tail(part, value, groups))[number]

    def _tail(self, part: Part, value: Term | None, groups: Frame) -> Tail:
        def tail(rows: Ints, values: list[Ints]) -> tuple[Ints, Ints]:
            frame = groups.take(rows).with_columns({_ROW: Numbers(np.arange(len(rows)))})
            read: dict[str, Column] = {}
            for literal, column in zip(part.split.reads, values, strict=True):
                assert isinstance(literal.fvp.value, Var)
                read[literal.fvp.value.name] = Codes(column)
            answers = self._grounding.solve_tail(part.split, frame.with_columns(read))
            if not answers.rows:
                return EMPTY, EMPTY
            given = np.zeros(answers.rows, np.int64) if value is None else self._grounding.codes([value], answers)[0]
            return answers.ints(_ROW), given

        return tail


_Slots = dict[int, Ints]
"""Slots that were looked up, by what they are about."""
_KINDS = {HAPPENED: EVENT, STARTED: INITIATED, ENDED: TERMINATED, CLEARED: TERMINATED}


def _asks(literal: Literal) -> int:
    match literal:
        case Holds():
            return HOLDS
        case Happens():
            return OCCURS
        case Boundary(edge=edge):
            return STARTS if edge is Edge.START else ENDS
        case Effect(kind=kind):
            return ASKS_INITIATED if kind is EffectKind.INITIATED else ASKS_TERMINATED
        case _:
            raise AssertionError(literal)


def written_out(value: Ints | int, rows: int) -> Ints:
    """A column of so many rows, of which there may be one that stands for all."""
    return np.full(rows, value) if isinstance(value, int) else value
