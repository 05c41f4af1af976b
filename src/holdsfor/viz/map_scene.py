"""The contents of a map: tracks, situations and areas, and the visible part of the plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.times import TimeScale
from holdsfor.viz.map_areas import LAND, Area, AreaPaint, area_paints
from holdsfor.viz.map_projection import EARTH, Floats, Projection, projection, seam, unrolled
from holdsfor.viz.map_tracks import Situations, Tracks
from holdsfor.viz.timeline_axis import ClockMarks

_LEAST = 2e-6
"""The least extent of a map in radians: about ten metres."""

_NEAR = 0.15
"""Areas are visible if their distance to the tracks is at most this fraction of the extent."""


@dataclass(frozen=True)
class Scene:
    """All contents of a map. Positions on the plane are in radians, with y downwards."""

    title: str
    tracks: Tracks
    situations: Situations
    areas: list[Area]
    time_scale: TimeScale | None = None
    projection_name: str = "mercator"

    @cached_property
    def clock(self) -> ClockMarks:
        """The meaning of times."""
        whole = bool((self.tracks.time == np.floor(self.tracks.time)).all())
        return ClockMarks(0, 1 if whole else None, self.time_scale)

    @cached_property
    def _seam(self) -> float:
        return seam(self._reach[0])

    @cached_property
    def _reach(self) -> tuple[Floats, Floats]:
        """Longitudes and latitudes that must be visible: those of tracks, and of areas nearby."""
        rings = [ring for area in self.areas if area.kind != LAND for ring in area.rings]
        tracks = self.tracks.lon, self.tracks.lat
        if not rings:
            return tracks if len(self.tracks) else (np.zeros(1), np.zeros(1))
        lon, lat = np.concatenate([lon for lon, _ in rings]), np.concatenate([lat for _, lat in rings])
        if not len(self.tracks):
            return lon, lat
        near = np.ones(len(lon), np.bool_)
        longer = max(float(np.ptp(tracks[0])), float(np.ptp(tracks[1])))
        for of_areas, of_tracks in ((lon, tracks[0]), (lat, tracks[1])):
            near &= (of_areas > of_tracks.min() - _NEAR * longer) & (of_areas < of_tracks.max() + _NEAR * longer)
        return np.concatenate((tracks[0], lon[near])), np.concatenate((tracks[1], lat[near]))

    @cached_property
    def middle(self) -> float:
        """The latitude in the middle."""
        lat = self._reach[1]
        return float(lat.min() + lat.max()) / 2

    @cached_property
    def _project(self) -> Projection:
        return projection(self.projection_name, self.middle)

    def place(self, lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
        """The positions of points on the plane."""
        return self._project(unrolled(lon, self._seam), lat)

    @cached_property
    def frame(self) -> tuple[float, float, float, float]:
        """The left, top, right and bottom of the visible part, with a margin."""
        x, y = self.place(*self._reach)
        left, right, top, bottom = (float(v) for v in (x.min(), x.max(), y.min(), y.max()))
        room = max(0.04 * max(right - left, bottom - top), _LEAST)
        return left - room, top - room, right + room, bottom + room

    @cached_property
    def radian(self) -> float:
        """The length of a radian of longitude on the plane."""
        return 1.0 if self.projection_name == "mercator" else float(np.cos(np.radians(self.middle)))

    @cached_property
    def kilometre(self) -> float:
        """The length of a kilometre on the plane, in the middle of the map."""
        scale = 1 / np.cos(np.radians(self.middle)) if self.projection_name == "mercator" else 1.0
        return float(scale / EARTH)

    @cached_property
    def counts(self) -> list[int]:
        """The number of situations of each kind."""
        found: list[int] = np.bincount(self.situations.kind, minlength=len(self.situations.kinds)).tolist()
        return found

    @cached_property
    def area_kinds(self) -> list[str]:
        """The kinds of areas, in order of first occurrence."""
        return list(dict.fromkeys(area.kind for area in self.areas))

    @cached_property
    def area_paints(self) -> dict[str, AreaPaint]:
        """The fills of kinds of areas."""
        return area_paints(self.area_kinds)

    @property
    def has_sea(self) -> bool:
        """Whether land areas are known, and therefore the sea."""
        return LAND in self.area_kinds

    @cached_property
    def note(self) -> str:
        """A note about data that could not be shown."""
        lost, dropped = self.situations.lost, self.tracks.dropped
        return "; ".join(
            text
            for number, text in (
                (lost, f"{lost:,} situation{'' if lost == 1 else 's'} without a track at that time"),
                (dropped, f"{dropped:,} position{'' if dropped == 1 else 's'} that are nowhere on earth"),
            )
            if number
        )

    @cached_property
    def description(self) -> str:
        """A text alternative for the map."""
        kinds = ", ".join(
            f"{name} ({count})" for name, count in zip(self.situations.kinds, self.counts, strict=True) if count
        )
        areas = sum(area.kind != LAND for area in self.areas)
        sizes = f"{len(self.tracks.names):,} tracks, {areas:,} areas and {len(self.situations):,} situations"
        return f"Map of {sizes}. Situations: {kinds or 'none'}."
