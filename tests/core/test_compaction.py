"""What lies behind the border of the window is dropped, and keys of which nothing is left are forgotten."""

from __future__ import annotations

import numpy as np

from tests.core.driving import Driven
from tests.core.test_rows_that_count import LIGHT, NEAR

ROOMS = """
    initiatedAt(in(P, R)=true, T) :- happensAt(comes(P, R), T).
    terminatedAt(in(P, R)=true, T) :- happensAt(goes(P, R), T).
    initiatedAt(used(R)=true, T) :- happensAt(start(in(_P, R)=true), T).
    terminatedAt(used(R)=true, T) :- happensAt(end(in(_P, R)=true), T).
"""


def test_keys_that_come_and_go_are_forgotten() -> None:
    rooms = Driven(ROOMS, window=10)
    rooms.core.keep_changes(False)
    seen = []
    for batch in range(40):
        for number in range(20):
            name = f"p{batch}_{number}, r{batch}_{number}"
            rooms.push((batch * 5 + 1, f"comes({name})"), (batch * 5 + 3, f"goes({name})"))
        rooms.core.advance(batch * 5 + 5, 1)
        seen.append((rooms.core.keys, rooms.core.rows))
    assert max(seen[10:]) == max(seen[3:10])
    assert rooms.core.keys <= 2 * 20 * 4


def test_keys_are_forgotten_when_their_changes_are_read() -> None:
    rooms = Driven(ROOMS, window=10)
    rooms.push((1, "comes(ann, hall)"), (3, "goes(ann, hall)"))
    rooms.at(5)
    rooms.at(50)
    assert rooms.core.keys == 2
    assert rooms.changes() == []
    assert rooms.core.keys == 0


def test_what_holds_is_kept_without_its_rows() -> None:
    light = Driven(LIGHT, window=10)
    for time in range(100):
        light.push((time, "press(a)")).at(time)
    assert light.at(100) == ["light(a)=on [1, inf)"]
    assert light.core.rows < 100
    light.at(200)
    assert (light.core.keys, light.core.rows) == (1, 0)
    light.push((205, "release(a)"))
    assert light.at(210) == ["light(a)=on [1, 206)"]
    assert light.at(300) == []
    light.changes()
    assert light.core.keys == 0


def test_changes_of_intervals_that_were_left_behind_are_reported() -> None:
    light = Driven(LIGHT, window=10)
    light.push((2, "press(a)"))
    light.at(5)
    assert light.changes() == ["open light(a)=on [3, inf) id 3@5"]
    light.push((8, "release(a)"))
    light.at(10)
    light.at(50)
    light.at(90)
    assert light.changes() == ["close light(a)=on [3, 9) was [3, inf) id 3@5"]
    assert light.core.keys == 0


def test_input_intervals_do_not_pile_up() -> None:
    near = Driven(NEAR, window=10)
    for time in range(5, 200):
        near.push_interval(time, time + 1, "near(a)=true", is_point=True)
        near.core.advance(time, 1)
    assert near.core.rows < 40
    assert near.at(199) == ["both(a)=true [5, inf)", "met(a)=true [5, inf)"]
    assert near.at(220) == []


def test_constants_of_forgotten_keys_are_forgotten() -> None:
    rooms = Driven(ROOMS, window=10)
    rooms.core.keep_changes(False)
    comes = next(number for symbol, number in rooms.tables.items() if symbol.name == "comes")
    goes = next(number for symbol, number in rooms.tables.items() if symbol.name == "goes")
    terms = []
    for batch in range(60):
        for number in range(500):
            rooms.core.push_one(comes, batch * 5 + 1, (f"p{batch}_{number}", f"r{batch}_{number}"))
            rooms.core.push_one(goes, batch * 5 + 3, (f"p{batch}_{number}", f"r{batch}_{number}"))
        rooms.core.advance(batch * 5 + 5, 1)
        rooms.core.reclaim_terms(np.empty(0, np.uint64))
        terms.append(rooms.core.terms)
    assert max(terms[30:]) <= max(terms[:30]) < 500 * 2 * 10
    assert rooms.at(500) == []
    rooms.push((501, "comes(p0_0, hall)"))
    assert rooms.at(502) == ["in(p0_0,hall)=true [502, inf)", "used(hall)=true [502, inf)"]


def test_forgotten_keys_stay_forgotten_when_all_others_are_evaluated() -> None:
    rooms = Driven(ROOMS, window=10)
    rooms.core.keep_changes(False)
    rooms.push((1, "comes(ann, hall)"), (3, "goes(ann, hall)"), (4, "comes(bob, attic)")).at(5)
    rooms.at(50)
    rooms.core.mark_all_dirty()
    assert rooms.at(51) == ["in(bob,attic)=true [5, inf)", "used(attic)=true [5, inf)"]
    rooms.core.mark_all_dirty()
    rooms.push((55, "comes(ann, hall)"))
    assert rooms.at(56)[0] == "in(ann,hall)=true [56, inf)"
