"""Draws measurements of events as lines in their lanes, scaled from the minimum to the maximum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from holdsfor.viz.colours import colour
from holdsfor.viz.timeline_chart import Chart, Floats, Ints
from holdsfor.viz.timeline_density import pixels

_EDGE = 4.0
"""The distance between a line and the edge of its lane in pixels."""
_MOST_MARKED = 60
"""Points of a line are marked up to this number."""
DASHES = ("", "4 3", "1.5 2.5")
"""The dash patterns of the first, second and third line."""


class MeasurementLine(NamedTuple):
    """One measurement in a lane: positions in pixels, the minimum and the maximum."""

    lane: int
    kind: int
    place: int
    x: Floats
    y: Floats
    low: float
    high: float


def lines(chart: Chart, width: float, tops: Floats, heights: Floats) -> Iterator[MeasurementLine]:
    """The lines of a chart with this field width in pixels; `tops` and `heights` belong to its lanes."""
    points = chart.points
    x = pixels(points.time, chart, width)
    begins = np.searchsorted(points.lane, np.arange(len(chart.labels) + 1))
    for lane in np.flatnonzero(chart.has_numbers).tolist():
        rows = np.arange(begins[lane], begins[lane + 1])
        for place, column in enumerate(points.numbers):
            some = rows[np.isfinite(column[rows]) & (x[rows] >= 0) & (x[rows] <= width)]
            if len(some):
                low, high = float(column[some].min()), float(column[some].max())
                share = (column[some] - low) / (high - low) if high > low else np.full(len(some), 0.5)
                y = tops[lane] + _EDGE + (1 - share) * (heights[lane] - 2 * _EDGE)
                kept = _kept(x[some], y)
                yield MeasurementLine(lane, int(points.kind[some[0]]), place, x[some][kept], y[kept], low, high)


def _kept(x: Floats, y: Floats) -> Ints:
    """For each pixel column, keeps the first, highest, lowest and last point, so that the line looks the same."""
    column = np.floor(x).astype(np.int64)
    first = np.flatnonzero(np.append(True, column[1:] != column[:-1]))
    last = np.append(first[1:], len(x)) - 1
    order = np.lexsort((y, column))
    found: Ints = np.unique(np.concatenate((first, last, order[first], order[last])))
    return found


def number_text(value: float) -> str:
    """A short form of a number.

    >>> number_text(12.50), number_text(3.0), number_text(1234567.0)
    ('12.5', '3', '1.23457e+06')
    """
    return f"{value:.6g}"


def lines_svg(chart: Chart, width: float, tops: Floats, heights: Floats) -> Iterator[str]:
    """The lines as SVG elements, with minimum and maximum at their left."""
    ranges: dict[int, tuple[float, float]] = {}
    for line in lines(chart, width, tops, heights):
        ink = colour(line.kind)
        path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True))
        dash = DASHES[min(line.place, len(DASHES) - 1)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        title = f"{chart.labels[line.lane]}: {number_text(line.low)} to {number_text(line.high)}"
        yield f'<path class="line" stroke="{ink}"{dashed} d="{path}"><title>{escape(title)}</title></path>'
        if len(line.x) <= _MOST_MARKED:
            dots = "".join(f"M{x:.1f},{y:.1f}h0" for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True))
            yield f'<path class="dots" stroke="{ink}" d="{dots}"/>'
        ranges.setdefault(line.lane, (line.low, line.high))
    for lane, (low, high) in ranges.items():
        top, bottom = float(tops[lane]) + 11, float(tops[lane] + heights[lane]) - 5
        yield f'<text class="scale" text-anchor="end" x="-5" y="{top:.1f}">{escape(number_text(high))}</text>'
        if high > low:
            yield f'<text class="scale" text-anchor="end" x="-5" y="{bottom:.1f}">{escape(number_text(low))}</text>'
