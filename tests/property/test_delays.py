"""Delayed effects outside cycles: found all at once where they can be, and then equal to the reference."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.engine.cyclic import cycles
from tests.strategies.engine_runs import Scenario, check_engine
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span, recorded

IMMEDIATE = (
    "initiatedAt(f(X)=M, T) :- happensAt(turn(X, M), T).\n",
    "initiatedAt(f(X)=green, T) :- happensAt(go(X), T).\n",
    "initiatedAt(f(X)=red, T) :- happensAt(hit(X), T).\n",
    "initiatedAt(f(X)=late, T) :- happensAt(meet(X, _), T).\n",
    "terminatedAt(f(X)=green, T) :- happensAt(stop(X), T).\n",
    "terminatedAt(f(X)=_, T) :- happensAt(set(X, _), T).\n",
    "terminatedAt(f(_)=red, T) :- happensAt(tick, T).\n",
)
CHAIN = ("green", "red", "late", "gone")


@st.composite
def delaying(draw: Callable[..., int], *, windowed: bool) -> Scenario:
    """A fluent with a chain of delayed effects, some of them postponed, and a stream."""
    pen = Pen.of(draw)
    rules = [IMMEDIATE[0], *(rule for rule in IMMEDIATE[1:] if pen.chance(50))]
    for place, value in enumerate(CHAIN[:-1]):
        if pen.chance(75):
            effect = pen.pick(CHAIN[place + 1 :])
            delay = pen.number(1, 6)
            rules.append(
                f"ft(f(X)={value}, {delay}).\n" if pen.chance(20) else f"fi(f(X)={value}, f(X)={effect}, {delay}).\n"
            )
            if pen.chance(50):
                rules.append(f"p(f(_)={value}).\n")
    if pen.chance(30):
        rules.append("initiatedAt(seen(X)=true, T) :- happensAt(start(f(X)=red), T).\n")
    if pen.chance(30):
        rules.append("initiatedAt(told(X)=true, T) :- initiatedAt(f(X)=late, T).\n")
    text = "".join(rules)
    reasoner = loads(text)
    records = recorded(pen, reasoner, late=pen.pick((0, 6)))
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


@given(delaying(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@given(delaying(windowed=True))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(delaying(windowed=True))
def test_at_length(scenario: Scenario) -> None:
    check_engine(scenario)


def test_most_need_no_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above are about what is found at once: a sweep is needed only where effects come together."""
    outcomes = []

    def watched(*args: object) -> object:
        outcomes.append(settled(*args))  # type: ignore[arg-type]
        return outcomes[-1]

    settled = cycles.settled
    monkeypatch.setattr(cycles, "settled", watched)

    @settings(max_examples=50)
    @given(delaying(windowed=True))
    def run(scenario: Scenario) -> None:
        check_engine(scenario)

    run()
    assert sum(found is not None for found in outcomes) > len(outcomes) // 2
