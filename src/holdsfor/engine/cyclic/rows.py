"""The rows of a sweep: what each way through a rule does, row by row, and what it still has to ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.instant import EVENT, INITIATED, TERMINATED, Moment
from holdsfor.engine.cyclic.component import PlannedWay
from holdsfor.engine.cyclic.grounding import SLOT, Grounding, plain
from holdsfor.engine.cyclic.grounding import VALUE as VALUE_COLUMN
from holdsfor.engine.cyclic.growth import Mode, Split
from holdsfor.engine.cyclic.memory import Memory, Tail
from holdsfor.engine.cyclic.sweep_loop import (
    ACTION,
    AGAIN,
    ASKED,
    ASKED_VALUE,
    ASKS,
    CLAUSE_AT,
    CLEARED,
    ENDED,
    ENDS,
    HAPPENED,
    HAS_VALUE,
    HOLDS,
    LITERAL,
    OCCURS,
    POSITIVE,
    RANK,
    READ_AT,
    READS,
    ROOT,
    ROW,
    STARTED,
    STARTS,
    TARGET,
    TIME,
    VALUE,
    Sheet,
)
from holdsfor.engine.cyclic.sweep_loop import INITIATED as ASKS_INITIATED
from holdsfor.engine.cyclic.sweep_loop import TERMINATED as ASKS_TERMINATED
from holdsfor.engine.evaluation import times_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers, classes, numbering, order_of, ranges, row_keys
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
from holdsfor.engine.relations import join, relation
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.variants import NotSupported
from holdsfor.ir import Boundary, Edge, Effect, EffectKind, Happens, Holds, Instance, Literal, variable_names
from holdsfor.syntax.terms import Term, Var

_ROW, _CLASS, _ASKED, _MATCHED = "#row", "#class", "#asked", "#matched"

Literals = list[tuple[int, Ints, Ints, bool]]
"""What is asked, of which slots and values, and whether it must be so."""


@dataclass
class Batch:
    """Rows from one way through a rule."""

    time: Ints
    action: int
    slot: Ints
    value: Ints
    rank: Ints
    root: Ints | None = None
    reads: list[Ints] = field(default_factory=list)
    clauses: list[tuple[Ints, Literals]] = field(default_factory=list)
    """For each clause: the rows that have one, and its literals."""


class RowWriter:
    """Turns the ways of a component into rows."""

    def __init__(self, grounding: Grounding, memory: Memory) -> None:
        self._grounding = grounding
        self._component = grounding.component
        self._evaluation = grounding.evaluation
        self._dictionary = grounding.evaluation.dictionary
        self._memory = memory

    def rows(self) -> list[Batch]:
        """All rows, one batch below the other."""
        found = [batch for way in self._component.ways for batch in self._way_rows(way)]
        for time, slot, value in self._grounding.initial:
            found.append(Batch(time, STARTED, slot, value, np.zeros(len(time), np.int64)))
        return found

    def _way_rows(self, way: PlannedWay) -> list[Batch]:
        frame = self._grounding.solve(way)
        if not frame.rows:
            return []
        args, value = way.head
        if way.is_termination:
            assert value is not None
            frame, slot, action = self._ended(way, args, value, frame)
        else:
            slot, action = self._grounding.heads(way, frame), STARTED if value is not None else HAPPENED
        if frame.rows and self._evaluation.kept.reach:
            # What is kept for looking back must not make rules fire again.
            now = true_rows(times_of(way.rule.time, frame) > self._evaluation.moment.border)
            frame, slot = frame.take(now), slot[now]
        if not frame.rows:
            return []
        is_known = value is not None and action != CLEARED and self._is_known(value, frame)
        codes = self._value(value, frame) if is_known else np.zeros(frame.rows, np.int64)
        ranks = self.ranks(action, way.symbol, codes if is_known else None, frame.rows)
        batch = Batch(times_of(way.rule.time, frame), action, slot, codes, ranks)
        batch.clauses += [
            (np.arange(frame.rows), [literal]) for literal in self._asked(way.split, frame, positive=True)
        ]
        for negation in way.negations:
            batch.clauses += self._negated(negation, frame)
        if way.split.reads:
            batch.reads = [plain(frame, f"{SLOT}{self._component.number(read)}") for read in way.split.reads]
            batch.root = self._roots(way.split, None if action == CLEARED else value, frame)
        return [batch]

    @staticmethod
    def _is_known(value: Term, frame: Frame) -> bool:
        return names(value) <= frame.columns.keys() or _MATCHED in frame.columns

    def _value(self, value: Term | None, frame: Frame) -> Ints:
        assert value is not None
        return plain(frame, _MATCHED) if _MATCHED in frame.columns else self._grounding.codes([value], frame)[0]

    def _ended(self, way: PlannedWay, args: tuple[Term, ...], value: Term, frame: Frame) -> tuple[Frame, Ints, int]:
        """A termination ends what there is: its head is matched with the slots, open arguments with all of them."""
        possible = self._grounding.possible
        known = possible.known[way.symbol]
        bound = set(frame.columns)
        dynamic = {name for literal in way.split.reads for name in names(literal.fvp.value)}
        dynamic |= variable_names(way.split.tail)
        is_closed = all(names(term) <= bound for term in args)
        if names(value) <= bound | dynamic or (isinstance(value, Var) and value.name not in _all_names(args)):
            action = ENDED if names(value) <= bound | dynamic else CLEARED
            if is_closed:
                slot = possible.find_slots(way.symbol, self._grounding.codes(args, frame), frame.rows)
                there = true_rows(slot >= 0)
                return frame.take(there), slot[there], action
            columns: list[Column] = [*(Codes(column) for column in known.args), Numbers(known.slot)]
            found = relation((*args, Var(_ASKED)), columns, len(known.slot), self._dictionary)
        else:
            action = ENDED
            if way.symbol in self._component.growing:
                raise NotSupported(f"{way.rule.span.location}: a pattern for a value that grows in its own cycle")
            listed = (Codes(column) for column in known.pair_columns(possible.places()))
            pairs: list[Column] = [*listed, Numbers(known.pair_slot), Numbers(known.pair_value)]
            terms = (*args, value, Var(_ASKED), Var(_MATCHED))
            found = relation(terms, pairs, len(known.pair_slot), self._dictionary)
        frame = join(frame, found, self._dictionary)
        return frame, plain(frame, _ASKED) if frame.rows else EMPTY, action

    def ranks(self, action: int, symbol: Symbol, value: Ints | None, rows: int, what: str | None = None) -> Ints:
        """The place in the order inside a time-point at which something is decided for each of some values.

        A value that is not known yet is decided after all that it might be.
        """
        kind = what or {HAPPENED: EVENT, STARTED: INITIATED, ENDED: TERMINATED, CLEARED: TERMINATED}[action]
        graph, known = self._evaluation.analysis.graph, self._evaluation.prepared.notes.ranks
        if value is None or symbol.kind is EntityKind.EVENT or symbol in self._component.growing:
            vertices = graph.of_symbol(symbol)
            return np.full(rows, max(known.get(Moment(kind, vertex), 0) for vertex in vertices))
        first, inverse = numbering(value)
        ranks = [
            # A value that nothing initiates has no place in the order, and needs none.
            max(
                (known.get(Moment(kind, vertex), 0) for vertex in graph.matching(symbol, self._dictionary.term(code))),
                default=0,
            )
            for code in value[first].tolist()
        ]
        return np.array(ranks, np.int64)[inverse]

    # What is asked

    def _asked(self, split: Split, frame: Frame, *, positive: bool) -> Literals:
        """The literals of a body that is solved as far as it can be beforehand."""
        found: Literals = []
        for literal in split.body:
            mode = split.modes.get(id(literal))
            if mode is None or mode is Mode.READ or isinstance(literal, Instance):
                continue
            number = self._component.number(literal)
            slot = plain(frame, f"{SLOT}{number}")
            value, asks = np.zeros(frame.rows, np.int64), _asks(literal)
            if mode is Mode.ANY:
                asks = HAS_VALUE
            elif mode is Mode.KNOWN:
                assert isinstance(literal, Holds | Boundary | Effect)
                value = self._grounding.codes([literal.fvp.value], frame)[0]
            elif not isinstance(literal, Happens):
                value = plain(frame, f"{VALUE_COLUMN}{number}")
            found.append((asks, slot, value, positive))
        return found

    def _negated(self, split: Split, frame: Frame) -> list[tuple[Ints, Literals]]:
        """`\\+ (A, B)`: for every way in which both could be true, one of them must not be."""
        numbered = frame.with_columns({_ROW: Numbers(np.arange(frame.rows))})
        answers = self._grounding.solve_split(split, numbered)
        if not answers.rows:
            return []
        literals = self._asked(split, answers, positive=False)
        for read in split.reads:
            slot = plain(answers, f"{SLOT}{self._component.number(read)}")
            literals.append((READS, slot, self._roots(split, None, answers), False))
        return [(plain(answers, _ROW), literals)]

    def _roots(self, split: Split, value: Term | None, frame: Frame) -> Ints:
        """Where the memory of a tail begins for each row: rows that agree on what the tail uses share it."""
        used = variable_names(split.tail) | (names(value) if value else set())
        shared = frame.only(sorted(used & frame.columns.keys()))
        if any(isinstance(column, Lists) for column in shared.columns.values()):
            shared = shared.with_columns({_CLASS: Numbers(np.arange(frame.rows))})
            groups, number = shared, np.arange(frame.rows)
        else:
            groups, number = classes(shared)
        return self._memory.roots(groups.rows, self._tail(split, value, groups))[number]

    def _tail(self, split: Split, value: Term | None, groups: Frame) -> Tail:
        def tail(rows: Ints, values: list[Ints]) -> tuple[Ints, Ints]:
            frame = groups.take(rows).with_columns({_ROW: Numbers(np.arange(len(rows)))})
            read: dict[str, Column] = {}
            for literal, column in zip(split.reads, values, strict=True):
                assert isinstance(literal.fvp.value, Var)
                read[literal.fvp.value.name] = Codes(column)
            answers = self._grounding.solve_tail(split, frame.with_columns(read))
            if not answers.rows:
                return EMPTY, EMPTY
            given = np.zeros(answers.rows, np.int64) if value is None else self._grounding.codes([value], answers)[0]
            return plain(answers, _ROW), given

        return tail


def _all_names(terms: Sequence[Term]) -> set[str]:
    return {name for term in terms for name in names(term)}


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


def assembled(found: list[Batch], delays: Ints) -> Sheet:
    """A sheet of rows in order of time and rank."""
    sizes = [len(batch.time) for batch in found]
    shifts = np.cumsum([0, *sizes])
    time, rank = _joined([b.time for b in found]), _joined([b.rank for b in found])
    order = order_of(row_keys([time, rank]))
    count = len(order)
    place = np.empty(count, np.int64)
    place[order] = np.arange(count)
    clauses = _Clauses()
    reads, read_rows = [EMPTY], [EMPTY]
    for batch, shift in zip(found, shifts.tolist(), strict=False):
        mine = place[shift : shift + len(batch.time)]
        for places, literals in batch.clauses:
            clauses.add(mine[places], literals)
        if batch.reads:
            reads.append(np.stack(batch.reads, axis=1).reshape(-1))
            read_rows.append(np.repeat(mine, len(batch.reads)))
    read_row = _joined(read_rows)
    read_order = order_of(read_row)
    rows = np.zeros((count + 1, ROW), np.int64)
    rows[-1, TIME] = FOREVER
    rows[:-1, TIME], rows[:-1, RANK] = time[order], rank[order]
    rows[:-1, ACTION] = np.repeat(np.array([b.action for b in found], np.int64), sizes)[order]
    rows[:-1, TARGET] = _joined([b.slot for b in found])[order]
    rows[:-1, VALUE] = _joined([b.value for b in found])[order]
    rows[:-1, ROOT] = _joined([np.full(len(b.time), -1) if b.root is None else b.root for b in found])[order]
    rows[:-1, AGAIN] = clauses.again(count)
    rows[:, READ_AT] = _starts(read_row, count)
    rows[:, CLAUSE_AT], literal_at, literals_of = clauses.columns(count)
    return Sheet(rows.reshape(-1), literal_at, literals_of, _joined(reads)[read_order], delays)


class _Clauses:
    """Clauses as they come, put into the order of their rows in the end."""

    def __init__(self) -> None:
        self._row: list[Ints] = []
        self._size: list[Ints] = []
        self._literals: list[Ints] = []

    def add(self, rows: Ints, literals: Literals) -> None:
        """A clause of some literals in each of some rows."""
        self._row.append(rows)
        self._size.append(np.full(len(rows), len(literals)))
        records = np.empty((len(rows), len(literals), LITERAL), np.int64)
        for place, (asks, slot, value, is_positive) in enumerate(literals):
            records[:, place, ASKS] = asks
            records[:, place, POSITIVE] = is_positive
            records[:, place, ASKED] = slot
            records[:, place, ASKED_VALUE] = value
        self._literals.append(records.reshape(-1, LITERAL))

    def again(self, rows: int) -> Ints:
        """Which rows may become true later at their rank: those that ask what happens now."""
        found = np.zeros(rows, np.int64)
        for row, size, literals in zip(self._row, self._size, self._literals, strict=True):
            asks_now = ~np.isin(literals[:, ASKS], (HOLDS, HAS_VALUE, READS))
            found[np.repeat(row, size)[asks_now]] = 1
        return found

    def columns(self, rows: int) -> tuple[Ints, Ints, Ints]:
        """Where the clauses of each row begin, where the literals of each clause do, and the literals."""
        row, size = _joined(self._row), _joined(self._size)
        order = order_of(row)
        clause_at = _starts(row, rows)
        literal_at = np.concatenate((np.zeros(1, np.int64), np.cumsum(size[order])))
        literals = np.concatenate([np.empty((0, LITERAL), np.int64), *self._literals])
        return clause_at, literal_at, literals[ranges((np.cumsum(size) - size)[order], size[order])].reshape(-1)


def _starts(owner: Ints, count: int) -> Ints:
    """Where what belongs to each of so many owners begins, and where the last ends, once it is in their order."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(owner, minlength=count))))


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate([EMPTY, *parts]).astype(np.int64)
