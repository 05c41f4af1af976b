"""Draws a timeline as a self-contained SVG picture, without script, font or style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from xml.sax.saxutils import escape

import numpy as np

from holdsfor.viz.colours import colour, ink_on
from holdsfor.viz.palette import BAND, FAINT, INK, PAPER, cells, count_of, plain, shorten
from holdsfor.viz.svg_parts import MARGIN, legend, opening
from holdsfor.viz.timeline_chart import Chart, Floats, Ints
from holdsfor.viz.timeline_density import LEVELS, Bars, DrawnElements, drawn, marks_at
from holdsfor.viz.timeline_lines import lines_svg

_CHARACTER = 6.6
_LONGEST_LABEL = 44
_HALF_A_DATE = 5
_ROW, _LOW_ROW = 22.0, 15.0
_MANY_LANES = 40
_HEADER = 22.0
_TAIL = 34.0
"""The space at the sides where unbounded intervals fade out."""
_STEPS = 6
_TOOLTIPS = 1_500
"""Up to this number, each interval is an element with a tooltip."""
_NAMES_IN_BARS = 400
_NAMES_IN_TEXT = 24

_STYLE = f"""
.holdsfor-timeline text{{font:12px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:{INK}}}
.holdsfor-timeline .mono{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:11px}}
.holdsfor-timeline .faint{{fill:{FAINT}}}
.holdsfor-timeline .small{{font-size:11px}}
.holdsfor-timeline .title{{font-size:14px;font-weight:600}}
.holdsfor-timeline .group{{font-weight:600}}
.holdsfor-timeline .grid{{stroke:#d5dbe3;stroke-width:1px;shape-rendering:crispEdges}}
.holdsfor-timeline .tick{{stroke-width:1.6px;fill:none}}
.holdsfor-timeline .line{{stroke-width:1.5px;fill:none;stroke-linejoin:round}}
.holdsfor-timeline .dots{{stroke-width:4px;fill:none;stroke-linecap:round}}
.holdsfor-timeline .scale{{font-size:9px;fill:{FAINT}}}
.holdsfor-timeline .end{{fill:{PAPER};stroke-width:1.6px}}
.holdsfor-timeline .end.closed{{stroke:{PAPER};stroke-width:1px}}
""".strip()


@dataclass(frozen=True)
class _Layout:
    """The positions of all elements."""

    chart: Chart
    width: float

    @cached_property
    def labels(self) -> list[str]:
        return [shorten(plain(label), _LONGEST_LABEL) for label in self.chart.labels]

    @cached_property
    def left(self) -> float:
        """The left edge of the time field."""
        names = [*self.labels, *(shorten(plain(name), _LONGEST_LABEL) for name in set(self.chart.groups))]
        # The name of the zone is on the axis, beside half of the first mark.
        zone = len(self.chart.clock.zone) + _HALF_A_DATE if self.chart.clock.zone else 0
        widest = max((cells(name) for name in names), default=0)
        widest = max(widest, zone)
        scales = 40 if self.chart.has_numbers.any() else 0
        return MARGIN + min(widest * _CHARACTER + 14 + self.indent + scales, 0.45 * self.width) + self.tails[0]

    @cached_property
    def tails(self) -> tuple[float, float]:
        spans = self.chart.spans
        before = bool((spans.start < self.chart.low).any())
        after = bool((spans.end > self.chart.high).any())
        return _TAIL if before else 0.0, _TAIL if after else 0.0

    @cached_property
    def field(self) -> float:
        """The width of the time field in pixels."""
        return self.width - self.left - MARGIN - self.tails[1]

    @cached_property
    def row(self) -> float:
        return _ROW if len(self.labels) <= _MANY_LANES else _LOW_ROW

    @cached_property
    def has_headers(self) -> bool:
        groups = self.chart.groups
        return len(set(groups)) > 1 and len(set(groups)) < len(groups)

    @cached_property
    def indent(self) -> float:
        return 10.0 if self.has_headers else 0.0

    @cached_property
    def tops(self) -> Floats:
        """The upper edge of each lane, including the header of its group."""
        groups = np.array(self.chart.groups, dtype=object)
        begins = np.ones(len(groups), np.bool_)
        begins[1:] = groups[1:] != groups[:-1]
        headers = np.cumsum(begins & (groups != "")) * (_HEADER if self.has_headers else 0.0)
        found: Floats = (np.append(0.0, np.cumsum(self.heights))[: len(groups)] + headers).astype(np.float64)
        return found

    @cached_property
    def heights(self) -> Floats:
        """The lane heights; lanes with a line are higher."""
        found: Floats = np.where(self.chart.has_numbers, 2.0, 1.0) * self.row
        return found

    @cached_property
    def height(self) -> float:
        return float(self.tops[-1] + self.heights[-1]) if len(self.tops) else self.row

    @property
    def bar(self) -> float:
        return self.row - 8 if self.row == _ROW else self.row - 5


def timeline_svg(chart: Chart, width: float) -> str:
    """The picture as a complete SVG document of at most this width in pixels."""
    layout = _Layout(chart, width)
    entries = [(colour(number), str(chart.kinds[number])) for number in chart.used]
    shown, legend_height = legend(entries, width - 2 * MARGIN)
    top = MARGIN + 24 + legend_height + 26 + (14 if chart.clock.zone else 0)
    height = top + layout.height + 14 + (20 if chart.note else 0) + MARGIN
    found = drawn(chart, layout.field)
    return "\n".join(
        [
            *opening("holdsfor-timeline", width, height, chart.title, description(chart), _STYLE),
            *shown,
            f'<g transform="translate(0,{top:.1f})">',
            *_bands(layout),
            *_axis(layout),
            *_names(layout),
            f'<g transform="translate({layout.left:.1f},0)">',
            *_shades(layout, found),
            *_bars(layout, found.bars),
            *_tails(layout),
            *_events(layout),
            *lines_svg(chart, layout.field, layout.tops, layout.heights),
            "</g>",
            *_note(layout),
            "</g>",
            "</svg>\n",
        ]
    )


def description(chart: Chart) -> str:
    """A text alternative for the picture."""
    reach = f"from {chart.clock.text(chart.low)} to {chart.clock.text(chart.high)}"
    counts = f"{count_of(len(chart.spans), 'interval')} and {count_of(len(chart.points), 'event')}"
    kinds = ", ".join(plain(str(chart.kinds[number])) for number in chart.used[:_NAMES_IN_TEXT])
    return f"Timeline of {count_of(len(chart.labels), 'lane')} with {counts} {reach}. Shown: {kinds or 'nothing'}."


# Around the field


def _bands(layout: _Layout) -> Iterator[str]:
    right = layout.width - MARGIN
    at = 0
    for number, (name, lanes) in enumerate(groupby(layout.chart.groups)):
        size = len(list(lanes))
        y = float(layout.tops[at]) - (_HEADER if layout.has_headers and name else 0)
        bottom = float(layout.tops[at + size - 1] + layout.heights[at + size - 1])
        if number % 2 == 0:
            yield f'<rect x="{MARGIN:g}" y="{y:.1f}" width="{right - MARGIN:.1f}" height="{bottom - y:.1f}" fill="{BAND}"/>'
        at += size


def _axis(layout: _Layout) -> Iterator[str]:
    chart = layout.chart
    sample = chart.clock.marks(chart.low, chart.high, 6)
    widest = max((len(mark.text) for mark in sample), default=1)
    most = max(1, min(12, int(layout.field / (widest * 7 + 26))))
    scale = layout.field / (chart.high - chart.low)
    for mark in chart.clock.marks(chart.low, chart.high, most):
        x = layout.left + (mark.at - chart.low) * scale
        yield f'<path class="grid" d="M{x:.1f},-6V{layout.height:.1f}"/>'
        yield f'<text class="faint small" x="{x:.1f}" y="-11" text-anchor="middle">{escape(mark.text)}</text>'
        if mark.context:
            yield f'<text class="faint small" x="{x:.1f}" y="-25" text-anchor="middle">{escape(mark.context)}</text>'
    yield f'<path class="grid" d="M{layout.left:.1f},0H{layout.left + layout.field:.1f}"/>'
    if chart.clock.zone:
        yield f'<text class="faint small" x="{MARGIN + 6:g}" y="-11">{escape(chart.clock.zone)}</text>'


def _names(layout: _Layout) -> Iterator[str]:
    groups = layout.chart.groups
    for number, (label, top) in enumerate(zip(layout.labels, layout.tops.tolist(), strict=True)):
        if layout.has_headers and groups[number] and (not number or groups[number] != groups[number - 1]):
            name = escape(shorten(plain(groups[number]), _LONGEST_LABEL))
            yield f'<text class="group" x="{MARGIN + 6:g}" y="{top - 6:.1f}">{name}</text>'
        full = plain(layout.chart.labels[number])
        hover = f"<title>{escape(full)}</title>" if full != label else ""
        y = top + float(layout.heights[number]) / 2 + 4
        yield f'<text class="mono" x="{MARGIN + 6 + layout.indent:g}" y="{y:.1f}">{escape(label)}{hover}</text>'
    if not layout.labels:
        yield f'<text class="faint" x="{layout.left:.1f}" y="{layout.row / 2 + 4:.1f}">nothing to show</text>'


def _note(layout: _Layout) -> Iterator[str]:
    if layout.chart.note:
        text = escape(plain(layout.chart.note))
        yield f'<text class="faint small" x="{MARGIN:g}" y="{layout.height + 24:.1f}">{text}</text>'


# Inside the field


def _bars(layout: _Layout, bars: Bars) -> Iterator[str]:
    chart = layout.chart
    kind = chart.spans.kind[bars.row]
    y = layout.tops[chart.spans.lane[bars.row]] + (layout.row - layout.bar) / 2
    if len(bars.row) > _TOOLTIPS:
        yield from _paths(kind, bars.left, bars.right, y, layout.bar, "")
    else:
        rows = zip(bars.row.tolist(), kind.tolist(), bars.left.tolist(), bars.right.tolist(), y.tolist(), strict=True)
        for row, number, left, right, top in rows:
            radius = min(3.0, (right - left) / 3)
            yield (
                f'<rect class="bar" x="{left:.2f}" y="{top:.1f}" width="{right - left:.2f}" height="{layout.bar:g}" '
                f'rx="{radius:.1f}" fill="{colour(number)}"><title>{escape(tooltip(chart, row))}</title></rect>'
            )
        if chart.marks_ends:
            yield from _ends(layout, bars)
    yield from _values(layout, bars, y)


def _values(layout: _Layout, bars: Bars, y: Floats) -> Iterator[str]:
    """The names of values, in the widest bars with enough space."""
    chart = layout.chart
    if layout.row != _ROW:
        return
    names = [plain(kind.value) for kind in chart.kinds]
    needed = np.array([cells(name) * 6.2 + 10 if name else np.inf for name in names] or [np.inf])
    kind = chart.spans.kind[bars.row]
    room = bars.right - bars.left
    fitting = np.flatnonzero(room >= needed[kind]) if len(kind) else np.zeros(0, np.int64)
    for at in fitting[np.argsort(-room[fitting], kind="stable")][:_NAMES_IN_BARS].tolist():
        ink = ink_on(colour(int(kind[at])))
        yield (
            f'<text class="small" x="{bars.left[at] + 5:.1f}" y="{y[at] + layout.bar - 3.2:.1f}" '
            f'style="fill:{ink};pointer-events:none">{escape(names[kind[at]])}</text>'
        )


def _ends(layout: _Layout, bars: Bars) -> Iterator[str]:
    """A dot at each end: filled if the interval includes it, hollow otherwise."""
    chart, spans = layout.chart, layout.chart.spans
    assert spans.start_open is not None and spans.end_open is not None
    for times, edge, is_open in ((spans.start, bars.left, spans.start_open), (spans.end, bars.right, spans.end_open)):
        shown = np.flatnonzero((times[bars.row] >= chart.low) & (times[bars.row] <= chart.high))
        for at in shown.tolist():
            row = int(bars.row[at])
            y = float(layout.tops[spans.lane[row]]) + layout.row / 2
            fill = colour(int(spans.kind[row]))
            style = f'class="end" stroke="{fill}"' if is_open[row] else f'class="end closed" style="fill:{fill}"'
            yield f'<circle {style} cx="{edge[at]:.2f}" cy="{y:.1f}" r="{layout.bar / 2 - 2.4:.1f}"/>'


def _shades(layout: _Layout, found: DrawnElements) -> Iterator[str]:
    shades = found.shades
    y = layout.tops[shades.lane] + (layout.row - layout.bar) / 2
    for level in range(1, LEVELS + 1):
        rows = np.flatnonzero(shades.shade == level)
        opacity = f' opacity="{0.25 + 0.75 * level / LEVELS:.2f}"' if level < LEVELS else ""
        yield from _paths(shades.kind[rows], shades.left[rows], shades.right[rows], y[rows], layout.bar, opacity)


def _tails(layout: _Layout) -> Iterator[str]:
    """Draws open ends as steps, because gradients need ids, which pictures on a page would share."""
    chart, spans = layout.chart, layout.chart.spans
    width = layout.field
    for rows, edge, step in (
        (np.flatnonzero((spans.end > chart.high) & (spans.start < chart.high)), width, _TAIL / _STEPS),
        (np.flatnonzero((spans.start < chart.low) & (spans.end > chart.low)), 0.0, -_TAIL / _STEPS),
    ):
        y = layout.tops[spans.lane[rows]] + (layout.row - layout.bar) / 2
        # The first step covers the round corners of the bar.
        for number in range(-1, _STEPS) if len(rows) else ():
            near, far = edge + max(number, -0.5) * step, edge + (number + 1) * step
            left, right = np.full(len(rows), min(near, far)), np.full(len(rows), max(near, far))
            opacity = f' opacity="{0.85 - 0.8 * number / (_STEPS - 1):.2f}"' if number >= 0 else ""
            yield from _paths(spans.kind[rows], left, right, y, layout.bar, opacity)


def _paths(kind: Ints, left: Floats, right: Floats, y: Floats, height: float, attributes: str) -> Iterator[str]:
    """Rectangles of a kind as one path."""
    for number in np.unique(kind).tolist():
        rows = np.flatnonzero(kind == number)
        yield f'<path fill="{colour(number)}"{attributes} d="{"".join(_boxes(left[rows], right[rows], y[rows], height))}"/>'


def _boxes(left: Floats, right: Floats, y: Floats, height: float) -> Iterable[str]:
    corners = zip(np.round(left, 1).tolist(), np.round(right - left, 1).tolist(), y.tolist(), strict=True)
    return (f"M{x:g},{top:g}h{across:g}v{height:g}h{-across:g}z" for x, across, top in corners)


def _events(layout: _Layout) -> Iterator[str]:
    chart = layout.chart
    lane, kind, x, count = marks_at(chart.points.take(~chart.points.is_measured), chart, layout.field)
    y = layout.tops[lane] + 3 if len(lane) else np.zeros(0)
    height = layout.row - 6
    if len(lane) > _TOOLTIPS:
        for number in np.unique(kind).tolist():
            rows = np.flatnonzero(kind == number)
            marks = zip(x[rows].tolist(), y[rows].tolist(), strict=True)
            path = "".join(f"M{at:g},{top:g}v{height:g}" for at, top in marks)
            yield f'<path class="tick" stroke="{colour(number)}" d="{path}"/>'
        return
    times = (chart.low + x * (chart.high - chart.low) / layout.field).tolist()
    for number, at, top, size, time in zip(kind.tolist(), x.tolist(), y.tolist(), count.tolist(), times, strict=True):
        name = plain(str(chart.kinds[number]))
        text = f"{name}: {size:,} around {chart.clock.text(round(time))}" if size > 1 else name
        yield (
            f'<path class="tick" stroke="{colour(number)}" d="M{at:g},{top:g}v{height:g}">'
            f"<title>{escape(text)}</title></path>"
        )


def tooltip(chart: Chart, row: int) -> str:
    """The tooltip of an interval: lane, value, start and end with brackets."""
    spans = chart.spans
    kind = chart.kinds[int(spans.kind[row])]
    start, end = float(spans.start[row]), float(spans.end[row])
    start_open, end_open = _brackets(chart, row)
    value = f" = {plain(kind.value)}" if kind.value else ""
    opening, closing = "(" if start_open else "[", ")" if end_open else "]"
    label = plain(chart.labels[int(spans.lane[row])])
    return f"{label}{value}\n{opening}{chart.clock.text(start)}, {chart.clock.text(end)}{closing}"


def _brackets(chart: Chart, row: int) -> tuple[bool, bool]:
    """The brackets of an interval; intervals of whole time-points include only their start."""
    spans = chart.spans
    if chart.marks_ends and spans.start_open is not None and spans.end_open is not None:
        return bool(spans.start_open[row]), bool(spans.end_open[row])
    return bool(np.isneginf(spans.start[row])), True
