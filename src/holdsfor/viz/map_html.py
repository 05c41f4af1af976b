"""A map of situations as an interactive page: zoom, pan, a time slider, and a legend that toggles kinds."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from holdsfor.viz.colours import colour
from holdsfor.viz.map_areas import LAND
from holdsfor.viz.map_scene import Scene
from holdsfor.viz.map_svg import left_out
from holdsfor.viz.map_tracks import longest, thinned
from holdsfor.viz.page import packed, packed_times, page
from holdsfor.viz.palette import plain

_MOST_POINTS = 70_000
_MOST_AREA_POINTS = 20_000
_MOST_SITUATIONS = 40_000
_SQUARE = 1 / 4000
"""Points closer than this fraction of the longer side are the first to be left out."""


def map_html(scene: Scene) -> str:
    """The page. Of very many situations it shows the longest, and of long tracks the points of movement."""
    left, top, right, bottom = scene.frame
    span = max(right - left, bottom - top)
    middle = (left + right) / 2, (top + bottom) / 2
    tracks = scene.tracks
    x, y = scene.place(tracks.lon, tracks.lat)
    x, y = (x - middle[0]) / span, (y - middle[1]) / span
    rows = thinned(tracks.entity, x, y, _SQUARE, _MOST_POINTS)
    situations, hidden = longest(scene.situations, _MOST_SITUATIONS)
    low, high = (float(tracks.time.min()), float(tracks.time.max())) if len(tracks) else (0.0, 1.0)
    data = {
        "names": [plain(name) for name in tracks.names],
        "counts": packed(np.bincount(tracks.entity[rows], minlength=len(tracks.names))),
        "x": packed(x[rows].astype(np.float32)),
        "y": packed(y[rows].astype(np.float32)),
        "time": packed_times(tracks.time[rows]),
        "kinds": [
            {"name": plain(name), "colour": colour(at), "count": count, "unused": not count}
            for at, (name, count) in enumerate(zip(scene.situations.kinds, scene.counts, strict=True))
        ],
        "kind": packed(situations.kind),
        "entity": packed(situations.entity),
        "start": packed_times(situations.start),
        "end": packed_times(situations.end),
        "areas": _areas(scene, middle, span),
        "areaKinds": [
            {"name": plain(name), "colour": scene.area_paints[name].light, "dark": scene.area_paints[name].dark}
            for name in scene.area_kinds
        ],
        "ground": "sea" if scene.has_sea else "ground",
        "clock": scene.clock.for_page(low, high),
        "low": low,
        "high": high,
        "width": (right - left) / span,
        "height": (bottom - top) / span,
        "span": span,
        "middle": list(middle),
        "radian": scene.radian,
        "mercator": scene.projection_name == "mercator",
        "kilometre": scene.kilometre,
    }
    fewer = len(tracks) - len(rows)
    notes = [
        scene.note,
        left_out(hidden),
        f"{fewer:,} positions too close to others to be distinguished are left out" if fewer else "",
    ]
    return page(
        scene.title, scene.description, _body(scene, "; ".join(filter(None, notes))), data, ["common.js", "map.js"]
    )


def _areas(scene: Scene, middle: tuple[float, float], span: float) -> list[dict[str, Any]]:
    number = {name: at for at, name in enumerate(scene.area_kinds)}
    most = max(3, _MOST_AREA_POINTS // max(1, sum(len(area.rings) for area in scene.areas)))
    found = []
    for area in scene.areas:
        rings = []
        for lon, lat in area.rings:
            x, y = scene.place(lon, lat)
            x, y = (x - middle[0]) / span, (y - middle[1]) / span
            rows = thinned(np.zeros(len(x), np.int64), x, y, _SQUARE, most)
            rings.append({"x": packed(x[rows].astype(np.float32)), "y": packed(y[rows].astype(np.float32))})
        # Tooltips do not label land.
        name = "" if area.kind == LAND else f"{area.name} ({area.kind})" if area.name else area.kind
        found.append({"name": plain(name), "kind": number[area.kind], "rings": rings})
    return found


def _body(scene: Scene, note: str) -> str:
    shown_note = f"<p>{escape(plain(note))}</p>" if note else ""
    return f"""<header>
<h1>{escape(plain(scene.title))}</h1>
<div class="tools">
<button id="out" aria-label="zoom out">−</button><button id="in" aria-label="zoom in">+</button><button id="all">all</button>
<div class="time"><button id="play">play</button><button id="always">all of time</button>
<input type="range" id="slider" min="0" max="1000" value="0" aria-label="time"><output id="moment"></output></div>
<span id="status" role="status" aria-live="polite"></span>
</div>
<div class="legend" id="legend"></div>
</header>
<main class="field" id="field">
<canvas id="canvas" tabindex="0" role="application" aria-label="{escape(plain(scene.description))}" aria-describedby="keys"></canvas>
</main>
<footer>{shown_note}<p id="keys">Drag or arrow keys to move, wheel or + − to zoom, 0 for all; comma and full stop step through
time, space plays, Escape shows all of time.</p></footer>"""
