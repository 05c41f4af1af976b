"""The standard order of terms: numbers, then names, then compounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var


def order_key(term: Term) -> tuple[Any, ...]:
    """A sort key for the standard order.

    >>> sorted([Const("b"), Const(10), Const("a"), Const(2)], key=order_key)
    [Const(value=2), Const(value=10), Const(value='a'), Const(value='b')]
    """
    match term:
        case Var(name=name):
            return (0, name)
        case Const(value=str(name)):
            return (3, name)
        case Const(value=number):
            # A float from 2^53 on comes before the equal integer.
            return (1, number, isinstance(number, int))
        case ListTerm(items=()):
            return (2,)
        case ListTerm(items=items):
            end = () if term.tail is None else (order_key(term.tail),)
            return (4, 2, "[|]", (*(order_key(item) for item in items), *end), term.tail is not None)
        case Compound(name=name, args=args):
            return (4, len(args), name, tuple(order_key(arg) for arg in args))


ORDER_COMPARISONS: dict[str, Callable[[Term, Term], bool]] = {
    "@<": lambda a, b: order_key(a) < order_key(b),
    "@>": lambda a, b: order_key(a) > order_key(b),
    "@=<": lambda a, b: order_key(a) <= order_key(b),
    "@>=": lambda a, b: order_key(a) >= order_key(b),
    "==": lambda a, b: a == b,
    "\\==": lambda a, b: a != b,
}
