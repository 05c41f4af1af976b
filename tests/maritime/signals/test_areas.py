"""Areas against shapely, place by place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.generator import world
from holdsfor_maritime.signals.areas import Areas, area_index, read_areas

_corner = st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4))


@settings(max_examples=60)
@given(
    st.lists(st.lists(_corner, min_size=3, max_size=8), min_size=1, max_size=4),
    st.sampled_from([(-5.0, 48.0), (0.0, 0.0), (120.0, -60.0), (20.0, 78.0)]),
    st.sampled_from([5, 7]),
    st.integers(0, 2**32),
)
def test_places_in_areas(
    outlines: list[list[tuple[float, float]]], centre: tuple[float, float], resolution: int, seed: int
) -> None:
    shapes = [
        shapely.make_valid(shapely.Polygon([(x + centre[0], y + centre[1]) for x, y in outline]))
        for outline in outlines
    ]
    areas = Areas(tuple(map(str, range(len(shapes)))), ("natura",) * len(shapes), tuple(shapes))
    random = np.random.default_rng(seed)
    # Anywhere around, and on and next to the borders.
    corners = np.concatenate([shapely.get_coordinates(shape) for shape in shapes])
    near = corners + random.choice([-1e-9, 0.0, 1e-9, 1e-4, -1e-4], corners.shape)
    far = np.array(centre) + random.uniform(-0.6, 0.6, (300, 2))
    lon, lat = np.concatenate((corners, near, far)).T
    row, area = area_index(areas, resolution).inside(lon, lat)
    wanted = np.array([shapely.contains_xy(shape, lon, lat) for shape in shapes])
    found = np.zeros_like(wanted)
    found[area, row] = True
    assert (found == wanted).all()
    assert len(row) == wanted.sum()


def test_the_invented_coast() -> None:
    names, kinds, polygons = zip(*world.areas(), strict=True)
    random = np.random.default_rng(3)
    lon, lat = random.uniform(-6, -1, 20_000), random.uniform(45, 51, 20_000)
    row, area = area_index(Areas(names, kinds, polygons), 7).inside(lon, lat)
    wanted = np.array([shapely.contains_xy(polygon, lon, lat) for polygon in polygons])
    assert wanted.any(axis=1).sum() > 20
    assert sorted(zip(area, row, strict=True)) == sorted(map(tuple, np.argwhere(wanted)))


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    square = shapely.geometry.mapping(shapely.box(0, 0, 1, 1))
    several = shapely.geometry.mapping(shapely.MultiPolygon([shapely.box(2, 2, 3, 3), shapely.box(4, 4, 5, 5)]))
    features = [
        {"type": "Feature", "properties": {"id": "a", "kind": "fishing"}, "geometry": square},
        {"type": "Feature", "properties": {"id": 7, "kind": "natura"}, "geometry": several},
    ]
    path = tmp_path / "areas.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    areas = read_areas(path)
    assert areas.table().to_pydict() == {"area": ["a", "7"], "kind": ["fishing", "natura"]}
    row, area = area_index(areas, 5).inside(np.array([0.5, 2.5, 4.5, 3.5]), np.array([0.5, 2.5, 4.5, 3.5]))
    assert list(zip(row, area, strict=True)) == [(0, 0), (1, 1), (2, 1)]


def test_no_areas(tmp_path: Path) -> None:
    row, area = area_index(read_areas(tmp_path / "none"), 7).inside(np.zeros(2), np.zeros(2))
    assert len(row) == len(area) == 0


@pytest.mark.parametrize("text", ["", "{}", '{"features": [{"properties": {}}]}'])
def test_files_that_are_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "areas.geojson"
    path.write_text(text)
    with pytest.raises(HoldsforError, match="is no GeoJSON of areas"):
        read_areas(path)
