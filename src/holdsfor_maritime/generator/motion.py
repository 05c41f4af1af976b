"""Pieces of a track: the position of a vessel on a straight line, a zigzag or a circle.

Positions are metres east and north of where the piece begins, so that pieces follow each other without a jump.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KNOT = 0.514444
"""Metres per second."""
DEGREE = 111_195.0
"""Metres of a degree of latitude."""

LINE, ZIGZAG, CIRCLE = 0, 1, 2


@dataclass(frozen=True)
class Motion:
    """The motion of vessels, one per row: `bearing` in degrees, `speed` in metres per second.

    A zigzag strays from its bearing by `angle` degrees, to one side and the other for `short` seconds each, and turns
    back after `long` seconds. The angle of a circle is that by which a second changes the course.
    """

    kind: Ints
    bearing: Floats
    speed: Floats
    angle: Floats
    short: Floats
    long: Floats

    def take(self, rows: Ints) -> Motion:
        """Some of the rows, in some order."""
        return Motion(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def at(self, seconds: Floats) -> tuple[Floats, Floats, Floats]:
        """Metres east, metres north and the course, some seconds after the beginning."""
        turned = np.where(self.kind == CIRCLE, self.angle * seconds, 0.0)
        lateral, side = _wave(seconds, self.short)
        forward, way = _wave(seconds, self.long)
        strayed = np.radians(np.where(self.kind == ZIGZAG, self.angle, 0.0))
        along = np.where(self.kind == ZIGZAG, forward * np.cos(strayed), seconds) * self.speed
        across = np.where(self.kind == ZIGZAG, lateral * np.sin(strayed), 0.0) * self.speed
        course = self.bearing + turned
        course = course + np.where(self.kind == ZIGZAG, _zigzag_course(strayed, side, way), 0.0)
        rate = np.radians(np.where(self.kind == CIRCLE, self.angle, 1.0))
        radius = self.speed / rate
        round_ = self.kind == CIRCLE
        along = np.where(round_, radius * np.sin(rate * seconds), along)
        across = np.where(round_, radius * (1 - np.cos(rate * seconds)), across)
        ahead = np.radians(self.bearing)
        east = along * np.sin(ahead) + across * np.cos(ahead)
        north = along * np.cos(ahead) - across * np.sin(ahead)
        return east, north, np.mod(course, 360.0)


def _wave(seconds: Floats, half: Floats) -> tuple[Floats, Floats]:
    """A triangle wave of slope one that turns every `half` seconds, and its slope."""
    place = np.mod(seconds, 2 * half)
    rising = place < half
    return np.where(rising, place, 2 * half - place), np.where(rising, 1.0, -1.0)


def _zigzag_course(strayed: Floats, side: Floats, way: Floats) -> Floats:
    found: Floats = np.degrees(np.arctan2(side * np.sin(strayed), way * np.cos(strayed)))
    return found


def distance(lon: Floats, lat: Floats, to_lon: Floats, to_lat: Floats) -> tuple[Floats, Floats, Floats]:
    """Metres and bearing between positions on a local plane, and the cosine of its latitude."""
    cosine = np.cos(np.radians((lat + to_lat) / 2))
    east = (to_lon - lon) * DEGREE * cosine
    north = (to_lat - lat) * DEGREE
    return np.hypot(east, north), np.mod(np.degrees(np.arctan2(east, north)), 360.0), cosine
