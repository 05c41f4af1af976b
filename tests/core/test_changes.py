"""What has changed from one report to the next."""

from __future__ import annotations

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
