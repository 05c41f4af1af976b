"""Marks on an axis of time: inside, in order, not too many, and texts that say where they stand."""

import json
import shutil
import subprocess
from datetime import UTC, datetime
from fractions import Fraction
from importlib.resources import files
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import UNITS, TimeScale
from holdsfor.viz.timeline_axis import ClockMarks
from holdsfor.viz.timeline_dates import offsets, shown_scale


@given(st.integers(-(10**12), 10**12), st.integers(1, 10**12), st.integers(1, 12), st.sampled_from([1, 3, 1000]))
def test_numbers(low: int, length: int, most: int, scale: int) -> None:
    clock = ClockMarks(origin=7, scale=scale)
    marks = clock.marks(low, low + length, most)
    assert len(marks) <= most + 1
    assert all(low - 1e-6 * length <= mark.at <= low + length * (1 + 1e-6) for mark in marks)
    assert [mark.at for mark in marks] == sorted({mark.at for mark in marks})
    for mark in marks:
        assert float(mark.text) == pytest.approx(float(clock.exactly(mark.at)), rel=1e-9, abs=1e-9)


ZONES = ["UTC", "Europe/Athens", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Kiritimati", "Africa/Casablanca"]


@given(
    st.integers(-(10**9), 4 * 10**9),
    st.one_of(st.integers(1, 10**9), st.integers(1, 5000), st.integers(1, 400_000)),
    st.integers(1, 12),
    st.sampled_from(["s", "ms", "us", "ns"]),
    st.sampled_from(ZONES),
)
def test_dates(low: int, length: int, most: int, unit: str, zone: str) -> None:
    per_second = UNITS["s"] // UNITS[unit]
    clock = ClockMarks(origin=low * per_second, time_scale=TimeScale(unit, zone))
    marks = clock.marks(0, length * per_second, most)
    # Where clocks are put back, some times of day come twice.
    assert len(marks) <= most + (1 if zone == "UTC" else 4)
    assert [mark.at for mark in marks] == sorted({mark.at for mark in marks})
    day = ""
    for mark in marks:
        day = mark.context or day
        seconds = low + mark.at / per_second
        text = mark.text if "-" in mark.text or ":" not in mark.text else f"{day} {mark.text}"
        text = f"{text}-01" if text.count("-") == 1 else f"{text}-01-01" if "-" not in text else text
        read = datetime.fromisoformat(text if ":" in text else text + " 00:00").replace(tzinfo=ZoneInfo(zone))
        assert seconds in {read.timestamp(), read.replace(fold=1).timestamp()}


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_every_unit_has_dates(unit: str) -> None:
    day = UNITS["d"] // UNITS[unit]
    marks = ClockMarks(time_scale=TimeScale(unit)).marks(0, 4 * day, 4)
    assert [mark.text for mark in marks] == [f"1970-01-0{number}" for number in range(1, 6)]


def test_midnights_are_those_of_the_zone() -> None:
    """Around the night in which clocks are put back in Athens: one day has 25 hours."""
    begin = int(datetime(2026, 10, 23, 21, tzinfo=UTC).timestamp())
    clock = ClockMarks(origin=begin, time_scale=TimeScale("s", "Europe/Athens"))
    marks = clock.marks(0, 3 * 86400, 4)
    assert [(mark.at / 3600, mark.text) for mark in marks] == [
        (0, "2026-10-24"),
        (24, "2026-10-25"),
        (49, "2026-10-26"),
    ]
    hours = clock.marks(25 * 3600, 30 * 3600, 6)
    assert [mark.text for mark in hours] == ["01:00", "02:00", "03:00", "03:00", "04:00", "05:00"]
    assert hours[0].context == "2026-10-25"


def test_an_hour_that_clocks_leave_out_has_no_mark() -> None:
    begin = int(datetime(2026, 3, 28, 22, tzinfo=UTC).timestamp())
    marks = ClockMarks(origin=begin, time_scale=TimeScale("s", "Europe/Athens")).marks(0, 5 * 3600, 6)
    assert [mark.text for mark in marks] == ["00:00", "01:00", "02:00", "04:00", "05:00", "06:00"]


@given(st.sampled_from(ZONES), st.integers(-(10**9), 4 * 10**9), st.integers(0, 10**9), st.floats(0, 1))
def test_offsets_are_those_of_the_zone(zone: str, first: int, length: int, where: float) -> None:
    table = offsets(zone, first, first + length)
    assert table[0][0] <= first
    assert [start for start, _ in table] == sorted({start for start, _ in table})
    second = first + int(where * length)
    ahead = datetime.fromtimestamp(second, ZoneInfo(zone)).utcoffset()
    assert ahead is not None
    assert [offset for start, offset in table if start <= second][-1] == ahead.total_seconds()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_pages_show_the_same() -> None:
    """The script of pages has the same marks and texts, for spans from a second to decades."""
    asked = []
    for zone in ZONES:
        for unit, begin in (("s", 1_774_700_000), ("ms", 1_792_800_000_123), ("min", 29_000_000), ("h", -20_000)):
            clock = ClockMarks(begin, 1, TimeScale(unit, zone))
            for exponent in range(1, 10):
                length = 7**exponent
                if length * UNITS[unit] < 60 * 365 * UNITS["d"]:
                    asked.append((clock, length))
    script = (files("holdsfor.viz") / "assets" / "common.js").read_text(encoding="utf-8")
    given = json.dumps([[clock.for_page(0, length), length] for clock, length in asked])
    ask = """console.log(JSON.stringify(GIVEN.map(([told, high]) => {
      const clock = new Clock(told);
      return [clock.marks(0, high, 7).map((m) => [m.at, m.text, m.context || ""]), clock.text(0), clock.text(high)];
    })))"""
    run = subprocess.run(
        ["node", "-e", script + ask.replace("GIVEN", given)], capture_output=True, text=True, check=True
    )
    for (clock, length), (marks, first, last) in zip(asked, json.loads(run.stdout), strict=True):
        expected = clock.marks(0, length, 7)
        assert [(text, context) for _, text, context in marks] == [(mark.text, mark.context) for mark in expected]
        assert [at for at, _, _ in marks] == pytest.approx([mark.at for mark in expected], abs=1e-3)
        assert (first, last) == (clock.text(0), clock.text(length))


def test_what_the_times_of_a_picture_mean() -> None:
    athens = TimeScale("ms", "Europe/Athens")
    assert shown_scale(None, None, None) is None
    assert shown_scale(athens, None, None) == shown_scale(athens, "ms", None) == athens
    assert shown_scale(None, "s", "Asia/Tokyo") == TimeScale("s", "Asia/Tokyo")
    with pytest.raises(HoldsforError, match="a time-point of these times is known to be 1 ms"):
        shown_scale(athens, "s", None)
    with pytest.raises(HoldsforError, match="say what one time-point is, for example unit='s'"):
        shown_scale(None, None, "Asia/Tokyo")


def test_texts() -> None:
    seconds = TimeScale("s")
    assert ClockMarks(scale=6).text(8) == "4/3"
    assert ClockMarks(scale=4).text(10) == "2.5"
    assert ClockMarks(scale=None).text(0.1 + 0.2) == "0.3"
    assert ClockMarks(1714557600, 1, seconds).text(1) == "2024-05-01T10:00:01Z"
    assert ClockMarks(1714557600, 1, TimeScale("s", "Europe/Athens")).text(1) == "2024-05-01T13:00:01+03:00"
    assert ClockMarks(1500, 1, TimeScale("ms")).text(0) == "1970-01-01T00:00:01.5Z"
    assert ClockMarks(0, 1, seconds).text(-0.5) == "1969-12-31T23:59:59.5Z"
    assert ClockMarks(0, 4, TimeScale("h")).text(1) == "1970-01-01T00:15:00Z"
    assert ClockMarks(0, 1, seconds).text(1e15) == "1000000000000000"
    assert ClockMarks(scale=2).exactly(3) == Fraction(3, 2)
