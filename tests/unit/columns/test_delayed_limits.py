"""Delayed effects in cycles: long gaps, and those that set each other off without an end."""

from __future__ import annotations

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.loading import Reasoner
from holdsfor.reference import Windows, recognise
from tests.strategies.engine_runs import differences, on_engine, on_reference
from tests.strategies.recorded import happened
from tests.strategies.streams import Span

SWING = """
initiatedAt(light(X)=red, T) :- happensAt(switch(X), T).
fi(light(X)=red, light(X)=green, 2).
fi(light(X)=green, light(X)=red, 3).
"""
BY_RULES = """
initiatedAt(f=a, T) :- happensAt(switch(_), T).
initiatedAt(f=a, T) :- happensAt(end(g=b), T).
ft(g=b, 1).
fi(f=a, g=b, 3).
ft(f=a, 3).
"""
"""The delayed effects of each fluent begin anew by a rule that reads the other."""
RENEWED = """
initiatedAt(f=a, T) :- happensAt(switch(_), T).
fi(f=a, f=a, 3).
p(f=a).
"""
"""A delayed effect that renews what it comes from."""


def run(reasoner: Reasoner, end: int) -> int:
    return len(reasoner.recognise({"switch": [(1, "a")]}, start=0, end=end).to_arrow())


@pytest.mark.parametrize("rules", [SWING, BY_RULES])
def test_effects_in_a_row_are_limited(rules: str) -> None:
    reasoner = loads(rules).limited(max_delayed_effects=50)
    assert run(reasoner, 60) > 20
    with pytest.raises(HoldsforError, match=r"<rules>:\d.*f[it]\(.*goes on without an end: more than 50 delayed"):
        run(reasoner, 1_000)
    with pytest.raises(HoldsforError, match="more than 10 delayed effects"):
        loads(rules).recognise({"switch": [(1, "a")]}, start=0, end=1_000, max_delayed_effects=10)


def test_an_effect_that_renews_itself_is_counted() -> None:
    reasoner = loads(RENEWED).limited(max_delayed_effects=50)
    assert run(reasoner, 100) == 1
    with pytest.raises(HoldsforError, match="more than 50 delayed effects"):
        run(reasoner, 1_000)
    with pytest.raises(HoldsforError, match="more than 50 delayed effects"):
        recognise(
            reasoner.analysis, [happened("switch", 1, "a")], Windows(1_000, 1_000, 0, 1_000), max_delayed_effects=50
        )


def test_events_in_between_begin_the_count_anew() -> None:
    reasoner = loads(SWING).limited(max_delayed_effects=50)
    events = {"switch": [(time, "a") for time in range(1, 2_000, 50)]}
    assert len(reasoner.recognise(events, start=0, end=2_000).to_arrow()) > 500
    # Effects of other instances are no effects in a row.
    many = {"switch": [(1, f"x{number}") for number in range(60)]}
    assert len(reasoner.recognise(many, start=0, end=90).to_arrow()) > 1_000


def test_events_that_change_nothing_begin_the_count_anew() -> None:
    rules = f"{SWING}initiatedAt(on(X)=true, T) :- happensAt(up(X), T).\nterminatedAt(on(X)=true, T) :- happensAt(down(X), T).\n"
    events = {"switch": [(1, "a")], "down": [(time, "a") for time in range(2, 2_000, 50)]}
    reasoner = loads(rules).limited(max_delayed_effects=50)
    assert len(reasoner.recognise(events, start=0, end=2_000).to_arrow()) > 500


def test_the_limit_counts_effects() -> None:
    reasoner = loads(SWING)
    assert run(reasoner.limited(max_delayed_effects=400), 1_000) == 400
    with pytest.raises(HoldsforError, match="more than 300 delayed effects"):
        run(reasoner.limited(max_delayed_effects=300), 1_000)


def test_the_reference_evaluator_has_a_limit_as_well() -> None:
    records = [happened("switch", 1, "a")]
    with pytest.raises(HoldsforError, match="more than 50 delayed effects"):
        recognise(loads(SWING).analysis, records, Windows(1_000, 1_000, 0, 1_000), max_delayed_effects=50)


def test_a_session_has_a_limit() -> None:
    session = loads(SWING).session(max_delayed_effects=50)
    session.push_one("switch", 1, "a")
    assert len(session.query(90).to_arrow()) > 20
    with pytest.raises(HoldsforError, match="more than 50 delayed effects"):
        session.query(2_000_000_000)


def test_a_limit_is_positive() -> None:
    with pytest.raises(HoldsforError, match="max_delayed_effects is 0; it must be at least 1"):
        loads(SWING).limited(max_delayed_effects=0)


@pytest.mark.parametrize("gap", [100, 100_000, 2_000_000_000])
def test_a_gap_of_any_length(gap: int) -> None:
    reasoner = loads(
        """
        initiatedAt(f=true, T) :- happensAt(lab, T).
        initiatedAt(g=true, T) :- happensAt(start(f=_), T).
        initiatedAt(f=true, T) :- happensAt(pair, T), \\+ holdsAt(g=true, T).
        fi(f=true, f=z, 4).
        """
    )
    records = [happened("lab", 6), happened("pair", gap)]
    assert differences(on_engine(reasoner, records, None), on_reference(reasoner, records, None)) == []


def test_effects_that_go_on_by_rules_are_followed_as_they_happen() -> None:
    records, span = [happened("switch", 1, "a")], Span(1_200, 1_200, 0, 1_200)
    for rules in (BY_RULES, SWING + "initiatedAt(seen(X)=true, T) :- happensAt(start(light(X)=green), T)."):
        reasoner = loads(rules)
        engine, reference = on_engine(reasoner, records, span), on_reference(reasoner, records, span)
        assert differences(engine, reference) == []
        assert len(engine.intervals) > 400
