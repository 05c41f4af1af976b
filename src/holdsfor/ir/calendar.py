"""Conditions about the calendar and the clock: names, fields and usage."""

from __future__ import annotations

BUSINESS = "business_hours"
CONDITIONS: dict[tuple[str, int], tuple[str, ...]] = {
    ("hour", 2): ("hour",),
    ("minute", 2): ("minute",),
    ("weekday", 2): ("weekday",),
    ("date", 4): ("year", "month", "day"),
    ("time_of_day", 2): ("time_of_day",),
    (BUSINESS, 1): (),
    (BUSINESS, 3): (),
}
"""The predicates of programs with a time unit, with the fields of their arguments after the time-point."""

RANGES: dict[str, tuple[float, float | None, str]] = {
    "hour": (0, 23, "hours are 0 to 23"),
    "minute": (0, 59, "minutes are 0 to 59"),
    "weekday": (1, 7, "days of the week are 1 to 7, and Monday is 1"),
    "year": (float("-inf"), float("inf"), "years are numbers"),
    "month": (1, 12, "months are 1 to 12"),
    "day": (1, 31, "days of a month are 1 to 31"),
    "time_of_day": (0, None, "it is the time since midnight; write it so: 9 h"),
}
"""The least and the greatest value of each field (None: a day), and the message for others."""

DAYS = {day: number for number, day in enumerate("mon tue wed thu fri sat sun".split(), 1)}

USAGE = {
    "hour": "hour(T, Hour)",
    "minute": "minute(T, Minute)",
    "weekday": "weekday(T, Day)",
    "date": "date(T, Year, Month, Day)",
    "time_of_day": "time_of_day(T, Duration)",
    BUSINESS: "business_hours(T, From, To)",
}
"""The usage of each predicate."""
