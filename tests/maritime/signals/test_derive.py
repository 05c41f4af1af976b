"""Events against what a loop over one vessel's reports says."""

from __future__ import annotations

from hypothesis import given

from holdsfor_maritime.signals.derive import Derived, VesselStates, derive
from holdsfor_maritime.signals.proximity import INTERVALS, intervals, near, runs
from holdsfor_maritime.signals.tracks import MOMENTS
from tests.maritime.signals import slowly
from tests.maritime.signals.slowly import Report
from tests.maritime.signals.streams import INDEX, LIMITS, SQUARES, fleets, latest, rows, tuples


def derived(fleet: list[list[Report]]) -> Derived:
    return derive(rows(fleet), VesselStates.empty(), INDEX, LIMITS, None, latest(fleet))


@given(fleets)
def test_events(fleet: list[list[Report]]) -> None:
    found = derived(fleet).events
    names = ("gap_start", "gap_end", *MOMENTS)
    said = {(name, time, vessel) for name in names for time, vessel in tuples(found[name])}
    wanted = {
        (name, time, vessel)
        for vessel, reports in enumerate(fleet, 1)
        for name, time in slowly.events(reports, LIMITS, latest(fleet))
    }
    assert said == wanted
    assert sum(len(found[name]) for name in names) == len(wanted)


@given(fleets)
def test_what_is_left_out_is_counted(fleet: list[list[Report]]) -> None:
    found = derived(fleet)
    reasons = found.aside["reason"].to_pylist()
    cleaned = [slowly.cleaned(reports, LIMITS) for reports in fleet]
    assert reasons.count("duplicate") == sum(duplicates for _, duplicates, _ in cleaned)
    assert reasons.count("impossible jump") == sum(jumps for _, _, jumps in cleaned)
    assert len(found.tracks) + len(reasons) == sum(map(len, fleet))
    assert [time for _, time, *_ in tuples(found.tracks)] == [
        report.time for believed, _, _ in cleaned for report, _ in believed
    ]


@given(fleets)
def test_areas_entered_and_left(fleet: list[list[Report]]) -> None:
    import shapely

    found = derived(fleet).events
    said = [(name, *row) for name in ("entersArea", "leavesArea") for row in tuples(found[name])]
    wanted = []
    for vessel, reports in enumerate(fleet, 1):
        inside = {
            report: {
                name
                for name, polygon in zip(SQUARES.names, SQUARES.polygons, strict=True)
                if shapely.contains_xy(polygon, report.lon, report.lat)
            }
            for report in reports
        }
        wanted += [(name, time, vessel, area) for name, time, area in slowly.crossings(reports, inside, LIMITS)]
    assert said == sorted(wanted)


@given(fleets)
def test_proximity(fleet: list[list[Report]]) -> None:
    places = derived(fleet).samples
    found = intervals(runs(places, *near(places, LIMITS)), LIMITS)
    wanted = []
    known = [slowly.places(reports, LIMITS) for reports in fleet]
    slot = LIMITS.proximity_slot
    for one in range(len(fleet)):
        for other in range(one + 1, len(fleet)):
            shared = sorted(known[one].keys() & known[other].keys())
            close = [
                at
                for at in shared
                if slowly.distance(Report(0, *known[one][at], 0, 0), Report(0, *known[other][at], 0, 0))
                <= LIMITS.proximity_metres
            ]
            starts = [at for at in close if at - 1 not in close]
            ends = [at + 1 for at in close if at + 1 not in close]
            wanted += [(one + 1, other + 1, start * slot, end * slot) for start, end in zip(starts, ends, strict=True)]
    assert found.schema == INTERVALS
    assert tuples(found) == sorted(wanted)


def test_one_report() -> None:
    found = derived([[Report(-7, -5.02, 48.0, 0.0, None)]])
    said = {name: tuples(table) for name, table in found.events.items() if len(table)}
    assert said == {
        "stop_start": [(-7, 1)],
        "velocity": [(-7, 1, 0.0, 360.0, 511.0)],
        "entersArea": [(-7, 1, "middle"), (-7, 1, "west")],
    }


def test_nothing() -> None:
    found = derived([[]])
    assert not any(len(table) for table in found.events.values())
    assert not len(found.samples)


def test_a_speed_that_is_not_known_is_passed_over() -> None:
    jumps = [Report(120 + 60 * step, -3.0, 48.0, None, None) for step in range(3)]
    known = [Report(0, -5.0, 48.0, 5.0, None), Report(60, -5.0, 48.0, 10.0, None), Report(300, -3.0, 48.0, 10.0, None)]
    found = derived([[*known, *jumps]]).events
    assert tuples(found["change_in_speed_start"]) == [(60, 1)]
    assert tuples(found["change_in_speed_end"]) == [(300, 1)]
    assert [time for time, *_ in tuples(found["velocity"])] == [0, 60, 300]
