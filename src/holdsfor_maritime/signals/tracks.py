"""Detects the events at each report of many vessels, in order of vessel and time.

The events of a report depend on the reports before it: on the last accepted report, and on the speed and the course that
the vessel kept until then. So one compiled loop processes all reports. The state of a vessel is a row of numbers (`NAMES`),
which is also all that a stream keeps of the vessel.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdsfor_maritime.signals.thresholds import Thresholds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NAMES = (
    "time",
    "lon",
    "lat",
    "speed",
    "steady",
    "changing",
    "stopped",
    "slow",
    "course",
    "turned",
    "odd_time",
    "odd_lon",
    "odd_lat",
    "odd_row",
    "gap_reported",
)
"""The state of a vessel: its last report; the speed it kept; whether it is changing speed, stopped, slow; its course at
the last change and at the last turn; the last implausible report, and how many there were in a row; whether its gap has
been reported. Unknown values are NaN."""
_TIME, _GAP_REPORTED = NAMES.index("time"), NAMES.index("gap_reported")

KEPT, ANEW, AFTER_GAP, UNREPORTED = 1, 2, 4, 8
"""The report is accepted; it begins a gap-free segment; it follows a gap; the start of that gap has not been reported."""
MOMENTS = (
    "stop_start",
    "stop_end",
    "slow_motion_start",
    "slow_motion_end",
    "change_in_speed_start",
    "change_in_speed_end",
    "change_in_heading",
    "turn",
)
FIRST_MOMENT = 4
"""The bit of the first of these events."""


def unknown(vessels: int) -> Floats:
    """The state of vessels without reports."""
    found = np.full((vessels, len(NAMES)), np.nan)
    found[:, [NAMES.index(name) for name in ("changing", "stopped", "slow", "odd_row", "gap_reported")]] = 0
    return found


def metres(lon: float, lat: float, to_lon: float, to_lat: float) -> float:
    """The distance of two positions on the globe in metres."""
    one, other = math.radians(lat), math.radians(to_lat)
    sine = math.sin((other - one) / 2) ** 2
    sine += math.cos(one) * math.cos(other) * math.sin(math.radians(to_lon - lon) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(min(sine, 1.0)))


def apart(one: float, other: float) -> float:
    """Degrees between two courses; NaN if one is unknown."""
    return abs((one - other + 180.0) % 360.0 - 180.0)


def accepted(now: Floats, t: float, lon: float, lat: float, limits: Floats) -> float:
    """Metres from the last report; NaN after a gap, and -1 for an implausible report."""
    passed = t - now[0]
    if not passed > 0:
        return np.nan
    far = metres(now[1], now[2], lon, lat)
    if far <= limits[1] * passed:
        return far
    if now[13] > 0 and metres(now[11], now[12], lon, lat) <= limits[1] * (t - now[10]):
        now[13] += 1
    else:
        now[13] = 1
    now[10], now[11], now[12] = t, lon, lat
    # That many reports that agree with each other are accepted.
    return -1.0 if now[13] < limits[2] else np.nan


def speed_events(now: Floats, speed: float, limits: Floats) -> int:
    """The bits of stops, slow motion and changes of speed. Comparisons with unknown values are false."""
    bits = 0
    stopped = 1.0 if speed < limits[3] else 0.0
    slow = 1.0 if limits[3] <= speed < limits[4] else 0.0
    if stopped != now[6]:
        bits |= 16 if stopped > 0 else 32
    if slow != now[7]:
        bits |= 64 if slow > 0 else 128
    now[6], now[7] = stopped, slow
    if np.isnan(now[4]):
        now[4] = speed
    elif now[5] == 0:
        if abs(speed - now[4]) > max(limits[5] * now[4], limits[6]):
            bits |= 256
            now[5] = 1
    elif abs(speed - now[3]) <= max(limits[5] * now[3], limits[6]):
        bits |= 512
        now[5] = 0
        now[4] = speed
    if not np.isnan(speed):
        now[3] = speed
    return bits


def course_events(now: Floats, course: float, limits: Floats) -> int:
    """The bits of changes of heading and of turns."""
    bits = 0
    if np.isnan(now[8]):
        now[8] = course
    elif apart(course, now[8]) > limits[7]:
        bits |= 1024
        now[8] = course
    if np.isnan(now[9]):
        now[9] = course
    elif apart(course, now[9]) > limits[9]:
        bits |= 2048
        now[9] = course
    return bits


def process(
    vessel: Ints,
    time: Floats,
    place: Floats,
    moving: Floats,
    known: Floats,
    limits: Floats,
    found: Ints,
    details: Floats,
) -> None:
    """Process reports in order of vessel and time.

    `place` is longitude and latitude, `moving` speed and course. `known`, the state of each vessel, is updated. `found`
    gets the bits of each report; `details` its speed, and the time and place of the report before it. That place is NaN
    after a gap.
    """
    for row in range(len(time)):
        now = known[vessel[row]]
        t, lon, lat, speed = time[row], place[row, 0], place[row, 1], moving[row, 0]
        far = accepted(now, t, lon, lat, limits)
        if far < 0:
            continue
        passed = t - now[0]
        bits = 1
        details[row, 1] = now[0]
        if not np.isnan(far):
            details[row, 2], details[row, 3] = now[1], now[2]
        if not passed <= limits[0]:
            bits |= 2
            if passed > limits[0]:
                bits |= 4 if now[14] > 0 else 12
            now[3] = now[4] = now[8] = now[9] = np.nan
            now[5] = now[6] = now[7] = 0
        elif np.isnan(speed):
            speed = far / passed / 0.514444
        details[row, 0] = speed
        bits |= speed_events(now, speed, limits)
        if speed >= limits[8]:
            bits |= course_events(now, moving[row, 1], limits)
        else:
            now[8] = now[9] = np.nan
        now[0], now[1], now[2], now[13], now[14] = t, lon, lat, 0, 0
        found[row] = bits


@cache
def _compiled() -> Any:
    import numba
    from numba.extending import register_jitable

    for function in (metres, apart, accepted, speed_events, course_events):
        register_jitable(function)
    return numba.njit(cache=True)(process)


def limits_of(limits: Thresholds) -> Floats:
    """The thresholds of the loop."""
    return np.array(
        [
            limits.gap_seconds,
            limits.cleaning_fastest * 0.514444,
            max(limits.cleaning_believed_after, 1),
            limits.stop_below,
            limits.slow_motion_below,
            limits.change_in_speed_share,
            limits.change_in_speed_least,
            limits.change_in_heading_degrees,
            limits.change_in_heading_moving,
            limits.turn_degrees,
        ]
    )


def processed(
    vessel: Ints, time: Ints, place: Floats, moving: Floats, known: Floats, limits: Thresholds
) -> tuple[Ints, Floats]:
    """The bits of every report, 0 for an implausible one; and its speed, with time and place of the report before it.

    `known` has a row for each vessel, and is updated.
    """
    found = np.zeros(len(time), np.int64)
    details = np.full((len(time), 4), np.nan)
    _compiled()(vessel, time.astype(np.float64), place, moving, known, limits_of(limits), found, details)
    return found, details


def silent(known: Floats, until: float, limits: Thresholds) -> NDArray[np.bool_]:
    """The vessels without reports for longer than a gap, if this has not been reported."""
    found: NDArray[np.bool_] = (until - known[:, _TIME] > limits.gap_seconds) & (known[:, _GAP_REPORTED] == 0)
    return found


def mark_gap_reported(known: Floats, which: NDArray[np.bool_]) -> None:
    """Records that the gap has been reported."""
    known[which, _GAP_REPORTED] = 1


def last_reports(known: Floats) -> Ints:
    """The time of the last report of each vessel."""
    return known[:, _TIME].astype(np.int64)
