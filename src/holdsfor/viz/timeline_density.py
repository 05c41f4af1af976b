"""Reduces intervals to a number of pixels: wide ones individually, narrow ones as densities."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from holdsfor.viz.timeline_chart import Chart, Floats, Ints, Points, Spans

COLUMN = 2.0
"""Pixels per column; narrower intervals are counted per column instead of drawn individually."""
LEVELS = 4
"""The number of shades for the covered fraction of a column."""


class Bars(NamedTuple):
    """Intervals that are drawn individually: row of the chart, left and right edge in pixels."""

    row: Ints
    left: Floats
    right: Floats


class Shades(NamedTuple):
    """Runs of columns: lane, kind, left and right edge in pixels, shade (1 to LEVELS), interval starts."""

    lane: Ints
    kind: Ints
    left: Floats
    right: Floats
    shade: Ints
    begun: Ints


class DrawnElements(NamedTuple):
    """All drawn elements for the intervals of a chart."""

    bars: Bars
    shades: Shades


def drawn(chart: Chart, width: float) -> DrawnElements:
    """The elements to draw in a field of this width in pixels."""
    spans = chart.spans
    left, right = pixels(spans.start, chart, width), pixels(spans.end, chart, width)
    inside = (right > 0) & (left < width) | (left == right) & (left >= 0) & (left <= width)
    left, right = np.clip(left, 0, width), np.clip(right, 0, width)
    wide = np.flatnonzero(inside & (right - left >= COLUMN))
    narrow = np.flatnonzero(inside & (right - left < COLUMN))
    return DrawnElements(
        Bars(wide, left[wide], right[wide]), _shades(spans, narrow, left[narrow], right[narrow], width)
    )


def pixels(times: Floats, chart: Chart, width: float) -> Floats:
    """Times as distances from the left edge of the field."""
    found: Floats = (times - chart.low) * (width / (chart.high - chart.low))
    return found


def _shades(spans: Spans, rows: Ints, left: Floats, right: Floats, width: float) -> Shades:
    """Adds up what narrow intervals, which touch one or two columns each, cover of the columns."""
    columns = int(np.ceil(width / COLUMN))
    first = np.minimum((left / COLUMN).astype(np.int64), columns - 1)
    last = np.minimum((right / COLUMN).astype(np.int64), columns - 1)
    border = last * COLUMN
    second = (last > first) & (right > border)
    # A single time-point is also visible.
    in_first = np.where(last > first, border - left, np.where(right > left, right - left, COLUMN / 50))
    key = (spans.lane[rows] * (1 + int(spans.kind.max(initial=0))) + spans.kind[rows]) * (columns + 1)
    keys = np.concatenate((key + first, (key + last)[second]))
    covered = np.concatenate((in_first, (right - border)[second])) / COLUMN
    begun = np.concatenate((np.ones(len(rows), np.int64), np.zeros(int(second.sum()), np.int64)))
    cells, at = np.unique(keys, return_inverse=True)
    share = np.bincount(at, covered, len(cells))
    count = np.bincount(at, begun, len(cells)).astype(np.int64)
    shade = np.clip(np.ceil(share * LEVELS - 1e-9), 1, LEVELS).astype(np.int64)
    return _runs(cells, shade, count, columns + 1, 1 + int(spans.kind.max(initial=0)))


def _runs(cells: Ints, shade: Ints, count: Ints, columns: int, kinds: int) -> Shades:
    """Merges neighbouring columns of the same shade."""
    if not len(cells):
        empty, none = np.zeros(0), np.zeros(0, np.int64)
        return Shades(none, none, empty, empty, none, none)
    begins = np.ones(len(cells), np.bool_)
    begins[1:] = (cells[1:] != cells[:-1] + 1) | (shade[1:] != shade[:-1])
    heads = np.flatnonzero(begins)
    lengths = np.diff(np.append(heads, len(cells)))
    key, column = np.divmod(cells[heads], columns)
    lane, kind = np.divmod(key, kinds)
    left = column * COLUMN
    begun = np.add.reduceat(count, heads)
    # An isolated column gets the full shade to be visible.
    joins_last = np.zeros(len(heads), np.bool_)
    joins_last[1:] = cells[heads[1:]] == cells[heads[1:] - 1] + 1
    alone = (begun == 1) & ~joins_last & ~np.append(joins_last[1:], False)
    return Shades(lane, kind, left, left + lengths * COLUMN, np.where(alone, LEVELS, shade[heads]), begun)


def marks_at(points: Points, chart: Chart, width: float) -> tuple[Ints, Ints, Floats, Ints]:
    """Events as marks: lane, kind, pixel, and the number of events at that pixel."""
    x = pixels(points.time, chart, width)
    inside = (x >= 0) & (x <= width)
    column = np.round(x[inside]).astype(np.int64)
    across = int(np.ceil(width)) + 2
    key = (points.lane[inside] * (1 + int(points.kind.max(initial=0))) + points.kind[inside]) * across + column
    cells, count = np.unique(key, return_counts=True)
    key, at = np.divmod(cells, across)
    lane, kind = np.divmod(key, 1 + int(points.kind.max(initial=0)))
    return lane, kind, at.astype(np.float64), count


# Data reduction for interactive pages


def coarsened(chart: Chart, most: int) -> tuple[Spans, int]:
    """Merges the closest intervals if there are more than `most`; also returns the number of merged ones."""
    spans = chart.spans
    if len(spans) <= most:
        return spans, 0
    rows = spans.take(np.lexsort((spans.start, spans.kind, spans.lane)))
    follows = np.zeros(len(rows), np.bool_)
    follows[1:] = (rows.lane[1:] == rows.lane[:-1]) & (rows.kind[1:] == rows.kind[:-1])
    length = rows.end - rows.start
    # The distance of two neighbours is the maximum of their lengths and of the gap between them.
    apart = np.full(len(rows), np.inf)
    gap = np.where(follows[1:], rows.start[1:] - rows.end[:-1], np.inf)
    apart[1:] = np.maximum(np.maximum(length[1:], length[:-1]), gap)
    # This many of the smallest distances must go. Once a lane is fully merged, it cannot shrink further.
    distance = np.partition(apart, len(rows) - most)[len(rows) - most]
    heads = np.flatnonzero((apart > distance) | np.isinf(apart))
    lasts = np.append(heads[1:], len(rows)) - 1
    found = replace(
        rows.take(heads),
        end=rows.end[lasts],
        end_open=None if rows.end_open is None else rows.end_open[lasts],
        count=lasts - heads + 1,
    ).in_order()
    assert found.count is not None
    return found, int(found.count[found.count > 1].sum())


def thinned_points(chart: Chart, most: int) -> tuple[Points, int]:
    """Leaves out the events closest to their predecessor if there are more than `most`; also returns how many."""
    points = chart.points
    kept, distance = np.arange(len(points)), (chart.high - chart.low) / 2**20
    while len(kept) > most and distance <= chart.high - chart.low:
        cell = np.floor((points.time - chart.low) / distance)
        new = np.ones(len(points), np.bool_)
        new[1:] = (
            (cell[1:] != cell[:-1]) | (points.lane[1:] != points.lane[:-1]) | (points.kind[1:] != points.kind[:-1])
        )
        kept, distance = np.flatnonzero(new), distance * 2
    return points.take(kept), len(points) - len(kept)
