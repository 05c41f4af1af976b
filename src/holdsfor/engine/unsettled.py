"""From when on the past of a statically determined fluent may still change, and what must be kept to follow it.

For every candidate of a rule there is a first unsettled time-point, the *horizon*. It is the time-point after the border
unless something reaches back:

- what the rule reads is itself unsettled before;
- a duration: an interval that goes on may yet be long enough, or too long, and then all of it counts;
- a sequence: a first interval that waits for a second one;
- an Allen relation: intervals that go on, with everything that overlaps or touches them, directly or by way of others;
- `since` without limit: what holds in between, for as long as it has;
- an operator that looks ahead: as far as it looks.

Operators on time-points reach back no further than what they read. Their lists are taken for as long as they may turn
out to be: what is taken away by something unsettled is not taken away.

A list inside a rule is read from `back` time-points before the horizon on, and is settled up to `ahead` after it, which
are its `Offset` from the result: what reaches the one or the other lowers the horizon.

Law: with what is kept, the fluent comes out the same from the horizon on as with the whole history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.distances import Offset, is_endless, metric, offsets
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, Numbers, combined_keys, distinct, stack
from holdsfor.engine.kernels import (
    EMPTY,
    Bools,
    Ints,
    Spans,
    difference,
    intersection,
    maximal,
    sequence,
    true_rows,
    union,
)
from holdsfor.engine.relations import join, relation
from holdsfor.engine.state import Settled
from holdsfor.engine.variants import Variant
from holdsfor.ir import (
    AHEAD,
    DURATIONS,
    METRIC,
    Algebra,
    AllenRelation,
    IntervalOperator,
    IntervalRule,
    Intervals,
)
from holdsfor.syntax.terms import Term, Var

_CANDIDATE, _ROW = "#candidate", "#row"


def find_unsettled(evaluation: Evaluation, symbol: Symbol) -> Settled | None:
    """The instances of a fluent with an unsettled past; what must be kept to follow it is marked in the evaluation."""
    if evaluation.moment.next_border < evaluation.moment.origin:
        return None
    rule = next(rule for rule in evaluation.entities[symbol].rules if isinstance(rule, IntervalRule))
    variant = evaluation.prepared.notes.variants(rule)[0]
    first = evaluation.moment.next_border + 1 - evaluation.kept.lag.get(symbol, 0)
    found = _Horizon(evaluation, rule.out, variant, first)
    horizon = found.horizon()
    for name, offset in offsets(variant, rule.out).items():
        # An instance of the rule may be born later than those of a list in it, which go on and wait all the same.
        node = variant.nodes[name]
        if isinstance(node, Algebra) and _needs_more_than_points(node):
            part = _Horizon(evaluation, node.out, variant, first - offset.back)
            if not part.is_within(found):
                part.horizon()
    return found.earliest((*symbol.columns(rule.fvp.fluent), rule.fvp.value), horizon)


def _needs_more_than_points(node: Algebra) -> bool:
    return node.operator in _WHOLE_INTERVALS or is_endless(node)


@dataclass(frozen=True)
class _Leaf:
    """The rows of a fluent's table that belong to each candidate, on plain and on packed time."""

    symbol: Symbol
    candidate: Ints
    row: Ints
    start: Ints
    end: Ints
    spans: Spans


class _Horizon:
    """The horizons of one list, for all its candidates; without anything that reaches back they are at `first`."""

    def __init__(self, evaluation: Evaluation, out: Term, variant: Variant, first: int) -> None:
        self._evaluation = evaluation
        self._dictionary = evaluation.dictionary
        self._out, self._nodes = out, variant.nodes
        self._offsets = offsets(variant, out)
        self._first = first
        self._frame = self._support(out)
        self._leaves: dict[str, _Leaf] = {}
        self._spans: dict[str, Spans] = {}

    def is_within(self, other: _Horizon) -> bool:
        """Whether all candidates are among those of another list, with the same variables."""
        mine, theirs = self._frame, other._frame
        if mine.columns.keys() != theirs.columns.keys():
            return False
        return join(mine, theirs, self._dictionary).rows == mine.rows

    def horizon(self) -> Ints:
        """The horizon of each candidate; what must be kept to follow it is marked."""
        if not self._frame.rows:
            return EMPTY
        self._possible(self._out)
        horizon = self._start()
        while True:
            lower = self._lowered(horizon)
            if (lower == horizon).all():
                break
            horizon = lower
        self._mark(horizon)
        return horizon

    def earliest(self, terms: tuple[Term, ...], horizon: Ints) -> Settled | None:
        """The heads of candidates whose horizon is not simply the first, each with its earliest."""
        open_rows = true_rows(horizon < self._first)
        if not len(open_rows):
            return None
        frame = self._frame.take(open_rows)
        heads = [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in terms]
        return _earliest(heads, horizon[open_rows])

    # Candidates

    def _support(self, term: Term) -> Frame:
        """The instances for which a list is not empty or may turn out not to be."""
        node = self._nodes[term.name] if isinstance(term, Var) else None
        assert node is not None
        if isinstance(node, Intervals):
            return self._instances(node)
        found = [self._support(item) for item in node.inputs]
        match node.operator:
            case IntervalOperator.UNION | IntervalOperator.ALLEN:
                return distinct(stack(found, found[0].columns))
            case IntervalOperator.INTERSECTION:
                frame = found[0]
                for other in found[1:]:
                    frame = join(frame, other, self._dictionary)
                return frame
            case IntervalOperator.SINCE | IntervalOperator.UNTIL:
                return found[1]
            case _:
                return found[0]

    def _instances(self, leaf: Intervals) -> Frame:
        symbol = self._evaluation.entities.fluent(leaf.fvp.fluent)
        table = self._evaluation.intervals(symbol)
        pending = self._evaluation.next_border.settled.get(symbol)
        terms = (*symbol.columns(leaf.fvp.fluent), leaf.fvp.value)
        columns = [*table.args, table.value]
        if pending is not None:
            columns = [np.concatenate(pair) for pair in zip(columns, (*pending.args, pending.value), strict=True)]
        return distinct(relation(terms, [Codes(c) for c in columns], len(columns[-1]), self._dictionary))

    # Lists

    def _possible(self, term: Term) -> tuple[Spans, bool]:
        """The longest that a list may turn out to be, and whether it is that for certain."""
        assert isinstance(term, Var)
        node = self._nodes[term.name]
        if isinstance(node, Intervals):
            leaf = self._leaf(term.name, node)
            is_certain = leaf.symbol not in self._evaluation.kept.unsettled
            self._spans[term.name] = leaf.spans
            return leaf.spans, is_certain
        found = [self._possible(item) for item in node.inputs]
        lists = [spans for spans, _ in found]
        is_certain = all(certain for _, certain in found)
        match node.operator:
            case IntervalOperator.UNION:
                spans = union(lists)
            case IntervalOperator.INTERSECTION:
                spans = intersection(lists)
            case IntervalOperator.RELATIVE_COMPLEMENT:
                certain = [spans for spans, is_certain in found[1:] if is_certain]
                spans = difference(lists[0], certain) if certain else lists[0]
            case IntervalOperator.SEQUENCE:
                spans, is_certain = maximal(*sequence(lists[0], lists[1], self._bits)), False
            case IntervalOperator.ALLEN:
                spans, is_certain = union(lists), False
            case operator if operator in METRIC:
                assert node.distance is not None
                spans = metric(operator, node.distance, [union([one]) for one in lists], self._bits)
                is_certain = is_certain and operator not in AHEAD
            case _:
                spans, is_certain = lists[0], False
        self._spans[term.name] = spans
        return spans, is_certain

    def _leaf(self, name: str, node: Intervals) -> _Leaf:
        if name not in self._leaves:
            evaluation = self._evaluation
            symbol = evaluation.entities.fluent(node.fvp.fluent)
            table = evaluation.intervals(symbol)
            columns: list[Column] = [*(Codes(column) for column in table.args), Codes(table.value)]
            columns.append(Numbers(np.arange(len(table))))
            terms = (*symbol.columns(node.fvp.fluent), node.fvp.value, Var(_ROW))
            rows = relation(terms, columns, len(table), self._dictionary)
            numbered = self._frame.with_columns({_CANDIDATE: Numbers(np.arange(self._frame.rows))})
            names = [shared for shared in rows.columns if shared != _ROW]
            joined = join(numbered.only([*names, _CANDIDATE]), rows, self._dictionary)
            candidate, row = _plain(joined, _CANDIDATE), _plain(joined, _ROW)
            order = np.lexsort((table.start[row], candidate))
            candidate, row = candidate[order], row[order]
            start, end = table.start[row], table.end[row]
            space = evaluation.space
            spans = space.pack(candidate, start), space.pack(candidate, end)
            self._leaves[name] = _Leaf(symbol, candidate, row, start, end, spans)
        return self._leaves[name]

    @property
    def _bits(self) -> int:
        return self._evaluation.space.time_bits

    # Horizons

    def _start(self) -> Ints:
        """The earliest horizon of what the rule reads."""
        horizon = np.full(self._frame.rows, self._first)
        for name, offset in self._offsets.items():
            node = self._nodes[name]
            if isinstance(node, Intervals):
                symbol = self._evaluation.entities.fluent(node.fvp.fluent)
                pending = self._evaluation.next_border.settled.get(symbol)
                if pending is not None:
                    self._take_over(
                        horizon, node, symbol, Settled(pending.args, pending.value, pending.first - offset.ahead)
                    )
        return horizon

    def _take_over(self, horizon: Ints, node: Intervals, symbol: Symbol, pending: Settled) -> None:
        columns: list[Column] = [*(Codes(column) for column in (*pending.args, pending.value)), Numbers(pending.first)]
        terms = (*symbol.columns(node.fvp.fluent), node.fvp.value, Var(_ROW))
        rows = relation(terms, columns, len(pending.first), self._dictionary)
        numbered = self._frame.with_columns({_CANDIDATE: Numbers(np.arange(self._frame.rows))})
        names = [shared for shared in rows.columns if shared != _ROW]
        joined = join(numbered.only([*names, _CANDIDATE]), rows, self._dictionary)
        np.minimum.at(horizon, _plain(joined, _CANDIDATE), _plain(joined, _ROW))

    def _lowered(self, horizon: Ints) -> Ints:
        """Horizons that reach back over what is under way at them."""
        lower = horizon.copy()
        for node, offset in self._operators():
            for by in {offset.ahead, -offset.back}:
                np.minimum(lower, self._lowered_by(node, horizon + by) - by, out=lower)
            if node.operator is IntervalOperator.SINCE and is_endless(node):
                # What happened right before the first list began counts as well.
                begin = self._reached(self._spans[_name(node.inputs[0])], horizon - offset.back, before=1)
                np.minimum(lower, begin + offset.back, out=lower)
        return lower

    def _operators(self) -> Iterator[tuple[Algebra, Offset]]:
        for name, offset in self._offsets.items():
            node = self._nodes[name]
            if isinstance(node, Algebra):
                yield node, offset

    def _lowered_by(self, node: Algebra, horizon: Ints) -> Ints:
        """Horizons of an operator's result, given that of what it reads."""
        match node.operator:
            case IntervalOperator.SEQUENCE:
                return self._waiting(node, horizon)
            case IntervalOperator.ALLEN if node.relation is not AllenRelation.BEFORE:
                return self._reached(self._spans[_name(node.out)], horizon)
            case operator if operator in DURATIONS:
                return self._reached(self._spans[_name(node.out)], horizon)
            case _:
                return horizon

    def _reached(self, spans: Spans, horizon: Ints, before: int = 0) -> Ints:
        """The start of intervals that reach the horizon, or so many time-points before it."""
        lower = horizon.copy()
        candidate, start, end = self._unpacked(spans)
        reaching = true_rows(end >= horizon[candidate])
        np.minimum.at(lower, candidate[reaching], start[reaching] - before)
        return lower

    def _waiting(self, node: Algebra, horizon: Ints) -> Ints:
        """The start of first intervals that end after the horizon, or have seen no second one before it."""
        lower = horizon.copy()
        first, second = (self._leaves[item.name] for item in node.inputs if isinstance(item, Var))
        goes_on = true_rows(first.end > horizon[first.candidate])
        np.minimum.at(lower, first.candidate[goes_on], first.start[goes_on])
        last = _last_before(first, horizon)
        waiting = true_rows(last >= 0)
        last = last[waiting]
        following = np.searchsorted(second.spans[0], first.spans[1][last], side="left")
        bounded = np.minimum(following, max(len(second.start) - 1, 0))
        if len(second.start):
            met = (following < len(second.start)) & (second.candidate[bounded] == waiting)
            met &= second.start[bounded] < horizon[waiting]
            waiting, last = waiting[~met], last[~met]
        np.minimum.at(lower, waiting, first.start[last])
        return lower

    def _unpacked(self, spans: Spans) -> tuple[Ints, Ints, Ints]:
        space = self._evaluation.space
        return spans[0] >> self._bits, space.plain(spans[0]), space.plain(spans[1])

    # What is kept

    def _mark(self, horizon: Ints) -> None:
        """Mark the rows that the horizons reach, and those that tell which rows belong together there."""
        for name, leaf in self._leaves.items():
            self._want(leaf, leaf.end >= horizon[leaf.candidate] - self._offsets[name].back)
        for node, offset in self._operators():
            if node.operator is IntervalOperator.SEQUENCE:
                self._mark_partners(node, horizon - offset.back)
            elif _reads_earliest(node):
                earliest = self._leaves[_name(node.inputs[0])]
                self._want(earliest, np.concatenate(([True], earliest.candidate[1:] != earliest.candidate[:-1])))

    def _mark_partners(self, node: Algebra, horizon: Ints) -> None:
        first, second = self._leaves[_name(node.inputs[0])], self._leaves[_name(node.inputs[1])]
        # The last second interval before the horizon has its first one, whoever that was: none waits for a later one.
        last = _last_before(second, horizon - 1)
        self._want(second, _at(last[last >= 0], len(second.row)))
        seen = true_rows(second.end >= horizon[second.candidate])
        partner = np.searchsorted(first.spans[1], second.spans[0][seen], side="right") - 1
        found = partner >= 0
        found &= first.candidate[np.maximum(partner, 0)] == second.candidate[seen] if len(first.row) else False
        self._want(first, _at(partner[found], len(first.row)))

    def _want(self, leaf: _Leaf, chosen: Bools) -> None:
        self._evaluation.want(leaf.symbol, leaf.row[chosen[: len(leaf.row)]])


_WHOLE_INTERVALS = frozenset({IntervalOperator.SEQUENCE, IntervalOperator.ALLEN, *DURATIONS})


def _reads_earliest(node: Algebra) -> bool:
    """Whether the first interval of a fluent counts for ever."""
    is_before = node.operator is IntervalOperator.ALLEN and node.relation is AllenRelation.BEFORE
    return is_before or (node.operator is IntervalOperator.DIAMOND_MINUS and is_endless(node))


def _last_before(leaf: _Leaf, horizon: Ints) -> Ints:
    """For each candidate the last row that has ended at its horizon, or -1."""
    last = np.full(len(horizon), -1)
    ended = true_rows(leaf.end <= horizon[leaf.candidate])
    np.maximum.at(last, leaf.candidate[ended], ended)
    return last


def _at(rows: Ints, length: int) -> Bools:
    chosen = np.zeros(length, np.bool_)
    chosen[rows] = True
    return chosen


def _name(term: Term) -> str:
    assert isinstance(term, Var)
    return term.name


def _plain(frame: Frame, name: str) -> Ints:
    column = frame.columns[name]
    return EMPTY if isinstance(column, Lists) else column.data.astype(np.int64, copy=False)


def _earliest(heads: list[Ints], first: Ints) -> Settled:
    """The earliest horizon of each head."""
    keys, _ = combined_keys(heads, [head[:0] for head in heads])
    _, row, number = np.unique(keys, return_index=True, return_inverse=True)
    earliest = np.full(len(row), np.iinfo(np.int64).max)
    np.minimum.at(earliest, number, first)
    columns = [head[row] for head in heads]
    return Settled(tuple(columns[:-1]), columns[-1], earliest)
