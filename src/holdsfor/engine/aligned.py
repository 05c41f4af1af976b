"""Statically determined fluents whose parts all have the head's own arguments: no candidates, no joins.

The packed arguments are the groups of the time-line; tables go into the kernels as they are.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.asked import AskedPair
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.kernels import EMPTY, Spans, union
from holdsfor.engine.operators import of_duration, operate
from holdsfor.engine.tables import Intervals as Table
from holdsfor.engine.ways import Way
from holdsfor.ir import DURATIONS, Algebra, Intervals
from holdsfor.syntax.terms import Const, Term, Var


def aligned_table(evaluation: Evaluation, way: Way) -> Table | None:
    """The intervals of a rule if its parts line up with its head, else None."""
    order = way.aligned_order
    if order is None or not evaluation.space.fits(len(order)):
        return None
    space = evaluation.space
    lists = _Aligned(evaluation, order, way)
    starts, ends = lists.spans(way.out)
    evaluation.aligned[way.symbol] = space, lists.done
    args = tuple(space.ungroup(starts >> space.time_bits, len(order)))
    value = np.full(len(starts), evaluation.dictionary.code(value_of(way.head[-1])))
    return Table(args, value, space.plain(starts), space.plain(ends), single_valued=False)


class _Aligned:
    def __init__(self, evaluation: Evaluation, order: list[str], way: Way) -> None:
        self._evaluation = evaluation
        self._order = order
        self._way = way
        self._nodes = way.nodes
        self.done: dict[str, Spans] = {}

    def spans(self, out: Term) -> Spans:
        """The maximal intervals of a list, for all groups."""
        found = self._spans(out)
        # The intervals of a sequence may touch; a fluent's do not.
        return union([found]) if len(found[0]) else found

    def _spans(self, term: Term) -> Spans:
        node = self._nodes.get(term.name) if isinstance(term, Var) else None
        if node is None or not isinstance(term, Var):
            return EMPTY, EMPTY
        if term.name not in self.done:
            is_leaf = isinstance(node, Intervals)
            self.done[term.name] = self._leaf(self._way.asked[term.name]) if is_leaf else self._operate(node)  # type: ignore[arg-type]
        return self.done[term.name]

    def _leaf(self, asked: AskedPair) -> Spans:
        table, rows = self._evaluation.intervals(asked.symbol), self._evaluation.leaves.rows_with(asked)
        if not len(table) or (rows is not None and not len(rows)):
            return EMPTY, EMPTY
        space = self._evaluation.space
        places = dict(zip(asked.names, asked.variables, strict=True))
        columns, start, end = [table.args[places[name]] for name in self._order], table.start, table.end
        if rows is not None:
            columns, start, end = [column[rows] for column in columns], start[rows], end[rows]
        group = space.group(columns, len(start))
        starts, ends = space.pack(group, start), space.pack(group, end)
        if list(asked.names) != self._order:
            # Intervals of one list are disjoint, so starts and ends can be sorted apart.
            return np.sort(starts), np.sort(ends)
        return starts, ends

    def _operate(self, node: Algebra) -> Spans:
        inputs = [self._spans(item) for item in node.inputs]
        space = self._evaluation.space
        if node.operator in DURATIONS:
            assert isinstance(node.bound, Const) and not isinstance(node.bound.value, str)
            return of_duration(node, inputs[0], np.asarray(node.bound.value), space, self._evaluation.moment.now)
        return operate(node, inputs, self._nodes, space.time_bits)
