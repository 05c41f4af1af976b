"""Metric operators on interval lists, against their meaning at one time-point after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.reference.intervals import Interval, always, maximal, mirrored, since, sometime

FAR = 60
INSIDE = range(-FAR, FAR)

lists = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 6) | st.just(math.inf)).map(lambda one: (one[0], one[0] + one[1])),
    max_size=4,
).map(maximal)
distances = st.tuples(st.integers(0, 4), st.integers(0, 6) | st.just(math.inf)).map(lambda d: (d[0], d[0] + d[1]))


def holds(intervals: Iterable[Interval], time: int) -> bool:
    return any(start <= time < end for start, end in intervals)


def back(time: int, distance: tuple[float, float]) -> range:
    """The time-points at a distance; nothing changes as far off as the first of them."""
    low, high = distance
    return range(time - (4 * FAR if high == math.inf else int(high)), time - int(low) + 1)


@given(lists, distances)
def test_sometime(intervals: list[Interval], distance: tuple[float, float]) -> None:
    found = sometime(intervals, *distance)
    for time in INSIDE:
        assert holds(found, time) == any(holds(intervals, other) for other in back(time, distance))


@given(lists, distances)
def test_always(intervals: list[Interval], distance: tuple[float, float]) -> None:
    found = always(intervals, *distance)
    for time in INSIDE:
        assert holds(found, time) == all(holds(intervals, other) for other in back(time, distance))


@given(lists, lists, distances)
def test_since(during: list[Interval], intervals: list[Interval], distance: tuple[float, float]) -> None:
    found = since(during, intervals, *distance)
    for time in INSIDE:
        assert holds(found, time) == any(
            holds(intervals, other) and all(holds(during, between) for between in range(other + 1, time))
            for other in back(time, distance)
        )


@given(lists)
def test_time_running_backwards(intervals: list[Interval]) -> None:
    found = mirrored(intervals)
    assert mirrored(found) == intervals
    assert all(holds(found, -time) == holds(intervals, time) for time in INSIDE)


def test_always_without_limit_asks_for_all_time() -> None:
    assert always([(-math.inf, 5), (7, 9)], 2, math.inf) == [(-math.inf, 7)]
    assert always([(0, math.inf)], 0, math.inf) == []
