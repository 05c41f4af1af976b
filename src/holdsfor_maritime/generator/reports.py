"""Converts legs to position reports, with errors of positions and transmission.

Random numbers are hashes of seed, vessel, leg and report. So a report is the same in every process and with any other vessels.
"""

from __future__ import annotations

from copy import copy

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from holdsfor_maritime.columns import COLUMNS
from holdsfor_maritime.generator.motion import DEGREE, KNOT, Floats, Ints
from holdsfor_maritime.generator.plan import FleetPlan
from holdsfor_maritime.generator.voyages import AT_ANCHOR, MOORED, Legs

Bits = NDArray[np.uint64]

SCHEMA = pa.schema(
    [
        (name, pa.float64() if name in ("speedoverground", "courseoverground", "lon", "lat") else pa.int64())
        for name in COLUMNS
    ]
)

_JITTER = 8.0
"""The error of positions in metres."""
_DUPLICATED, _JUMPED, _OUT_OF_RANGE, _NO_SPEED, _NO_HEADING = 0.004, 0.001, 0.0005, 0.001, 0.01
_LATEST = 240.0
"""The greatest delay of reports in seconds."""


class Chance:
    """Random numbers as hashes of their purpose."""

    def __init__(self, *keys: Ints | int) -> None:
        self._state: Bits = np.zeros(1, np.uint64)
        for key in keys:
            self._state = _mixed(self._state ^ np.asarray(key).astype(np.uint64))

    def of_rows(self, chosen: NDArray[np.bool_]) -> Chance:
        """The same numbers, for some of the rows."""
        found = copy(self)
        found._state = self._state[chosen]  # noqa: SLF001 -- a copy of its own class
        return found

    def uniform(self, channel: int) -> Floats:
        """Between 0 and 1."""
        bits = _mixed(self._state + np.uint64(channel * 0x9E3779B97F4A7C15 % 2**64))
        found: Floats = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return found

    def normal(self, channel: int) -> Floats:
        """Around 0, with a spread of 1."""
        radius = np.sqrt(-2 * np.log(1 - self.uniform(channel)))
        found: Floats = radius * np.cos(2 * np.pi * self.uniform(channel + 1))
        return found


def _mixed(bits: Bits) -> Bits:
    """The finisher of splitmix64."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Bits = bits ^ (bits >> np.uint64(31))
    return found


def _period(legs: Legs, density: float) -> Floats:
    """Seconds between reports: fewer for fast vessels, as in AIS, but thinned out."""
    knots = legs.motion.speed / KNOT
    moving = np.select([knots > 23, knots > 14, knots > 3], [60.0, 100.0, 140.0], 150.0)
    found: Floats = np.select([legs.status == MOORED, legs.status == AT_ANCHOR], [900.0, 420.0], moving) / density
    return np.maximum(found, 2.0)


def reports(plan: FleetPlan, first: int, last: int, seed: int, density: float = 1.0) -> pa.Table:
    """The reports of vessels `first` to `last - 1`, in order of arrival."""
    begin, end = np.searchsorted(plan.legs.vessel, (first, last))
    legs = plan.legs.take(np.arange(begin, end))
    period = np.where(legs.silent > 0, np.inf, _period(legs, density))
    # Only reports inside the span are sent; a leg may have begun before it.
    skipped = np.floor(np.clip(-legs.start, 0, None) / period)
    count = np.where(legs.silent > 0, 0, np.ceil(legs.seconds / period) - skipped).clip(0).astype(np.int64)
    row = np.repeat(np.arange(len(count)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count) + skipped[row].astype(np.int64)
    chance = Chance(seed, legs.vessel[row], plan.ordinal[begin:end][row], number)
    since = (number + 0.7 * chance.uniform(1)) * period[row]
    kept = (since < legs.seconds[row]) & (legs.start[row] + since >= 0)
    row, since = row[kept], since[kept]
    chance = chance.of_rows(kept)
    return _sent(plan, legs.take(row), since, chance)


def _sent(plan: FleetPlan, legs: Legs, since: Floats, chance: Chance) -> pa.Table:
    time = np.floor(legs.start + since)
    lon, lat, course = legs.at(np.maximum(time - legs.start, 0))
    lon = lon + _JITTER * chance.normal(2) / (DEGREE * legs.cosine)
    lat = lat + _JITTER * chance.normal(4) / DEGREE
    lying = legs.motion.speed == 0
    # A vessel that lies still reports a course that means nothing.
    course = np.where(lying, 360 * chance.uniform(6), course + 1.5 * chance.normal(7))
    heading = np.where(lying, 137.0 * (legs.vessel % 3), course + legs.drift)
    knots = legs.motion.speed / KNOT
    knots = np.where(
        lying, 0.15 * chance.uniform(9), np.maximum(knots + np.minimum(0.1, 0.05 * knots) * chance.normal(10), 0)
    )
    no_heading = (plan.fleet.no_heading[legs.vessel] > 0) | (chance.uniform(12) < _NO_HEADING)
    knots = np.where(chance.uniform(13) < _NO_SPEED, 102.3, np.round(knots, 1))
    jumped = chance.uniform(14) < _JUMPED
    lat = np.where(jumped, lat + 0.7 + chance.uniform(15), lat)
    wrong = chance.uniform(16) < _OUT_OF_RANGE
    columns = {
        "sourcemmsi": plan.fleet.mmsi[legs.vessel],
        "navigationalstatus": legs.status,
        "rateofturn": np.zeros(len(lon), np.int64),
        "speedoverground": knots,
        "courseoverground": np.mod(np.round(np.mod(course, 360), 1), 360),
        "trueheading": np.where(no_heading, 511, np.mod(np.round(heading), 360)).astype(np.int64),
        "lon": np.where(wrong, 181.0, np.round(lon, 6)),
        "lat": np.where(wrong, 91.0, np.round(lat, 6)),
        "t": plan.begin + time.astype(np.int64),
    }
    # Some are heard twice, and none comes in at once.
    twice = np.flatnonzero(chance.uniform(17) < _DUPLICATED)
    rows = np.concatenate((np.arange(len(lon)), twice))
    arrival = np.concatenate((chance.uniform(18), chance.uniform(19)[twice])) ** 3 * _LATEST + time[rows]
    order = rows[np.lexsort((columns["sourcemmsi"][rows], arrival))]
    return pa.table({name: columns[name][order] for name in COLUMNS}, SCHEMA)
