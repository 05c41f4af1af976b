"""Projects longitude and latitude to a plane: Mercator, or unchanged degrees (equirectangular)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.diagnostics import HoldsforError

Floats: TypeAlias = npt.NDArray[np.float64]
Projection: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]

HIGHEST = 85.05
"""The latitude limit of Mercator towards the poles."""
EARTH = 6371.0088
"""The mean radius in kilometres."""


def projection(name: str, middle: float) -> Projection:
    """A projection from degrees to radians on the plane, with y downwards, undistorted at latitude `middle`."""
    if name == "mercator":
        return _mercator
    if name == "equirectangular":
        scale = float(np.cos(np.radians(middle)))
        return lambda lon, lat: (np.radians(lon) * scale, -np.radians(lat))
    raise HoldsforError(f"the projection is mercator or equirectangular, not {name!r}")


def _mercator(lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
    """Preserves angles; areas grow towards the poles.

    >>> x, y = _mercator(np.array([180.0, 0.0]), np.array([0.0, 85.0511287798]))
    >>> bool(abs(x[0] - np.pi) < 1e-9), bool(abs(y[1] + np.pi) < 1e-6)
    (True, True)
    """
    lat = np.clip(lat, -HIGHEST - 0.01, HIGHEST + 0.01)
    return np.radians(lon), -np.arcsinh(np.tan(np.radians(lat)))


def seam(lon: Floats) -> float:
    """The longitude west of which points move 360° east, so that data around 180° stays contiguous.

    >>> seam(np.array([170.0, 179.0, -178.0])), seam(np.array([-5.0, 3.0]))
    (-4.0, -inf)
    """
    around = np.unique(lon)
    if len(around) < 2 or around[-1] - around[0] <= 180:
        return -np.inf
    gaps = np.diff(around)
    widest = int(np.argmax(gaps))
    if gaps[widest] <= 360 - (around[-1] - around[0]):
        return -np.inf
    return float((around[widest] + around[widest + 1]) / 2)


def unrolled(lon: Floats, west_of: float) -> Floats:
    """Contiguous longitudes, given the seam."""
    return np.where(lon < west_of, lon + 360, lon)
