"""Columns of time-points as text and as timestamps."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.scaled import INTERVAL_TIMES, time_texts, timestamps, with_texts, with_timestamps
from holdsfor.times import LATEST, UNITS, TimeScale, time_point

ZONES = ["UTC", "Europe/Athens", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia", "Africa/Monrovia"]
scales = st.builds(TimeScale, st.sampled_from(sorted(UNITS)), st.sampled_from(ZONES))


@st.composite
def times(draw: st.DrawFn) -> tuple[TimeScale, list[int | None]]:
    scale = draw(scales)
    anywhere = st.integers(-LATEST, LATEST)
    dated = st.integers(-70_000_000_000, 260_000_000_000).map(lambda second: second * UNITS["s"] // scale.size)
    late = st.integers(0, 4_000_000_000).map(lambda second: second * UNITS["s"] // scale.size)
    points = st.one_of(dated, late, anywhere).map(lambda point: max(-LATEST, min(point, LATEST)))
    return scale, draw(st.lists(st.one_of(st.none(), points), max_size=8))


@given(times())
@example((TimeScale("s", "Africa/Monrovia"), [-2776979812, -2776979813, 63593069, 63593070]))
@example((TimeScale("s", "Europe/Athens"), [253402300799, -62135596800, 1, 2]))
def test_columns_have_the_text_of_each_time(given: tuple[TimeScale, list[int | None]]) -> None:
    scale, points = given
    expected = [None if point is None else scale.text(point) for point in points]
    assert time_texts(pa.array(points, pa.int64()), scale).to_pylist() == expected


@given(times())
def test_text_reads_back(given: tuple[TimeScale, list[int | None]]) -> None:
    scale, points = given
    for point in points:
        if point is not None:
            assert time_point(scale.text(point), scale.unit) == point


def test_timestamps_have_the_zone_and_the_resolution_of_the_unit() -> None:
    for unit, resolution in {"ns": "ns", "us": "us", "ms": "ms", "s": "s", "min": "s", "h": "s", "d": "s"}.items():
        found = timestamps(pa.array([1, None]), TimeScale(unit, "Europe/Athens"))
        assert found.type == pa.timestamp(resolution, "Europe/Athens")
        assert found[0].value == UNITS[unit] // UNITS[resolution]
        assert found[1].as_py() is None
    moment = timestamps(pa.array([1772366400]), TimeScale("s"))[0].as_py()
    assert moment == datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_timestamp_that_is_too_far_away() -> None:
    with pytest.raises(HoldsforError, match="time-point -2305843009213693952 lies too far from 1970 for a timestamp"):
        timestamps(pa.array([3, -LATEST]), TimeScale("d"))


def test_tables_change_their_times_alone() -> None:
    table = pa.table({"query_time": [5, 5], "value": [1, 2], "time": [1, 2], "end": [7, None]})
    shown = with_texts(table, TimeScale("s"), INTERVAL_TIMES)
    assert shown.to_pydict() == {
        "query_time": ["1970-01-01T00:00:05Z"] * 2,
        "value": [1, 2],
        "time": [1, 2],
        "end": ["1970-01-01T00:00:07Z", None],
    }
    assert with_texts(table, None, INTERVAL_TIMES) is table
    assert with_timestamps(table, None, INTERVAL_TIMES) is table
    assert with_timestamps(table, TimeScale("s"), INTERVAL_TIMES).schema.types == [
        pa.timestamp("s", "UTC"),
        pa.int64(),
        pa.int64(),
        pa.timestamp("s", "UTC"),
    ]
