"""Voyages under construction: many vessels at a time, leg by leg, with their situations."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from holdsfor_maritime.generator.motion import CIRCLE, DEGREE, KNOT, LINE, ZIGZAG, Floats, Ints, Motion, distance

UNDER_WAY, AT_ANCHOR, MOORED, FISHING_STATUS = 0, 1, 5, 7


@dataclass(frozen=True)
class Legs:
    """Pieces of tracks, one per row."""

    vessel: Ints
    start: Floats
    seconds: Floats
    lon: Floats
    lat: Floats
    cosine: Floats
    """Of the latitude of the local plane."""
    motion: Motion
    status: Ints
    drift: Floats
    """Degrees between heading and course."""
    silent: Ints

    def take(self, rows: Ints) -> Legs:
        """Some of the rows, in some order."""
        columns: list[Any] = [
            each.take(rows) if isinstance(each, Motion) else each[rows] for each in vars(self).values()
        ]
        return Legs(*columns)

    @property
    def end(self) -> Floats:
        """The end times of the legs."""
        return self.start + self.seconds

    def at(self, seconds: Floats) -> tuple[Floats, Floats, Floats]:
        """Longitude, latitude and course, some seconds after the beginning."""
        east, north, course = self.motion.at(seconds)
        return self.lon + east / (DEGREE * self.cosine), self.lat + north / DEGREE, course


def joined(parts: list[Legs]) -> Legs:
    """Concatenates legs."""
    columns: list[Any] = []
    for each in fields(Legs):
        values = [getattr(part, each.name) for part in parts]
        if isinstance(values[0], Motion):
            names = values[0].__dataclass_fields__
            columns.append(Motion(*(np.concatenate([getattr(value, name) for value in values]) for name in names)))
        else:
            columns.append(np.concatenate(values))
    return Legs(*columns)


@dataclass(frozen=True)
class TrueIntervals:
    """The intervals of a situation, one per row."""

    situation: str
    vessel: Ints
    other: Ints
    start: Floats
    end: Floats


NO_VESSEL = -1


@dataclass
class Sailing:
    """Vessels on a voyage, one per row, each with a clock that begins at 0."""

    vessel: Ints
    lon: Floats
    lat: Floats
    clock: Floats = field(init=False)
    legs: list[Legs] = field(default_factory=list)
    truths: list[TrueIntervals] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lon, self.lat = self.lon.copy(), self.lat.copy()
        self.clock = np.zeros(len(self.vessel))

    def go(self, lon: Floats, lat: Floats, knots: Floats | float, *, silent: bool = False) -> None:
        """Sail straight to a place."""
        metres, bearing, cosine = distance(self.lon, self.lat, lon, lat)
        speed = self._full(knots) * KNOT
        self._leg(np.maximum(metres / speed, 1.0), self._motion(LINE, bearing, speed), cosine, silent=silent)

    def stay(self, seconds: Floats, status: int) -> None:
        """Lie still, in the situation `anchoredOrMoored`."""
        begin = self.clock.copy()
        self._leg(seconds, self._motion(LINE, self._full(0), self._full(0)), None, status=status)
        self.note("anchoredOrMoored", begin)

    def steer(self, seconds: Floats, bearing: Floats, knots: Floats, *, drift: Floats | float = 0.0) -> None:
        """Keep a course for some time; with `drift`, the heading differs from it."""
        self._leg(seconds, self._motion(LINE, bearing, knots * KNOT), None, drift=drift)

    def zigzag(
        self,
        seconds: Floats,
        bearing: Floats,
        knots: Floats,
        angle: Floats,
        short: Floats,
        long: Floats,
        status: int = UNDER_WAY,
    ) -> None:
        """Go to and fro."""
        self._leg(seconds, self._motion(ZIGZAG, bearing, knots * KNOT, angle, short, long), None, status=status)

    def circle(self, seconds: Floats, bearing: Floats, knots: Floats, metres: Floats) -> None:
        """Go round and round."""
        speed = knots * KNOT
        self._leg(seconds, self._motion(CIRCLE, bearing, speed, np.degrees(speed / metres)), None)

    def note(self, situation: str, begin: Floats, other: Ints | None = None) -> None:
        """Records a situation from `begin` until now."""
        others = np.full(len(self.vessel), NO_VESSEL) if other is None else other
        self.truths.append(TrueIntervals(situation, self.vessel, others, begin, self.clock.copy()))

    def finished(self, shift: Floats) -> tuple[list[Legs], list[TrueIntervals]]:
        """Legs and situations by the common clock; `shift` is the beginning of each clock."""
        legs = [Legs(one.vessel, one.start + shift, *list(vars(one).values())[2:]) for one in self.legs]
        truths = [
            TrueIntervals(one.situation, one.vessel, one.other, one.start + shift, one.end + shift)
            for one in self.truths
        ]
        return legs, truths

    def _leg(
        self,
        seconds: Floats,
        motion: Motion,
        cosine: Floats | None,
        *,
        status: int = UNDER_WAY,
        drift: Floats | float = 0.0,
        silent: bool = False,
    ) -> None:
        flat = np.cos(np.radians(self.lat)) if cosine is None else cosine
        count = len(self.vessel)
        leg = Legs(
            self.vessel,
            self.clock.copy(),
            seconds,
            self.lon,
            self.lat,
            flat,
            motion,
            np.full(count, status),
            self._full(drift),
            np.full(count, int(silent)),
        )
        self.legs.append(leg)
        self.lon, self.lat, _ = leg.at(seconds)
        self.clock = self.clock + seconds

    def _motion(
        self,
        kind: int,
        bearing: Floats,
        speed: Floats,
        angle: Floats | float = 1.0,
        short: Floats | float = 1.0,
        long: Floats | float = 1.0,
    ) -> Motion:
        kinds = np.full(len(self.vessel), kind)
        return Motion(kinds, self._full(bearing), speed, self._full(angle), self._full(short), self._full(long))

    def _full(self, value: Floats | float) -> Floats:
        found: Floats = np.broadcast_to(np.asarray(value, np.float64), (len(self.vessel),)).copy()
        return found
