"""A key goes on from its last checkpoint before what has changed, so that rows that come last cost only themselves."""

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


def _filled(window: int | None, count: int = COUNT) -> Driven:
    """One key with many rows, evaluated twice: the first checkpoint without a window is that of the second time."""
    light = Driven(LIGHT, window)
    for name, first in (("press", 0), ("release", 1)):
        times = np.arange(first, count, 2, dtype=np.int64)
        words = np.full(len(times), light.words.of_value("a"), np.uint64)
        light.core.insert_events(light.tables[Symbol(EntityKind.EVENT, name, 1)], times, words)
    light.core.advance(count, 1)
    light.push((count, "press(a)"))
    light.core.advance(count + 1, 1)
    return light


@pytest.mark.parametrize("window", [None, 10 * COUNT])
def test_rows_that_come_last_cost_themselves(window: int | None) -> None:
    light = _filled(window)
    for number in range(1, 20):
        before = light.core.time_points
        time = COUNT + 2 * number
        light.push((time, "release(a)" if number % 2 else "press(a)"))
        light.core.advance(time + 1, 1)
        assert light.core.time_points - before <= 2
    assert f"light(a)=on [{COUNT + 1}, {COUNT + 3})" in light.at(COUNT + 50)


def test_a_row_before_the_checkpoint_counts() -> None:
    light = _filled(None, 1_000)
    light.push((1_003, "release(a)")).at(1_010)
    light.push((1_020, "press(a)")).at(1_030)
    assert "light(a)=on [1001, 1002)" in light.push((1_001, "release(a)")).at(1_040)
    shown = light.retract((1_001, "release(a)")).at(1_041)
    assert {"light(a)=on [1001, 1004)", "light(a)=on [1021, inf)"} <= set(shown)


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
