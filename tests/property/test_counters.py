"""Fluents that take ever new values: counters, sums, thresholds, and what is built on them.

Their values cannot be laid out beforehand; the engine works them out as it meets them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.engine.cyclic import sweep
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span, recorded

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


@st.composite
def counting(draw: Callable[..., int], *, windowed: bool) -> Scenario:
    """A counter with some of the rules above, and a stream."""
    pen = Pen.of(draw)
    chosen = [rule for rule in (*RESETS, *READERS) if pen.chance(30)]
    text = "".join((FIRST, NEXT, *chosen))
    reasoner = loads(text)
    records = recorded(pen, reasoner, late=pen.pick((0, 6)))
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


@settings(max_examples=80)
@given(counting(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=80)
@given(counting(windowed=True))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=4_000)
@given(counting(windowed=True))
def test_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


def test_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiled loop gives the same as the plain one."""
    monkeypatch.setattr(sweep._METER, "pays", lambda _: True)

    @settings(max_examples=25)
    @given(st.booleans().flatmap(lambda windowed: counting(windowed=windowed)))
    def compiled(scenario: Scenario) -> None:
        check_engine(scenario)

    compiled()
