"""Random reports of a few vessels in a small sea, and their form as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import shapely
from hypothesis import strategies as st

from holdsfor_maritime.signals.areas import Areas, area_index
from holdsfor_maritime.signals.cleaning import ROWS
from holdsfor_maritime.signals.proximity import RUNS, merged
from holdsfor_maritime.signals.thresholds import thresholds
from tests.maritime.signals.slowly import Report

LIMITS = thresholds({"proximity": {"slot": 60, "metres": 1500.0}, "gap": {"seconds": 600}})
SQUARES = Areas(
    ("west", "middle", "tiny"),
    ("fishing", "natura", "nearPorts"),
    (
        shapely.box(-5.1, 47.9, -5.0, 48.1),
        shapely.box(-5.05, 47.95, -4.95, 48.02),
        shapely.box(-5.0, 48.0, -4.999, 48.001),
    ),
)
INDEX = area_index(SQUARES, LIMITS.areas_resolution)

_steps = st.tuples(
    st.sampled_from([0, 1, 20, 30, 60, 60, 90, 120, 300, 599, 600, 601, 1500]),
    st.sampled_from([-0.9, -0.01, -0.004, 0.0, 0.0, 0.002, 0.004, 0.01]),
    st.sampled_from([-0.01, -0.003, 0.0, 0.0, 0.003, 0.007]),
    st.sampled_from([None, 0.0, 0.4, 0.5, 0.9, 1.0, 3.0, 4.9, 5.0, 7.5, 12.0, 12.5, 16.0]),
    st.sampled_from([None, 0.0, 10.0, 20.0, 30.0, 90.0, 170.0, 340.0, 359.9]),
)


@st.composite
def track(draw: Any) -> list[Report]:
    """Reports of one vessel, in order or not, perhaps several of one time, perhaps far off."""
    time = draw(st.integers(-2_000, 2_000))
    lon, lat = -5.02, 48.0
    found = []
    for wait, east, north, speed, course in draw(st.lists(_steps, max_size=30)):
        time += wait
        far = abs(east) > 0.5
        found.append(Report(time, round(lon + east, 6), round(lat + north, 6), speed, course))
        if not far or draw(st.booleans()):
            lon, lat = found[-1].lon, found[-1].lat
    return draw(st.permutations(found)) if draw(st.booleans()) else found


fleets = st.lists(track(), min_size=1, max_size=4)


def rows(fleet: list[list[Report]]) -> pa.Table:
    """As the rows of stage 1; vessels are numbered from 1."""
    every = [(vessel, report) for vessel, reports in enumerate(fleet, 1) for report in reports]
    columns = {
        "vessel": [vessel for vessel, _ in every],
        "time": [report.time for _, report in every],
        "lon": [report.lon for _, report in every],
        "lat": [report.lat for _, report in every],
        "speed": [102.3 if report.speed is None else report.speed for _, report in every],
        "course": [360.0 if report.course is None else report.course for _, report in every],
        "heading": [511.0 for _ in every],
    }
    return pa.table({name: pa.array(values, ROWS.field(name).type) for name, values in columns.items()}, ROWS)


def latest(fleet: list[list[Report]]) -> int | None:
    """The time of the last report of all."""
    return max((report.time for reports in fleet for report in reports), default=None)


def tuples(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows of a table, sorted."""
    columns = [np.asarray(column).tolist() for column in table.columns]
    return sorted(zip(*columns, strict=True))


def in_one_piece(proximity: pa.Table, slot: int) -> list[tuple[Any, ...]]:
    """Pieces of proximity that touch as one, in slots."""
    first, last = proximity["start"].to_numpy() // slot, proximity["end"].to_numpy() // slot - 1
    return tuples(merged(pa.table([proximity["vessel"], proximity["other"], first, last], schema=RUNS)))
