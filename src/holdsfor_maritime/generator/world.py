"""An invented coast: land in the east, ports along it, fishing grounds and protected areas off it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import shapely

from holdsfor_maritime.generator.motion import DEGREE, Floats

WEST, EAST, SOUTH, NORTH = -10.0, 0.0, 45.0, 51.0

PORTS = 12
PORT_RADIUS = 4_000.0
"""Metres around a port that count as near it."""


@dataclass(frozen=True)
class Places:
    """Points of one kind."""

    lon: Floats
    lat: Floats

    def __len__(self) -> int:
        return len(self.lon)


def coast(lat: Floats) -> Floats:
    """The longitude of the coast: capes and bays."""
    swing = 0.55 * np.sin(1.9 * lat) + 0.25 * np.sin(5.3 * lat + 1.0) + 0.08 * np.sin(17.0 * lat)
    return -2.4 + swing - 0.9 * np.exp(-(((lat - 48.3) / 0.5) ** 2))


@cache
def ports() -> Places:
    """Ports lie on the coast, at about equal distances."""
    lat = np.linspace(SOUTH + 0.4, NORTH - 0.4, PORTS) + 0.13 * np.sin(np.arange(PORTS) * 2.3)
    return Places(coast(lat), lat)


@cache
def anchorages() -> Places:
    """Off every other port, some ten kilometres out."""
    chosen = slice(0, PORTS, 2)
    lat = ports().lat[chosen] + 0.05
    return Places(coast(lat) - 0.17, lat)


@cache
def grounds() -> Places:
    """Fishing grounds, thirty to ninety kilometres out."""
    lat = np.linspace(SOUTH + 0.7, NORTH - 0.7, 8)
    return Places(coast(lat) - 0.75 - 0.45 * np.abs(np.sin(np.arange(8) * 1.7)), lat)


GROUND = (0.30, 0.22)
"""Half axes of a fishing ground in degrees."""


@cache
def areas() -> tuple[tuple[str, str, Any], ...]:
    """All areas: name, kind and polygon."""
    lat = np.linspace(SOUTH, NORTH, 601)
    shore = np.column_stack((coast(lat), lat))
    found: list[tuple[str, str, Any]] = []
    for number, (lon, north) in enumerate(zip(ports().lon, ports().lat, strict=True)):
        found.append((f"port_{number}", "nearPorts", _round(lon, north, PORT_RADIUS)))
    for number, (lon, north) in enumerate(zip(anchorages().lon, anchorages().lat, strict=True)):
        found.append((f"anchorage_{number}", "anchorage", _round(lon, north, 2_500.0)))
    for number, (lon, north) in enumerate(zip(grounds().lon, grounds().lat, strict=True)):
        found.append((f"ground_{number}", "fishing", _oval(lon, north, *GROUND)))
        if number % 2:
            # A reserve that overlaps a fishing ground, so that there is illegal trawling to detect.
            found.append((f"reserve_{number}", "natura", _oval(lon + 0.2, north + 0.1, 0.18, 0.12)))
    line = shapely.LineString(shore)
    # A degree is shorter from east to west; on a coast that runs north and south, that is the width that counts.
    wide = 1 / (DEGREE * np.cos(np.radians(48)))
    for kind, metres in (("nearCoast", 1_000.0), ("nearCoast5k", 5_000.0)):
        found.append((kind.lower(), kind, shapely.simplify(line.buffer(metres * wide), 0.0005)))
    return tuple(found)


def land() -> Any:
    """The land east of the coast."""
    lat = np.linspace(SOUTH - 2, NORTH + 2, 1_001)
    shore = np.column_stack((coast(lat), lat))
    return shapely.simplify(shapely.Polygon([*shore, (EAST + 4, NORTH + 2), (EAST + 4, SOUTH - 2)]), 0.0005)


def _oval(lon: float, lat: float, wide: float, high: float) -> Any:
    turn = np.linspace(0, 2 * np.pi, 33)[:-1]
    # A little out of round, as such areas are.
    size = 1 + 0.07 * np.sin(3 * turn + lon)
    return shapely.Polygon(np.column_stack((lon + wide * size * np.cos(turn), lat + high * size * np.sin(turn))))


def _round(lon: float, lat: float, metres: float) -> Any:
    high = metres / DEGREE
    return _oval(lon, lat, high / float(np.cos(np.radians(lat))), high)


def geojson() -> str:
    """The areas as a file."""
    return _collection(areas())


def land_geojson() -> str:
    """The land as a file, for maps only."""
    return _collection([("land", "land", land())])


def _collection(shapes: Iterable[tuple[str, str, Any]]) -> str:
    features = [
        {"type": "Feature", "properties": {"id": name, "kind": kind}, "geometry": shapely.geometry.mapping(polygon)}
        for name, kind, polygon in shapes
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}, indent=1) + "\n"
