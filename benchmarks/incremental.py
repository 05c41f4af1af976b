"""Windows that overlap, and events that come late: from scratch at every query time, and only what changed.

    python benchmarks/incremental.py [voyages | uniform] [--events 17800] [--vessels 5000] [--delayed 5 …] [--plot FILE]

Repeats the experiment of incremental RTEC (Tsilionis et al., 2022) on the streams of `late_streams.py`: windows
of 1 to 14 steps, 5 to 80 % of the events delayed. All ways take turns at every query time, and their answers are compared.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from late_streams import Setting, late_stream, uniform, voyages

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.step import Answer
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental.run import Choice, IncrementalRun
from maritime import RULES

SIZES = (1, 2, 4, 8, 14)
DELAYED = (5, 10, 20, 40, 80)
TIMED = 8
"""So many query times are timed, once the longest window is full."""
WAYS = (Choice.NEVER, Choice.ALWAYS, Choice.AUTO)
Result = TypeVar("Result")


def clocked(action: Callable[[], Result]) -> tuple[float, Result]:
    """The CPU time of something in ms, and what came of it."""
    begin = time.process_time()
    found = action()
    return (time.process_time() - begin) * 1e3, found


def put_in_order(answer: Answer) -> None:
    """Have the tables of an answer put together."""
    for table in answer.fluents.values():
        len(table)


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    for symbol, table in one.fluents.items():
        mine, theirs = (np.array([*t.args, t.value, t.start, t.end]) for t in (table, other.fluents[symbol]))
        if mine.shape != theirs.shape or (mine[:, np.lexsort(mine)] != theirs[:, np.lexsort(theirs)]).any():
            return False
    return one.query_time == other.query_time


@dataclass
class Cell:
    """Times of one window size and share of delayed events, in ms by query time: from scratch, by what changed, what it
    takes to put the tables of the latter in order, and as chosen.
    """

    delayed: int
    size: int
    taken: list[tuple[float, float, float, float]]
    from_scratch: int
    """Query times that were chosen to be worked out from scratch, of all there were."""

    def least(self) -> tuple[float, float, float, float]:
        """The least of each."""
        scratch, changed, ordering, auto = (min(column) for column in zip(*self.taken, strict=True))
        return scratch, changed, changed + ordering, auto

    def mean_ratio(self) -> float:
        """From scratch to as chosen, on average."""
        scratch, _, _, auto = (sum(column) for column in zip(*self.taken, strict=True))
        return scratch / auto


def measured(setting: Setting, delayed: int, size: int) -> Cell:
    """All ways in turn at every query time; answers are compared."""
    plan, dictionary, steps = loads(RULES).plan, Dictionary(), max(SIZES) + TIMED
    stream = late_stream(dictionary, setting, steps, delayed / 100)
    span = WindowPlan(size * setting.step, setting.step, 0, steps * setting.step)
    runs = [IncrementalRun(plan, dictionary, stream, span, choice=choice) for choice in WAYS]
    found = Cell(delayed, size, [], 0)
    ways = [iter(run) for run in runs]
    while True:
        results = [clocked(partial(next, way, None)) for way in ways]
        (scratch, answer), (changed, other), (auto, chosen) = results
        if answer is None or other is None or chosen is None:
            break
        ordering, _ = clocked(partial(put_in_order, other))
        assert same(answer, other), answer.query_time
        assert same(answer, chosen), answer.query_time
        if answer.query_time > max(SIZES) * setting.step:
            found.taken.append((scratch, changed, ordering, auto))
    found.from_scratch = runs[-1].work.from_scratch
    return found


def windows(setting: Setting, shares: Sequence[int], plot_file: Path | None) -> None:
    """Time per query by window size and share of delayed events."""
    print(
        "| delayed | window | scratch | changed | with tables | auto | scratch / changed | scratch / auto | on average | from scratch |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    cells = []
    for delayed in shares:
        for size in SIZES:
            cells.append(measured(setting, delayed, size))
            scratch, changed, tables, auto = cells[-1].least()
            shown = " | ".join(f"{taken:.1f}" for taken in (scratch, changed, tables, auto))
            ratios = f"{scratch / changed:.2f} | {scratch / auto:.2f} | {cells[-1].mean_ratio():.2f} | {cells[-1].from_scratch}"
            print(f"| {delayed} % | {size} | {shown} | {ratios} |", flush=True)
    if plot_file is not None:
        plot(plot_file, cells)


def plot(path: Path, cells: Sequence[Cell]) -> None:
    """Time against the size of the window, a picture for each share of delays."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    shares = list(dict.fromkeys(cell.delayed for cell in cells))
    figure, axes = plt.subplots(1, len(shares), figsize=(2.4 * len(shares), 2.8), constrained_layout=True, sharey=True)
    for share, axis in zip(shares, np.atleast_1d(axes), strict=True):
        mine = [cell for cell in cells if cell.delayed == share]
        sizes, least = [cell.size for cell in mine], [cell.least() for cell in mine]
        axis.plot(sizes, [taken[0] for taken in least], marker="o", markersize=3, linewidth=1, label="from scratch")
        axis.plot(sizes, [taken[3] for taken in least], marker="s", markersize=3, linewidth=1, label="auto")
        axis.set(title=f"{share} % delayed", xlabel="steps in the window", xticks=SIZES)
        axis.grid(visible=True, linewidth=0.3)
    # All pictures share one scale, which is known once all are drawn.
    np.atleast_1d(axes)[0].set_ylim(bottom=0)
    np.atleast_1d(axes)[0].set_ylabel("ms a query")
    np.atleast_1d(axes)[0].legend(fontsize=8)
    figure.savefig(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stream", choices=("voyages", "uniform"), nargs="?", default="voyages")
    parser.add_argument("--events", type=int, help="in a step")
    parser.add_argument("--vessels", type=int)
    parser.add_argument("--delayed", type=int, nargs="*", default=DELAYED, help="per cent")
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    setting = voyages() if chosen.stream == "voyages" else uniform()
    setting = replace(setting, events=chosen.events or setting.events, vessels=chosen.vessels or setting.vessels)
    windows(setting, chosen.delayed, chosen.plot)


if __name__ == "__main__":
    main()
