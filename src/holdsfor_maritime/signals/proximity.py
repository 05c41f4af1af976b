"""Vessels that are near each other: places at common times, a join over a grid, and runs of slots.

Vessels do not report at the same time. So the place of a vessel is computed at every multiple of a slot, on the straight
line between the reports before and after; during a gap it has none.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from holdsfor_maritime.signals.thresholds import Thresholds
from holdsfor_maritime.signals.tracks import Floats, Ints

SAMPLES = pa.schema([("slot", pa.int64()), ("vessel", pa.int64()), ("lon", pa.float64()), ("lat", pa.float64())])
RUNS = pa.schema([("vessel", pa.int64()), ("other", pa.int64()), ("first", pa.int64()), ("last", pa.int64())])
"""Slots one after the other during which two vessels are near each other."""
INTERVALS = pa.schema([("vessel", pa.int64()), ("other", pa.int64()), ("start", pa.int64()), ("end", pa.int64())])

_RADIUS = 6_371_008.8
_DEGREE = _RADIUS * np.pi / 180
_FINE = 1e6
"""Steps of a degree that longitudes are sorted by."""
_LON_BITS = 30


def samples(vessel: Ints, time: Ints, place: Floats, before: Floats, limits: Thresholds) -> pa.Table:
    """The positions of vessels at the slots that their reports reach.

    `before` has time and place of the report before, NaN after a gap.
    """
    slot = limits.proximity_slot
    connected = (time - before[:, 0] <= limits.gap_seconds) & ~np.isnan(before[:, 1])
    since = np.where(connected, before[:, 0], time - 1).astype(np.int64)
    first = since // slot + 1
    count = time // slot + 1 - first
    row = np.repeat(np.arange(len(time)), count)
    number = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(len(row))
    share = (number * slot - since[row]) / (time - since)[row]
    lon, lat = place[row, 0], place[row, 1]
    old_lon = np.where(connected[row], before[row, 1], lon)
    old_lat = np.where(connected[row], before[row, 2], lat)
    columns = [number, vessel[row], old_lon + share * (lon - old_lon), old_lat + share * (lat - old_lat)]
    return pa.table(columns, schema=SAMPLES)


def near(found: pa.Table, limits: Thresholds, fresh: Ints | None = None) -> tuple[Ints, Ints]:
    """The rows of samples that are near each other in one slot, as pairs; at least one of them is `fresh` (1)."""
    slot, lon, lat = (found[name].to_numpy() for name in SAMPLES.names if name != "vessel")
    step = max(limits.proximity_metres, 1.0) / _DEGREE
    # Strips of latitude as high as the distance: who is near is in the same one or the next. Strips of one slot have
    # numbers one after the other, and there is one to spare between slots.
    strip = slot * int(np.ceil(180 / step) + 2) + np.floor((lat + 90) / step).astype(np.int64)
    strips, rank, count = np.unique(strip, return_inverse=True, return_counts=True)
    followed = np.append(np.diff(strips) == 1, False)
    crowded = (count > 1) | followed | np.append(False, followed[:-1])[: len(strips)]
    rows = np.flatnonzero(crowded[rank])
    one, other = _side_by_side(rank[rows], followed, lon[rows], lat[rows], step)
    one, other = rows[one], rows[other]
    close = _metres(lon[one], lat[one], lon[other], lat[other]) <= limits.proximity_metres
    if fresh is not None:
        close &= (fresh[one] | fresh[other]) > 0
    return one[close], other[close]


def _side_by_side(strip: Ints, followed: NDArray[np.bool_], lon: Floats, lat: Floats, step: float) -> tuple[Ints, Ints]:
    """Pairs of places that are in one strip, or in one and in that which follows it, and of about the same longitude."""
    fine = np.floor((lon + 180) * _FINE).astype(np.int64)
    key = (strip << _LON_BITS) | fine
    order = np.argsort(key, kind="stable")
    key = key[order]
    # Half the width of the searched cells, in steps of longitude: widest at the side towards the pole.
    polar = np.minimum(np.abs(lat) + step, 89.999)
    wide = np.ceil(step / np.cos(np.radians(polar)) * _FINE).astype(np.int64) + 1
    lower, upper = np.maximum(fine - wide, 0), np.minimum(fine + wide, 2**_LON_BITS - 1)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    same = _ranges(order, place + 1, np.searchsorted(key, (strip << _LON_BITS) | upper, "right"))
    above = (strip + 1) << _LON_BITS
    low = np.searchsorted(key, above | lower, "left")
    high = np.searchsorted(key, above | upper, "right")
    up = _ranges(order, low, np.where(followed[strip], high, low))
    return np.concatenate((same[0], up[0])), np.concatenate((same[1], up[1]))


def _ranges(order: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Every row with the rows at the places from `low` to `high` of the order."""
    count = np.maximum(high - low, 0)
    row = np.repeat(np.arange(len(low)), count)
    at = np.repeat(low - (np.cumsum(count) - count), count) + np.arange(len(row))
    return row, order[at]


def _metres(lon: Floats, lat: Floats, to_lon: Floats, to_lat: Floats) -> Floats:
    one, other = np.radians(lat), np.radians(to_lat)
    sine = np.sin((other - one) / 2) ** 2
    sine = sine + np.cos(one) * np.cos(other) * np.sin(np.radians(to_lon - lon) / 2) ** 2
    found: Floats = 2 * _RADIUS * np.arcsin(np.sqrt(np.minimum(sine, 1.0)))
    return found


def runs(found: pa.Table, one: Ints, other: Ints) -> pa.Table:
    """Near pairs as runs of slots; the lower number of a vessel comes first."""
    vessel, slot = found["vessel"].to_numpy(), found["slot"].to_numpy()
    low, high = np.minimum(vessel[one], vessel[other]), np.maximum(vessel[one], vessel[other])
    at = slot[one]
    return merged(pa.table([low, high, at, at], schema=RUNS))


def merged(parts: pa.Table) -> pa.Table:
    """Runs that touch or overlap as one."""
    low, high, first, last = (parts[name].to_numpy() for name in RUNS.names)
    order = np.lexsort((first, high, low))
    low, high, first, last = low[order], high[order], first[order], last[order]
    if not len(low):
        return parts
    starts = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))
    pair = np.cumsum(starts) - 1
    # The furthest end so far, within a pair: pairs are lifted above each other, so that one running maximum does.
    base = int(first.min())
    lift = pair * (int(last.max()) - base + 3)
    reach = np.maximum.accumulate(last - base + lift)
    new = np.append(True, (first[1:] - base + lift[1:] > reach[:-1] + 1) | starts[1:])
    begin = np.flatnonzero(new)
    end = np.append(begin[1:], len(low)) - 1
    until = reach[end] - lift[end] + base
    return pa.table([low[begin], high[begin], first[begin], until], schema=RUNS)


def intervals(found: pa.Table, limits: Thresholds) -> pa.Table:
    """Runs as intervals of time, closed at the start and open at the end."""
    slot = limits.proximity_slot
    low, high, first, last = (found[name].to_numpy() for name in RUNS.names)
    return pa.table([low, high, first * slot, (last + 1) * slot], schema=INTERVALS)
