"""Areas, and the search of the areas that contain a position.

An area is looked up by H3 cells: a place whose cell lies wholly in it is inside, a place whose cell it does not touch is
outside, and only for the cells along its border shapely has to look.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import h3.api.basic_int as h3
import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.signals.tracks import Floats, Ints

_MARGIN = 1e-4
"""Degrees. Cells are drawn with straight edges here, and are not quite that; the difference is far smaller than this."""
_CORNERS = 10
_SQUARE = 0.02
"""Degrees of a square of the chart."""


@dataclass(frozen=True)
class Areas:
    """Named polygons of some kinds."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    polygons: tuple[Any, ...]

    def table(self) -> pa.Table:
        """The background `areaType`: area, kind."""
        return pa.table({"area": pa.array(self.names, pa.string()), "kind": pa.array(self.kinds, pa.string())})


def read_areas(path: str | Path) -> Areas:
    """The areas of a GeoJSON file whose features have `id` and `kind`; no areas where there is no file."""
    if not Path(path).exists():
        return Areas((), (), ())
    try:
        features = json.loads(Path(path).read_text())["features"]
        rows = [
            (str(one["properties"]["id"]), str(one["properties"]["kind"]), shapely.geometry.shape(one["geometry"]))
            for one in features
        ]
    except (ValueError, KeyError, TypeError) as problem:
        message = f"{path} is no GeoJSON of areas with `id` and `kind`: {type(problem).__name__} {problem}"
        raise HoldsforError(message) from problem
    names, kinds, polygons = zip(*rows, strict=True) if rows else ((), (), ())
    return Areas(names, kinds, tuple(shapely.make_valid(polygon) for polygon in polygons))


@dataclass(frozen=True)
class AreaGrid:
    """Squares of a map that some cell reaches into: no other places have to be looked at."""

    west: float
    south: float
    marked: NDArray[np.bool_]
    """By column and row."""

    def near(self, lon: Floats, lat: Floats) -> Ints:
        """The places in such squares."""
        column, row = np.floor((lon - self.west) / _SQUARE), np.floor((lat - self.south) / _SQUARE)
        wide, high = self.marked.shape
        on_it = np.flatnonzero((column >= 0) & (column < wide) & (row >= 0) & (row < high))
        return on_it[self.marked[column[on_it].astype(np.int64), row[on_it].astype(np.int64)]]


def _chart(bounds: Floats) -> AreaGrid:
    """The chart of cells, given the west, south, east and north of each."""
    west, south = bounds[:, 0].min(), bounds[:, 1].min()
    left, right = (((bounds[:, side] - west) // _SQUARE).astype(np.int64) for side in (0, 2))
    low, high = (((bounds[:, side] - south) // _SQUARE).astype(np.int64) for side in (1, 3))
    # Every cell adds one to its squares: changes at its corners, summed up in both directions.
    changes = np.zeros((right.max() + 2, high.max() + 2), np.int64)
    for column, row, change in ((left, low, 1), (right + 1, low, -1), (left, high + 1, -1), (right + 1, high + 1, 1)):
        np.add.at(changes, (column, row), change)
    return AreaGrid(west, south, changes.cumsum(axis=0).cumsum(axis=1) > 0)


@dataclass(frozen=True)
class AreaIndex:
    """Cells in ascending order; cell `n` touches the areas `area[begin[n] : begin[n + 1]]`, wholly inside or not."""

    areas: Areas
    chart: AreaGrid | None
    """None if there are no areas."""
    resolution: int
    cells: NDArray[np.uint64]
    begin: Ints
    area: Ints
    whole: NDArray[np.bool_]

    def inside(self, lon: Floats, lat: Floats) -> tuple[Ints, Ints]:
        """Which places are in which areas: pairs of a row and the number of an area, in order of rows."""
        if self.chart is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        looked = self.chart.near(lon, lat)
        cell = _cells(lon[looked], lat[looked], self.resolution)
        at = np.minimum(np.searchsorted(self.cells, cell), len(self.cells) - 1)
        known = self.cells[at] == cell
        at = at[known]
        first, count = self.begin[at], self.begin[at + 1] - self.begin[at]
        row = np.repeat(looked[known], count)
        entry = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(len(row))
        area, is_inside = self.area[entry], self.whole[entry]
        self._test_polygons(lon, lat, row, area, is_inside)
        return row[is_inside], area[is_inside]

    def _test_polygons(self, lon: Floats, lat: Floats, row: Ints, area: Ints, is_inside: NDArray[np.bool_]) -> None:
        """Ask shapely about places near a border, area by area."""
        open_ = np.flatnonzero(~is_inside)
        open_ = open_[np.argsort(area[open_], kind="stable")]
        edges = np.flatnonzero(np.diff(area[open_], prepend=-1))
        for rows in np.split(open_, edges[1:]) if len(open_) else ():
            polygon = self.areas.polygons[area[rows[0]]]
            # Not kept when a polygon is sent to another process, and nothing to do where it is there.
            shapely.prepare(polygon)
            is_inside[rows] = shapely.contains_xy(polygon, lon[row[rows]], lat[row[rows]])


def _cells(lon: Floats, lat: Floats, resolution: int) -> NDArray[np.uint64]:
    """The cell of each place. h3 has no call for many places; `map` calls it without running Python in between."""
    found = map(h3.latlng_to_cell, lat.tolist(), lon.tolist(), repeat(resolution))
    return np.fromiter(found, np.uint64, len(lon))


def area_index(areas: Areas, resolution: int) -> AreaIndex:
    """Find the cells of all areas."""
    cells, numbers, whole, bounds = [], [], [], []
    for number, polygon in enumerate(areas.polygons):
        touched = _touched(polygon, resolution)
        if not len(touched):
            continue
        shapes = shapely.buffer(shapely.polygons([_outline(cell) for cell in touched.tolist()]), _MARGIN)
        shapely.prepare(polygon)
        near = shapely.intersects(polygon, shapes)
        cells.append(touched[near])
        numbers.append(np.full(int(near.sum()), number))
        bounds.append(shapely.bounds(shapes[near]))
        whole.append(shapely.contains_properly(polygon, shapes[near]))
    if not cells:
        nothing = np.empty(0, np.int64)
        return AreaIndex(
            areas, None, resolution, nothing.astype(np.uint64), np.zeros(1, np.int64), nothing, nothing > 0
        )
    cell, area = np.concatenate(cells), np.concatenate(numbers)
    order = np.lexsort((area, cell))
    distinct, first = np.unique(cell[order], return_index=True)
    begin = np.append(first, len(cell))
    chart = _chart(np.concatenate(bounds))
    return AreaIndex(areas, chart, resolution, distinct, begin, area[order], np.concatenate(whole)[order])


def _touched(polygon: Any, resolution: int) -> NDArray[np.uint64]:
    """The cells that a polygon may touch."""
    wide = shapely.buffer(polygon, 2 * _MARGIN)
    parts = [part for part in shapely.get_parts(wide) if part.geom_type == "Polygon"]
    found = [
        np.array(h3.polygon_to_cells_experimental(h3.geo_to_h3shape(part), resolution, contain="overlap"), np.uint64)
        for part in parts
    ]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *found]))


def _outline(cell: int) -> list[tuple[float, float]]:
    """Most cells have six corners, some up to ten: the last is repeated, so that all have the same length."""
    found = [(lon, lat) for lat, lon in h3.cell_to_boundary(cell)]
    return found + found[-1:] * (_CORNERS - len(found))
