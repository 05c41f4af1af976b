"""Times and durations: text and back, and no digit lost on the way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import LATEST, UNITS, duration, duration_text, time_point, time_text

units = st.sampled_from(sorted(UNITS))
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.integers(-(2**60), 2**60), units)
def test_times_and_their_text(time: int, unit: str) -> None:
    assert time_point(time_text(time, unit), unit) == time


@given(st.integers(-LATEST, LATEST), units)
def test_durations_and_their_text(length: int, unit: str) -> None:
    assert duration(duration_text(length, unit), unit) == length


@given(st.integers(-LATEST, LATEST), st.none() | units)
def test_whole_numbers_stay_what_they_are(number: int, unit: str | None) -> None:
    assert time_point(number, unit) == duration(number, unit) == duration(str(number), unit) == number


@given(st.floats(-LATEST, LATEST))
def test_whole_floats_are_the_numbers_that_they_are(number: float) -> None:
    if number.is_integer():
        assert Fraction(time_point(number, None)) == Fraction(number)
        return
    try:
        time_point(number, "s")
    except HoldsforError:
        return
    raise AssertionError(number)


@given(st.datetimes(timezones=zones), units)
def test_datetimes_in_all_their_forms(moment: datetime, unit: str) -> None:
    size = UNITS[unit] // 1000 or Fraction(1, 1000)
    microseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    expected = int(microseconds // size)
    if abs(expected) <= LATEST:
        assert time_point(moment, unit) == time_point(moment.isoformat(), unit) == expected


@given(st.integers(-(2**62), 2**62), units)
def test_pandas_and_numpy_have_nanoseconds(nanoseconds: int, unit: str) -> None:
    expected = nanoseconds // UNITS[unit]
    if abs(expected) > LATEST:
        return
    assert time_point(np.datetime64(nanoseconds, "ns"), unit) == expected
    assert time_point(pd.Timestamp(nanoseconds, tz="UTC"), unit) == expected
    if nanoseconds % UNITS[unit] == 0:
        assert duration(np.timedelta64(nanoseconds, "ns"), unit) == expected
        assert duration(pd.Timedelta(nanoseconds, "ns"), unit) == expected
        assert duration(f"{nanoseconds} ns", unit) == expected


@given(st.integers(0, 10**6), st.integers(0, 10**9 - 1))
def test_decimals_are_exact(seconds: int, rest: int) -> None:
    written = f"{seconds}.{rest:09}"
    for text in (f"{written}s", f"PT{written}S", f"{written.replace('.', ',')} seconds"):
        assert duration(text, "ns") == seconds * 10**9 + rest


@given(st.text(max_size=30) | st.text("0123456789PTZWhmins+-:., ", max_size=30))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    for read in (time_point, duration):
        try:
            assert isinstance(read(text, "d" if read is duration else "s"), int)
        except (HoldsforError, UserWarning):
            continue
