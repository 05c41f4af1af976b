"""States are saved, loaded, split and merged; bytes that do not fit are refused."""

from __future__ import annotations

import random
import signal
import threading
import time

import numpy as np
import pytest

from tests.core.driving import Driven
from tests.core.test_changes import ROOMS
from tests.core.test_rows_that_count import LIGHT, NEAR

EVENTS = [
    (time, f"{name}(p{time % 7}, r{time % 3})")
    for time, name in enumerate(["comes", "goes", "comes", "comes", "goes"] * 12)
]


def _halfway(window: int | None) -> Driven:
    rooms = Driven(ROOMS, window)
    rooms.push(*EVENTS[:20]).at(15)
    rooms.changes()
    rooms.push(*EVENTS[20:40], (90, "press(r1)")).at(35)
    return rooms.push(*EVENTS[40:50])


def _rest(rooms: Driven) -> list[list[str]]:
    found = [rooms.at(50), sorted(rooms.changes())]
    rooms.push(*EVENTS[50:]).retract((45, EVENTS[45][1]))
    found += [rooms.at(60), sorted(rooms.changes()), rooms.at(95), sorted(rooms.changes())]
    return [*found, [str(rooms.core.late), str(rooms.core.unmatched), str(rooms.core.conflicts())]]


@pytest.mark.parametrize("window", [None, 10, 25])
def test_a_loaded_state_goes_on_as_the_saved_one(window: int | None) -> None:
    wanted = _rest(_halfway(window))
    other = Driven(ROOMS, window)
    other.push((1, "comes(somebody, somewhere)"))
    other.core.load(_halfway(window).core.save())
    assert _rest(other) == wanted


@pytest.mark.parametrize("window", [None, 10, 25])
def test_parts_make_the_whole_again(window: int | None) -> None:
    wanted = _rest(_halfway(window))
    parts = _halfway(window).core.split(3)
    random.Random(1).shuffle(parts)
    other = Driven(ROOMS, window)
    for part in parts:
        other.core.merge(part)
    assert _rest(other) == wanted


def test_keys_that_nothing_reaches_are_not_evaluated_after_loading() -> None:
    rules = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T). terminatedAt(on(X)=true, T) :- happensAt(down(X), T)."
    saved = Driven(rules, 1_000)
    saved.push(*((time, f"up(k{time})") for time in range(100))).at(100)
    for parts in (1, 2):
        loaded = Driven(rules, 1_000)
        for part in saved.core.split(parts):
            loaded.core.merge(part)
        before = loaded.core.evaluated
        assert "on(k7)=true [8, 102)" in loaded.push((101, "down(k7)")).at(110)
        assert loaded.core.evaluated - before == 1


def test_engines_that_are_merged_have_named_inputs_of_their_own() -> None:
    one, other = Driven(ROOMS), Driven(ROOMS)
    one.push((1, "press(hall)"), (2, "comes(ann, hall)"), (40, "press(hall)")).at(5)
    other.push((3, "comes(bob, attic)"), (30, "press(attic)")).at(5)
    one.core.merge(other.core.save())
    one.at(50)
    named = dict(zip(one.changes(), one.causes, strict=True))
    assert named == {
        "open in(ann,hall)=true [3, inf) id 3@50": [1],
        "open in(bob,attic)=true [4, inf) id 4@50": [3],
        "open used(hall)=true [3, inf) id 3@50": [1],
        "open lit(hall)=true [2, inf) id 2@50": [0, 2],
        "open used(attic)=true [4, inf) id 4@50": [3],
        "open lit(attic)=true [31, inf) id 31@50": [4],
    }


def test_a_key_cannot_be_merged_twice() -> None:
    light = Driven(LIGHT)
    light.push((1, "press(a)")).at(5)
    with pytest.raises(ValueError, match="already here"):
        light.core.merge(light.core.save())
    assert light.at(6) == ["light(a)=on [2, inf)", "lit(a) at 1"]


def test_parts_are_whole_together() -> None:
    rooms = _halfway(10)
    first, second, third = rooms.core.split(3)
    other = Driven(ROOMS, 10)
    with pytest.raises(ValueError, match="part 2 of 3 of the state is missing"):
        other.core.load(first)
    other.core.merge(second)
    for stranger, reason in (
        (second, "part 2 of the state is already here"),
        (rooms.core.save(), "no part of the state"),
        (rooms.core.split(2)[0], "no part of the state"),
    ):
        with pytest.raises(ValueError, match=reason):
            other.core.merge(stranger)
    for use in (lambda: other.core.advance(50, 1), other.core.save):
        with pytest.raises(ValueError, match="part 1 of 3 of the state is missing: merge it first"):
            use()
    with pytest.raises(ValueError, match="merge it into a new engine"):
        rooms.core.merge(third)
    other.core.merge(third)
    other.core.merge(first)
    assert _rest(other) == _rest(rooms)


def test_engines_with_other_keys_become_one() -> None:
    one, other, both = Driven(LIGHT), Driven(LIGHT), Driven(LIGHT)
    one.push((1, "press(a)")).at(5)
    other.push((2, "press(b)")).at(5)
    both.push((1, "press(a)"), (2, "press(b)")).at(5)
    one.core.merge(other.core.save())
    assert one.at(6) == both.at(6)
    other.at(7)
    third = Driven(LIGHT)
    third.push((3, "press(c)")).at(8)
    with pytest.raises(ValueError, match="another query time"):
        third.core.merge(other.core.save())


def test_checkpoints_and_intervals_are_saved() -> None:
    near, other = Driven(NEAR, 10), Driven(NEAR, 10)
    for time_point in range(5, 60):
        near.push_interval(time_point, time_point + 1, "near(a)=true", is_point=True).at(time_point)
    other.core.load(near.core.save())
    near.push_interval(62, 70, "near(a)=true")
    other.push_interval(62, 70, "near(a)=true")
    for query in (59, 60, 64, 90):
        assert other.at(query) == near.at(query)


def test_what_does_not_fit_is_refused() -> None:
    rooms = _halfway(10)
    saved = rooms.core.save()
    for damaged, reason in (
        (b"", "no saved state"),
        (b"something else, but long enough to be one", "no saved state"),
        (saved[:8] + b"\x09" + saved[9:], "another version"),
        (saved[:-8], "cut off"),
        (saved[:30], "cut off"),
        (saved + bytes(8), "damaged"),
        (saved[:200] + bytes([saved[200] ^ 1]) + saved[201:], "damaged"),
    ):
        with pytest.raises(ValueError, match=reason):
            rooms.core.load(damaged)
    with pytest.raises(ValueError, match="a window of 10, not with a window of 11"):
        Driven(ROOMS, 11).core.load(saved)
    with pytest.raises(ValueError, match="a window of 10, not with no window"):
        Driven(ROOMS).core.load(saved)
    without_changes = Driven(ROOMS, 10)
    without_changes.core.keep_changes(False)
    with pytest.raises(ValueError, match="saved with changes"):
        without_changes.core.load(saved)
    with pytest.raises(ValueError, match="other rules"):
        Driven(LIGHT).core.load(saved)
    # It is as before.
    assert _rest(rooms) == _rest(_halfway(10))


def _with_checksum(saved: bytes) -> bytes:
    """A state whose checksum is right, whatever its words."""
    mask = (1 << 64) - 1

    def mix(found: int, word: int) -> int:
        found = ((found ^ word) * 0x9E3779B97F4A7C15) & mask
        return found ^ (found >> 32)

    payload = np.frombuffer(saved[40:], "<u8").tolist()
    total = mix(0, len(saved) - 40)
    for word in payload:
        total = mix(total, word)
    return saved[:32] + total.to_bytes(8, "little") + saved[40:]


def test_damage_behind_a_right_checksum_is_no_crash() -> None:
    rooms = _halfway(10)
    saved = rooms.core.save()
    assert _with_checksum(saved) == saved
    choice = random.Random(7)
    for _ in range(300):
        words = np.frombuffer(saved[40:], "<u8").copy()
        for _ in range(choice.randint(1, 3)):
            place = choice.randrange(len(words))
            words[place] = choice.choice([0, 1, 2**63, 2**64 - 1, 4 * choice.randrange(10_000), words[place - 1]])
        other = Driven(ROOMS, 10)
        try:
            other.core.load(_with_checksum(saved[:40] + words.tobytes()))
            other.core.advance(2**62, 1)
            other.core.changes()
            other.core.save()
        except (ValueError, RuntimeError, OverflowError):
            continue


def test_query_times_go_forward() -> None:
    light = Driven(LIGHT)
    light.push((1, "press(a)")).at(5)
    with pytest.raises(ValueError, match="before the last one"):
        light.core.advance(4, 1)
    assert light.at(6) == ["light(a)=on [2, inf)", "lit(a) at 1"]


SLOW = """
    initiatedAt(n(X)=true, T) :-
        happensAt(tick(X, A), T), happensAt(tick(X, B), S), S < T, happensAt(tick(X, C), R), R < T, B + C > A + A.
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_stops_an_evaluation(threads: int) -> None:
    """Each time-point goes through all pairs of those before it: the last ones alone take minutes."""
    slow = Driven(SLOW)
    table = next(number for symbol, number in slow.tables.items() if symbol.name == "tick")
    count = 30_000
    words = np.tile(np.array([slow.core.name("a"), slow.core.integer(1)], np.uint64), count)
    slow.core.insert_events(table, np.arange(1, count + 1), words)
    main = threading.main_thread().ident
    assert main is not None
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        signal.pthread_kill(main, signal.SIGINT)

    threading.Timer(1.0, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        slow.core.advance(count + 1, threads)
    # A fifth of a second on a machine that has nothing else to do.
    assert time.monotonic() - sent[0] < 0.5
    with pytest.raises(RuntimeError, match="half-way"):
        slow.core.advance(count + 2, threads)
