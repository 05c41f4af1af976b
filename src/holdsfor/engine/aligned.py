"""Statically determined fluents whose parts all have the head's own arguments: no candidates, no joins.

The packed arguments are the groups of the time-line; tables go into the kernels as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.kernels import EMPTY, Spans, true_rows, union
from holdsfor.engine.operators import operate
from holdsfor.engine.tables import Intervals as Table
from holdsfor.engine.variants import Variant
from holdsfor.ir import METRIC, Algebra, IntervalOperator, IntervalRule, Intervals
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Term, Var

_SUPPORTED = frozenset(
    {
        IntervalOperator.UNION,
        IntervalOperator.INTERSECTION,
        IntervalOperator.RELATIVE_COMPLEMENT,
        IntervalOperator.SEQUENCE,
        IntervalOperator.ALLEN,
        *METRIC,
    }
)


def aligned_table(evaluation: Evaluation, symbol: Symbol, rule: IntervalRule, variant: Variant) -> Table | None:
    """The intervals of a rule if its parts line up with its head, else None."""
    order = _variable_names(symbol.columns(rule.fvp.fluent))
    if order is None or not order or variant.conditions or variant.guards or not is_ground(rule.fvp.value):
        return None
    if not evaluation.space.fits(len(order)) or not all(
        _lines_up(node, order, evaluation) for node in variant.nodes.values()
    ):
        return None
    starts, ends = _Aligned(evaluation, order, variant).spans(rule.out)
    space = evaluation.space
    args = tuple(space.ungroup(starts >> space.time_bits, len(order)))
    value = np.full(len(starts), evaluation.dictionary.code(value_of(rule.fvp.value)))
    return Table(args, value, space.plain(starts), space.plain(ends), single_valued=False)


def _variable_names(terms: Sequence[Term]) -> list[str] | None:
    """The names of terms that are all different variables, else None."""
    names = [term.name for term in terms if isinstance(term, Var)]
    return names if len(names) == len(terms) == len(set(names)) else None


def _lines_up(node: Intervals | Algebra, order: list[str], evaluation: Evaluation) -> bool:
    if isinstance(node, Algebra):
        return node.operator in _SUPPORTED and all(isinstance(item, Var) for item in node.inputs)
    terms = evaluation.entities.fluent(node.fvp.fluent).columns(node.fvp.fluent)
    names = _variable_names(terms)
    return names is not None and sorted(names) == sorted(order) and is_ground(node.fvp.value)


class _Aligned:
    def __init__(self, evaluation: Evaluation, order: list[str], variant: Variant) -> None:
        self._evaluation = evaluation
        self._order = order
        self._nodes = variant.nodes
        self._done: dict[str, Spans] = {}

    def spans(self, out: Term) -> Spans:
        """The maximal intervals of a list, for all groups."""
        found = self._spans(out)
        # The intervals of a sequence may touch; a fluent's do not.
        return union([found]) if len(found[0]) else found

    def _spans(self, term: Term) -> Spans:
        node = self._nodes.get(term.name) if isinstance(term, Var) else None
        if node is None or not isinstance(term, Var):
            return EMPTY, EMPTY
        if term.name not in self._done:
            self._done[term.name] = self._leaf(node) if isinstance(node, Intervals) else self._operate(node)
        return self._done[term.name]

    def _leaf(self, node: Intervals) -> Spans:
        symbol = self._evaluation.entities.fluent(node.fvp.fluent)
        table = self._evaluation.intervals(symbol)
        has_value = table.value == self._evaluation.dictionary.find(value_of(node.fvp.value))
        if not has_value.all():
            table = table.take(true_rows(has_value))
        names = [term.name for term in symbol.columns(node.fvp.fluent) if isinstance(term, Var)]
        space = self._evaluation.space
        group = space.group([table.args[names.index(name)] for name in self._order], len(table))
        starts, ends = table.spans(space, group)
        if names != self._order:
            # Intervals of one list are disjoint, so starts and ends can be sorted apart.
            return np.sort(starts), np.sort(ends)
        return starts, ends

    def _operate(self, node: Algebra) -> Spans:
        inputs = [self._spans(item) for item in node.inputs]
        return operate(node, inputs, self._nodes, self._evaluation.space.time_bits)
