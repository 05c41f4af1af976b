"""Which rows count at a query time, what is shown, and what retractions take back."""

from __future__ import annotations

from math import inf

import numpy as np

from holdsfor import loads
from tests.core.driving import Driven

LIGHT = """
    initiatedAt(light(R)=on, T) :- happensAt(press(R), T).
    terminatedAt(light(R)=on, T) :- happensAt(release(R), T).
    happensAt(lit(R), T) :- happensAt(start(light(R)=on), T).
"""
NEAR = """
    initiatedAt(met(X)=true, T) :- happensAt(start(near(X)=true), T).
    terminatedAt(met(X)=true, T) :- happensAt(end(near(X)=true), T).
    holdsFor(both(X)=true, I) :- holdsFor(near(X)=true, I1), holdsFor(met(X)=true, I2), union_all([I1, I2], I).
"""


def test_without_a_window_everything_counts() -> None:
    light = Driven(LIGHT)
    light.push((5, "release(a)"), (2, "press(a)"), (9, "press(b)"))
    assert light.at(10) == ["light(a)=on [3, 6)", "light(b)=on [10, inf)", "lit(a) at 2", "lit(b) at 9"]
    light.push((4, "release(a)"))
    assert light.at(10)[0] == "light(a)=on [3, 5)"
    assert (light.core.late, light.core.unmatched) == (0, 0)


def test_a_window_shows_what_reaches_into_it() -> None:
    light = Driven(LIGHT, window=10)
    light.push((2, "press(a)"), (5, "release(a)"), (6, "press(b)"))
    assert light.at(10) == ["light(a)=on [3, 6)", "light(b)=on [7, inf)", "lit(a) at 2", "lit(b) at 6"]
    assert light.at(15) == ["light(b)=on [7, inf)", "lit(b) at 6"]
    assert light.at(30) == ["light(b)=on [7, inf)"]


def test_late_rows_are_counted() -> None:
    light = Driven(LIGHT, window=10)
    light.push((1, "press(a)"))
    light.at(10)
    light.push((5, "release(a)"), (6, "press(b)"))
    assert light.at(15) == ["light(a)=on [2, inf)", "light(b)=on [7, inf)", "lit(b) at 6"]
    assert light.core.late == 1


def test_events_ahead_of_the_query_time_wait() -> None:
    light = Driven(LIGHT, window=10)
    light.push((12, "press(a)"), (15, "press(b)"))
    assert light.at(10) == []
    assert light.at(12) == ["light(a)=on [13, inf)", "lit(a) at 12"]
    # A gap between windows: what lies in it never counts, and is not late.
    assert light.at(30) == ["light(a)=on [13, inf)"]
    assert light.core.late == 0
    light.push((40, "release(a)")).retract((40, "release(a)"))
    assert light.at(40) == ["light(a)=on [13, inf)"]
    assert light.core.unmatched == 0


def test_a_retracted_event_is_gone_however_often_it_was_pushed() -> None:
    light = Driven(LIGHT, window=10)
    light.push((2, "press(a)"), (2, "press(a)"))
    assert light.at(5) == ["light(a)=on [3, inf)", "lit(a) at 2"]
    light.retract((2, "press(a)"))
    assert light.at(5) == []
    light.retract((2, "press(a)"), (3, "press(b)"))
    assert light.at(5) == []
    assert light.core.unmatched == 2
    light.push((2, "press(a)"), (9, "press(c)"), (9, "press(c)"))
    assert light.at(5) == ["light(a)=on [3, inf)", "lit(a) at 2"]
    light.retract((9, "press(c)"))
    assert light.at(9) == ["light(a)=on [3, inf)", "lit(a) at 2"]


def test_what_the_window_has_left_behind_cannot_be_retracted() -> None:
    light = Driven(LIGHT, window=10)
    light.push((2, "press(a)"), (8, "press(b)"))
    light.at(10)
    light.retract((2, "press(a)"), (8, "press(b)"))
    assert light.at(12) == ["light(a)=on [3, inf)"]
    assert light.core.unmatched == 1


def test_a_start_before_which_nothing_counts() -> None:
    light = Driven(LIGHT)
    light.core.set_window(10, 5)
    light.push((5, "press(a)"), (6, "press(b)"))
    assert light.at(7) == ["light(b)=on [7, inf)", "lit(b) at 6"]
    assert light.core.late == 1


def test_input_intervals_are_cut_at_the_border() -> None:
    near = Driven(NEAR, window=10)
    near.push_interval(2, 15, "near(a)=true").push_interval(8, 9, "near(b)=true").push_interval(0, 6, "near(c)=true")
    # A cut is no start, so that only ends are seen of the first; the last is late.
    assert near.at(15) == ["both(a)=true [6, 15)", "both(b)=true [8, 9)", "met(b)=true [8, 9)"]
    assert near.core.late == 1


def test_points_are_open_at_the_query_time() -> None:
    near = Driven(NEAR, window=10)
    near.push_interval(9, 10, "near(a)=true", is_point=True).push_interval(10, 11, "near(a)=true", is_point=True)
    assert near.at(10) == ["both(a)=true [9, inf)", "met(a)=true [9, inf)"]
    assert near.at(12) == ["both(a)=true [9, 11)", "met(a)=true [9, 11)"]


def test_time_points_of_intervals_are_retracted() -> None:
    near = Driven(NEAR)
    near.push_interval(2, 9, "near(a)=true").push_interval(4, inf, "near(a)=true")
    assert near.at(20) == ["both(a)=true [2, inf)", "met(a)=true [2, inf)"]
    near.retract_interval(6, 8, "near(a)=true").retract_interval(6, 7, "near(a)=true")
    assert near.at(20) == [
        "both(a)=true [2, 6)",
        "both(a)=true [8, inf)",
        "met(a)=true [2, 6)",
        "met(a)=true [8, inf)",
    ]
    assert near.core.unmatched == 1


def test_of_a_retracted_interval_the_part_behind_the_border_stays() -> None:
    near = Driven(NEAR, window=10)
    near.push_interval(2, 20, "near(a)=true")
    assert near.at(10) == ["both(a)=true [2, inf)", "met(a)=true [2, inf)"]
    near.retract_interval(2, 20, "near(a)=true")
    assert near.at(15) == []


def test_one_event_from_python_objects() -> None:
    light = Driven(LIGHT)
    press = next(number for symbol, number in light.tables.items() if symbol.name == "press")
    light.core.push_one(press, 3, ("a",))
    light.core.push_one(press, 4, (7,))
    light.core.push_one(press, 5, (2.5,))
    light.core.push_one(press, 6, (2**70,))
    assert light.at(6)[:4] == [
        "light(1180591620717411303424)=on [7, inf)",
        "light(2.5)=on [6, inf)",
        "light(7)=on [5, inf)",
        "light(a)=on [4, inf)",
    ]


def test_columns_may_change_after_they_were_pushed() -> None:
    """A session has what was pushed, whatever becomes of the arrays."""
    session = loads("initiatedAt(on(X)=true, T) :- happensAt(up(X), T).").session()
    time = np.array([5, 6])
    session.push({"up": {"time": time, "x": ["a", "b"]}})
    time[:] = 1
    assert session.query(10).to_arrow()["start"].to_pylist() == [6, 7]


def test_answers_of_many_keys_are_the_same_for_any_number_of_threads() -> None:
    light = Driven(LIGHT)
    press = next(number for symbol, number in light.tables.items() if symbol.name == "press")
    for key in range(20_000):
        for time in range(key % 3):
            light.core.push_one(press, time, (f"k{key}",))
    light.core.advance(5, 2)
    one = {number: light.core.answers(number) for number in light.tables.values()}
    assert sum(len(found[0]) for found in one.values()) > 20_000
    for threads in (2, 5):
        for number, wanted in one.items():
            found = light.core.answers(number, threads)
            assert len(found) == len(wanted)
            assert all((a == b).all() for a, b in zip(found, wanted, strict=True))
