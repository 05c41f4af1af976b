"""Rule bodies as relational plans: each literal takes a frame of bindings and returns one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.asked import END, ROW, START, Asked, AskedPair, Stage, is_pattern
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import Computed, Test, codes_of, column_of, compare, evaluate, for_rows, note, passed
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers, classes, distinct, stack
from holdsfor.engine.kernels import EMPTY, Ints, find, true_rows
from holdsfor.engine.library import call_for_distinct, call_library
from holdsfor.engine.numbers import are_integers, lacks_values, no_value, size
from holdsfor.engine.patterns import ONCE, equal, relation
from holdsfor.engine.relations import Lookup, aligned, join, join_keys
from holdsfor.engine.sliding import Window, depends_on_events, items_of, paired, result_of, within
from holdsfor.engine.stabbing import containing
from holdsfor.engine.tables import Events, Intervals, Points, Space
from holdsfor.ir import (
    Assign,
    Body,
    Boundary,
    Call,
    Compare,
    Cut,
    Edge,
    Effect,
    EffectKind,
    FindAll,
    Happens,
    Holds,
    IfThenElse,
    Instance,
    Literal,
    Not,
    Or,
)
from holdsfor.ir import Intervals as IntervalsOf
from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.unify import Bindings
from holdsfor.syntax.terms import ListTerm, Term, Var, functor, variables

_FURTHEST = 1 << 62
"""What lies further from zero is no time-point."""


class Notes(Protocol):
    """What is worked out once for a plan."""

    def stages(self, body: Body) -> tuple[Stage, ...]:
        """A body as it is run."""

    def names(self, body: Body) -> frozenset[str]:
        """The names of all variables in a body."""

    def expression(self, literal: Assign) -> Computed:
        """What is computed."""

    def window(self, literal: FindAll) -> Window | None:
        """The window of time that a `findall` is about."""

    def asked(self, literal: Literal) -> Asked:
        """What a literal asks for."""

    def asked_pair(self, literal: Holds | IntervalsOf) -> AskedPair:
        """What a literal on a fluent asks for."""


class Known(Protocol):
    """What bodies can ask: the finished tables of an evaluation."""

    dictionary: Dictionary

    @property
    def notes(self) -> Notes:
        """What is known of bodies and literals before any data is there."""

    @property
    def space(self) -> Space:
        """How groups and times are packed."""

    def events(self, symbol: Symbol) -> Events:
        """The occurrences of an event inside the window."""

    def intervals(self, symbol: Symbol) -> Intervals:
        """The maximal intervals of a fluent."""

    def boundaries(self, symbol: Symbol, edge: Edge) -> Points:
        """Where intervals of a fluent start or end inside the window."""

    def effects(self, symbol: Symbol, kind: EffectKind) -> Points:
        """Where values of a fluent are initiated or terminated inside the window."""

    def is_table(self, name: tuple[str, int]) -> bool:
        """Whether all that is known of a background predicate can be listed."""

    def answers(self, atom: Term, bindings: Bindings) -> Iterator[Bindings]:
        """The answers of one call of a background predicate."""

    def known_instances(self, symbol: Symbol) -> Points:
        """The pairs of a fluent that have been initiated."""

    def rows_with(self, asked: AskedPair) -> Ints | None:
        """The rows of a fluent's table that have the constants a condition names; None is all."""

    def lookup(self, literal: Call) -> Lookup:
        """The facts of a background predicate that a condition matches."""


class Bodies:
    """Evaluates bodies over what is known."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._notes = known.notes
        self._dictionary = known.dictionary

    def solve(self, body: Body, frame: Frame) -> Frame:
        """The rows of a frame extended by everything that makes a body true."""
        for stage in self._notes.stages(body):
            if not frame.rows:
                return self._empty(body, frame)
            frame = self.run(stage, frame)
        return frame

    def run(self, stage: Stage, frame: Frame) -> Frame:
        """One stage of a body."""
        return self._tested(stage, frame) if isinstance(stage, tuple) else self.apply(stage, frame)

    def _tested(self, tests: Sequence[Test], frame: Frame) -> Frame:
        """Several tests on the same rows; rows are taken once."""
        return frame.where(passed(tests, frame, self._dictionary))

    def _empty(self, body: Body, frame: Frame) -> Frame:
        """No rows, with a column for every variable, so that nothing later misses one."""
        none: dict[str, Column] = dict.fromkeys(self._notes.names(body), Codes(EMPTY))
        for name, column in frame.columns.items():
            none[name] = column.take(EMPTY)
        return Frame(0, none)

    def apply(self, literal: Literal, frame: Frame) -> Frame:
        """One literal."""
        handler = _HANDLERS.get(type(literal))
        if handler is None:
            raise EvaluationError(f"{type(literal).__name__} cannot be evaluated at a time-point")
        found: Frame = getattr(self, handler)(literal, frame)
        return found

    # Events and points

    def _happening(self, literal: Happens | Boundary | Effect, frame: Frame) -> Frame:
        return join(frame, self._occurrences(literal), self._dictionary)

    def _occurrences(self, literal: Happens | Boundary | Effect) -> Frame:
        """All that a condition on what happens can be met by."""
        asked = self._notes.asked(literal)
        if isinstance(literal, Happens):
            events = self._known.events(asked.symbol)
            columns: list[Column] = [*events.args, Numbers(events.time)]
            return asked.pattern.match(columns, len(events), self._dictionary)
        if isinstance(literal, Boundary):
            points = self._known.boundaries(asked.symbol, literal.edge)
        else:
            points = self._known.effects(asked.symbol, literal.kind)
        columns = [*(Codes(c) for c in points.args), Codes(points.value), Numbers(points.time)]
        return asked.pattern.match(columns, len(points), self._dictionary)

    def _instance(self, literal: Instance, frame: Frame) -> Frame:
        asked = self._notes.asked(literal)
        known = self._known.known_instances(asked.symbol)
        columns = [Codes(column) for column in (*known.args, known.value)]
        return join(frame, distinct(asked.pattern.match(columns, len(known), self._dictionary)), self._dictionary)

    # Fluents

    def _holds(self, literal: Holds, frame: Frame) -> Frame:
        asked = self._notes.asked_pair(literal)
        table = self._known.intervals(asked.symbol)
        frame, moments = self._at_moments(literal.time, frame)
        is_bound = asked.is_plain and all(name in frame.columns for name in asked.names)
        if not table.single_valued and not asked.value_is_fixed:
            is_bound = is_bound and asked.value_name in frame.columns
        if is_bound and isinstance(literal.time, Var):
            return self._looked_up(asked, moments, table, frame)
        return self._enumerated(asked, moments, table, frame)

    def _at_moments(self, time: Term, frame: Frame) -> tuple[Frame, Ints]:
        """The rows in which a term is a time-point, and these time-points."""
        values = evaluate(time, frame, self._dictionary)
        if values.dtype != np.int64 or size(values) >= _FURTHEST:
            are_moments = are_integers(values, _FURTHEST)
            frame, values = frame.where(are_moments), values[are_moments]
        return frame, values.astype(np.int64, copy=False)

    def _looked_up(self, asked: AskedPair, moments: Ints, table: Intervals, frame: Frame) -> Frame:
        """All arguments are bound: one search on the packed time-line of the rows with the right constants."""
        if not len(table):
            missing: dict[str, Column] = {variable.name: Codes(EMPTY) for variable in variables(asked.value)}
            return Frame(0, {**missing, **frame.take(EMPTY).columns})
        at = self._rows_at(asked, moments, table, frame)
        kept = true_rows(at >= 0)
        if len(kept) < frame.rows:
            frame, at = frame.take(kept), at[kept]
        if asked.value_is_fixed or not table.single_valued:
            return frame
        name = asked.value_name
        if name is not None and name.startswith(ONCE):
            return frame
        found = Codes(table.value[at])
        if name is not None and name not in frame.columns:
            return frame.with_columns({name: found})
        if is_pattern(asked.value):
            return self._unpack(asked.value, found, frame)
        return frame.where(equal(column_of(asked.value, frame, self._dictionary), found, self._dictionary))

    def _rows_at(self, asked: AskedPair, moments: Ints, table: Intervals, frame: Frame) -> Ints:
        """The row of the table that each row of a frame is about, or -1."""
        wanted = [codes_of(frame.columns[name], self._dictionary) for name in asked.names]
        places = asked.variables
        if not table.single_valued and not asked.value_is_fixed:
            wanted.append(codes_of(column_of(asked.value, frame, self._dictionary), self._dictionary))
            places = (*places, len(table.args))
        space = self._known.space
        rows = self._known.rows_with(asked)
        columns = [(*table.args, table.value)[place] for place in places]
        start, end = table.start, table.end
        if rows is not None:
            columns, start, end = [column[rows] for column in columns], start[rows], end[rows]
        group, asking = space.groups(columns, wanted, (len(start), frame.rows))
        spans = space.pack(group, start), space.pack(group, end)
        found = find(spans, space.pack(asking, moments))
        if rows is None or not len(rows):
            return found
        return np.where(found >= 0, rows[found], -1)

    def _enumerated(self, asked: AskedPair, moments: Ints, table: Intervals, frame: Frame) -> Frame:
        """Some arguments are open: join on the bound ones, keep the intervals that contain the time-point."""
        columns: list[Column] = [*(Codes(c) for c in table.args), Codes(table.value)]
        columns += [Numbers(table.start), Numbers(table.end)]
        rows = asked.pattern.match(columns, len(table), self._dictionary)
        shared = [name for name in rows.columns if name in frame.columns]
        none = np.zeros(frame.rows, np.int64), np.zeros(rows.rows, np.int64)
        groups = join_keys(frame, rows, shared, self._dictionary) if shared else none
        point, interval = containing(groups, moments, rows.ints(START), rows.ints(END))
        fresh = {n: c for n, c in rows.columns.items() if n not in frame.columns and n not in (START, END)}
        return frame.take(point).with_columns(Frame(rows.rows, fresh).take(interval).columns)

    # Comparisons and background knowledge

    def _compare(self, literal: Compare, frame: Frame) -> Frame:
        if literal.operator == "=":
            for target, source in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(target, Var) and target.name not in frame.columns:
                    return frame.with_columns({target.name: column_of(source, frame, self._dictionary)})
                if not self._is_known(target, frame):
                    return self._unpack(target, column_of(source, frame, self._dictionary), frame)
        return frame.where(compare(literal, frame, self._dictionary))

    @staticmethod
    def _is_known(term: Term, frame: Frame) -> bool:
        return all(variable.name in frame.columns for variable in variables(term))

    def _unpack(self, pattern: Term, column: Column, frame: Frame) -> Frame:
        rows, row = Numbers(np.arange(frame.rows)), _row_name(frame)
        parts = relation((Var(row), pattern), (rows, column), frame.rows, self._dictionary)
        return _without(row, join(frame.with_columns({row: rows}), parts, self._dictionary))

    def _assign(self, literal: Assign, frame: Frame) -> Frame:
        values = for_rows(self._notes.expression(literal)(frame, self._dictionary), frame.rows)
        if lacks_values(values):
            lacking = no_value(values)
            note(literal, frame.where(lacking), self._dictionary)
            frame, values = frame.where(~lacking), values[~lacking]
        target = literal.target
        if isinstance(target, Var) and target.name not in frame.columns:
            return frame.with_columns({target.name: Numbers(values)})
        return frame.where(equal(column_of(target, frame, self._dictionary), Numbers(values), self._dictionary))

    def _call(self, literal: Call, frame: Frame) -> Frame:
        atom = literal.atom
        name = functor(atom)
        assert name is not None
        if name in LIBRARY:
            return call_library(literal, frame, self._dictionary)
        if not self._known.is_table(name):
            return call_for_distinct(lambda start: self._known.answers(atom, start), literal, frame, self._dictionary)
        return self._known.lookup(literal).join(frame)

    @staticmethod
    def _cut(_: Cut, frame: Frame) -> Frame:
        return frame

    # Control

    def _not(self, literal: Not, frame: Frame) -> Frame:
        return self._negation(literal.body, frame)

    def _or(self, literal: Or, frame: Frame) -> Frame:
        return self._disjunction(literal.branches, frame)

    def _negation(self, body: Body, frame: Frame) -> Frame:
        numbered = frame.with_columns({ROW: Numbers(np.arange(frame.rows))})
        refuted = self.solve(body, numbered).ints(ROW)
        keep = np.ones(frame.rows, np.bool_)
        keep[refuted] = False
        return frame.where(keep)

    def _disjunction(self, branches: tuple[Body, ...], frame: Frame) -> Frame:
        if not branches:
            return frame.take(np.empty(0, np.int64))
        solved = aligned([self.solve(branch, frame) for branch in branches], self._dictionary)
        names = [name for name in solved[0].columns if all(name in one.columns for one in solved)]
        return stack(solved, names)

    def _conditional(self, literal: IfThenElse, frame: Frame) -> Frame:
        row = _row_name(frame)
        numbered = frame.with_columns({row: Numbers(np.arange(frame.rows))})
        answers = self.solve(literal.condition, numbered)
        rows, first = np.unique(answers.ints(row), return_index=True)
        chosen = _without(row, self.solve(literal.then, answers.take(first)))
        if literal.otherwise is None:
            return chosen
        rest = np.ones(frame.rows, np.bool_)
        rest[rows] = False
        other = self.solve(literal.otherwise, frame.where(rest))
        solved = aligned([chosen, other], self._dictionary)
        return stack(solved, [name for name in solved[0].columns if name in solved[1].columns])

    def _find_all(self, literal: FindAll, frame: Frame) -> Frame:
        # Rows that agree on what the goal uses share one list.
        used = self._notes.names(literal.body) | {v.name for v in variables(literal.template)}
        asked, number = classes(frame.only(used & frame.columns.keys()))
        found = self._collected(literal, asked).take(number)
        if literal.sliding is not None:
            return self._aggregated(literal, literal.sliding.kind, found, frame)
        if isinstance(literal.result, Var) and literal.result.name not in frame.columns:
            return frame.with_columns({literal.result.name: found})
        if isinstance(literal.result, ListTerm) and not literal.result.items and literal.result.tail is None:
            return frame.where(found.lengths == 0)
        raise EvaluationError("the result of findall must be a variable or []")

    def _collected(self, literal: FindAll, asked: Frame) -> Lists:
        """The list for each row. Rows whose windows overlap share what is in both."""
        body, start = literal.body, asked.with_columns({ROW: Numbers(np.arange(asked.rows))})
        window = self._notes.window(literal)
        if window is not None:
            events = self._occurrences(window.happens)
            found = within(window, asked, events, self._dictionary)
            if found is not None and not window.rest and depends_on_events(literal, events):
                return Lists(found[0], found[1], items_of(literal, found[2], self._dictionary))
            if found is not None:
                body, start = window.rest, paired(start, found)
        answers = self.solve(body, start)
        rows = answers.ints(ROW)
        items = items_of(literal, answers.take(np.argsort(rows, kind="stable")), self._dictionary)
        counts = np.bincount(rows, minlength=asked.rows) if len(rows) else np.zeros(asked.rows, np.int64)
        return Lists.in_a_row(counts, items)

    def _aggregated(self, literal: FindAll, kind: SlidingKind, lists: Lists, frame: Frame) -> Frame:
        """What a sliding aggregate makes of the lists; a row for which it has no value goes."""
        assert isinstance(literal.result, Var)
        values, is_empty = result_of(kind, lists, self._dictionary)
        lacking = no_value(values)
        if lacking.any():
            note(literal, frame.where(lacking & ~is_empty), self._dictionary)
            frame, values = frame.where(~lacking), values[~lacking]
        return frame.with_columns({literal.result.name: Numbers(values)})


_HANDLERS: dict[type[Literal], str] = {
    Happens: "_happening",
    Boundary: "_happening",
    Effect: "_happening",
    Instance: "_instance",
    Holds: "_holds",
    Compare: "_compare",
    Assign: "_assign",
    Call: "_call",
    Not: "_not",
    Or: "_or",
    IfThenElse: "_conditional",
    FindAll: "_find_all",
    Cut: "_cut",
}


def _row_name(frame: Frame) -> str:
    """A name for the numbers of rows; a negation or `findall` around may have numbered them already."""
    name = ROW
    while name in frame.columns:
        name += "'"
    return name


def _without(name: str, frame: Frame) -> Frame:
    return Frame(frame.rows, {other: column for other, column in frame.columns.items() if other != name})
