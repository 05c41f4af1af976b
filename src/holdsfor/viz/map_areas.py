"""Reads the areas of a map from GeoJSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.diagnostics import HoldsforError

Floats: TypeAlias = npt.NDArray[np.float64]

LAND = "land"
"""The kind of land areas. On a map with land, everything else is sea."""


class AreaPaint(NamedTuple):
    """The fill of a kind of areas, in light and dark mode: faint, so that situations stand out."""

    light: str
    dark: str


LAND_PAINT = AreaPaint("#e8e5dd", "#2f2e2b")
_PAINTS = (
    AreaPaint("#cfe3d4", "#2f5a42"),
    AreaPaint("#d6dcea", "#3d4a6e"),
    AreaPaint("#efe2c6", "#6b5a2e"),
    AreaPaint("#e6d5e4", "#634668"),
    AreaPaint("#cde3e8", "#2b5b66"),
    AreaPaint("#e3e3d0", "#57573c"),
)


def area_paints(kinds: Sequence[str]) -> dict[str, AreaPaint]:
    """The fills of kinds of areas, in this order; the sequence repeats."""
    others = [kind for kind in kinds if kind != LAND]
    found = {kind: _PAINTS[number % len(_PAINTS)] for number, kind in enumerate(others)}
    return {LAND: LAND_PAINT} | found if LAND in kinds else found


class Area(NamedTuple):
    """A polygon with holes, or several: rings of longitude and latitude, with name and kind."""

    name: str
    kind: str
    rings: list[tuple[Floats, Floats]]


def read_areas(areas: Any) -> list[Area]:
    """The (multi)polygons of a FeatureCollection, given as a file or its contents. Other shapes are left out.

    The property `id` or `name` names an area and the property `kind` gives its kind. Areas of the kind `land` come
    first.
    """
    if areas is None:
        return []
    if isinstance(areas, str | Path):
        areas = _read(Path(areas))
    if not isinstance(areas, Mapping) or not isinstance(areas.get("features"), list):
        raise HoldsforError("areas are a GeoJSON FeatureCollection, or the path of one")
    found = [area for feature in areas["features"] if (area := _area(feature)) is not None]
    return sorted(found, key=lambda area: area.kind != LAND)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem
    except ValueError as problem:
        raise HoldsforError(f"{path} is not JSON: {problem}") from problem


def _area(feature: Mapping[str, Any]) -> Area | None:
    shape = feature.get("geometry") or {}
    polygons = {"Polygon": [shape.get("coordinates")], "MultiPolygon": shape.get("coordinates")}.get(
        str(shape.get("type"))
    )
    if not polygons:
        return None
    properties = feature.get("properties") or {}
    name = properties.get("id") or properties.get("name") or feature.get("id") or ""
    return Area(str(name), str(properties.get("kind") or "area"), list(_rings(polygons, name)))


def _rings(polygons: Any, name: object) -> Iterator[tuple[Floats, Floats]]:
    for polygon in polygons:
        for ring in polygon or ():
            try:
                points = np.array([point[:2] for point in ring], np.float64)
            except (TypeError, ValueError, IndexError):
                raise HoldsforError(f"the area {name!r} has coordinates that are no numbers") from None
            if points.ndim == 2 and len(points) > 2:
                yield points[:, 0], points[:, 1]
