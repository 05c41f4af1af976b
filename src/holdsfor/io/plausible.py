"""Checks whether times are plausible: milliseconds read as seconds lie thousands of years ahead."""

from __future__ import annotations

from holdsfor.times import UNITS, TimeScale

_LAST_YEAR = 253_402_300_800 * UNITS["s"]
"""The end of the calendar: the year 9999."""
_LIKELY = 86_400 * 365 * 230 * UNITS["s"]
"""Plausible times are before the year 2200."""
_WORDS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def time_note(last: int, scale: TimeScale | None) -> str | None:
    """A note about an input whose last time-point lies after the year 9999; None if there is nothing to report.

    >>> print(time_note(1_772_366_400_000, TimeScale("s")))
    time 1772366400000 is after the year 9999 if it is counted in s; it looks like milliseconds: declare the unit ms
    """
    if scale is None or last * scale.size < _LAST_YEAR:
        return None
    finer = (unit for unit in ("s", "ms", "us", "ns") if UNITS[unit] < scale.size and last * UNITS[unit] < _LIKELY)
    unit = next(finer, None)
    likely = f"it looks like {_WORDS[unit]}: declare the unit {unit}" if unit else "declare the unit that it has"
    return f"time {last} is after the year 9999 if it is counted in {scale.unit}; {likely}"
