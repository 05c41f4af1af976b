"""Set operators on intervals equal the same operators on sets of time-points."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.kernels import Spans, difference, intersection, maximal, union

LAST = 30


def as_spans(points: set[int]) -> Spans:
    """The maximal intervals of a set of points."""
    starts = sorted(point for point in points if point - 1 not in points)
    ends = sorted(point + 1 for point in points if point + 1 not in points)
    return np.array(starts, np.int64), np.array(ends, np.int64)


def listed(spans: Spans) -> list[tuple[int, int]]:
    return list(zip(spans[0].tolist(), spans[1].tolist(), strict=True))


points = st.sets(st.integers(0, LAST))


@given(st.lists(points, min_size=1, max_size=4))
def test_union_and_intersection(sets: list[set[int]]) -> None:
    lists = [as_spans(one) for one in sets]
    assert listed(union(lists)) == listed(as_spans(set.union(*sets)))
    assert listed(intersection(lists)) == listed(as_spans(set.intersection(*sets)))


@given(points, st.lists(points, max_size=3))
def test_difference(base: set[int], others: list[set[int]]) -> None:
    found = difference(as_spans(base), [as_spans(one) for one in others])
    assert listed(found) == listed(as_spans(base.difference(*others)))


@given(st.lists(st.tuples(st.integers(0, LAST), st.integers(0, LAST))))
def test_maximal(pairs: list[tuple[int, int]]) -> None:
    covered = {point for start, end in pairs for point in range(start, end)}
    starts, ends = (np.array([pair[place] for pair in pairs], np.int64) for place in (0, 1))
    assert listed(maximal(starts, ends)) == listed(as_spans(covered))
