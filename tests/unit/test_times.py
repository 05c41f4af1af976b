"""Times and durations as people write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import duration, require_unit, time_point

NOON = 1_772_366_400
"""2026-03-01, 12:00 UTC."""


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        (3600, 3600),
        (3600.0, 3600),
        ("3600", 3600),
        (np.int32(3600), 3600),
        (np.float32(3600), 3600),
        (Fraction(7, 1), 7),
        (timedelta(hours=1), 3600),
        (pd.Timedelta("1h"), 3600),
        (np.timedelta64(1, "h"), 3600),
        (np.timedelta64(2, "W"), 1_209_600),
        (np.timedelta64(3000, "ms"), 3),
        ("1h", 3600),
        ("10min", 600),
        ("90 s", 90),
        ("1 hour", 3600),
        ("1 Hour", 3600),
        ("1h30min", 5400),
        ("1 h 30 min", 5400),
        ("1.5h", 5400),
        ("0,5 min", 30),
        ("2 weeks", 1_209_600),
        ("-1h", -3600),
        ("3000000000 ns", 3),
        ("interval 10 minutes", 600),
        ("INTERVAL 10 MINUTES", 600),
        ("PT1H", 3600),
        ("PT0.5H", 1800),
        ("P1DT2H3M4S", 93_784),
        ("P2W", 1_209_600),
        ("-PT1M", -60),
    ],
)
def test_durations(given: Any, seconds: int) -> None:
    assert duration(given, "s") == seconds


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (NOON, NOON),
        (float(NOON), NOON),
        (str(NOON), NOON),
        ("2026-03-01T12:00Z", NOON),
        ("2026-03-01t12:00z", NOON),
        ("2026-03-01 12:00:00 UTC", NOON),
        ("2026-03-01 13:00:00+01:00", NOON),
        ("2026-03-01T13:00:00+0100", NOON),
        ("20260301T120000Z", NOON),
        ("2026-W09-7T12:00Z", NOON),
        ("2026-03-01T12:00:00.999999999Z", NOON),
        ("1969-12-31T23:59:59.5Z", -1),
        (datetime(2026, 3, 1, 12, tzinfo=UTC), NOON),
        (datetime(2026, 3, 1, 7, tzinfo=timezone(timedelta(hours=-5))), NOON),
        (pd.Timestamp("2026-03-01 13:00", tz="Europe/Berlin"), NOON),
        (np.datetime64("2026-03-01T12:00"), NOON),
        (np.datetime64("2026-03"), NOON - 12 * 3600),
    ],
)
def test_times(given: Any, expected: int) -> None:
    assert time_point(given, "s") == expected


def test_nanoseconds_are_kept() -> None:
    exact = NOON * 10**9 + 123_456_789
    assert time_point("2026-03-01T12:00:00.123456789Z", "ns") == exact
    assert time_point(pd.Timestamp(exact, tz="UTC"), "ns") == exact
    assert time_point(np.datetime64(exact, "ns"), "ns") == exact
    assert duration(pd.Timedelta(exact, "ns"), "ns") == exact


@pytest.mark.parametrize(
    "given",
    ["2026-03-01", "2026-03-01T00:00", datetime(2026, 3, 1), date(2026, 3, 1), pd.Timestamp("2026-03-01")],  # noqa: DTZ001
)
def test_a_time_without_zone_is_utc_and_a_warning_says_so(given: Any) -> None:
    with pytest.warns(UserWarning, match="end '2026-03-01.*' has no time zone; it is read as UTC") as seen:
        assert time_point(given, "d", "end") == 20_513
    assert seen[0].filename == __file__


@pytest.mark.parametrize("given", ["1h", timedelta(hours=1), "PT1H", np.timedelta64(1, "h")])
def test_a_duration_needs_a_unit(given: Any) -> None:
    with pytest.raises(HoldsforError, match=r'window .* is a duration, .* declare the unit, for example unit="s"'):
        duration(given, None, "window")


@pytest.mark.parametrize("given", ["2026-03-02", datetime(2026, 3, 2, tzinfo=UTC), np.datetime64("2026-03-02")])
def test_a_date_needs_a_unit(given: Any) -> None:
    with pytest.raises(HoldsforError, match=r'end .* is a date, .* declare the unit, for example unit="s"'):
        time_point(given, None, "end")


@pytest.mark.parametrize(
    "given",
    [
        None,
        True,
        np.True_,
        "",
        "h",
        1.5,
        float("nan"),
        float("inf"),
        "1 fortnight",
        "P",
        "PT",
        "P1DT",
        "1h!",
        "P1Y",
    ]
    + [[], {}, b"1h", "1h 2026-03-01", "2026-03-01", datetime(2026, 3, 1, tzinfo=UTC), pd.NaT, np.timedelta64("NaT")]
    + [np.timedelta64(1, "M"), "٣h", "1e3 s", pd.Series([1, 2]), np.array([1, 2])],
)
def test_what_is_no_duration(given: Any) -> None:
    with pytest.raises(
        HoldsforError, match=r"^window must be a whole number of time-points, a timedelta, or text such"
    ):
        duration(given, "s", "window")


@pytest.mark.parametrize(
    "given",
    [
        None,
        True,
        1.5,
        "",
        "soon",
        "1h",
        timedelta(1),
        "2026-03-01x12:00",
        "2026-13-01",
        "2026-03-01T12:00.5Z",
        "2026-3-1",
    ]
    + ["2026-03-01T25:00", "2026-03-01T12:00+99:00", pd.NaT, np.datetime64("NaT"), "01.03.2026", "٢٠٢٦-03-01", "12:00"],
)
def test_what_is_no_time(given: Any) -> None:
    with pytest.raises(HoldsforError, match=r"^end must be a whole number, a datetime, or text such as"):
        time_point(given, "s", "end")


@pytest.mark.parametrize(
    ("given", "unit", "message"),
    [
        ("5 m", "s", r'window \'5 m\': "m" may be minutes or months; write "min"'),
        ("1 month", "s", "a month has no fixed length; write days"),
        ("2 years", "s", "a year has no fixed length; write days"),
        ("90 s", "min", "window '90 s' is not a whole number of time-points: one is 1 min"),
        ("0.3 ns", "ns", "is not a whole number of time-points"),
        ("99999999999 days", "ns", "window '99999999999 days' is too large"),
    ],
)
def test_durations_that_do_not_fit(given: str, unit: str, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        duration(given, unit, "window")


def test_dates_that_no_unit_can_count() -> None:
    assert time_point("9999-12-31T23:59:59Z", "s") == 253_402_300_799
    with pytest.raises(HoldsforError, match="is too large: more than 2\\^61 time-points"):
        time_point("9999-12-31T23:59:59Z", "ns")
    assert time_point("0001-01-01T00:00+14:00", "h") == -17_259_902


def test_units() -> None:
    assert require_unit("min") == "min"
    wrongs: list[object] = ["m", "week", 5, None, [], "S"]
    for wrong in wrongs:
        with pytest.raises(HoldsforError, match="unit must be one of s, ms, us, ns, min, h, d, not"):
            require_unit(wrong)
