"""The law of inertia: all instances at once equal stepping through the points of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine import inertia, kernels
from holdsfor.engine.inertia import ANY, Part, make_intervals
from holdsfor.engine.tables import FOREVER

Point = tuple[int, int, int]
"""Group, time, value."""
Row = tuple[int, int, int, int]
"""Group, value, start, end."""

OPEN = int(FOREVER)


def stepped(initiated: list[Point], terminated: list[Point], open_end: int = OPEN) -> tuple[list[Row], list[int]]:
    """The intervals and broken initiations of each group, one time-point after the other."""
    rows, broken = [], []
    for group in sorted({point[0] for point in initiated}):
        current, since = None, 0
        for time in sorted({t for g, t, _ in (*initiated, *terminated) if g == group}):
            starting = {v for g, t, v in initiated if (g, t) == (group, time)}
            ending = {v for g, t, v in terminated if (g, t) == (group, time)}
            kept = {v for v in starting if starting == {v} and not ending & {v, ANY}}
            broken += [time] if starting - kept else []
            is_broken = bool(ending & {current, ANY}) or bool(starting - {current})
            after = next(iter(kept)) if kept else None if is_broken else current
            if after != current:
                if current is not None:
                    rows.append((group, current, since, time + 1))
                current, since = after, time + 1
        if current is not None:
            rows.append((group, current, since, open_end))
    return rows, broken


def parts(points: list[Point], cut: int = 0) -> list[Part]:
    """Points as columns, in one or two parts."""
    listed = [points[:cut], points[cut:]]
    return [tuple(np.array(one, np.int64).reshape(-1, 3).T) for one in listed]  # type: ignore[misc]


def made(initiated: list[Part], terminated: list[Part], open_end: int = OPEN) -> tuple[list[Row], list[int]]:
    found = make_intervals(initiated, terminated, open_end)
    columns = (found.group, found.value, found.start, found.end)
    return list(zip(*(column.tolist() for column in columns), strict=True)), found.broken.tolist()


def points(values: st.SearchStrategy[int]) -> st.SearchStrategy[list[Point]]:
    return st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 6), values), max_size=30)


CASES = {
    "one value": (st.just(5), st.just(5)),
    "one value, any ended": (st.just(5), st.sampled_from([5, ANY])),
    "one value, others ended": (st.just(5), st.sampled_from([4, 5, 6, ANY])),
    "values, any ended": (st.integers(5, 8), st.just(ANY)),
    "values, each ended": (st.integers(5, 8), st.sampled_from([*range(4, 10), ANY])),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", [1, 4, inertia.GROUPS])
def test_equals_stepping(case: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inertia, "GROUPS", block)
    monkeypatch.setattr(inertia, "_FEW", block)
    monkeypatch.setattr(kernels, "BLOCK", block)

    @given(points(CASES[case][0]), points(CASES[case][1]), st.integers(0, 30), st.booleans())
    def law(initiated: list[Point], terminated: list[Point], cut: int, far: bool) -> None:
        if far:
            # Too far apart for one integer, so that everything is numbered first.
            initiated, terminated = ([(g << 40, t << 30, v) for g, t, v in some] for some in (initiated, terminated))
        assert made(parts(initiated, cut), parts(terminated, cut // 2)) == stepped(initiated, terminated)

    law()


@pytest.mark.parametrize("values", [1, 3])
def test_long_columns_equal_stepping(values: int) -> None:
    random = np.random.default_rng(values)
    rows = 3_000
    columns = [(random.integers(0, 9, rows), random.integers(0, 900, rows), random.integers(0, values, rows))] * 2
    columns[1] = (random.integers(0, 9, rows), random.integers(0, 900, rows), np.full(rows, ANY))
    listed = [list(zip(*(column.tolist() for column in part), strict=True)) for part in columns]
    assert made([columns[0]], [columns[1]]) == stepped(*listed)


def test_blocks_end_with_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inertia, "GROUPS", 2)
    initiated = [(0, 1, 1), (0, 2, 1), (0, 5, 1), (1, 3, 1)]
    assert made(parts(initiated), parts([(0, 4, 1)])) == ([(0, 1, 2, 5), (0, 1, 6, OPEN), (1, 1, 4, OPEN)], [])


def test_an_open_end_of_ones_own() -> None:
    assert made(parts([(7, 2, 9)]), [], 10) == ([(7, 9, 3, 10)], [])
    assert made(parts([(7 << 50, 2 << 40, 9), (7, 2, 8)]), [], 2) == (
        [(7, 8, 3, 2), (7 << 50, 9, (2 << 40) + 1, 2)],
        [],
    )


def test_nothing_initiated() -> None:
    assert made([], parts([(0, 1, 1)])) == ([], [])
