"""Sliding aggregates over the events of the last time-points."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import Condition
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import RuleKind, Scope
from holdsfor.frontend.builder.symbols import Change, EventTerm
from holdsfor.frontend.builder.terms import TermLike, to_length, to_term
from holdsfor.frontend.builder.values import T, Value, expression
from holdsfor.ir import Call, Edge
from holdsfor.ir.sliding import TOP, SlidingKind
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term


def count_within(event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The number of times that an event happened in the last `duration` time-points.

    >>> from holdsfor.frontend.builder import event, var
    >>> count_within(event("failed")(var("User")), 600) >= 3
    count_within(failed(User),600,T) >= 3
    >>> count_within(event("failed")(var("User")), "10 min") >= 3
    count_within(failed(User),10 min,T) >= 3
    """
    return _aggregate(SlidingKind.COUNT, (), event, duration, at)


def sum_within(value: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The sum of a number over the events of a window."""
    return _aggregate(SlidingKind.SUM, (value,), event, duration, at)


def avg_within(value: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The mean of a number over the events of a window; without events, no value."""
    return _aggregate(SlidingKind.AVERAGE, (value,), event, duration, at)


def min_within(value: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The least number among the events of a window; without events, no value."""
    return _aggregate(SlidingKind.LEAST, (value,), event, duration, at)


def max_within(value: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The greatest number among the events of a window; without events, no value."""
    return _aggregate(SlidingKind.GREATEST, (value,), event, duration, at)


def distinct_within(value: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Value:
    """The number of distinct values among the events of a window."""
    return _aggregate(SlidingKind.DISTINCT, (value,), event, duration, at)


def top(most: TermLike, by: TermLike, event: Condition, duration: TermLike, at: TermLike = T) -> Condition:
    """The events of a window with the largest numbers, and all that tie with the last of them.

    >>> from holdsfor.frontend.builder import event, variables
    >>> Item, Bidder, Price = variables("Item Bidder Price")
    >>> top(3, Price, event("bid")(Item, Bidder, Price), 600)
    top(3,Price,bid(Item,Bidder,Price),600,T)
    """
    length = to_length(duration, f"{TOP[0]}(…)")
    args = (to_term(most), to_term(by), _event_term(event, TOP[0]), length, to_term(at))
    return Top(Compound(TOP[0], args))


@dataclass(frozen=True, eq=False, repr=False)
class Top(Condition):
    """The events of a window with the largest numbers."""

    atom: Compound
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        if scope.setting is RuleKind.BACKGROUND:
            raise BuilderError(f"{self!r} cannot stand in a background rule: write it in the rules themselves")
        scope.moment(self.place, self)
        scope.add(Call(scope.term(self.atom, self.place), self.place))

    def __repr__(self) -> str:
        return print_term(self.atom)


def _aggregate(
    kind: SlidingKind, item: tuple[TermLike, ...], event: Condition, duration: TermLike, at: TermLike
) -> Value:
    items = tuple(to_term(value) for value in item)
    length = to_length(duration, f"{kind}(…)")
    return expression(kind.value, *items, _event_term(event, kind.value), length, to_term(at))


def _event_term(event: Condition, name: str) -> Term:
    if isinstance(event, EventTerm):
        return event.atom
    if isinstance(event, Change) and isinstance(event.kind, Edge):
        pair = event.pair
        return Compound(event.kind.value, (Compound("=", (pair.fluent, pair.value)),))
    raise BuilderError(f"{name}(…) looks at an event, or at the start or end of a fluent, not at {event!r}")
