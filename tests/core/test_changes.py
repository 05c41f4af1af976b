"""What has changed from one report to the next."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa

from holdsfor import loads
from tests.core.driving import Driven
from tests.core.test_rows_that_count import LIGHT


def test_intervals_open_and_close() -> None:
    light = Driven(LIGHT)
    light.push((2, "press(a)"))
    light.at(5)
    assert light.changes() == ["open light(a)=on [3, inf) id 3@5"]
    light.push((7, "release(a)"))
    light.at(9)
    assert light.changes() == ["close light(a)=on [3, 8) was [3, inf) id 3@5"]
    light.at(20)
    assert light.changes() == []


def test_what_ended_before_the_last_report_is_revised() -> None:
    light = Driven(LIGHT)
    light.push((2, "press(a)"))
    light.at(5)
    light.changes()
    light.push((3, "release(a)"))
    light.at(6)
    assert light.changes() == ["revise light(a)=on [3, 4) was [3, inf) id 3@5"]
    light.retract((3, "release(a)"))
    light.at(6)
    assert light.changes() == ["extend light(a)=on [3, inf) was [3, 4) id 3@5"]
    light.retract((2, "press(a)"))
    light.at(7)
    assert light.changes() == ["retract light(a)=on [3, inf) id 3@5"]


def test_an_interval_that_is_split_keeps_its_id_once() -> None:
    light = Driven(LIGHT)
    light.push((2, "press(a)"), (6, "press(a)"), (9, "release(a)"))
    light.at(10)
    assert light.changes() == ["open light(a)=on [3, 10) id 3@10"]
    light.push((4, "release(a)"))
    light.at(11)
    assert light.changes() == ["revise light(a)=on [3, 5) was [3, 10) id 3@10", "open light(a)=on [7, 10) id 7@11"]
    light.retract((4, "release(a)"))
    light.at(12)
    assert light.changes() == ["extend light(a)=on [3, 10) was [3, 5) id 3@10", "retract light(a)=on [7, 10) id 7@11"]


def test_several_advances_are_one_report() -> None:
    light = Driven(LIGHT)
    light.push((2, "press(a)"))
    light.at(5)
    light.retract((2, "press(a)"))
    light.at(6)
    assert light.changes() == []


def test_intervals_that_the_window_left_behind_are_not_spoken_of() -> None:
    light = Driven(LIGHT, window=10)
    light.push((2, "press(a)"), (4, "release(a)"))
    light.at(5)
    assert light.changes() == ["open light(a)=on [3, 5) id 3@5"]
    light.at(30)
    assert light.changes() == []


ROOMS = """
    initiatedAt(in(P, R)=true, T) :- happensAt(comes(P, R), T).
    terminatedAt(in(P, R)=true, T) :- happensAt(goes(P, R), T).
    initiatedAt(used(R)=true, T) :- happensAt(start(in(_P, R)=true), T).
    terminatedAt(used(R)=true, T) :- happensAt(close(R), T).
    initiatedAt(lit(R)=true, T) :- happensAt(press(R), T).
"""


def test_changes_name_the_inputs_that_their_rules_read() -> None:
    rooms = Driven(ROOMS)
    rooms.push((2, "comes(ann, hall)"), (3, "comes(bob, attic)"), (4, "press(hall)"))
    rooms.at(5)
    assert dict(zip(rooms.changes(), rooms.causes, strict=True)) == {
        "open in(ann,hall)=true [3, inf) id 3@5": [0],
        "open in(bob,attic)=true [4, inf) id 4@5": [1],
        "open used(hall)=true [3, inf) id 3@5": [0],
        "open lit(hall)=true [5, inf) id 5@5": [2],
        "open used(attic)=true [4, inf) id 4@5": [1],
    }
    rooms.retract((3, "comes(bob, attic)")).push((6, "close(hall)"))
    rooms.at(7)
    assert dict(zip(rooms.changes(), rooms.causes, strict=True)) == {
        "retract in(bob,attic)=true [4, inf) id 4@5": [3],
        "close used(hall)=true [3, 7) was [3, inf) id 3@5": [4],
        "retract used(attic)=true [4, inf) id 4@5": [3],
    }


def test_the_latest_causes_are_named() -> None:
    rooms = Driven(ROOMS)
    rooms.push(*((time, "comes(ann, hall)") for time in range(20)))
    rooms.at(30)
    rooms.changes()
    assert rooms.causes[0] == list(range(12, 20))


def test_an_event_that_waits_is_a_cause_when_its_time_comes() -> None:
    light = Driven(LIGHT)
    light.push((20, "press(a)"), (2, "press(b)"))
    light.at(5)
    light.changes()
    light.at(20)
    assert light.changes() == ["open light(a)=on [21, inf) id 21@20"]
    assert light.causes == [[0]]


def test_only_keys_that_something_reached_are_evaluated() -> None:
    rooms = Driven(ROOMS)
    rooms.push(*((2, f"comes(p{number}, r{number})") for number in range(100)))
    rooms.at(5)
    before = rooms.core.evaluated
    rooms.push((7, "goes(p7, r7)"))
    rooms.at(9)
    # The pair and, as its interval has changed, the room.
    assert rooms.core.evaluated - before == 2
    assert rooms.changes()[-1] == "open used(r99)=true [3, inf) id 3@9"
    rooms.at(50)
    assert rooms.core.evaluated - before == 2
    assert rooms.changes() == []


def test_rows_that_change_nothing_stop_at_their_key() -> None:
    rooms = Driven(ROOMS)
    rooms.push((2, "comes(ann, hall)"))
    rooms.at(5)
    before = rooms.core.evaluated
    rooms.push((3, "comes(ann, hall)"))
    rooms.at(6)
    assert rooms.core.evaluated - before == 1


def test_inputs_are_forgotten_when_changes_were_read() -> None:
    light = Driven(LIGHT)
    light.push((10_000, "press(far)"))
    light.at(1)
    light.changes()
    light.push(*((time, "press(a)") for time in range(2, 500)))
    light.at(500)
    full = len(light.core.save())
    light.changes()
    # The event that lies ahead stays, and nothing that came after it.
    assert len(light.core.save()) < full - 498 * 16
    light.at(10_000)
    assert [light.changes(), light.causes] == [["open light(far)=on [10001, inf) id 10001@10000"], [[0]]]


def test_changes_that_are_not_read_with_the_advance_keep_their_causes() -> None:
    light = Driven(LIGHT)
    light.push((2, "press(a)"))
    light.at(5)
    light.push((3, "release(a)"))
    assert [light.changes(), light.causes] == [["open light(a)=on [3, inf) id 3@5"], [[0]]]
    light.at(5)
    assert [light.changes(), light.causes] == [["revise light(a)=on [3, 4) was [3, inf) id 3@5"], [[1]]]


def _seconds(rows: int) -> float:
    """What a step of one key takes at least, if a window of one step passes its rows."""
    rules = """
    initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
    terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
    """
    session, taken = loads(rules).session(window=rows), []
    for step in range(4):
        times = np.arange(step * rows, (step + 1) * rows)
        tables = {"up": times[::2], "down": times[1::2]}
        session.push({name: pa.table({"time": some, "x": ["a"] * len(some)}) for name, some in tables.items()})
        begin = time.process_time()
        assert len(session.changes((step + 1) * rows)) >= rows // 2 - 1
        taken.append(time.process_time() - begin)
    return min(taken[1:])


def test_a_step_takes_time_for_its_rows_alone() -> None:
    """Sixteen times as many rows take about as many times longer, and not the square of it."""
    assert _seconds(64_000) < 60 * max(_seconds(4_000), 0.0005)
