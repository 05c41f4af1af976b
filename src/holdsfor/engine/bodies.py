"""Rule bodies as relational plans: each literal takes a frame of bindings and returns one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of, column_of, compare, evaluate
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers, classes, distinct, stack
from holdsfor.engine.kernels import Ints, find, true_rows
from holdsfor.engine.library import call_for_distinct, call_library
from holdsfor.engine.relations import aligned, equal, is_pattern, join, join_keys, relation
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
    Fvp,
    Happens,
    Holds,
    IfThenElse,
    Instance,
    Literal,
    Not,
    Or,
)
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, EvaluationError
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.unify import Bindings, is_ground
from holdsfor.syntax.terms import ListTerm, Term, Var, arguments, functor, variables

ROW = "#row"


class Known(Protocol):
    """What bodies can ask: the finished tables of an evaluation."""

    entities: Entities
    dictionary: Dictionary

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

    def needs(self, name: tuple[str, int]) -> tuple[int, ...]:
        """The arguments of a background predicate that must be bound before it can be called."""

    def answers(self, atom: Term, bindings: Bindings) -> Iterator[Bindings]:
        """The answers of one call of a background predicate."""

    def known_instances(self, symbol: Symbol) -> Points:
        """The pairs of a fluent that have been initiated."""

    def names(self, body: Body) -> frozenset[str]:
        """The names of all variables in a body."""

    def facts(self, name: tuple[str, int]) -> tuple[tuple[Ints, ...], int] | None:
        """The facts of a background predicate and their number; None if any value belongs to it."""


class Bodies:
    """Evaluates bodies over what is known."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._dictionary = known.dictionary

    def solve(self, body: Body, frame: Frame) -> Frame:
        """The rows of a frame extended by everything that makes a body true."""
        place = 0
        while place < len(body):
            if not frame.rows:
                return self._empty(body, frame)
            literal = body[place]
            tests = self._tests(body[place:]) if isinstance(literal, Compare) else ()
            frame = self._tested(tests, frame) if tests else self.apply(literal, frame)
            place += len(tests) or 1
        return frame

    @staticmethod
    def _tests(body: Body) -> list[Compare]:
        """The arithmetic comparisons that a body begins with."""
        tests = []
        for literal in body:
            if not isinstance(literal, Compare) or literal.operator not in ARITHMETIC_COMPARISONS:
                break
            tests.append(literal)
        return tests

    def _tested(self, tests: Sequence[Compare], frame: Frame) -> Frame:
        """Several tests on the same rows; rows are taken once."""
        passed = [compare(test.operator, test.left, test.right, frame, self._dictionary) for test in tests]
        return frame.where(np.logical_and.reduce(passed) if len(passed) > 1 else passed[0])

    def _empty(self, body: Body, frame: Frame) -> Frame:
        """No rows, with a column for every variable, so that nothing later misses one."""
        missing = self._known.names(body) - frame.columns.keys()
        none = np.empty(0, np.int64)
        return frame.take(none).with_columns({name: Codes(none) for name in missing})

    def apply(self, literal: Literal, frame: Frame) -> Frame:
        """One literal."""
        match literal:
            case Happens():
                return join(frame, self._happens(literal), self._dictionary)
            case Boundary(edge=edge, fvp=fvp, time=time):
                symbol = self._known.entities.fluent(fvp.fluent)
                points = self._known.boundaries(symbol, edge)
                return join(frame, self._points(symbol, fvp.fluent, fvp.value, time, points), self._dictionary)
            case Effect(kind=kind, fvp=fvp, time=time):
                symbol = self._known.entities.fluent(fvp.fluent)
                points = self._known.effects(symbol, kind)
                return join(frame, self._points(symbol, fvp.fluent, fvp.value, time, points), self._dictionary)
            case Instance(fvp=fvp):
                symbol = self._known.entities.fluent(fvp.fluent)
                return join(frame, self._instances(symbol, fvp), self._dictionary)
            case Holds():
                return self._holds(literal, frame)
            case Compare():
                return self._compare(literal, frame)
            case Assign():
                return self._assign(literal, frame)
            case Call(atom=atom):
                return self._call(atom, frame)
            case Not(body=body):
                return self._negation(body, frame)
            case Or(branches=branches):
                return self._disjunction(branches, frame)
            case IfThenElse():
                return self._conditional(literal, frame)
            case FindAll():
                return self._find_all(literal, frame)
            case Cut():
                return frame
            case _:
                raise EvaluationError(f"{type(literal).__name__} cannot be evaluated at a time-point")

    # Events and points

    def _happens(self, literal: Happens) -> Frame:
        symbol = self._known.entities.event(literal.event)
        events = self._known.events(symbol)
        terms = (*symbol.columns(literal.event), literal.time)
        return relation(terms, (*events.args, Numbers(events.time)), len(events), self._dictionary)

    def _points(self, symbol: Symbol, fluent: Term, value: Term, time: Term, points: Points) -> Frame:
        terms = (*symbol.columns(fluent), value, time)
        columns: list[Column] = [*(Codes(c) for c in points.args), Codes(points.value), Numbers(points.time)]
        return relation(terms, columns, len(points), self._dictionary)

    def _instances(self, symbol: Symbol, fvp: Fvp) -> Frame:
        known = self._known.known_instances(symbol)
        columns = [Codes(column) for column in (*known.args, known.value)]
        return distinct(relation((*symbol.columns(fvp.fluent), fvp.value), columns, len(known), self._dictionary))

    # Fluents

    def _holds(self, literal: Holds, frame: Frame) -> Frame:
        symbol = self._known.entities.fluent(literal.fvp.fluent)
        terms = symbol.columns(literal.fvp.fluent)
        table = self._known.intervals(symbol)
        asked = terms if table.single_valued else (*terms, literal.fvp.value)
        if all(self._is_bound(term, frame) for term in asked) and isinstance(literal.time, Var):
            return self._looked_up(literal, terms, table, frame)
        return self._enumerated(literal, terms, table, frame)

    @staticmethod
    def _is_bound(term: Term, frame: Frame) -> bool:
        return is_ground(term) or (isinstance(term, Var) and term.name in frame.columns)

    def _looked_up(self, literal: Holds, terms: Sequence[Term], table: Intervals, frame: Frame) -> Frame:
        """All arguments are bound: one search on the packed time-line."""
        at = self._rows_at(terms, literal.fvp.value, literal.time, table, frame)
        value = literal.fvp.value
        if not table.single_valued:
            return frame.where(at >= 0)
        if isinstance(value, Var) and value.name not in frame.columns:
            kept = true_rows(at >= 0)
            return frame.take(kept).with_columns({value.name: Codes(table.value[at[kept]])})
        kept = true_rows(at >= 0)
        frame = frame.take(kept)
        found = Codes(table.value[at[kept]])
        if is_pattern(value):
            return self._unpack(value, found, frame)
        return frame.where(equal(column_of(value, frame, self._dictionary), found, self._dictionary))

    def _rows_at(self, terms: Sequence[Term], value: Term, time: Term, table: Intervals, frame: Frame) -> Ints:
        asked = [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in terms]
        if not table.single_valued:
            asked.append(codes_of(column_of(value, frame, self._dictionary), self._dictionary))
        space = self._known.space
        group, wanted = space.groups(table.group_columns, asked, (len(table), frame.rows))
        assert isinstance(time, Var)
        moments = frame.columns[time.name]
        assert isinstance(moments, Numbers)
        return find(table.spans(space, group), space.pack(wanted, moments.data.astype(np.int64, copy=False)))

    def _enumerated(self, literal: Holds, terms: Sequence[Term], table: Intervals, frame: Frame) -> Frame:
        """Some arguments are open: join on the bound ones, keep the intervals that contain the time-point."""
        columns: list[Column] = [*(Codes(c) for c in table.args), Codes(table.value)]
        columns += [Numbers(table.start), Numbers(table.end)]
        rows = relation((*terms, literal.fvp.value, Var("#start"), Var("#end")), columns, len(table), self._dictionary)
        shared = [name for name in rows.columns if name in frame.columns]
        none = np.zeros(frame.rows, np.int64), np.zeros(rows.rows, np.int64)
        groups = join_keys(frame, rows, shared, self._dictionary) if shared else none
        moments = np.asarray(evaluate(literal.time, frame, self._dictionary), np.int64)
        point, interval = containing(groups, moments, _plain(rows, "#start"), _plain(rows, "#end"))
        fresh = [name for name in rows.columns if name not in frame.columns and name not in ("#start", "#end")]
        return frame.take(point).with_columns({name: rows.columns[name].take(interval) for name in fresh})

    # Comparisons and background knowledge

    def _compare(self, literal: Compare, frame: Frame) -> Frame:
        if literal.operator == "=":
            for target, source in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(target, Var) and target.name not in frame.columns:
                    return frame.with_columns({target.name: column_of(source, frame, self._dictionary)})
                if not self._is_known(target, frame):
                    return self._unpack(target, column_of(source, frame, self._dictionary), frame)
        return frame.where(compare(literal.operator, literal.left, literal.right, frame, self._dictionary))

    @staticmethod
    def _is_known(term: Term, frame: Frame) -> bool:
        return all(variable.name in frame.columns for variable in variables(term))

    def _unpack(self, pattern: Term, column: Column, frame: Frame) -> Frame:
        rows = Numbers(np.arange(frame.rows))
        parts = relation((Var(ROW), pattern), (rows, column), frame.rows, self._dictionary)
        return _without_row(join(frame.with_columns({ROW: rows}), parts, self._dictionary))

    def _assign(self, literal: Assign, frame: Frame) -> Frame:
        values = evaluate(literal.expression, frame, self._dictionary)
        valid = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), np.bool_)
        frame, values = frame.where(valid), values[valid]
        target = literal.target
        if isinstance(target, Var) and target.name not in frame.columns:
            return frame.with_columns({target.name: Numbers(values)})
        return frame.where(equal(column_of(target, frame, self._dictionary), Numbers(values), self._dictionary))

    def _call(self, atom: Term, frame: Frame) -> Frame:
        name, args = functor(atom), arguments(atom)
        assert name is not None
        if name in LIBRARY:
            return call_library(name, args, frame, self._dictionary)
        if self._known.needs(name):
            return call_for_distinct(lambda start: self._known.answers(atom, start), args, frame, self._dictionary)
        facts = self._known.facts(name)
        if facts is None:
            return frame
        columns, rows = facts
        return join(
            frame, relation(args, [Codes(column) for column in columns], rows, self._dictionary), self._dictionary
        )

    # Control

    def _negation(self, body: Body, frame: Frame) -> Frame:
        used = self._known.names(body)
        numbered = frame.only(used & frame.columns.keys()).with_columns({ROW: Numbers(np.arange(frame.rows))})
        refuted = self.solve(body, numbered).columns[ROW]
        keep = np.ones(frame.rows, np.bool_)
        keep[_row_numbers(refuted)] = False
        return frame.where(keep)

    def _disjunction(self, branches: tuple[Body, ...], frame: Frame) -> Frame:
        if not branches:
            return frame.take(np.empty(0, np.int64))
        solved = aligned([self.solve(branch, frame) for branch in branches], self._dictionary)
        names = [name for name in solved[0].columns if all(name in one.columns for one in solved)]
        return stack(solved, names)

    def _conditional(self, literal: IfThenElse, frame: Frame) -> Frame:
        numbered = frame.with_columns({ROW: Numbers(np.arange(frame.rows))})
        answers = self.solve(literal.condition, numbered)
        rows, first = np.unique(_row_numbers(answers.columns[ROW]), return_index=True)
        chosen = _without_row(self.solve(literal.then, answers.take(first)))
        if literal.otherwise is None:
            return chosen
        rest = np.ones(frame.rows, np.bool_)
        rest[rows] = False
        other = self.solve(literal.otherwise, frame.where(rest))
        solved = aligned([chosen, other], self._dictionary)
        return stack(solved, [name for name in solved[0].columns if name in solved[1].columns])

    def _find_all(self, literal: FindAll, frame: Frame) -> Frame:
        # Rows that agree on what the goal uses share one list.
        used = self._known.names(literal.body) | {v.name for v in variables(literal.template)}
        asked, number = classes(frame.only(used & frame.columns.keys()))
        numbered = asked.with_columns({ROW: Numbers(np.arange(asked.rows))})
        answers = self.solve(literal.body, numbered)
        rows = _row_numbers(answers.columns[ROW])
        order = np.argsort(rows, kind="stable")
        items = column_of(literal.template, answers.take(order), self._dictionary)
        assert not isinstance(items, Lists)
        counts = np.bincount(rows, minlength=asked.rows) if len(rows) else np.zeros(asked.rows, np.int64)
        found = Lists.in_a_row(counts, items).take(number)
        if isinstance(literal.result, Var) and literal.result.name not in frame.columns:
            return frame.with_columns({literal.result.name: found})
        if isinstance(literal.result, ListTerm) and not literal.result.items and literal.result.tail is None:
            return frame.where(found.lengths == 0)
        raise EvaluationError("the result of findall must be a variable or []")


def _plain(frame: Frame, name: str) -> Ints:
    column = frame.columns[name]
    assert isinstance(column, Numbers)
    return column.data.astype(np.int64, copy=False)


def _row_numbers(column: Column) -> Ints:
    assert not isinstance(column, Lists)
    return column.data.astype(np.int64, copy=False)


def _without_row(frame: Frame) -> Frame:
    return Frame(frame.rows, {name: column for name, column in frame.columns.items() if name != ROW})
