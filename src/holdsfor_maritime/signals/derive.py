"""Derives the events of some vessels from their reports up to a time, and returns the state for a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from holdsfor_maritime.signals import cleaning
from holdsfor_maritime.signals.areas import AreaIndex
from holdsfor_maritime.signals.proximity import samples
from holdsfor_maritime.signals.thresholds import Thresholds
from holdsfor_maritime.signals.tracks import (
    AFTER_GAP,
    ANEW,
    FIRST_MOMENT,
    KEPT,
    MOMENTS,
    NAMES,
    UNREPORTED,
    Floats,
    Ints,
    last_reports,
    mark_gap_reported,
    processed,
    silent,
    unknown,
)

MOMENT = pa.schema([("time", pa.int64()), ("vessel", pa.int64())])
VELOCITY = pa.schema(
    [*MOMENT, ("speed", pa.float64()), ("course", pa.float64()), ("heading", pa.float64())],
)
CROSSING = pa.schema([*MOMENT, ("area", pa.string())])
TRACK = pa.schema([("vessel", pa.int64()), ("time", pa.int64()), ("lon", pa.float64()), ("lat", pa.float64())])
SCHEMAS: dict[str, pa.Schema] = (
    dict.fromkeys(("gap_start", "gap_end", *MOMENTS), MOMENT)
    | {"velocity": VELOCITY}
    | dict.fromkeys(("entersArea", "leavesArea"), CROSSING)
)
"""The events of stage 1 and their columns."""

KNOWN = pa.schema([("vessel", pa.int64()), *((name, pa.float64()) for name in NAMES)])
WITHIN = pa.schema([("vessel", pa.int64()), ("area", pa.int64())])


@dataclass(frozen=True)
class VesselStates:
    """The state of vessels: numbers, their areas, and reports after the time reached."""

    known: pa.Table
    within: pa.Table
    waiting: pa.Table

    @classmethod
    def empty(cls) -> VesselStates:
        """The empty state."""
        return cls(KNOWN.empty_table(), WITHIN.empty_table(), cleaning.ROWS.empty_table())


@dataclass(frozen=True)
class Derived:
    """Events and the new state."""

    events: Mapping[str, pa.Table]
    samples: pa.Table
    tracks: pa.Table
    aside: pa.Table
    memory: VesselStates


def derive(
    rows: pa.Table,
    memory: VesselStates,
    index: AreaIndex,
    limits: Thresholds,
    until: int | None = None,
    now: int | None = None,
) -> Derived:
    """Process reports up to the time `until`; without it, all of them.

    `now` is the time by which vessels count as silent.
    """
    rows = pa.concat_tables((memory.waiting, rows))
    waiting = cleaning.ROWS.empty_table()
    if until is not None:
        early = rows["time"].to_numpy() > until
        waiting, rows = rows.filter(pa.array(early)), rows.filter(pa.array(~early))
    ordered = cleaning.ordered(rows)
    vessels, known, vessel = _recalled(memory.known, ordered)
    time = ordered.rows["time"].to_numpy()
    place = np.column_stack((ordered.rows["lon"].to_numpy(), ordered.rows["lat"].to_numpy()))
    speed, course = ordered.rows["speed"].to_numpy(), ordered.rows["course"].to_numpy()
    moving = np.column_stack(
        (np.where(speed < cleaning.NO_SPEED, speed, np.nan), np.where(course < cleaning.NO_COURSE, course, np.nan))
    )
    bits, details = processed(vessel, time, place, moving, known, limits)
    kept = np.flatnonzero(bits & KEPT)
    jumps = ordered.rows.take(np.flatnonzero(bits == 0))
    accepted = _AcceptedReports(vessels, vessel[kept], time[kept], place[kept], bits[kept], details[kept])
    events = _moments(accepted) | _velocity(accepted, ordered.rows, kept)
    events |= _silences(accepted, vessels, known, now, limits)
    crossings, within = _crossings(accepted, memory.within, index)
    return Derived(
        events | crossings,
        samples(vessels[accepted.vessel], accepted.time, accepted.place, accepted.details[:, 1:], limits),
        pa.table([vessels[accepted.vessel], accepted.time, accepted.place[:, 0], accepted.place[:, 1]], schema=TRACK),
        pa.concat_tables(
            (
                cleaning.ASIDE.empty_table(),
                cleaning.set_aside(ordered.duplicates, cleaning.DUPLICATE),
                cleaning.set_aside(jumps, cleaning.JUMP),
            )
        ),
        VesselStates(_remembered(vessels, known), within, waiting),
    )


@dataclass(frozen=True)
class _AcceptedReports:
    """The plausible reports."""

    vessels: Ints
    vessel: Ints
    time: Ints
    place: Floats
    bits: Ints
    details: Floats

    def moments(self, rows: NDArray[np.bool_]) -> pa.Table:
        return pa.table([self.time[rows], self.vessels[self.vessel[rows]]], schema=MOMENT)


def _recalled(table: pa.Table, ordered: cleaning.Ordered) -> tuple[Ints, Floats, Ints]:
    """All known and reporting vessels, the state of each, and the index of each report's vessel."""
    old = table["vessel"].to_numpy()
    vessels = np.union1d(old, ordered.vessels)
    known = unknown(len(vessels))
    if len(old):
        known[np.searchsorted(vessels, old)] = np.column_stack([table[name].to_numpy() for name in NAMES])
    return vessels, known, np.searchsorted(vessels, ordered.vessels)[ordered.vessel]


def _remembered(vessels: Ints, known: Floats) -> pa.Table:
    heard = ~np.isnan(known[:, 0])
    return pa.table([vessels[heard], *known[heard].T], schema=KNOWN)


def _moments(accepted: _AcceptedReports) -> dict[str, pa.Table]:
    return {
        name: accepted.moments((accepted.bits >> (FIRST_MOMENT + place)) & 1 == 1) for place, name in enumerate(MOMENTS)
    } | {"gap_end": accepted.moments(accepted.bits & AFTER_GAP > 0)}


def _velocity(accepted: _AcceptedReports, rows: pa.Table, kept: Ints) -> dict[str, pa.Table]:
    """Velocity events. Reports without a speed are left out, unless the distance to the last report gives one."""
    speed = accepted.details[:, 0]
    course, heading = (rows[name].to_numpy()[kept] for name in ("course", "heading"))
    known = ~np.isnan(speed)
    columns = [
        accepted.time,
        accepted.vessels[accepted.vessel],
        speed,
        np.nan_to_num(course, nan=cleaning.NO_COURSE),
        np.nan_to_num(heading, nan=cleaning.NO_HEADING),
    ]
    return {"velocity": pa.table([column[known] for column in columns], schema=VELOCITY)}


def _silences(
    accepted: _AcceptedReports, vessels: Ints, known: Floats, now: int | None, limits: Thresholds
) -> dict[str, pa.Table]:
    """The starts of gaps: the last report before each gap, known when the next report comes or after the limit."""
    over = accepted.bits & UNREPORTED > 0
    times, which = accepted.details[over, 1].astype(np.int64), vessels[accepted.vessel[over]]
    if now is not None:
        quiet = silent(known, now, limits)
        times, which = np.append(times, last_reports(known[quiet])), np.append(which, vessels[quiet])
        mark_gap_reported(known, quiet)
    return {"gap_start": pa.table([times, which], schema=MOMENT)}


def _crossings(accepted: _AcceptedReports, within: pa.Table, index: AreaIndex) -> tuple[dict[str, pa.Table], pa.Table]:
    """The events of entering and leaving areas, and the areas that vessels are in afterwards.

    A sequence of reports in an area begins with `entersArea`, and `leavesArea` is the first report that is outside. After
    a gap the earlier area of a vessel is unknown. So it enters its area again, and leaves none.
    """
    row, area = index.inside(accepted.place[:, 0], accepted.place[:, 1])
    count = len(accepted.time)
    anew = accepted.bits & ANEW > 0
    # Reports are numbered from 1 for each vessel, so that 0 is what was remembered, without gaps in between.
    first = np.flatnonzero(np.diff(accepted.vessel, prepend=-1))
    begin = np.repeat(first, np.diff(np.append(first, count)))
    number = np.arange(count) - begin + 1
    size = max(len(index.areas.names), 1)
    old = within["vessel"].to_numpy()
    old_vessel = np.searchsorted(accepted.vessels, old)
    vessel = np.concatenate((old_vessel, accepted.vessel[row]))
    where = np.concatenate((within["area"].to_numpy(), area))
    at = np.concatenate((np.zeros(len(old), np.int64), number[row]))
    report = np.concatenate((np.full(len(old), -1), row))
    order = np.lexsort((at, where, vessel))
    vessel, where, at, report = vessel[order], where[order], at[order], report[order]
    pair = vessel * size + where
    same = (np.diff(pair) == 0) & (np.diff(at) == 1)
    fresh = np.append(anew, False)[report]
    continues = np.append(False, same) & ~fresh
    has_next = np.append(continues[1:], False) if len(pair) else continues
    entered = ~continues & (report >= 0)
    # The report after the last one inside, if the vessel has one.
    of_vessel = np.searchsorted(accepted.vessel[first], vessel)
    has = np.zeros(len(vessel), np.bool_)
    if len(first):
        spot = np.minimum(of_vessel, len(first) - 1)
        has = accepted.vessel[first][spot] == vessel
        following = np.where(report >= 0, report + 1, first[spot])
        last_of = np.append(first[1:], count)[spot]
        has &= following < last_of
    else:
        following = np.zeros(len(vessel), np.int64)
    following = np.where(has, following, 0)
    left = ~has_next & has
    if count:
        left &= ~anew[following]
    names = np.array(index.areas.names, object)
    found = {
        "entersArea": _crossing(accepted, report[entered], where[entered], names),
        "leavesArea": _crossing(accepted, following[left], where[left], names),
    }
    still = ~has
    return found, pa.table([accepted.vessels[vessel[still]], where[still]], schema=WITHIN)


def _crossing(accepted: _AcceptedReports, report: Ints, area: Ints, names: NDArray[np.object_]) -> pa.Table:
    columns = [accepted.time[report], accepted.vessels[accepted.vessel[report]], pa.array(names[area], pa.string())]
    return pa.table(columns, schema=CROSSING)
