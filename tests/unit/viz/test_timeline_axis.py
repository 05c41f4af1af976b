"""Marks on an axis of time: inside, in order, not too many, and texts that say where they stand."""

from datetime import datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.viz.timeline_axis import Clock


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**12), st.integers(1, 12), st.sampled_from([1, 3, 1000]))
def test_numbers(low: int, length: int, most: int, scale: int) -> None:
    clock = Clock(origin=7, scale=scale)
    marks = clock.marks(low, low + length, most)
    assert len(marks) <= most + 1
    assert all(low - 1e-6 * length <= mark.at <= low + length * (1 + 1e-6) for mark in marks)
    assert [mark.at for mark in marks] == sorted({mark.at for mark in marks})
    for mark in marks:
        assert float(mark.text) == pytest.approx(float(clock.exactly(mark.at)), rel=1e-9, abs=1e-9)


@given(
    st.integers(-(10**9), 4 * 10**9),
    st.one_of(st.integers(1, 10**9), st.integers(1, 5000)),
    st.integers(1, 12),
    st.sampled_from(["s", "ms", "us", "ns"]),
)
def test_dates(low: int, length: int, most: int, unit: str) -> None:
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    clock = Clock(origin=low * per_second, unit=unit)
    marks = clock.marks(0, length * per_second, most)
    assert len(marks) <= most + 1
    day = ""
    for mark in marks:
        day = mark.context or day
        seconds = low + mark.at / per_second
        text = mark.text if "-" in mark.text or ":" not in mark.text else f"{day} {mark.text}"
        text = f"{text}-01" if text.count("-") == 1 else f"{text}-01-01" if "-" not in text else text
        assert datetime.fromisoformat(text + "+00:00" if ":" in text else text + " 00:00+00:00").timestamp() == seconds


def test_texts() -> None:
    assert Clock(scale=6).text(8) == "4/3"
    assert Clock(scale=4).text(10) == "2.5"
    assert Clock(scale=None).text(0.1 + 0.2) == "0.3"
    assert Clock(origin=1714557600, unit="s").text(1) == "2024-05-01 10:00:01"
    assert Clock(origin=1500, unit="ms").text(0) == "1970-01-01 00:00:01.5"
    assert Clock(unit="s").text(-0.5) == "1969-12-31 23:59:59.5"
    assert Clock(unit="s").text(1e15) == "1000000000000000"
    assert Clock(scale=2).exactly(3) == Fraction(3, 2)
