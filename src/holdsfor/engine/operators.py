"""Interval operators of `holdsFor` rules, for all groups of a packed time-line at once.

The intervals of a list are disjoint. Those of a sequence may touch, and stay apart for as long as whole intervals
matter: in another sequence, an Allen relation or a duration. Set and metric operators see the time-points only.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from holdsfor.engine.allen import allen
from holdsfor.engine.calculation import compared
from holdsfor.engine.distances import metric
from holdsfor.engine.kernels import Ints, Spans, difference, intersection, sequence, true_rows, union
from holdsfor.engine.numbers import Array, no_value
from holdsfor.engine.tables import Space
from holdsfor.ir import DURATIONS, METRIC, Algebra, AllenMode, IntervalOperator, Intervals, OpenLength
from holdsfor.syntax.terms import Term, Var

Nodes = Mapping[str, Intervals | Algebra]

_SELECTING = frozenset({AllenMode.SOURCE, AllenMode.TARGET})


def operate(node: Algebra, inputs: list[Spans], nodes: Nodes, bits: int) -> Spans:
    """The result of an operator that needs nothing but its lists."""
    match node.operator:
        case IntervalOperator.SEQUENCE:
            return _disjoint(sequence(inputs[0], inputs[1], bits))
        case IntervalOperator.ALLEN:
            assert node.relation is not None and node.mode is not None
            return allen(node.relation, node.mode, inputs[0], inputs[1], bits)
        case IntervalOperator.UNION:
            return union(inputs)
        case IntervalOperator.INTERSECTION:
            return intersection(as_points(node, inputs, nodes))
        case operator if operator in METRIC:
            assert node.distance is not None
            return metric(operator, node.distance, as_points(node, inputs, nodes), bits)
        case _:
            assert node.operator is IntervalOperator.RELATIVE_COMPLEMENT
            base, *others = as_points(node, inputs, nodes)
            return difference(base, others) if others else base


def of_duration(node: Algebra, spans: Spans, bound: Array, space: Space, now: int) -> Spans:
    """Intervals by their length, up to `now` if they are still open and measured."""
    last, how = space.last, node.open_length
    starts, ends = spans[0] & last, spans[1] & last
    is_open = ends == last
    until = now + int(how is OpenLength.SO_FAR) - space.base
    lengths: Ints = np.where(is_open, until, ends) - starts
    endless = starts == 0
    if how is OpenLength.ENDLESS:
        endless |= is_open
    accepted = compared(DURATIONS[node.operator], np.where(endless, np.inf, lengths), bound)
    if how in (OpenLength.KEPT, OpenLength.LEFT_OUT):
        accepted = np.where(is_open, (how is OpenLength.KEPT) & ~no_value(bound), accepted)
    rows = true_rows(accepted)
    return spans[0][rows], spans[1][rows]


def as_points(node: Algebra, inputs: list[Spans], nodes: Nodes) -> list[Spans]:
    """The lists that an operator reads, with intervals that touch joined."""
    return [
        union([spans]) if _may_touch(item, nodes) else spans for item, spans in zip(node.inputs, inputs, strict=True)
    ]


def _may_touch(term: Term, nodes: Nodes) -> bool:
    """Whether a list comes from a sequence, perhaps by way of operators that pick some of its intervals."""
    node = nodes.get(term.name) if isinstance(term, Var) else None
    if not isinstance(node, Algebra):
        return False
    if node.operator is IntervalOperator.ALLEN and node.mode not in _SELECTING:
        return False
    picks = node.operator is IntervalOperator.ALLEN or node.operator in DURATIONS
    is_made = node.operator in (IntervalOperator.SEQUENCE, IntervalOperator.WRITTEN)
    return is_made or (picks and any(_may_touch(i, nodes) for i in node.inputs))


def _disjoint(spans: Spans) -> Spans:
    """Sequences that overlap are one: the intervals of a list are disjoint."""
    starts, ends = spans
    if len(starts) < 2:
        return spans
    apart = starts[1:] >= ends[:-1]
    first, last = np.concatenate(([True], apart)), np.concatenate((apart, [True]))
    return starts[first], ends[last]
