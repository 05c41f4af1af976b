"""The instances of a rule that may be unsettled, and the rows of fluents that belong to each.

Two ways to the same: where the parts of a rule have the arguments of its head, instances are the groups that `aligned`
has packed already; else they are joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.asked import ROW, AskedPair
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.frames import Codes, Column, Frame, Numbers, distinct, stack
from holdsfor.engine.kernels import Ints, Spans, is_sorted
from holdsfor.engine.relations import join, matching
from holdsfor.engine.tables import Space
from holdsfor.engine.ways import Way
from holdsfor.ir import Algebra, IntervalOperator, Intervals
from holdsfor.syntax.terms import Term, Var


@dataclass(frozen=True)
class Leaf:
    """The rows of a fluent's table that belong to each candidate, on plain and on packed time."""

    symbol: Symbol
    candidate: Ints
    row: Ints
    start: Ints
    end: Ints
    spans: Spans


class Candidates(Protocol):
    """The instances for which a list is not empty or may turn out not to be."""

    @property
    def frame(self) -> Frame:
        """Their variables."""

    def leaf(self, name: str) -> Leaf:
        """The rows of one of the fluents below the list."""

    def is_within(self, other: Candidates) -> bool:
        """Whether all of them are among others, with the same variables."""


class Supports(Protocol):
    """The candidates of all lists of a rule."""

    def of(self, term: Term) -> Candidates:
        """Those of one list."""


def supports(evaluation: Evaluation, way: Way) -> Supports:
    """The candidates of the lists of a rule."""
    known = evaluation.aligned.get(way.symbol)
    if known is None or known[0] is not evaluation.space or way.aligned_order is None:
        return _Joins(evaluation, way)
    if any(list(asked.names) != way.aligned_order for asked in way.asked.values()):
        return _Joins(evaluation, way)
    return _Groups(evaluation, way, known[0], known[1])


# By groups


class _Groups:
    def __init__(self, evaluation: Evaluation, way: Way, space: Space, lists: dict[str, Spans]) -> None:
        self.evaluation, self.way, self.space, self.lists = evaluation, way, space, lists
        self._found: dict[str, Ints] = {}

    def of(self, term: Term) -> Candidates:
        return _Grouped(self, self._keys(term))

    def _keys(self, term: Term) -> Ints:
        """The groups for which a list may not be empty, in order."""
        assert isinstance(term, Var)
        if term.name not in self._found:
            node = self.way.nodes[term.name]
            if isinstance(node, Intervals):
                group = self.lists[term.name][0] >> self.space.time_bits
                found = group[np.concatenate(([True], group[1:] != group[:-1]))] if len(group) else group
                found = self._with_pending(self.way.asked[term.name], found)
            else:
                found = self._below(node)
            self._found[term.name] = found
        return self._found[term.name]

    def _with_pending(self, asked: AskedPair, keys: Ints) -> Ints:
        more = pending_rows(self.evaluation, asked)
        if more is None or not more.rows:
            return keys
        group = self.space.group([more.ints(name) for name in asked.names], more.rows)
        return np.unique(np.concatenate((keys, group)))

    def _below(self, node: Algebra) -> Ints:
        match node.operator:
            case IntervalOperator.UNION | IntervalOperator.ALLEN:
                found = [self._keys(item) for item in node.inputs]
                return np.unique(np.concatenate(found)) if len(found) > 1 else found[0]
            case IntervalOperator.INTERSECTION:
                keys = self._keys(node.inputs[0])
                for item in node.inputs[1:]:
                    keys = keys[_places(self._keys(item), keys)[1]]
                return keys
            case IntervalOperator.SINCE | IntervalOperator.UNTIL:
                return self._keys(node.inputs[1])
            case _:
                return self._keys(node.inputs[0])


@dataclass(frozen=True)
class _Grouped:
    groups: _Groups
    keys: Ints

    @cached_property
    def frame(self) -> Frame:
        order = self.groups.way.aligned_order
        assert order is not None
        columns = self.groups.space.ungroup(self.keys, len(order))
        return Frame(len(self.keys), {name: Codes(column) for name, column in zip(order, columns, strict=True)})

    def leaf(self, name: str) -> Leaf:
        evaluation, space = self.groups.evaluation, self.groups.space
        asked, (starts, ends) = self.groups.way.asked[name], self.groups.lists[name]
        candidate, is_there = _places(self.keys, starts >> space.time_bits)
        rows = evaluation.leaves.rows_with(asked)
        row = np.arange(len(starts)) if rows is None else rows
        if not is_there.all():
            candidate, row, starts, ends = candidate[is_there], row[is_there], starts[is_there], ends[is_there]
        table, group = evaluation.intervals(asked.symbol), candidate << space.time_bits
        spans = group | (starts & space.last), group | (ends & space.last)
        return Leaf(asked.symbol, candidate, row, table.start[row], table.end[row], spans)

    def is_within(self, other: Candidates) -> bool:
        assert isinstance(other, _Grouped)
        return self.keys is other.keys or bool(_places(other.keys, self.keys)[1].all())


def _places(keys: Ints, asked: Ints) -> tuple[Ints, Ints]:
    """The place of each asked key among keys in order, and whether it is there."""
    if not len(keys):
        return np.zeros(len(asked), np.int64), np.zeros(len(asked), np.bool_)
    at = np.searchsorted(keys, asked)
    return at, keys.take(at, mode="clip") == asked


# By joins


class _Joins:
    def __init__(self, evaluation: Evaluation, way: Way) -> None:
        self.evaluation, self.way = evaluation, way
        self._dictionary = evaluation.dictionary
        self._found: dict[str, Frame] = {}

    def of(self, term: Term) -> Candidates:
        return _Joined(self, self._frame(term))

    def _frame(self, term: Term) -> Frame:
        assert isinstance(term, Var)
        if term.name not in self._found:
            node, asked = self.way.nodes[term.name], self.way.asked.get(term.name)
            self._found[term.name] = self._instances(asked) if asked is not None else self._below(node)  # type: ignore[arg-type]
        return self._found[term.name]

    def _below(self, node: Algebra) -> Frame:
        match node.operator:
            case IntervalOperator.UNION | IntervalOperator.ALLEN:
                found = [self._frame(item) for item in node.inputs]
                return distinct(stack(found, found[0].columns)) if len(found) > 1 else found[0]
            case IntervalOperator.INTERSECTION:
                frame = self._frame(node.inputs[0])
                for item in node.inputs[1:]:
                    frame = join(frame, self._frame(item), self._dictionary)
                return frame
            case IntervalOperator.SINCE | IntervalOperator.UNTIL:
                return self._frame(node.inputs[1])
            case _:
                return self._frame(node.inputs[0])

    def _instances(self, asked: AskedPair) -> Frame:
        known, more = self.evaluation.leaves.instances(asked), pending_rows(self.evaluation, asked)
        return known if more is None else distinct(stack([known, more], known.columns))


@dataclass(frozen=True)
class _Joined:
    joins: _Joins
    frame: Frame

    def leaf(self, name: str) -> Leaf:
        evaluation, asked = self.joins.evaluation, self.joins.way.asked[name]
        table, rows = evaluation.intervals(asked.symbol), evaluation.leaves.frame(asked)
        candidate, found = matching(self.frame, rows, evaluation.dictionary)
        row = rows.ints(ROW)[found]
        start, end, space = table.start[row], table.end[row], evaluation.space
        spans = space.pack(candidate, start), space.pack(candidate, end)
        if not is_sorted(spans[0]):
            order = np.lexsort((start, candidate))
            candidate, row, start, end = candidate[order], row[order], start[order], end[order]
            spans = spans[0][order], spans[1][order]
        return Leaf(asked.symbol, candidate, row, start, end, spans)

    def is_within(self, other: Candidates) -> bool:
        mine, theirs = self.frame, other.frame
        if mine is theirs:
            return True
        if mine.columns.keys() != theirs.columns.keys():
            return False
        return join(mine, theirs, self.joins.evaluation.dictionary).rows == mine.rows


def pending_rows(evaluation: Evaluation, asked: AskedPair) -> Frame | None:
    """The unsettled instances of a fluent that match a literal; their first unsettled time-points stand for rows."""
    pending = evaluation.next_border.settled.get(asked.symbol)
    if pending is None:
        return None
    columns: list[Column] = [*(Codes(column) for column in (*pending.args, pending.value)), Numbers(pending.first)]
    return asked.pattern.match(columns, len(pending.first), evaluation.dictionary)
