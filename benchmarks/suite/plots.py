"""Pictures of a run: how far ahead of other systems, and how time grows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.suite.anchors import Anchor, anchors
from benchmarks.suite.measure import Result

CURVES = {
    "delayed effects, windows by 10 time-points": (
        "time-points in a window",
        {
            "NetBill, fixed": r"netbill-fixed-(\d+)",
            "NetBill, postponed": r"netbill-postponed-(\d+)",
            "voting": r"voting-fixed-(\d+)",
        },
    ),
    "sequences over 10,000 activities": (
        "activities in a row",
        {"the whole alone": r"sequence-(\d+)-10k", "with all parts": r"sequences-(\d+)-10k"},
    ),
    "sequences over 50,000 activities": (
        "activities in a row",
        {"the whole alone": r"sequence-(\d+)-50k", "with all parts": r"sequences-(\d+)-50k"},
    ),
    "maritime, eleven outputs": ("events in one window", {"all": r"maritime-(\d+)"}),
}


def draw(run: Result, folder: Path) -> Iterator[Path]:
    """Write all pictures a run has the results for."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(
        {"svg.hashsalt": "holdsfor", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    )
    results = {name: result for name, result in run["results"].items() if "error" not in result}
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (("ratios", _ratios), ("growth", _growth), ("peers", _peers)):
        figure = picture(results)
        if figure is not None:
            path = folder / f"benchmark_{name}.svg"
            figure.savefig(path, metadata={"Date": None})
            yield path


def _ratios(results: dict[str, Result]) -> Any:
    """Times as fast as RTEC, with what is aimed at."""
    from matplotlib import pyplot as plt

    rows: list[tuple[str, float, Anchor]] = []
    for name, result in results.items():
        rows += [(name, one.ratio(result), one) for one in anchors(name) if one.system.startswith("RTEC")]
    if not rows:
        return None
    rows.reverse()
    figure, axis = plt.subplots(figsize=(7, 0.24 * len(rows) + 0.9), constrained_layout=True)
    places = range(len(rows))
    axis.hlines(places, 1, [ratio for _, ratio, _ in rows], color="#b8c4d0", linewidth=2)
    axis.plot([ratio for _, ratio, _ in rows], places, "o", color="#1f5f8b", markersize=5, label="measured")
    aims = [(place, one.at_least) for place, (_, _, one) in zip(places, rows, strict=True) if one.at_least is not None]
    axis.plot([aim for _, aim in aims], [place for place, _ in aims], "|", color="#c0392b", markersize=9, label="aim")
    axis.set_yticks(places, [f"{name} ({one.system})" for name, _, one in rows])
    axis.set(xscale="log", xlabel="times as fast in reasoning, processor time of one window")
    axis.axvline(1, color="black", linewidth=0.8)
    axis.grid(visible=True, axis="x", linewidth=0.3)
    axis.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False)
    return figure


def _growth(results: dict[str, Result]) -> Any:
    """Milliseconds of a window against what grows."""
    from matplotlib import pyplot as plt

    found = {title: (label, _curves(results, curves)) for title, (label, curves) in CURVES.items()}
    found = {title: (label, curves) for title, (label, curves) in found.items() if curves}
    if not found:
        return None
    wide = min(2, len(found))
    figure, axes = plt.subplots(
        -(-len(found) // wide),
        wide,
        figsize=(3.6 * wide, 2.7 * -(-len(found) // wide)),
        constrained_layout=True,
        squeeze=False,
    )
    for axis in axes.flat[len(found) :]:
        axis.set_axis_off()
    for axis, (title, (label, curves)) in zip(axes.flat, found.items(), strict=False):
        for name, points in curves.items():
            axis.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.2, label=name)
        axis.set(title=title, xlabel=label, ylabel="ms a window")
        if title.startswith("maritime"):
            axis.set(xscale="log", yscale="log")
        else:
            axis.set_ylim(bottom=0)
        axis.grid(visible=True, linewidth=0.3)
        if len(curves) > 1:
            axis.legend(fontsize=8)
    return figure


def _curves(results: dict[str, Result], patterns: dict[str, str]) -> dict[str, list[tuple[int, float]]]:
    curves: dict[str, list[tuple[int, float]]] = {}
    for label, pattern in patterns.items():
        for name, result in results.items():
            if match := re.fullmatch(pattern, name):
                task = result["tasks"]["reasoning"]
                curves.setdefault(label, []).append((int(match[1]), task["cpu_ms"]["min"] / task["windows"]))
    return {label: sorted(points) for label, points in curves.items() if len(points) > 1}


def _peers(results: dict[str, Result]) -> Any:
    """Processor time of every tool, a panel for each question."""
    from matplotlib import pyplot as plt

    found = {name: result for name, result in results.items() if name.startswith("peer-") and len(result["tasks"]) > 1}
    if not found:
        return None
    figure, axes = plt.subplots(
        1, len(found), figsize=(2.0 * len(found) + 1.4, 2.8), constrained_layout=True, squeeze=False
    )
    for axis, (name, result) in zip(axes.flat, found.items(), strict=True):
        times = {task: one["cpu_ms"]["min"] for task, one in result["tasks"].items() if "in this process" not in task}
        bars = axis.bar(
            range(len(times)),
            list(times.values()),
            color=["#1f5f8b" if task == "holdsfor" else "#b8c4d0" for task in times],
        )
        axis.bar_label(
            bars, [f"{value:,.0f}" if value >= 10 else f"{value:.1f}" for value in times.values()], fontsize=8
        )
        axis.set_xticks(
            range(len(times)), [task.replace(", ", ",\n") for task in times], rotation=45, ha="right", fontsize=8
        )
        axis.set_title(name.removeprefix("peer-"), fontsize=9)
    axes.flat[0].set_ylabel("ms of processor time")
    return figure
