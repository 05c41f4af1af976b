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

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.asked import ROW
from holdsfor.engine.candidates import Leaf, Supports, pending_rows, supports
from holdsfor.engine.distances import Offset, is_endless, metric
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import combined_keys
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
from holdsfor.engine.relations import matching
from holdsfor.engine.state import Settled
from holdsfor.engine.ways import Way
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


def find_unsettled(evaluation: Evaluation, symbol: Symbol) -> Settled | None:
    """The instances of a fluent with an unsettled past; what must be kept to follow it is marked in the evaluation."""
    if evaluation.moment.next_border < evaluation.moment.origin:
        return None
    rule = next(rule for rule in evaluation.entities[symbol].rules if isinstance(rule, IntervalRule))
    way = evaluation.notes.ways(rule)[0]
    candidates = supports(evaluation, way)
    first = evaluation.moment.next_border + 1 - evaluation.kept.lag.get(symbol, 0)
    found = _Horizon(evaluation, way, way.out, first, candidates)
    horizon = found.horizon()
    for name, offset in way.offsets(way.out).items():
        # An instance of the rule may be born later than those of a list in it, which go on and wait all the same.
        node = way.nodes[name]
        if isinstance(node, Algebra) and _needs_more_than_points(node):
            part = _Horizon(evaluation, way, node.out, first - offset.back, candidates)
            if not part.is_within(found):
                part.horizon()
    return found.earliest(horizon)


def _needs_more_than_points(node: Algebra) -> bool:
    return node.operator in _WHOLE_INTERVALS or is_endless(node)


class _Horizon:
    """The horizons of one list, for all its candidates; without anything that reaches back they are at `first`."""

    def __init__(self, evaluation: Evaluation, way: Way, out: Term, first: int, candidates: Supports) -> None:
        self._evaluation = evaluation
        self._dictionary = evaluation.dictionary
        self._way = way
        self._out, self._nodes = out, way.nodes
        self._offsets = way.offsets(out)
        self._first = first
        self._candidates = candidates.of(out)
        self._frame = self._candidates.frame
        self._leaves: dict[str, Leaf] = {}
        self._spans: dict[str, Spans] = {}

    def is_within(self, other: _Horizon) -> bool:
        """Whether all candidates are among those of another list, with the same variables."""
        return self._candidates.is_within(other._candidates)

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

    def earliest(self, horizon: Ints) -> Settled | None:
        """The heads of candidates whose horizon is not simply the first, each with its earliest."""
        open_rows = true_rows(horizon < self._first)
        if not len(open_rows):
            return None
        frame = self._frame.take(open_rows)
        heads = [codes_of(column_of(term, frame, self._dictionary), self._dictionary) for term in self._way.head]
        return _earliest(heads, horizon[open_rows])

    # Lists

    def _possible(self, term: Term) -> tuple[Spans, bool]:
        """The longest that a list may turn out to be, and whether it is that for certain."""
        assert isinstance(term, Var)
        node = self._nodes[term.name]
        if isinstance(node, Intervals):
            leaf = self._leaf(term.name)
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

    def _leaf(self, name: str) -> Leaf:
        if name not in self._leaves:
            self._leaves[name] = self._candidates.leaf(name)
        return self._leaves[name]

    @property
    def _bits(self) -> int:
        return self._evaluation.space.time_bits

    # Horizons

    def _start(self) -> Ints:
        """The earliest horizon of what the rule reads."""
        horizon = np.full(self._frame.rows, self._first)
        for name, offset in self._offsets.items():
            asked = self._way.asked.get(name)
            pending = None if asked is None else pending_rows(self._evaluation, asked)
            if pending is not None:
                candidate, found = matching(self._frame, pending, self._dictionary)
                np.minimum.at(horizon, candidate, pending.ints(ROW)[found] - offset.ahead)
        return horizon

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

    def _want(self, leaf: Leaf, chosen: Bools) -> None:
        self._evaluation.want(leaf.symbol, leaf.row[chosen[: len(leaf.row)]])


_WHOLE_INTERVALS = frozenset({IntervalOperator.SEQUENCE, IntervalOperator.ALLEN, *DURATIONS})


def _reads_earliest(node: Algebra) -> bool:
    """Whether the first interval of a fluent counts for ever."""
    is_before = node.operator is IntervalOperator.ALLEN and node.relation is AllenRelation.BEFORE
    return is_before or (node.operator is IntervalOperator.DIAMOND_MINUS and is_endless(node))


def _last_before(leaf: Leaf, horizon: Ints) -> Ints:
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


def _earliest(heads: list[Ints], first: Ints) -> Settled:
    """The earliest horizon of each head."""
    keys, _ = combined_keys(heads, [head[:0] for head in heads])
    _, row, number = np.unique(keys, return_index=True, return_inverse=True)
    earliest = np.full(len(row), np.iinfo(np.int64).max)
    np.minimum.at(earliest, number, first)
    columns = [head[row] for head in heads]
    return Settled(tuple(columns[:-1]), columns[-1], earliest)
