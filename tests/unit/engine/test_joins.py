"""Joins on keys equal what comparing every pair of rows gives, whatever way is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine import frames, kernels
from holdsfor.engine.frames import Codes, Frame, Numbers, classes, combined_keys, distinct, is_in, match, order_of
from holdsfor.engine.kernels import Ints, contains, find, search
from holdsfor.engine.tables import Events

FAR = 1 << 61


@pytest.fixture(autouse=True, params=["few rows", "many rows"])
def _ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "many rows":
        for module in (frames, kernels):
            monkeypatch.setattr(module, "_FEW", 1)
        monkeypatch.setattr(kernels, "BLOCK", 3)


def keys() -> st.SearchStrategy[Ints]:
    """Keys that lie close together, or far apart."""
    numbers = st.integers(-3, 6) | st.sampled_from([FAR, -FAR, 2 * FAR, -2 * FAR, 70_000])
    close = st.lists(st.integers(-3, 6), max_size=12)
    listed = st.lists(numbers, max_size=12) | close | close.map(sorted)
    return listed.map(lambda some: np.array(some, np.int64))


laws = settings(max_examples=200)


def each_pair(left: Ints, right: Ints) -> list[tuple[int, int]]:
    return [(i, j) for i, one in enumerate(left) for j, other in enumerate(right) if one == other]


@laws
@given(keys(), keys())
def test_match_and_is_in(left: Ints, right: Ints) -> None:
    rows = match(left, right)
    assert list(zip(*(column.tolist() for column in rows), strict=True)) == each_pair(left, right)
    assert is_in(left, right).tolist() == [one in right.tolist() for one in left.tolist()]


@laws
@given(keys())
def test_order_is_stable(column: Ints) -> None:
    assert order_of(column).tolist() == sorted(range(len(column)), key=column.tolist().__getitem__)


@laws
@given(keys(), keys(), st.sampled_from(["left", "right"]))
def test_search(column: Ints, points: Ints, side: str) -> None:
    ordered = np.sort(column)
    for asked in (points, np.sort(points)):
        assert search(ordered, asked, side).tolist() == np.searchsorted(ordered, asked, side).tolist()


@laws
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, FAR, 0.5])), max_size=12))
def test_distinct_rows(rows: list[tuple[int, float]]) -> None:
    codes, numbers = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
    frame = Frame(len(rows), {"X": Codes(codes), "Y": Numbers(numbers)})
    found = distinct(frame)
    listed = list(zip(found.columns["X"].data, found.columns["Y"].data, strict=True))
    assert listed == sorted(set(rows))
    numbered, number = classes(frame)
    again = numbered.take(number)
    assert again.columns["X"].data.tolist() == codes.tolist()
    assert again.columns["Y"].data.tolist() == numbers.tolist()


@laws
@given(st.lists(st.tuples(*[st.sampled_from([0, 1, FAR, -FAR])] * 3), max_size=8), st.integers(0, 8))
def test_keys_of_several_columns(rows: list[tuple[int, ...]], cut: int) -> None:
    columns = [np.array([row[place] for row in rows], np.int64) for place in range(3)]
    one, other = combined_keys([column[:cut] for column in columns], [column[cut:] for column in columns])
    both = [*one.tolist(), *other.tolist()]
    assert [(a == b) for a in both for b in both] == [(a == b) for a in rows for b in rows]


@laws
@given(st.lists(st.integers(-20, 20), unique=True), st.lists(st.integers(-22, 22)))
def test_points_in_intervals(bounds: list[int], points: list[int]) -> None:
    ordered = np.array(sorted(bounds)[: len(bounds) // 2 * 2], np.int64)
    spans = ordered[0::2], ordered[1::2]
    for asked in (points, sorted(points)):
        column = np.array(asked, np.int64)
        expected = [[i for i, (s, e) in enumerate(zip(*spans, strict=True)) if s <= point < e] for point in asked]
        assert find(spans, column).tolist() == [found[0] if found else -1 for found in expected]
        assert contains(spans, column).tolist() == [bool(found) for found in expected]


@laws
@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([*range(5), FAR, -FAR]), st.integers(0, 9)), max_size=12),
    st.booleans(),
    st.booleans(),
)
def test_events_in_order(rows: list[tuple[int, int, int]], by_time: bool, plain: bool) -> None:
    if by_time:
        rows = sorted(rows, key=lambda row: row[1])
    args = [np.array([row[place] for row in rows], np.int64) for place in (0, 2)]
    time = np.array([row[1] for row in rows], np.int64)
    kept = args[:1] if plain else args
    found = Events(tuple(Codes(column) for column in kept), time).in_order()
    columns = [found.args[0].data, found.time, *(column.data for column in found.args[1:])]
    expected = [row[:2] if plain else row for row in sorted(rows, key=lambda row: row[:2])]
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
