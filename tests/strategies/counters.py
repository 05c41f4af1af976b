"""Random programs with fluents that take ever new values: counters, sums, thresholds, and what is built on them."""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

FIRST = "initiatedAt(n(X)=1, T) :- happensAt(go(X), T), \\+ holdsAt(n(X)=_, T).\n"
NEXT = "initiatedAt(n(X)=M, T) :- happensAt(go(X), T), holdsAt(n(X)=N, T), M is N + 1.\n"
RESETS = (
    "initiatedAt(n(X)=0, T) :- happensAt(stop(X), T).\n",
    "terminatedAt(n(X)=_, T) :- happensAt(stop(X), T).\n",
    "terminatedAt(n(X)=N, T) :- happensAt(stop(X), T), holdsAt(n(X)=N, T), N > 2.\n",
    "terminatedAt(n(_)=_, T) :- happensAt(tick, T).\n",
    "ft(n(X)=_, 4).\n",
    "fi(n(X)=_, n(X)=0, 5).\n",
    "fi(n(X)=2, n(X)=7, 3).\np(n(_)=2).\n",
)
READERS = (
    "initiatedAt(busy(X)=true, T) :- happensAt(go(X), T), holdsAt(n(X)=N, T), N > 1.\n",
    "initiatedAt(busy(X)=false, T) :- happensAt(go(X), T), \\+ (holdsAt(n(X)=N, T), N > 1).\n",
    "holdsFor(two(X)=true, I) :- holdsFor(n(X)=2, I).\n",
    "initiatedAt(n(X)=9, T) :- happensAt(set(X, M), T), holdsAt(n(X)=M, T).\n",
    "initiatedAt(n(X)=S, T) :- happensAt(set(X, A), T), holdsAt(n(X)=N, T), S is N + A.\n",
    "initiatedAt(n(X)=S, T) :- happensAt(meet(X, Y), T), holdsAt(n(X)=N, T), holdsAt(n(Y)=M, T), S is N + M.\n",
    "initiatedAt(n(X)=5, T) :- happensAt(meet(X, Y), T), \\+ holdsAt(n(Y)=_, T).\n",
    """initiatedAt(n(X)=1, T) :- happensAt(meet(X, Y), T), holdsAt(busy(Y)=true, T).
    initiatedAt(busy(X)=true, T) :- happensAt(stop(X), T), holdsAt(n(X)=N, T), N >= 1.\n""",
    """happensAt(many(X), T) :- happensAt(go(X), T), holdsAt(n(X)=N, T), N >= 3.
    initiatedAt(n(X)=0, T) :- happensAt(many(X), T).\n""",
)


def counter_program(pen: Pen) -> str:
    """A counter with some of the rules above."""
    return "".join((FIRST, NEXT, *(rule for rule in (*RESETS, *READERS) if pen.chance(30))))
