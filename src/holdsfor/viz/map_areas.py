"""Areas of a map, read from GeoJSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.diagnostics import HoldsforError

Floats: TypeAlias = npt.NDArray[np.float64]


class Area(NamedTuple):
    """A polygon with holes, or several: rings of longitude and latitude, by name and kind."""

    name: str
    kind: str
    rings: list[tuple[Floats, Floats]]


def read_areas(areas: Any) -> list[Area]:
    """The (multi)polygons of a FeatureCollection: a file, or what stands in one. Other shapes are left out.

    An area is named by the property `id` or `name` and has the kind that the property `kind` says.
    """
    if areas is None:
        return []
    if isinstance(areas, str | Path):
        areas = _read(Path(areas))
    if not isinstance(areas, Mapping) or not isinstance(areas.get("features"), list):
        raise HoldsforError("areas are a GeoJSON FeatureCollection, or the path of one")
    return [area for feature in areas["features"] if (area := _area(feature)) is not None]


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
