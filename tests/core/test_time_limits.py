"""Times at the limits of what a time can be, and far apart: nothing overflows, and what is no time is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from holdsfor import loads
from holdsfor.core.engine import Engine
from holdsfor.core.vocabulary import words_of_wholes
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import LATEST

RULES = """
    initiatedAt(on(K)=true, T) :- happensAt(a(K), T).
    terminatedAt(on(K)=true, T) :- happensAt(b(K), T).
    fi(on(K)=true, on(K)=tired, 7).
    p(on(_)=true).
    holdsFor(known(K)=true, I) :- holdsFor(on(K)=true, J), holdsFor(on(K)=tired, L), union_all([J,L], I).
"""
SPAN = 60
Row = tuple[str, Any, int, int | None]


def events(seed: int, keys: str) -> dict[str, list[tuple[int, str]]]:
    """A few events of some keys, in no order."""
    source = random.Random(seed)
    return {
        name: [(source.randrange(SPAN), source.choice(keys)) for _ in range(source.randrange(1, 40))] for name in "ab"
    }


def moved(rows: dict[str, list[tuple[int, str]]], by: int) -> dict[str, list[tuple[int, str]]]:
    """The same at other times."""
    return {name: [(time + by, key) for time, key in some] for name, some in rows.items()}


def changes(rows: list[dict[str, list[tuple[int, str]]]], now: int, window: int | None) -> list[Row]:
    """What has changed when all is pushed, in some order."""
    session = loads(RULES).session(window=window)
    for some in rows:
        session.push(some)
    return sorted((one.fluent, str(one.value), one.start, one.end) for one in session.changes(now))  # type: ignore[misc]


@pytest.mark.parametrize("window", [None, 20, LATEST])
@pytest.mark.parametrize("by", [-LATEST, LATEST - SPAN, -SPAN // 2])
def test_times_at_the_limits(by: int, window: int | None) -> None:
    for seed in range(20):
        rows = events(seed, "xyz")
        expected = changes([rows], SPAN, window)
        found = changes([moved(rows, by)], SPAN + by, window)
        back = [(fluent, value, start - by, None if end is None else end - by) for fluent, value, start, end in found]
        assert back == expected


def test_times_far_apart() -> None:
    for seed in range(20):
        early, late = events(seed, "xy"), events(seed + 100, "uv")
        low, high = -LATEST, LATEST - SPAN
        found = changes([moved(late, high), moved(early, low)], LATEST, None)
        alone = changes([moved(early, low)], LATEST, None) + changes([moved(late, high)], LATEST, None)
        assert found == sorted(alone)


def test_one_key_with_times_far_apart() -> None:
    for seed in range(20):
        early, late = events(seed, "x"), events(seed + 100, "x")
        low, high = -LATEST, LATEST - SPAN
        found = changes([moved(late, high), moved(early, low)], LATEST, None)
        # What the early ones leave open ends in between, or goes on: the late ones alone say the rest.
        firsts = [one for one in changes([moved(early, low)], LATEST, None) if one[3] is not None]
        assert [one for one in found if one in firsts] == firsts


@pytest.mark.parametrize("time", [LATEST + 1, -LATEST - 1, 2**63, -(2**63), 10**30])
def test_what_is_no_time_is_refused(time: int) -> None:
    session = loads(RULES).session()
    with pytest.raises(HoldsforError, match="time"):
        session.push_one("a", time, "x")
    with pytest.warns(UserWarning, match="whole number|time"):
        session.push({"a": [(time, "x"), (3, "y")]})
    assert session.malformed == 1
    assert sorted(one.fluent for one in session.changes(5)) == ["known(y)", "on(y)"]
    with pytest.raises(HoldsforError):
        session.changes(time)


def test_the_core_by_itself() -> None:
    engine = Engine(loads(RULES).plan)
    core = engine.core
    table = next(number for number, symbol in enumerate(engine.symbols) if symbol.name == "a")
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    words = words_of_wholes(np.arange(4), engine.words)
    core.insert_events(table, np.array([least, least + 1, most - 1, most]), words)
    for query in (least, most):
        with pytest.raises(ValueError, match="no time-point"):
            core.advance(query, 1)
    core.advance(most - 1, 2)
    assert core.late == 1
    on = next(number for number, symbol in enumerate(engine.symbols) if symbol.name == "on")
    start, end, _, _ = core.answers(on)
    assert (start > least).all() and (end > start).all()
    with pytest.raises(ValueError, match="no time-point"):
        core.set_window(5, most)
