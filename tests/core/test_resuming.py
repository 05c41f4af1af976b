"""A key goes on from its last checkpoint before what has changed, and stops where the state is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from tests.core.driving import Driven
from tests.core.test_rows_that_count import LIGHT

COUNT = 100_000
DELAYED = """
    initiatedAt(busy(X)=true, T) :- happensAt(press(X), T).
    terminatedAt(busy(X)=true, T) :- happensAt(release(X), T).
    maxDuration(busy(X)=true, busy(X)=false, 10).
    holdsFor(both(X)=true, I) :- holdsFor(busy(X)=true, I1), holdsFor(busy(X)=false, I2), union_all([I1, I2], I).
"""
"""Effects that come later, and lists that are joined."""


COUNTED = """
    initiatedAt(presses(X)=N, T) :- happensAt(press(X), T), holdsAt(presses(X)=M, T), N is M + 1.
    initiatedAt(presses(X)=1, T) :- happensAt(press(X), T), not holdsAt(presses(X)=_, T).
    terminatedAt(presses(X)=_, T) :- happensAt(release(X), T).
"""
"""A state that remembers every row since the last release."""
SEGMENT = 3_000
"""A segment of these logs has at most 4,096 cells in rows of three, and `LIGHT` goes through them twice."""


def _filled(window: int | None, count: int = COUNT, rules: str = LIGHT, step: int = 1) -> Driven:
    """One key with many rows, evaluated twice: the first checkpoint without a window is that of the second time."""
    light = Driven(rules, window)
    for name, first in (("press", 0), ("release", step)):
        _push_many(light, name, range(first, step * count, 2 * step))
    light.core.advance(step * count, 1)
    light.push((step * count, "press(a)"))
    light.core.advance(step * count + 1, 1)
    return light


def _push_many(light: Driven, name: str, times: range) -> None:
    words = np.full(len(times), light.words.of_value("a"), np.uint64)
    table = light.tables[Symbol(EntityKind.EVENT, name, 1)]
    light.core.insert_events(table, np.array(times, np.int64), words)


def _cost(light: Driven, query: int) -> int:
    """The time-points that an advance goes through."""
    before = light.core.time_points
    light.core.advance(query, 1)
    return int(light.core.time_points - before)


@pytest.mark.parametrize("window", [None, 10 * COUNT])
def test_rows_that_come_last_cost_themselves(window: int | None) -> None:
    light = _filled(window)
    for number in range(1, 20):
        time = COUNT + 2 * number
        light.push((time, "release(a)" if number % 2 else "press(a)"))
        assert _cost(light, time + 1) <= 2
    assert f"light(a)=on [{COUNT + 1}, {COUNT + 3})" in light.at(COUNT + 50)


def test_a_row_before_the_checkpoint_counts() -> None:
    light = _filled(None, 1_000)
    light.push((1_003, "release(a)")).at(1_010)
    light.push((1_020, "press(a)")).at(1_030)
    assert "light(a)=on [1001, 1002)" in light.push((1_001, "release(a)")).at(1_040)
    shown = light.retract((1_001, "release(a)")).at(1_041)
    assert {"light(a)=on [1001, 1004)", "light(a)=on [1021, inf)"} <= set(shown)


@pytest.mark.parametrize("rules", [LIGHT, DELAYED], ids=["rows", "delays and lists"])
@pytest.mark.parametrize("window", [None, 100 * COUNT])
def test_a_late_row_costs_its_segment(rules: str, window: int | None) -> None:
    count, step = 50_000, 20
    last = count * step
    late = _filled(window, count, rules, step)
    query = last + 1
    for number, time in enumerate((last // 2 + 7, 107, last - 93, last // 3 + 5)):
        late.push((time, "release(a)"), (last + 2 * number + 1, "press(a)"))
        query = last + 2 * number + 2
        assert _cost(late, query) <= 2 * SEGMENT, time
        late.retract((time - 7, "press(a)"))
        assert _cost(late, query) <= SEGMENT, time
        late.push((time - 7, "press(a)"))
        assert _cost(late, query) <= SEGMENT, time
    fresh = _filled(window, count, rules, step)
    fresh.push(*((time, "release(a)") for time in (last // 2 + 7, 107, last - 93, last // 3 + 5)))
    fresh.push(*((last + 2 * number + 1, "press(a)") for number in range(4)))
    assert late.at(query) == fresh.at(query)


def test_a_change_goes_on_as_long_as_it_makes_a_difference() -> None:
    """Presses are counted until the next release, however far away that is."""
    counted = Driven(COUNTED)
    _push_many(counted, "press", range(0, 40_000, 2))
    _push_many(counted, "release", range(20_001, 40_000, 20_000))
    counted.core.advance(50_000, 1)
    counted.push((50_001, "press(a)")).core.advance(50_002, 1)
    counted.push((9_001, "press(a)"))
    assert 5_500 <= _cost(counted, 50_003) <= 2 * 5_500 + SEGMENT
    assert "presses(a)=10002 [20001, 20002)" in counted.at(50_003)
    counted.push((15_001, "release(a)"))
    assert 2_500 <= _cost(counted, 50_004) <= 2 * 2_500 + SEGMENT


def test_a_batch_with_a_late_row_does_not_evaluate_what_lies_between() -> None:
    light = _filled(None, 50_000, LIGHT, 20)
    light.push((400_007, "release(a)"))
    _push_many(light, "press", range(1_000_003, 1_001_003, 20))
    assert _cost(light, 1_002_000) <= SEGMENT + 2 * 50


def test_a_log_that_grows_batch_by_batch_has_checkpoints_everywhere() -> None:
    light = _filled(None, 1_000)
    for number in range(200):
        first = 1_002 + 500 * number
        _push_many(light, "release", range(first, first + 500, 2))
        _push_many(light, "press", range(first + 1, first + 500, 2))
        assert _cost(light, first + 499) <= 2 * 500 + 2
    for time in (50_003, 2_001, 90_001):
        light.push((time, "release(a)"))
        assert _cost(light, 101_001) <= SEGMENT


def test_a_key_that_is_left_behind_is_not_evaluated_again() -> None:
    light = Driven(LIGHT, window=10)
    light.push((3, "press(a)"), (5, "release(a)"), (6, "press(a)")).at(8)
    before = light.core.time_points
    assert light.at(30) == ["light(a)=on [7, inf)"]
    assert light.core.rows == 0
    assert light.core.time_points == before
    light.push((35, "release(a)"))
    assert light.at(36) == ["light(a)=on [7, 36)"]
    assert light.core.time_points <= before + 2


@pytest.mark.parametrize("window", [None, 1_000])
def test_steps_of_any_length_give_the_same(window: int | None) -> None:
    """One engine that goes on, and one that gets everything at once."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        steps = int(random.integers(1, 30))
        going_on, times = Driven(DELAYED, window), np.sort(random.integers(1, 200, 40)).tolist()
        names = random.choice(["press", "release"], len(times)).tolist()
        for query in range(steps, 230, steps):
            for time, name in zip(times, names, strict=True):
                if query - steps < time <= query:
                    going_on.push((time, f"{name}(a)"))
            shown = going_on.at(query)
            fresh = Driven(DELAYED, window)
            fresh.push(*((time, f"{name}(a)") for time, name in zip(times, names, strict=True) if time <= query))
            assert shown == fresh.at(query), (seed, query)
