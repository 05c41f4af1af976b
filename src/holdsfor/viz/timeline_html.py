"""A timeline as an interactive page with zoom, pan, hover, search and keyboard control."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from holdsfor.viz.colours import colour, ink_on
from holdsfor.viz.page import packed, packed_times, page
from holdsfor.viz.palette import plain
from holdsfor.viz.timeline_chart import Chart
from holdsfor.viz.timeline_density import coarsened, thinned_points
from holdsfor.viz.timeline_svg import description

_MOST_INTERVALS = 100_000
_MOST_EVENTS = 60_000


def timeline_html(chart: Chart) -> str:
    """The page. Of very many intervals, the closest ones are merged."""
    spans, joined = coarsened(chart, _MOST_INTERVALS)
    points, hidden = thinned_points(chart, _MOST_EVENTS)
    lanes = len(chart.labels)
    groups = list(dict.fromkeys(chart.groups))
    number = {name: place for place, name in enumerate(groups)}
    data = {
        "labels": [plain(label) for label in chart.labels],
        "groups": [plain(name) for name in groups],
        "groupOf": [number[name] for name in chart.groups],
        "headers": 1 < len(groups) < lanes,
        "kinds": _kinds(chart),
        "clock": chart.clock.for_page(chart.low, chart.high),
        "low": chart.low,
        "high": chart.high,
        "counts": packed(np.bincount(spans.lane, minlength=lanes)),
        "start": packed_times(spans.start),
        "end": packed_times(spans.end),
        "kind": packed(spans.kind),
        "eventCounts": packed(np.bincount(points.lane, minlength=lanes)),
        "eventTime": packed_times(points.time),
        "eventKind": packed(points.kind),
    }
    if points.numbers:
        data["eventNumbers"] = [packed(column) for column in points.numbers]
    if points.text is not None and chart.texts:
        data |= {"eventText": packed(points.text + 1), "eventTexts": [plain(text) for text in chart.texts]}
    if chart.marks_ends and spans.start_open is not None and spans.end_open is not None:
        data |= {"startOpen": packed(spans.start_open), "endOpen": packed(spans.end_open)}
    if spans.count is not None:
        data["sizes"] = packed(spans.count)
    notes = [
        chart.note,
        f"{joined:,} intervals that lie close together are drawn together" if joined else "",
        f"{hidden:,} events that lie close to others are left out" if hidden else "",
    ]
    return page(
        chart.title,
        description(chart),
        _body(chart, "; ".join(filter(None, notes))),
        data,
        ["common.js", "timeline_lines.js", "timeline.js"],
    )


def _kinds(chart: Chart) -> list[dict[str, Any]]:
    used = set(chart.used)
    return [
        {
            "name": plain(kind.name),
            "value": plain(kind.value),
            "colour": colour(at),
            "ink": ink_on(colour(at)),
            "unused": at not in used,
        }
        for at, kind in enumerate(chart.kinds)
    ]


def _body(chart: Chart, note: str) -> str:
    summary = escape(plain(description(chart)))
    shown_note = f"<p>{escape(plain(note))}</p>" if note else ""
    empty = "" if chart.labels else "<p>Nothing to show.</p>"
    return f"""<header>
<h1>{escape(plain(chart.title))}</h1>
<div class="tools">
<button id="out" aria-label="zoom out">−</button><button id="in" aria-label="zoom in">+</button><button id="all">all</button>
<input type="search" id="search" placeholder="find lanes" aria-label="find lanes">
<span id="status" role="status" aria-live="polite"></span>
</div>
<div class="legend" id="legend"></div>
</header>
<main class="field"><div class="scroll" id="scroll" tabindex="-1">
<canvas id="canvas" tabindex="0" role="application" aria-label="{summary}" aria-describedby="keys"></canvas>
<div id="spacer"></div></div></main>
<footer>{shown_note}{empty}<p id="keys">Drag or ← → to move, Ctrl and wheel or + − to zoom, 0 for all; ↑ ↓ choose a lane,
n p its intervals and events, Enter zooms to one.</p></footer>"""
