"""Durations and conditions about the calendar: all evaluators agree, in all zones and units."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.logic.calendar import FIELDS, calendar_value
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
