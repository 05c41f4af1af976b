"""Timelines as SVG and HTML: lanes with the intervals during which something holds, and events as marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdsfor.viz.picture import Picture, in_frame
from holdsfor.viz.timeline_chart import Chart, Lane, Ticks, chart_of
from holdsfor.viz.timeline_html import timeline_html
from holdsfor.viz.timeline_svg import timeline_svg

__all__ = ["Lane", "Ticks", "Timeline", "timeline"]

_LANES_IN_SVG = 80
_LANES_IN_HTML = 5_000


@dataclass(frozen=True)
class Timeline(Picture):
    """A timeline that can be shown in a notebook or saved. `limit` is the number of lanes that are shown."""

    chart: Chart
    limit: int | None = None

    @property
    def title(self) -> str:
        """The title of the picture."""
        return self.chart.title

    def svg(self, width: float = 1200) -> str:
        """A static picture."""
        return timeline_svg(self.chart.fullest(self.limit or _LANES_IN_SVG), width)

    def html(self) -> str:
        """A page with zoom and pan, with as many lanes as fit."""
        return timeline_html(self.chart.fullest(self.limit or _LANES_IN_HTML))

    def _repr_html_(self) -> str:
        return in_frame(self.html(), min(640, 200 + 26 * len(self.chart.labels)), self.title)


def timeline(
    lanes: Sequence[Lane],
    events: Sequence[Ticks] = (),
    *,
    title: str = "Timeline",
    span: tuple[Any, Any] | None = None,
    unit: str | None = None,
    zone: str | None = None,
    limit: int | None = None,
    kinds: Sequence[str | tuple[str, str]] = (),
) -> Timeline:
    """A timeline of lanes and events that you put together.

    `span` is the time range that is shown, by default all of it. With a `unit` (`s`, `ms`, `min`, …)
    time-points are counted since 1970 and the axis has dates, those of a `zone` such as `Europe/Athens`, else of UTC. `kinds` get their colours first, in this order, so that they have the same ones in many
    pictures: names, or pairs of a name and a value.

    >>> picture = timeline([Lane("open(front)", [4, 20], [11, None])], title="Doors")
    >>> picture.svg().count('class="bar"')
    2
    """
    return Timeline(chart_of(lanes, events, title=title, span=span, unit=unit, zone=zone, kinds=kinds), limit)
