"""Draws a map of situations as a self-contained SVG picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import escape

import numpy as np

from holdsfor.viz.colours import colour
from holdsfor.viz.map_projection import Floats
from holdsfor.viz.map_scene import Scene
from holdsfor.viz.map_tracks import Ints, Situations, longest, segments, thinned
from holdsfor.viz.palette import FAINT, INK, PAPER, plain
from holdsfor.viz.svg_parts import MARGIN, legend, opening
from holdsfor.viz.timeline_axis import nice_step

_MOST_POINTS = 60_000
_MOST_SITUATIONS = 15_000
_TOOLTIPS = 1_500
_CROWDED = 5_000
_MANY_TRACKS = 60
_SHORT = 7.0
"""Segments shorter than this number of pixels get a dot, so that they are visible."""
_GROUND = "#f4f7fa"
_SEA = "#dbe9f4"
_TRACK = "#8b97a5"

_STYLE = f"""
.holdsfor-map text{{font:12px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:{INK}}}
.holdsfor-map .faint{{fill:{FAINT}}}
.holdsfor-map .small{{font-size:11px}}
.holdsfor-map .title{{font-size:14px;font-weight:600}}
.holdsfor-map .grid{{stroke:#d9e0e8;stroke-width:1px;fill:none}}
.holdsfor-map .area{{stroke:#9aa7b5;stroke-width:.8px;fill-rule:evenodd}}
.holdsfor-map .track{{stroke:{_TRACK};stroke-width:.9px;stroke-opacity:.75;fill:none;stroke-linejoin:round}}
.holdsfor-map .segment{{stroke-width:3.4px;fill:none;stroke-linecap:round;stroke-linejoin:round}}
.holdsfor-map .segment:hover{{stroke-width:6px}}
.holdsfor-map .dot{{stroke:{PAPER};stroke-width:1px}}
""".strip()


@dataclass(frozen=True)
class _View:
    """The frame of the scene in pixels."""

    scene: Scene
    width: float

    @cached_property
    def scale(self) -> float:
        """Pixels per radian. Maps are at most about as high as wide."""
        left, top, right, bottom = self.scene.frame
        return min(self.width / (right - left), 0.8 * self.width / (bottom - top))

    @cached_property
    def height(self) -> float:
        _, top, _, bottom = self.scene.frame
        return max((bottom - top) * self.scale, 0.35 * self.width)

    def pixels(self, lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
        left, top, right, bottom = self.scene.frame
        x, y = self.scene.place(lon, lat)
        return (
            (x - (left + right) / 2) * self.scale + self.width / 2,
            (y - (top + bottom) / 2) * self.scale + self.height / 2,
        )


def map_svg(scene: Scene, width: float) -> str:
    """The map as a complete SVG document."""
    view = _View(scene, width - 2 * MARGIN)
    held, hidden = longest(scene.situations, _MOST_SITUATIONS)
    remarks = "; ".join(filter(None, [scene.note, left_out(hidden)]))
    shown, legend_height = legend(_entries(scene), view.width)
    top = MARGIN + 26 + legend_height
    height = top + view.height + MARGIN + (18 if remarks else 0)
    note = f'<text class="faint small" x="{MARGIN:g}" y="{height - 12:.1f}">{escape(remarks)}</text>'
    return "\n".join(
        [
            *opening("holdsfor-map", width, height, scene.title, scene.description, _STYLE),
            *shown,
            # A nested SVG clips its content.
            f'<svg x="{MARGIN:g}" y="{top:.1f}" width="{view.width:.1f}" height="{view.height:.1f}" overflow="hidden">',
            f'<rect width="100%" height="100%" fill="{_SEA if scene.has_sea else _GROUND}"/>',
            *_areas(view),
            *_graticule(view),
            *_tracks(view),
            *_situations(view, held),
            *_ruler(view),
            "</svg>",
            *([note] if remarks else []),
            "</svg>\n",
        ]
    )


def _areas(view: _View) -> Iterator[str]:
    for area in view.scene.areas:
        rings = []
        for lon, lat in area.rings:
            x, y = view.pixels(lon, lat)
            rows = thinned(np.zeros(len(x), np.int64), x, y, 0.5, max(3, _MOST_POINTS // (4 * len(view.scene.areas))))
            rings.append(_path(x[rows], y[rows], np.zeros(len(rows), np.int64)) + "z")
        fill = view.scene.area_paints[area.kind].light
        name = escape(plain(f"{area.name} ({area.kind})" if area.name else area.kind))
        yield f'<path class="area" fill="{fill}" d="{"".join(rings)}"><title>{name}</title></path>'


def _tracks(view: _View) -> Iterator[str]:
    tracks = view.scene.tracks
    x, y = view.pixels(tracks.lon, tracks.lat)
    rows = thinned(tracks.entity, x, y, 0.7, _MOST_POINTS)
    if len(rows):
        # Many tracks must not hide the situations on them.
        faint = ' style="stroke-opacity:.4;stroke-width:.6px"' if len(tracks.names) > _MANY_TRACKS else ""
        yield f'<path class="track"{faint} d="{_path(x[rows], y[rows], tracks.entity[rows])}"/>'


def left_out(hidden: int) -> str:
    """A note about the situations that were left out."""
    return f"{hidden:,} of the shortest situations are left out" if hidden else ""


def _situations(view: _View, held: Situations) -> Iterator[str]:
    scene = view.scene
    found = segments(scene.tracks, held)
    x, y = view.pixels(found.lon, found.lat)
    rows = thinned(found.situation, x, y, 0.7, _MOST_POINTS)
    number, x, y = found.situation[rows], x[rows], y[rows]
    if not len(number):
        return
    heads = np.flatnonzero(np.diff(number, prepend=-1))
    short = _extent(x, heads) + _extent(y, heads) < _SHORT
    kind = held.kind
    if len(heads) <= _TOOLTIPS:
        stops = np.append(heads[1:], len(number))
        # The longest come first, so that they do not hide shorter ones.
        for one in np.argsort(held.start - held.end, kind="stable").tolist():
            start, stop = int(heads[one]), int(stops[one])
            shade, text = colour(int(kind[one])), f"<title>{escape(_tooltip(scene, held, one))}</title>"
            if short[one]:
                yield f'<circle class="dot" fill="{shade}" cx="{x[start]:.1f}" cy="{y[start]:.1f}" r="4">{text}</circle>'
            else:
                path = _path(x[start:stop], y[start:stop], number[start:stop])
                yield f'<path class="segment" stroke="{shade}" d="{path}">{text}</path>'
        return
    is_long = np.repeat(~short, np.diff(np.append(heads, len(number))))
    for which in np.unique(kind).tolist():
        lines = np.flatnonzero((kind[number] == which) & is_long)
        dots = heads[short & (kind[number[heads]] == which)]
        # Dots are lines of length zero with round ends; dots on the same pixel are merged.
        spots = np.unique(np.round(np.stack((x[dots], y[dots])), 0), axis=1)
        marks = "".join(f"M{a:g},{b:g}h0" for a, b in spots.T.tolist())
        # Thick lines hide each other if there are very many.
        weight = 3.4 if len(lines) <= _CROWDED else 1.2
        path = _path(x[lines], y[lines], number[lines])
        yield f'<path class="segment" style="stroke-width:{weight}px" stroke="{colour(which)}" d="{path}"/>'
        yield f'<path class="segment" style="stroke-width:{1.7 * weight:.1f}px" stroke="{colour(which)}" d="{marks}"/>'


def _extent(at: Floats, heads: Ints) -> Floats:
    """The extent of each line."""
    found: Floats = np.maximum.reduceat(at, heads) - np.minimum.reduceat(at, heads)
    return found


def _path(x: Floats, y: Floats, line: Ints) -> str:
    """Lines as one path; a new line begins where the number changes."""
    commands = np.where(np.diff(line, prepend=-1) != 0, "M", "L").tolist()
    points = zip(commands, np.round(x, 1).tolist(), np.round(y, 1).tolist(), strict=True)
    return "".join(f"{command}{a:g},{b:g}" for command, a, b in points)


def _tooltip(scene: Scene, found: Situations, row: int) -> str:
    when = f"{scene.clock.text(float(found.start[row]))} – {scene.clock.text(float(found.end[row]))}"
    return f"{plain(found.kinds[found.kind[row]])}: {plain(scene.tracks.names[found.entity[row]])}\n{when}"


# Orientation aids


def _graticule(view: _View) -> Iterator[str]:
    """Lines of longitude and latitude, at round degrees within the picture."""
    origin, degree_east = view.pixels(np.array([0.0, 1.0]), np.zeros(2))[0].tolist()
    per_degree = degree_east - origin
    first, last = -origin / per_degree, (view.width - origin) / per_degree
    step = nice_step((last - first) / 6)
    for degree in (np.arange(np.ceil(first / step), np.floor(last / step) + 1) * step).tolist():
        x = origin + degree * per_degree
        yield f'<path class="grid" d="M{x:.1f},0V{view.height:.1f}"/>'
        text = _degrees((degree + 180) % 360 - 180, "E", "W")
        yield f'<text class="faint small" x="{x + 3:.1f}" y="13">{text}</text>'
    south, north = (float(lat) for lat in (view.scene.middle - 20 * step, view.scene.middle + 20 * step))
    parallels = np.arange(np.ceil(max(south, -85.0) / step), np.floor(min(north, 85.0) / step) + 1) * step
    heights = view.pixels(np.zeros(len(parallels)), parallels)[1]
    for degree, y in zip(parallels.tolist(), heights.tolist(), strict=True):
        if 0 < y < view.height:
            yield f'<path class="grid" d="M0,{y:.1f}H{view.width:.1f}"/>'
            yield f'<text class="faint small" x="4" y="{y - 4:.1f}">{_degrees(degree, "N", "S")}</text>'


def _degrees(value: float, positive: str, negative: str) -> str:
    return f"{abs(value):.6g}°{positive if value >= 0 else negative}"


def _ruler(view: _View) -> Iterator[str]:
    pixel = view.scene.kilometre * view.scale
    kilometres = nice_step(60 / pixel)
    length = kilometres * pixel
    text = f"{kilometres:g} km" if kilometres >= 1 else f"{kilometres * 1000:g} m"
    x, y = view.width - length - 14, view.height - 14
    yield f'<path d="M{x:.1f},{y - 4:.1f}v4h{length:.1f}v-4" fill="none" stroke="{INK}" stroke-width="1.4"/>'
    yield f'<text class="small" x="{x + length / 2:.1f}" y="{y - 7:.1f}" text-anchor="middle">{text}</text>'


def _entries(scene: Scene) -> list[tuple[str, str]]:
    kinds = enumerate(zip(scene.situations.kinds, scene.counts, strict=True))
    entries = [(colour(number), f"{name} ({count:,})") for number, (name, count) in kinds if count]
    return entries + [(paint.light, name) for name, paint in scene.area_paints.items()]
