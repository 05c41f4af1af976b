"""Durations and conditions about the calendar: all evaluators agree, in all zones and units."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import numpy as np
import pytest
from holdsfor.engine.calendar import calendar_column
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.numbers import python_numbers
from holdsfor.logic.calendar import FIELDS, calendar_value
from holdsfor.times import UNITS
from tests.strategies.calendar_programs import MOMENTS, ZONES, calendar_program, calendar_scenarios
from tests.strategies.engine_runs import Scenario
from tests.strategies.families import check_everywhere, share_accepted

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_programs_are_accepted() -> None:
    assert share_accepted(calendar_program) >= 0.95


@settings(max_examples=60)
@given(calendar_scenarios(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_everywhere(scenario)


@settings(max_examples=60)
@given(calendar_scenarios(windowed=True, late=8))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_everywhere(scenario)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(calendar_scenarios(windowed=True, late=8))
def test_at_every_query_time_at_length(scenario: Scenario) -> None:
    check_everywhere(scenario)


@given(
    st.sampled_from(sorted(available_timezones() - {"localtime"})),
    st.integers(-62_000_000_000, 253_000_000_000) | st.sampled_from(MOMENTS[:10]),
    st.integers(-7200, 7200),
)
def test_fields_are_those_of_datetimes(zone: str, moment: int, after: int) -> None:
    """What the standard library says of a moment, between the years 6 and 9986."""
    seconds = moment + after
    there = (_EPOCH + timedelta(seconds=seconds)).astimezone(ZoneInfo(zone))
    clock = there.hour * 3600 + there.minute * 60 + there.second
    expected = [there.year, there.month, there.day, there.isoweekday(), there.hour, there.minute, clock]
    assert [calendar_value(field, seconds, "s", zone) for field in FIELDS] == expected


@given(st.sampled_from(ZONES), st.integers(-(10**11), 10**11), st.integers(1, 50))
def test_the_calendar_repeats_itself(zone: str, seconds: int, cycles: int) -> None:
    """Far ahead, clocks follow the same rule every 400 years; long ago, they never changed."""
    cycle = 146_097 * 86_400
    far = 250_000_000_000 + abs(seconds)
    for field in FIELDS[1:]:
        assert calendar_value(field, far, "s", zone) == calendar_value(field, far + cycles * cycle, "s", zone)
        early = -80_000_000_000 - abs(seconds)
        assert calendar_value(field, early, "s", zone) == calendar_value(field, early - cycles * cycle, "s", zone)
    assert calendar_value("year", far + cycle, "s", zone) == calendar_value("year", far, "s", zone) + 400


@given(
    st.sampled_from(ZONES),
    st.sampled_from(sorted(UNITS)),
    st.lists(st.tuples(st.sampled_from(MOMENTS), st.integers(-(10**15), 10**15)), min_size=1, max_size=20),
)
def test_columns_are_rows(zone: str, unit: str, times: list[tuple[int, int]]) -> None:
    points = [moment * UNITS["s"] // UNITS[unit] + after * 10**6 // UNITS[unit] for moment, after in times]
    points = [point for point in points if abs(point) < 2**61] or [0]
    for field in FIELDS:
        found = calendar_column(field, np.array(points, np.int64), unit, zone)
        assert python_numbers(found) == [calendar_value(field, point, unit, zone) for point in points]


def test_columns_of_other_kinds() -> None:
    """Fractions are no time-points; integers of any size are."""
    found = calendar_column("hour", np.array([1.5, 3600.0, np.nan]), "s", "UTC")
    assert python_numbers(found) == [None, 1, None]
    large = np.array([10**30, None], object)
    assert python_numbers(calendar_column("hour", large, "s", "Europe/Athens"))[0] == calendar_value(
        "hour", 10**30, "s", "Europe/Athens"
    )
    far = np.array([2**61, -(2**61)], np.int64)
    expected = [calendar_value("weekday", time, "d", "Europe/Athens") for time in (2**61, -(2**61))]
    assert python_numbers(calendar_column("weekday", far, "d", "Europe/Athens")) == expected


def test_a_column_of_many_days_far_apart() -> None:
    chosen = random.Random(0)
    points = [chosen.randint(-(10**12), 10**12) for _ in range(200)]
    found = calendar_column("hour", np.array(points, np.int64), "s", "America/New_York")
    assert found.tolist() == [calendar_value("hour", point, "s", "America/New_York") for point in points]
