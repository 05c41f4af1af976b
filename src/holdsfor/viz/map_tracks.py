"""Reads tracks and situations as columns, finds the track segment of each situation, and thins out points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.diagnostics import HoldsforError
from holdsfor.viz.timeline_dates import without_zone

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tracks:
    """Positions of entities over time, ordered by entity and time; `dropped` rows had no valid position."""

    names: list[str]
    entity: Ints
    time: Floats
    lon: Floats
    lat: Floats
    dropped: int = 0
    are_dates: bool = False
    """Whether times were dates; they are then in seconds since 1970."""

    def __len__(self) -> int:
        return len(self.entity)

    def take(self, rows: Ints | Bools) -> Tracks:
        """A subset of the points."""
        return replace(self, entity=self.entity[rows], time=self.time[rows], lon=self.lon[rows], lat=self.lat[rows])


@dataclass(frozen=True)
class Situations:
    """Situations of entities with their start and end; `lost` ones belong to entities without a track."""

    kinds: list[str]
    kind: Ints
    entity: Ints
    start: Floats
    end: Floats
    lost: int = 0

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: Ints | Bools) -> Situations:
        """A subset of the situations."""
        return Situations(self.kinds, self.kind[rows], self.entity[rows], self.start[rows], self.end[rows], self.lost)


class Segments(NamedTuple):
    """Points of the track segments, in sequence: the index of the situation, and the position."""

    situation: Ints
    lon: Floats
    lat: Floats


# Reading


def columns_of(table: Any, names: Sequence[str], what: str) -> list[npt.NDArray[Any]]:
    """Columns of a table by name: a mapping of columns, or an object with Arrow export (pandas, polars, DuckDB, …)."""
    if not isinstance(table, Mapping):
        if not hasattr(table, "__arrow_c_stream__"):
            raise HoldsforError(f"{what} are a table or a mapping of columns, not {type(table).__name__}")
        table = pa.table(table)
        found = {name: table[name].to_numpy() for name in table.column_names}
    else:
        found = {name: np.asarray(column) for name, column in table.items()}
    for name in names:
        if name not in found:
            raise HoldsforError(
                f"{what} need columns {', '.join(names)}; there are {', '.join(map(str, found)) or 'none'}"
            )
    chosen = [found[name] for name in names]
    if len({len(column) for column in chosen}) > 1:
        raise HoldsforError(f"the columns of {what} have different lengths")
    return chosen


def read_tracks(table: Any) -> Tracks:
    """Tracks from columns `entity, time, lon, lat`, in any order of rows."""
    entity, time, lon, lat = columns_of(table, ("entity", "time", "lon", "lat"), "tracks")
    names, codes = _coded(entity)
    when, east, north = seconds(time), lon.astype(np.float64), lat.astype(np.float64)
    with np.errstate(invalid="ignore"):
        good = np.isfinite(when) & (np.abs(north) <= 90) & (np.abs(east) <= 180)
    tracks = Tracks(names, codes, when, east, north, int((~good).sum()), without_zone(time).dtype.kind == "M")
    return tracks.take(np.flatnonzero(good)[np.lexsort((when[good], codes[good]))])


def read_situations(table: Any, tracks: Tracks, order: Sequence[str] = ()) -> Situations:
    """Situations from columns `situation, entity, start, end`; a missing end is open.

    Kinds in `order` come first.
    """
    situation, entity, start, end = columns_of(table, ("situation", "entity", "start", "end"), "situations")
    found_kinds, code = _coded(situation)
    kinds = list(dict.fromkeys([*order, *found_kinds]))
    kind = np.array([kinds.index(name) for name in found_kinds], np.int64)[code] if len(code) else code
    names, codes = _coded(entity)
    place = {name: number for number, name in enumerate(tracks.names)}
    known = np.array([place.get(name, -1) for name in names], np.int64)[codes] if len(codes) else codes
    begin, stop = seconds(start), seconds(end)
    begin, stop = np.where(np.isnan(begin), -np.inf, begin), np.where(np.isnan(stop), np.inf, stop)
    found = Situations(kinds, kind, known, begin, stop)
    first, behind = _rows_of(tracks)
    has_track = np.zeros(len(known), np.bool_)
    on_map = np.flatnonzero(known >= 0)
    rows = known[on_map]
    on_map, rows = on_map[behind[rows] > first[rows]], rows[behind[rows] > first[rows]]
    has_track[on_map] = (stop[on_map] >= tracks.time[first[rows]]) & (begin[on_map] <= tracks.time[behind[rows] - 1])
    lost = len(known) - int(has_track.sum())
    chosen = found.take(np.flatnonzero(has_track))
    return Situations(chosen.kinds, chosen.kind, chosen.entity, chosen.start, chosen.end, lost)


def _coded(column: npt.NDArray[Any]) -> tuple[list[str], Ints]:
    """Distinct values as text, and the index of the value of each row."""
    distinct, inverse = np.unique(column.astype(str) if column.dtype.kind == "O" else column, return_inverse=True)
    return [str(value) for value in distinct.tolist()], inverse.astype(np.int64)


def seconds(column: npt.NDArray[Any]) -> Floats:
    """Times as numbers; dates become seconds since 1970."""
    column = without_zone(column)
    if column.dtype.kind == "M":
        found = column.astype("datetime64[us]").astype(np.int64) / 1e6
        return np.where(np.isnat(column), np.nan, found)
    times: Floats = column.astype(np.float64)
    return np.where(np.abs(times) >= 2.0**62, np.copysign(np.inf, times), times)


# Track segments


def _rows_of(tracks: Tracks) -> tuple[Ints, Ints]:
    """The first row of each entity and the row after its last."""
    numbers = np.arange(len(tracks.names))
    return np.searchsorted(tracks.entity, numbers), np.searchsorted(tracks.entity, numbers, "right")


def segments(tracks: Tracks, situations: Situations) -> Segments:
    """The points of every situation: its start, the points of the track in between, and its end."""
    if not len(situations):
        return Segments(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
    first, behind = (rows[situations.entity] for rows in _rows_of(tracks))
    start = np.clip(situations.start, tracks.time[first], tracks.time[behind - 1])
    end = np.clip(situations.end, start, tracks.time[behind - 1])
    moments = np.unique(tracks.time)
    keys = tracks.entity * (len(moments) + 1) + np.searchsorted(moments, tracks.time)
    base = situations.entity * (len(moments) + 1)
    after_start = np.searchsorted(keys, base + np.searchsorted(moments, start, "right"))
    from_end = np.searchsorted(keys, base + np.searchsorted(moments, end))
    inner = np.maximum(from_end - after_start, 0)
    size = inner + 2
    offset = np.cumsum(size) - size
    lon, lat = np.empty(int(size.sum())), np.empty(int(size.sum()))
    for at, time in ((offset, start), (offset + size - 1, end)):
        lon[at], lat[at] = _interpolated(tracks, keys, base, moments, time, first, behind)
    within = np.ones(len(lon), np.bool_)
    within[offset] = within[offset + size - 1] = False
    rows = np.repeat(after_start - np.cumsum(inner) + inner, inner) + np.arange(int(inner.sum()))
    lon[within], lat[within] = tracks.lon[rows], tracks.lat[rows]
    return Segments(np.repeat(np.arange(len(situations)), size), lon, lat)


def _interpolated(
    tracks: Tracks, keys: Ints, base: Ints, moments: Floats, time: Floats, first: Ints, behind: Ints
) -> tuple[Floats, Floats]:
    """Interpolated positions between two points of tracks."""
    right = np.clip(np.searchsorted(keys, base + np.searchsorted(moments, time)), first, behind - 1)
    left = np.maximum(right - 1, first)
    length = tracks.time[right] - tracks.time[left]
    share = np.where(length > 0, (time - tracks.time[left]) / np.where(length > 0, length, 1), 1.0)
    return (
        tracks.lon[left] + share * (tracks.lon[right] - tracks.lon[left]),
        tracks.lat[left] + share * (tracks.lat[right] - tracks.lat[left]),
    )


# Fewer points


def longest(situations: Situations, most: int) -> tuple[Situations, int]:
    """The longest situations, at most `most`, and the number of those left out."""
    hidden = len(situations) - most
    if hidden <= 0:
        return situations, 0
    order = np.argsort(situations.start - situations.end, kind="stable")
    return situations.take(np.sort(order[:most])), hidden


def thinned(line: Ints, x: Floats, y: Floats, square: float, most: int) -> Ints:
    """Rows of lines to draw: the ends of every line, and the points where it enters or leaves a small square.

    If there are still too many, points are selected at equal distances along the lines. (Larger squares would leave
    visible points at their borders only.)
    """
    ends = np.ones(len(line), np.bool_)
    ends[1:-1] = (line[1:-1] != line[:-2]) | (line[1:-1] != line[2:])
    column, row = np.floor(x / square).astype(np.int32), np.floor(y / square).astype(np.int32)
    moves = (column[1:] != column[:-1]) | (row[1:] != row[:-1])
    keep = ends.copy()
    keep[1:] |= moves
    keep[:-1] |= moves
    rows = np.flatnonzero(keep)
    room = most - int(ends.sum())
    if len(rows) <= most or room <= 0:
        return rows if len(rows) <= most else np.flatnonzero(ends)
    steps = np.hypot(np.diff(x[rows], prepend=x[rows[0]]), np.diff(y[rows], prepend=y[rows[0]]))
    steps[np.diff(line[rows], prepend=line[rows[0]]) != 0] = 0
    along = np.cumsum(steps)
    passed = np.floor(along * (room / max(float(along[-1]), 1e-300))).astype(np.int64)
    chosen: Ints = rows[ends[rows] | (np.diff(passed, prepend=-1) != 0)]
    return chosen
