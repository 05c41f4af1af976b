"""Maps of situations as SVG and HTML: tracks, the parts on which something held, and areas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdsfor.viz.map_areas import read_areas
from holdsfor.viz.map_html import map_html
from holdsfor.viz.map_scene import Scene
from holdsfor.viz.map_svg import map_svg
from holdsfor.viz.map_tracks import read_situations, read_tracks
from holdsfor.viz.picture import Picture, in_frame
from holdsfor.viz.timeline_dates import shown_scale

__all__ = ["SituationMap", "situation_map"]

_NOTHING: dict[str, list[Any]] = {"situation": [], "entity": [], "start": [], "end": []}


@dataclass(frozen=True)
class SituationMap(Picture):
    """A map that can be shown in a notebook or saved."""

    scene: Scene

    @property
    def title(self) -> str:
        """The title of the picture."""
        return self.scene.title

    def svg(self, width: float = 1000) -> str:
        """A static picture."""
        return map_svg(self.scene, width)

    def html(self) -> str:
        """A page with zoom, pan, and a time slider."""
        return map_html(self.scene)

    def _repr_html_(self) -> str:
        return in_frame(self.html(), 640, self.title)


def situation_map(
    tracks: Any,
    situations: Any = None,
    areas: Any = None,
    *,
    title: str = "Map of situations",
    unit: str | None = None,
    zone: str | None = None,
    projection: str = "mercator",
    kinds: Sequence[str] = (),
) -> SituationMap:
    """A map of tracks, with what held where.

    `tracks` is a table with columns `entity, time, lon, lat`, `situations` one with `situation, entity, start, end`
    (an end that is missing is open): mappings of columns, or anything that speaks Arrow. `areas` is a GeoJSON
    FeatureCollection or the path of one. With a `unit` (`s`, `ms`, …) times are counted since 1970 and
    shown as dates, those of a `zone` such as `Europe/Athens`, else of UTC.
    `kinds` are names of situations that get their colours first, in this order.

    >>> tracks = {"entity": ["tern"] * 3, "time": [0, 10, 20], "lon": [-4.5, -4.4, -4.3], "lat": [48.3, 48.3, 48.4]}
    >>> held = {"situation": ["gap"], "entity": ["tern"], "start": [5], "end": [15]}
    >>> situation_map(tracks, held).svg().count('class="segment"')
    1
    """
    found = read_tracks(tracks)
    held = read_situations(_NOTHING if situations is None else situations, found, kinds)
    scale = shown_scale(None, "s" if found.are_dates else unit, zone)
    return SituationMap(Scene(title, found, held, read_areas(areas), scale, projection))
