"""Pictures of a run: how far ahead of other systems, the figures of the papers, and how time grows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.suite.measure import Result
from benchmarks.suite.plots import figures, overview
from benchmarks.suite.plots.panels import grid

STYLE = {
    "svg.hashsalt": "holdsfor",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.3,
    "legend.fontsize": 8,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    # Pages may be dark; pictures bring their own paper.
    "savefig.facecolor": "white",
}


def draw(run: Result, folder: Path) -> Iterator[Path]:
    """Write all pictures a run has the results for."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update(STYLE)
    results = {name: result for name, result in run["results"].items() if "error" not in result}
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"ratios": overview.ratios(results), "peers": overview.peers(results)}
    pictures |= {name: grid(list(make(results))) for name, make in figures.PICTURES.items()}
    for name, figure in pictures.items():
        if figure is not None:
            path = folder / f"benchmark_{name}.svg"
            figure.savefig(path, metadata={"Date": None})
            yield path
