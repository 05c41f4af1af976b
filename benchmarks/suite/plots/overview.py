"""How far ahead of other systems: against what they took, and against those that ran at the same time."""

from __future__ import annotations

from typing import Any

from benchmarks.suite.anchors import Anchor, anchors
from benchmarks.suite.measure import Result
from benchmarks.suite.plots.panels import OURS, plain

BEHIND = "#c0392b"
PALE = "#b8c4d0"


def ratios(results: dict[str, Result]) -> Any:
    """Times as fast as every figure there is of another system, with what is aimed at."""
    from matplotlib import pyplot as plt

    rows: list[tuple[str, float, Anchor]] = []
    for name, result in results.items():
        rows += [(name, one.ratio(result), one) for one in anchors(name, result)]
    if not rows:
        return None
    # Those with an aim come first, then the originals, then others.
    rows.sort(key=lambda row: (row[2].at_least is None, not row[2].system.startswith(("RTEC", "MeTeoR"))))
    rows.reverse()
    figure, axis = plt.subplots(figsize=(7.6, 0.2 * len(rows) + 0.9), constrained_layout=True)
    for place, (_, ratio, one) in enumerate(rows):
        colour = BEHIND if one.at_least is not None and ratio < one.at_least else OURS
        axis.hlines(place, 1, ratio, color=PALE, linewidth=2)
        axis.plot([ratio], [place], "o", color=colour, markersize=4.5)
        if one.at_least is not None:
            axis.plot([one.at_least], [place], "|", color="black", markersize=9, markeredgewidth=1.5)
        axis.annotate(
            f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}",
            (ratio, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axis.plot([], [], "o", color=OURS, markersize=4.5, label="measured")
    axis.plot([], [], "o", color=BEHIND, markersize=4.5, label="below the aim")
    axis.plot([], [], "|", color="black", markersize=9, markeredgewidth=1.5, linestyle="", label="aim")
    labels = [f"{name}  {one.system}{'*' if one.source.startswith('quoted') else ''}" for name, _, one in rows]
    axis.set_yticks(range(len(rows)), labels, fontsize=7.5)
    axis.set_ylim(-0.7, len(rows) - 0.3)
    axis.set(xscale="log", xlabel="times as fast, processor time of one window or step (* quoted from a paper)")
    plain(axis.xaxis)
    axis.axvline(1, color="black", linewidth=0.8)
    axis.grid(visible=False, axis="y")
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3)
    return figure


def peers(results: dict[str, Result]) -> Any:
    """Processor time of every tool, a panel for each question."""
    from matplotlib import pyplot as plt

    found = {name: result for name, result in results.items() if name.startswith("peer-") and _times(result)}
    if not found:
        return None
    wide = min(4, len(found))
    tall = -(-len(found) // wide)
    figure, axes = plt.subplots(tall, wide, figsize=(2.1 * wide, 2.9 * tall), constrained_layout=True, squeeze=False)
    for axis in axes.flat[len(found) :]:
        axis.set_axis_off()
    for axis, (name, result) in zip(axes.flat, found.items(), strict=False):
        times = _times(result)
        places = range(len(times))
        bars = axis.bar(places, list(times.values()), color=[OURS if task == "holdsfor" else PALE for task in times])
        axis.bar_label(bars, [f"{ms:,.0f}" if ms >= 10 else f"{ms:.1f}" for ms in times.values()], fontsize=8)
        axis.set_xticks(places, [task.replace(", ", ",\n") for task in times], rotation=45, ha="right", fontsize=8)
        axis.set(
            title=name.removeprefix("peer-"), yscale="log", ylim=(min(times.values()) / 3, 3 * max(times.values()))
        )
        plain(axis.yaxis)
        axis.grid(visible=False, axis="x")
    for row in axes:
        row[0].set_ylabel("ms of processor time")
    return figure


def _times(result: Result) -> dict[str, float]:
    found = {task: one["cpu_ms"]["min"] for task, one in result["tasks"].items() if "in this process" not in task}
    return found if len(found) > 1 else {}
