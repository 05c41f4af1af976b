"""Stage 1 for one vessel, report by report, as one would say it: to compare with."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from math import asin, cos, radians, sin, sqrt

from holdsfor_maritime.signals.thresholds import Thresholds

KNOT = 0.514444


@dataclass(frozen=True, order=True)
class Report:
    """A position report that is in range; what is not known is None."""

    time: int
    lon: float
    lat: float
    speed: float | None
    course: float | None


def distance(one: Report, other: Report) -> float:
    """Great circle, in metres."""
    a, b = radians(one.lat), radians(other.lat)
    h = sin((b - a) / 2) ** 2 + cos(a) * cos(b) * sin(radians(other.lon - one.lon) / 2) ** 2
    return 2 * 6_371_008.8 * asin(sqrt(h))


def cleaned(reports: list[Report], limits: Thresholds) -> tuple[list[tuple[Report, float | None]], int, int]:
    """Reports that are believed, each with the metres from the one before, and the numbers of duplicates and jumps."""
    by_time: dict[int, list[Report]] = defaultdict(list)
    for report in reports:
        by_time[report.time].append(report)
    chosen = [min(by_time[time], key=_rank) for time in sorted(by_time)]
    duplicates = len(reports) - len(chosen)
    believed: list[tuple[Report, float | None]] = []
    odd: list[Report] = []
    jumps = 0

    def reachable(one: Report, other: Report) -> bool:
        return distance(one, other) <= limits.cleaning_fastest * KNOT * (other.time - one.time)

    for report in chosen:
        if not believed:
            believed.append((report, None))
        elif reachable(believed[-1][0], report):
            believed.append((report, distance(believed[-1][0], report)))
            odd = []
        else:
            odd = [*odd, report] if odd and reachable(odd[-1], report) else [report]
            if len(odd) >= limits.cleaning_believed_after:
                believed.append((report, None))
                odd = []
            else:
                jumps += 1
    return believed, duplicates, jumps


def _rank(report: Report) -> tuple[float, ...]:
    return tuple(1e9 if value is None else value for value in (report.lon, report.lat, report.speed, report.course))


def stretches(
    reports: list[tuple[Report, float | None]], limits: Thresholds
) -> list[list[tuple[Report, float | None]]]:
    """Reports without a gap between them."""
    found: list[list[tuple[Report, float | None]]] = []
    for report in reports:
        if found and report[0].time - found[-1][-1][0].time <= limits.gap_seconds:
            found[-1].append(report)
        else:
            found.append([report])
    return found


def events(reports: list[Report], limits: Thresholds, now: int | None) -> set[tuple[str, int]]:
    """What happens to a vessel, and when."""
    believed, _, _ = cleaned(reports, limits)
    parts = stretches(believed, limits)
    found: set[tuple[str, int]] = set()
    for before, after in pairwise(parts):
        found |= {("gap_start", before[-1][0].time), ("gap_end", after[0][0].time)}
    if parts and now is not None and now - parts[-1][-1][0].time > limits.gap_seconds:
        found.add(("gap_start", parts[-1][-1][0].time))
    for part in parts:
        speeds = [_speed(place, part) for place in range(len(part))]
        times = [report.time for report, _ in part]
        found |= _runs("stop", times, [v is not None and v < limits.stop_below for v in speeds])
        slow = [v is not None and limits.stop_below <= v < limits.slow_motion_below for v in speeds]
        found |= _runs("slow_motion", times, slow)
        found |= _speed_changes(times, speeds, limits)
        courses = [report.course for report, _ in part]
        found |= _course_changes("change_in_heading", limits.change_in_heading_degrees, times, speeds, courses, limits)
        found |= _course_changes("turn", limits.turn_degrees, times, speeds, courses, limits)
    return found


def _speed(place: int, part: list[tuple[Report, float | None]]) -> float | None:
    report, metres = part[place]
    if report.speed is not None:
        return report.speed
    if place == 0 or metres is None:
        return None
    return metres / (report.time - part[place - 1][0].time) / KNOT


def _runs(name: str, times: list[int], flags: list[bool]) -> set[tuple[str, int]]:
    found = set()
    before = False
    for time, flag in zip(times, flags, strict=True):
        if flag != before:
            found.add((f"{name}_start" if flag else f"{name}_end", time))
        before = flag
    return found


def _speed_changes(times: list[int], speeds: list[float | None], limits: Thresholds) -> set[tuple[str, int]]:
    def differs(one: float, other: float) -> bool:
        return abs(one - other) > max(limits.change_in_speed_share * other, limits.change_in_speed_least)

    found = set()
    known = [(time, speed) for time, speed in zip(times, speeds, strict=True) if speed is not None]
    steady, changing = (known[0][1] if known else 0.0), False
    for (_, before), (time, speed) in pairwise(known):
        if not changing and differs(speed, steady):
            found.add(("change_in_speed_start", time))
            changing = True
        elif changing and not differs(speed, before):
            found.add(("change_in_speed_end", time))
            steady, changing = speed, False
    return found


def _course_changes(
    name: str,
    degrees: float,
    times: list[int],
    speeds: list[float | None],
    courses: list[float | None],
    limits: Thresholds,
) -> set[tuple[str, int]]:
    found = set()
    kept = None
    for time, speed, course in zip(times, speeds, courses, strict=True):
        if speed is None or speed < limits.change_in_heading_moving:
            kept = None
        elif course is not None:
            if kept is not None and abs((course - kept + 180) % 360 - 180) > degrees:
                found.add((name, time))
                kept = course
            elif kept is None:
                kept = course
    return found


def crossings(reports: list[Report], inside: dict[Report, set[str]], limits: Thresholds) -> set[tuple[str, int, str]]:
    """Areas entered and left."""
    believed, _, _ = cleaned(reports, limits)
    found = set()
    for part in stretches(believed, limits):
        before: set[str] = set()
        for report, _ in part:
            found |= {("entersArea", report.time, area) for area in inside[report] - before}
            found |= {("leavesArea", report.time, area) for area in before - inside[report]}
            before = inside[report]
    return found


def places(reports: list[Report], limits: Thresholds) -> dict[int, tuple[float, float]]:
    """Where a vessel is at every slot that is known."""
    believed, _, _ = cleaned(reports, limits)
    slot = limits.proximity_slot
    found = {report.time // slot: (report.lon, report.lat) for report, _ in believed if report.time % slot == 0}
    for (one, _), (other, metres) in pairwise(believed):
        if metres is None or other.time - one.time > limits.gap_seconds:
            continue
        for time in range(one.time + 1, other.time + 1):
            if time % slot == 0:
                share = (time - one.time) / (other.time - one.time)
                found[time // slot] = (one.lon + share * (other.lon - one.lon), one.lat + share * (other.lat - one.lat))
    return found
