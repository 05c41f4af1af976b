"""Streams whose time-points are a clock tick apart, from Python."""

from __future__ import annotations

from typing import Any

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError

RULES = """
initiatedAt(seen(P)=T, T) :- happensAt(start(walking(P)=true), T).
terminatedAt(seen(P)=_, T) :- happensAt(gone(P), T).
initiatedAt(again(P)=true, T) :- happensAt(gone(P), T), happensAt(gone(P), T0), T0 < T, T - T0 =< 200.
initiatedAt(quiet(P)=false, T) :- happensAt(gone(P), T).
fi(quiet(P)=false, quiet(P)=true, 120).
initiatedAt(before(P)=true, T) :- happensAt(gone(P), T), T0 is T - 80, holdsAt(walking(P)=true, T0).
holdsFor(long(P)=true, I) :- holdsFor(walking(P)=true, I0), intDurGreater(I0, 80, I).
"""
FRAMES = [(40, "true", "ann"), (80, "true", "ann"), (120, "true", "ann"), (200, "true", "ann")]
GONE = [(160, "ann"), (360, "ann"), (600, "ann")]
EXPECTED = {
    ("seen(ann)", "0", 40, 200),
    ("again(ann)", "true", 400, None),
    ("quiet(ann)", "false", 200, 320),
    ("quiet(ann)", "true", 320, 400),
    ("quiet(ann)", "false", 400, 520),
    ("quiet(ann)", "true", 520, 640),
    ("quiet(ann)", "false", 640, None),
    ("before(ann)", "true", 200, None),
    ("long(ann)", "true", 40, 160),
}


def points(rows: list[tuple[int, str, str]]) -> list[dict[str, Any]]:
    return [{"time": time, "value": value, "P": who} for time, value, who in rows]


def found(result: Any) -> set[tuple[object, ...]]:
    rows = result.to_arrow().to_pylist()
    return {(row["fluent"], row["value"], row["start"], row["end"]) for row in rows}


def test_neighbours_are_a_tick_apart() -> None:
    events = {"walking": points(FRAMES), "gone": GONE}
    assert found(loads(RULES).recognise(events, clock_tick=40)) == EXPECTED


def test_a_time_between_two_time_points_belongs_to_the_one_before() -> None:
    events = {
        "walking": points([(time + 7, value, who) for time, value, who in FRAMES]),
        "gone": [(time + 39, who) for time, who in GONE],
    }
    assert found(loads(RULES).recognise(events, clock_tick=40)) == EXPECTED


def test_an_interval_has_every_time_point_that_one_of_its_times_belongs_to() -> None:
    reasoner = loads("holdsFor(held(P)=true, I) :- holdsFor(moving(P)=true, I).")
    events = {"moving": [{"start": 45, "end": 121, "value": "true", "P": "ann"}]}
    assert found(reasoner.recognise(events, clock_tick=40)) == {("held(ann)", "true", 40, 160)}


def test_windows_are_in_time() -> None:
    events = {"walking": points(FRAMES), "gone": GONE}
    result = loads(RULES).recognise(events, window=400, step=200, start=0, end=600, clock_tick=40)
    assert result.query_times == [200, 400, 600]
    last = {(row[0], row[1], row[2], row[3]) for row in EXPECTED if row[3] is None or row[3] > 240}
    rows = [row for row in result.to_arrow().to_pylist() if row["query_time"] == 600]
    assert {(row["fluent"], row["value"], row["start"], row["end"]) for row in rows} == last


@pytest.mark.parametrize(("option", "value"), [("window", 100), ("step", 50), ("start", 30), ("end", 601)])
def test_what_says_when_to_ask_is_a_multiple_of_the_tick(option: str, value: int) -> None:
    span = {"window": 400, "step": 200, "start": 0, "end": 600} | {option: value}
    with pytest.raises(HoldsforError, match=rf"{option}, {value}, is not a multiple of the clock tick, 40"):
        loads(RULES).recognise({"gone": GONE}, clock_tick=40, **span)  # type: ignore[arg-type]


@pytest.mark.parametrize("tick", [0, -3, 2.5, True])
def test_a_tick_is_a_positive_whole_number(tick: Any) -> None:
    with pytest.raises(HoldsforError, match="clock tick must be a whole number"):
        loads(RULES).recognise({"gone": GONE}, clock_tick=tick)


def test_a_delay_is_a_multiple_of_the_tick() -> None:
    with pytest.raises(HoldsforError, match=r"6:1: the delay 120 is not a multiple of the clock tick 50"):
        loads(RULES).with_clock_tick(50)


def test_metric_operators_count_time_points_only() -> None:
    reasoner = loads("holdsFor(lately=true, I) :- holdsFor(on=true, I0), diamond_minus(I0, [30,90], I).")
    result = reasoner.recognise({"on": [{"start": 0, "end": 40, "value": "true"}]}, clock_tick=40, end=400)
    assert found(result) == {("lately", "true", 40, 120)}


def test_sessions() -> None:
    session = loads(RULES).session(clock_tick=40)
    session.push({"walking": points(FRAMES)})
    for time, who in GONE[:2]:
        session.push_one("gone", time + 3, who)
    assert session.query().query_times == [360]
    assert session.now == 360
    session.push_one("gone", 600, "ann")
    assert found(session.query()) == EXPECTED


def test_changes_of_a_session_are_in_time() -> None:
    session = loads("initiatedAt(on(P)=true, T) :- happensAt(press(P), T).").session(clock_tick=40)
    session.push_one("press", 80, "ann")
    (change,) = session.changes()
    assert (change.start, change.end, change.query_time, str(change.causes[0])) == (
        120,
        None,
        80,
        "arrived press(ann) at 80",
    )
    session.push_one("press", 40, "ann")
    (change,) = session.changes(now=200)
    assert (change.start, change.previous_start, change.query_time) == (80, 120, 200)


def test_windows_of_a_session_are_in_time() -> None:
    session = loads("initiatedAt(on(P)=true, T) :- happensAt(press(P), T).").session(window=80, clock_tick=40)
    session.push_one("press", 80, "ann")
    session.query(120)
    session.query(200)
    session.push_one("press", 120, "bob")
    assert found(session.query(200)) == {("on(ann)", "true", 120, None)}
    assert session.late == 1
    with pytest.raises(HoldsforError, match="window, 100, is not a multiple"):
        loads("initiatedAt(on(P)=true, T) :- happensAt(press(P), T).").session(window=100, clock_tick=40)


def test_there_are_no_explanations_with_a_tick() -> None:
    result = loads(RULES).recognise({"gone": GONE}, clock_tick=40)
    with pytest.raises(HoldsforError, match="explanations are only for a clock tick of 1"):
        result.why("quiet(ann)=false", 240)
