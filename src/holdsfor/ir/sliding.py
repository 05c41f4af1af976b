"""Sliding aggregates: numbers computed from the events of a window that slides with time.

`count_within(Event, Duration, T)`, `sum_within(X, Event, Duration, T)` and their like are functions of arithmetic,
`top(K, By, Event, Duration, T)` is a condition. The window has the time-points after T - Duration up to T.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from holdsfor.records import record
from holdsfor.syntax.terms import Compound, ListTerm, Term, Var, marked


class SlidingKind(StrEnum):
    """The aggregates by their name in rule text."""

    COUNT = "count_within"
    SUM = "sum_within"
    AVERAGE = "avg_within"
    LEAST = "min_within"
    GREATEST = "max_within"
    DISTINCT = "distinct_within"


@record
class Sliding:
    """The aggregate of the list of a window, and the call as written."""

    kind: SlidingKind
    call: Term


@record
class SlidingCall:
    """The arguments of a sliding aggregate. A count has no item."""

    kind: SlidingKind
    item: Term | None
    event: Term
    duration: Term
    time: Term
    call: Compound


TOP = ("top", 5)
SLIDING_USAGE = {
    kind.value: f"{kind.value}({'' if kind is SlidingKind.COUNT else 'X, '}Event, Duration, T)" for kind in SlidingKind
}
TOP_USAGE = "top(K, By, Event, Duration, T)"
SLIDING_NAMES = frozenset(SLIDING_USAGE)
_IMPLIED = "within"
_RESULT = "value"
OTHER = "other"
"""Marks the variables of the events that `top` compares an event with."""


def sliding_arity(name: str) -> int:
    """The number of arguments of a sliding aggregate.

    >>> sliding_arity("count_within"), sliding_arity("sum_within")
    (3, 4)
    """
    return 3 if name == SlidingKind.COUNT else 4


def read_sliding(call: Compound) -> SlidingCall:
    """The arguments of a call with the right number of them."""
    *item, event, duration, time = call.args
    return SlidingCall(SlidingKind(call.name), item[0] if item else None, event, duration, time, call)


def sliding_calls(term: Term) -> Iterator[Compound]:
    """The sliding aggregates in a term, those inside others included."""
    if isinstance(term, Compound):
        if term.name in SLIDING_NAMES:
            yield term
        for arg in term.args:
            yield from sliding_calls(arg)
    elif isinstance(term, ListTerm):
        for item in term.items:
            yield from sliding_calls(item)


def implied_variable(name: str, number: int) -> Var:
    """A generated variable, such as the time of an event in a window."""
    return Var(marked(name, f"{_IMPLIED}{number}"))


def result_variable(number: int) -> Var:
    """The variable that stands for the value of a sliding aggregate."""
    return Var(marked("N", f"{_RESULT}{number}"))


def is_implied(name: str) -> bool:
    """Whether a variable belongs to a window only, so that conditions on it are not shown.

    >>> is_implied(implied_variable("T0", 1).name), is_implied("T0"), is_implied(result_variable(1).name)
    (True, False, False)
    """
    return marked("", _IMPLIED) in name


def is_made(name: str) -> bool:
    """Whether a variable was added for a sliding aggregate.

    >>> is_made(result_variable(1).name), is_made("N")
    (True, False)
    """
    return is_implied(name) or marked("", _RESULT) in name or marked("", OTHER) in name
