"""Interval lists as terms, `[(S,E), …]`, for predicates of a program that work on them.

An open end is the atom `inf`, as programs write it; a start before all time is `-inf`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from holdsfor.ir import Guard, Literal
from holdsfor.logic.arithmetic import NoValue, evaluate
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, resolve, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, arguments, functor

QUERY_TIME = ("queryTime", 1)
_FAR = 2**62


class ListSolver(Solver):
    """Solves goals over background knowledge at one query time, and tests for the empty list."""

    now: int

    def call(self, atom: Term, bindings: Bindings) -> Iterator[Bindings]:
        """All answers of a predicate. `queryTime(Q)` is the query time, unless the program has such facts."""
        if functor(atom) == QUERY_TIME and QUERY_TIME not in self.rules:
            found = unify(arguments(atom)[0], Const(self.now), bindings)
            return iter(() if found is None else (found,))
        return super().call(atom, bindings)

    def temporal(self, literal: Literal, bindings: Bindings) -> Iterator[Bindings]:
        """Solves tests for the empty list."""
        if not isinstance(literal, Guard):
            yield from super().temporal(literal, bindings)
            return
        found = unify(literal.intervals, ListTerm(()), bindings)
        if (found is not None) is literal.empty:
            yield found or bindings


def encode(intervals: Iterable[tuple[float, float]]) -> Term:
    """A list of intervals as a term."""
    return ListTerm(tuple(Compound(",", (_moment(start), _moment(end))) for start, end in intervals))


def decode(term: Term) -> list[tuple[float, float]]:
    """The intervals of a term, in order. Overlapping intervals are joined, touching ones are not.

    >>> decode(encode([(7, 9), (1, 3), (3, 5), (8, math.inf)]))
    [(1, 3), (3, 5), (7, inf)]
    """
    if not isinstance(term, ListTerm) or term.tail is not None:
        raise NoValue(f"{print_term(term)} is not a list of intervals")
    joined: list[tuple[float, float]] = []
    for start, end in sorted(_interval(item) for item in term.items):
        if start >= end:
            continue
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def lists_of(term: Term, bindings: Bindings) -> list[list[tuple[float, float]]]:
    """The interval lists in a list term."""
    whole = resolve(term, bindings)
    if not isinstance(whole, ListTerm):
        raise NoValue(f"{print_term(whole)} is not a list of interval lists")
    return [decode(item) for item in whole.items]


def _moment(time: float) -> Term:
    if math.isinf(time):
        return Const("inf") if time > 0 else Compound("-", (Const("inf"),))
    return Const(int(time))


def _interval(term: Term) -> tuple[float, float]:
    if not (isinstance(term, Compound) and term.name == "," and len(term.args) == 2):
        raise NoValue(f"{print_term(term)} is not an interval")
    return _time(term.args[0]), _time(term.args[1])


def _time(term: Term) -> float:
    value = evaluate(term, {})
    if math.isinf(value) or abs(value) >= _FAR:
        return math.inf if value > 0 else -math.inf
    if value != int(value):
        raise NoValue(f"{print_term(term)} is not a time-point")
    return int(value)
