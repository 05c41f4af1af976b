"""What comes while it happens: one event in a live session, and windows that overlap."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from benchmarks.suite.workload import Figures, Ready, Task, Workload, again


def _latency(rules: str, events: Callable[[int, int], Iterator[list[object]]], quick: bool) -> Ready:
    import latency

    keys, count = (2_000, 500) if quick else (100_000, 5_000)
    before, after = events(keys, count)
    session = latency.filled(rules, before)

    def one_by_one() -> Figures:
        taken: list[float] = []
        for _, step in latency.steps(session, after):
            begin = time.perf_counter()
            step()
            taken.append(1e3 * (time.perf_counter() - begin))
        low, median, high = np.percentile(taken[100:], [10, 50, 99])
        return {"p10_ms": float(low), "median_ms": float(median), "p99_ms": float(high)}

    return Ready({"push": Task(again(one_by_one), count, 1, 0)}, {"keys": keys, "events": count, "before": len(before)})


def _doors(quick: bool) -> Ready:
    import latency

    return _latency(latency.DOORS, latency.doors, quick)


def _vessels(quick: bool) -> Ready:
    import latency

    return _latency(latency.MARITIME, latency.maritime, quick)


def _overlapping(delayed: int, quick: bool) -> Ready:
    """Windows of 1 to 14 steps, from scratch and as chosen; answers are compared on the way."""
    import incremental
    from late_streams import voyages

    setting = voyages(1_000, 300) if quick else voyages()

    def all_sizes() -> Figures:
        figures = {}
        for size in (1, 14) if quick else incremental.SIZES:
            cell = incremental.measured(setting, delayed, size)
            scratch, _, _, auto = cell.least()
            figures |= {f"scratch_{size}_ms": scratch, f"auto_{size}_ms": auto, f"ratio_{size}": cell.mean_ratio()}
        return figures

    return Ready({"all windows": Task(again(all_sizes), 1, 1, 0)}, {"events a step": setting.events})


WORKLOADS = [
    Workload("latency-doors", "one event in a live session, 100,000 doors", _doors),
    Workload("latency-maritime", "one event in a live session, 100,000 vessels", _vessels),
    *(
        Workload(
            f"overlapping-{delayed}",
            f"windows that overlap, {delayed} % of the events delayed",
            partial(_overlapping, delayed),
            slow=delayed not in (5, 40),
        )
        for delayed in (5, 10, 20, 40, 80)
    ),
]
