"""A picture of several small ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

OURS = "#1f5f8b"
COLOURS = (OURS, "#d1782a", "#3b8f5a", "#8a5aa8")
THEIRS = ("#8c8c8c", "#b04a4a", "#444444", "#b59a3c")
MARKS = ("s", "^", "D", "v")

Points = list[tuple[float, float]]


@dataclass
class Panel:
    """Curves by name: `ours` are lines, `theirs`, figures of other systems, dashed ones with other marks."""

    title: str
    across: str
    up: str
    ours: dict[str, Points] = field(default_factory=dict)
    theirs: dict[str, Points] = field(default_factory=dict)
    log_across: bool = False
    log_up: bool = False
    has_marks: bool = True

    @property
    def is_worth_it(self) -> bool:
        """Whether there is a curve of ours."""
        return any(len(points) > 1 for points in self.ours.values())

    def draw(self, axis: Any) -> None:
        """Onto an axis."""
        for (name, points), colour in zip(self.ours.items(), COLOURS, strict=False):
            axis.plot(
                *zip(*sorted(points), strict=True),
                marker="o" if self.has_marks else "",
                markersize=3.5,
                linewidth=1.4 if self.has_marks else 0.8,
                color=colour,
                label=name,
            )
        for (name, points), colour, mark in zip(self.theirs.items(), THEIRS, MARKS, strict=False):
            axis.plot(
                *zip(*sorted(points), strict=True),
                marker=mark,
                markersize=4.5,
                linewidth=1,
                linestyle="--",
                color=colour,
                label=name,
            )
        axis.set(title=self.title, xlabel=self.across, ylabel=self.up)
        if self.log_across:
            axis.set_xscale("log")
            plain(axis.xaxis)
        else:
            ticks = sorted({x for points in self.ours.values() for x, _ in points})
            if self.has_marks and len(ticks) <= 6:
                axis.set_xticks(ticks)
        if self.log_up:
            axis.set_yscale("log")
            plain(axis.yaxis)
            if self.theirs:
                # Room for the legend.
                every = self.ours | self.theirs
                axis.set_ylim(top=10 ** (0.75 * len(every)) * max(y for points in every.values() for _, y in points))
        else:
            axis.set_ylim(bottom=0)
        if len(self.ours) + len(self.theirs) > 1:
            axis.legend(loc="upper left" if self.theirs else "best")


def plain(axis: Any) -> None:
    """Numbers of a logarithmic axis as they are read."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:,g} M" if value >= 1e6 else f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())


def grid(panels: Sequence[Panel]) -> Any:
    """Panels side by side and below each other; nothing if none is worth it."""
    from matplotlib import pyplot as plt

    panels = [panel for panel in panels if panel.is_worth_it]
    if not panels:
        return None
    wide = min(2 if len(panels) <= 8 else 3, len(panels))
    tall = -(-len(panels) // wide)
    figure, axes = plt.subplots(
        tall,
        wide,
        figsize=((3.9 if wide < 3 else 3.2) * wide, (2.9 if wide < 3 else 2.5) * tall),
        constrained_layout=True,
        squeeze=False,
    )
    for axis in axes.flat[len(panels) :]:
        axis.set_axis_off()
    for axis, panel in zip(axes.flat, panels, strict=False):
        panel.draw(axis)
    return figure
