"""Computes sliding aggregates over the items of a window."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.ir.sliding import SlidingKind
from holdsfor.logic.arithmetic import NoValue, Number, apply, evaluate, exact_sum, greatest, least
from holdsfor.logic.order import order_key
from holdsfor.syntax.terms import Term


def aggregate(kind: SlidingKind, items: Sequence[Term]) -> Number | None:
    """The value for some items; those of a sum, a mean and an extreme are expressions.

    Without items, a mean or an extreme is None. An item without a value raises `NoValue`.

    >>> from holdsfor.syntax.terms import Const
    >>> items = [Const(2), Const(5), Const(2)]
    >>> [aggregate(kind, items) for kind in SlidingKind]
    [3, 9, 3, 2, 5, 2]
    >>> [aggregate(kind, []) for kind in SlidingKind]
    [0, 0, None, None, None, 0]
    """
    if kind is SlidingKind.COUNT:
        return len(items)
    if kind is SlidingKind.DISTINCT:
        return len({order_key(item) for item in items})
    try:
        numbers = [evaluate(item, {}) for item in items]
    except NoValue:
        # Of several items without a value, the least is reported, independent of their order.
        numbers = [evaluate(item, {}) for item in sorted(items, key=order_key)]
    if kind is SlidingKind.SUM:
        return exact_sum(numbers)
    if not numbers:
        return None
    if kind is SlidingKind.AVERAGE:
        return apply(("/", 2), [exact_sum(numbers), len(numbers)])
    return least(numbers) if kind is SlidingKind.LEAST else greatest(numbers)
