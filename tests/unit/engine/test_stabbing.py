"""Which intervals contain which time-points, against looking at every pair."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine.stabbing import containing
from holdsfor.engine.tables import FOREVER

GROUPS = st.sampled_from([-2, 0, 1, 2**58])
POINTS = st.lists(st.tuples(GROUPS, st.integers(-20, 20)), max_size=12)
STARTS = st.one_of(st.integers(-25, 20), st.just(-int(FOREVER)))
ENDS = st.one_of(st.integers(-25, 30), st.just(int(FOREVER)))
INTERVALS = st.lists(st.tuples(GROUPS, STARTS, ENDS), max_size=12)


@given(POINTS, INTERVALS)
def test_every_interval_around_every_point(
    points: list[tuple[int, int]], intervals: list[tuple[int, int, int]]
) -> None:
    group, time = np.array(points, np.int64).reshape(-1, 2).T
    other, start, end = np.array(intervals, np.int64).reshape(-1, 3).T
    asking, found = containing((group, other), time, start, end)
    assert asking.tolist() == sorted(asking.tolist())
    assert sorted(zip(asking.tolist(), found.tolist(), strict=True)) == [
        (point, interval)
        for point, (g, t) in enumerate(points)
        for interval, (h, s, e) in enumerate(intervals)
        if g == h and s <= t < e
    ]
