"""Initial values: from 0 on, without a start event, wherever a run or a session begins."""

from __future__ import annotations

import math

import pytest

from holdsfor import loads
from holdsfor.result import Result

RULES = """
initially(s=on).
initially(t=a).
fi(t=a, t=b, 10).
terminatedAt(s=on, T) :- happensAt(off, T).
initiatedAt(s=on, T) :- happensAt(on, T).
initiatedAt(seen=true, T) :- happensAt(start(s=on), T).
terminatedAt(seen=true, T) :- happensAt(end(s=on), T).
initiatedAt(again=true, T) :- happensAt(on, T), \\+ happensAt(start(s=on), T).
holdsFor(both=true, I) :- holdsFor(s=on, I1), holdsFor(t=a, I2), intersect_all([I1, I2], I).
initiatedAt(began=true, T) :- happensAt(start(both=true), T).
"""
ALWAYS = [("t", "a", 0, 10), ("t", "b", 10, math.inf)]


def rows(result: Result) -> list[tuple[str, str, float, float]]:
    return sorted((row.fluent, row.value, row.start, row.end) for row in result)


def recognised(off: int, on: int, start: int, end: int) -> list[tuple[str, str, float, float]]:
    events = {"off": [(off,)], "on": [(on,)]}
    whole = loads(RULES).recognise(events, start=start, end=end)
    session = loads(RULES).session(start=start)
    session.push(events)
    assert rows(session.query(end)) == rows(whole)
    by_steps = loads(RULES).session(start=start)
    for now in range(min(off, on, -8), end + 1, 3):
        by_steps.push({name: [(at,)] for name, at in (("off", off), ("on", on)) if now - 3 < at <= now})
        by_steps.query(now)
    assert rows(by_steps.query(end)) == rows(whole)
    return rows(whole)


@pytest.mark.parametrize("start", [-20, -5, -1, 0])
def test_the_start_does_not_move_them(start: int) -> None:
    assert recognised(5, 12, start=start, end=20) == [
        ("both", "true", 0, 6),
        ("s", "on", 0, 6),
        ("s", "on", 13, math.inf),
        ("seen", "true", 13, math.inf),
        *ALWAYS,
    ]


def test_a_start_after_them() -> None:
    assert recognised(5, 12, start=8, end=20) == [
        ("again", "true", 13, math.inf),
        ("both", "true", 0, 10),
        ("s", "on", 0, math.inf),
        *ALWAYS,
    ]


def test_events_before_them() -> None:
    # Initiated at -1 by a rule as well: an initial value has no start event all the same.
    assert recognised(-4, -1, start=-20, end=20) == [
        ("again", "true", 0, math.inf),
        ("both", "true", 0, 10),
        ("s", "on", 0, math.inf),
        *ALWAYS,
    ]
    assert recognised(-1, -4, start=-20, end=20) == [("s", "on", -3, 0), ("seen", "true", -3, 0), *ALWAYS]


def test_a_run_that_ends_before_them() -> None:
    assert rows(loads(RULES).recognise({"on": [(-9,)]}, start=-20, end=-2)) == [
        ("s", "on", -8, math.inf),
        ("seen", "true", -8, math.inf),
    ]


def test_windows_that_pass_them() -> None:
    events = {"off": [(5,)], "on": [(-9,), (12,)]}
    found = loads(RULES).recognise(events, window=6, step=2, start=-12, end=14)
    at: dict[int, list[tuple[str, float, float]]] = {query: [] for query in range(-10, 15, 2)}
    for row in found:
        if row.fluent in ("s", "t"):
            at[row.query_time].append((f"{row.fluent}={row.value}", row.start, row.end))
    assert at[-10] == []
    assert at[-2] == [("s=on", -8, math.inf)]
    assert sorted(at[0]) == [("s=on", -8, math.inf), ("t=a", 0, math.inf)]
    assert sorted(at[6]) == [("s=on", -8, 6), ("t=a", 0, math.inf)]
    assert sorted(at[14]) == [("s=on", 13, math.inf), ("t=a", 0, 10), ("t=b", 10, math.inf)]


def test_input_fluents_that_begin_at_0() -> None:
    rules = """
    initiatedAt(started=true, T) :- happensAt(start(warm=true), T).
    initiatedAt(ended=true, T) :- happensAt(end(warm=true), T).
    """
    for first, started in ((0, []), (1, [("started", "true", 1, math.inf)])):
        found = loads(rules).recognise({"warm": [(first, 4, "true")]}, start=-5, end=9)
        assert rows(found) == [("ended", "true", 4, math.inf), *started]
