"""What comes while it happens: one event in a live session, windows that overlap, and late events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from benchmarks.suite.workload import Figures, Ready, Task, Workload, again


def _latency(rules: str, events: Callable[[int, int], Iterator[list[object]]], quick: bool) -> Ready:
    from benchmarks.suite.data import sessions

    keys, count = (2_000, 500) if quick else (100_000, 5_000)
    before, after = events(keys, count)
    session = sessions.filled(rules, before)

    def one_by_one() -> Figures:
        taken: list[float] = []
        for _, step in sessions.steps(session, after):
            begin = time.perf_counter()
            step()
            taken.append(1e3 * (time.perf_counter() - begin))
        low, median, high = np.percentile(taken[100:], [10, 50, 99])
        return {"p10_ms": float(low), "median_ms": float(median), "p99_ms": float(high)}

    return Ready({"push": Task(again(one_by_one), count, 1, 0)}, {"keys": keys, "events": count, "before": len(before)})


def _doors(quick: bool) -> Ready:
    from benchmarks.suite.data import sessions

    return _latency(sessions.DOORS, sessions.doors, quick)


def _vessels(quick: bool) -> Ready:
    from benchmarks.suite.data import maritime_rules, sessions

    return _latency(maritime_rules.RULES, sessions.maritime, quick)


def _overlapping(kind: str, delayed: int, quick: bool) -> Ready:
    """Windows of 1 to 14 or 16 steps: from scratch, and only what changed."""
    from benchmarks.suite.data import overlaps
    from benchmarks.suite.data.late_streams import SETTINGS

    setting = SETTINGS[kind](1_000, 300) if quick else SETTINGS[kind]()

    def all_sizes() -> Figures:
        figures = {}
        for size in (1, setting.sizes[-1]) if quick else setting.sizes:
            cell = overlaps.measured(setting, delayed, size)
            scratch, changed = cell.least()
            figures |= {f"scratch_{size}_ms": scratch, f"changed_{size}_ms": changed}
            figures[f"ratio_{size}"] = cell.mean_ratio()
        return figures

    return Ready({"all windows": Task(again(all_sizes), 1, 1, 0)}, {"events a step": setting.events})


def _changes(quick: bool) -> Ready:
    """So many late events in one window, from 1 to 100,000, by each evaluator."""
    from benchmarks.suite.data import changes

    events = 20_000 if quick else 1_000_000
    counts = changes.CHANGED[:3] if quick else changes.CHANGED

    def every_count(name: str) -> Figures:
        taken = changes.milliseconds(changes.WAYS[name], events, counts)
        return {f"late_{count}_ms": ms for count, ms in zip(counts, taken, strict=True)}

    tasks = {name: Task(again(partial(every_count, name)), 1, 1, 0) for name in changes.WAYS}
    return Ready(tasks, {"events": events})


WORKLOADS = [
    Workload("latency-doors", "one event in a live session, 100,000 doors", _doors),
    Workload("latency-maritime", "one event in a live session, 100,000 vessels", _vessels),
    *(
        Workload(
            f"overlapping-{delayed}",
            f"windows that overlap, voyages, {delayed} % delayed",
            partial(_overlapping, "voyages", delayed),
            slow=delayed not in (5, 40),
        )
        for delayed in (5, 10, 20, 40, 80)
    ),
    Workload(
        "overlapping-seas-5",
        "windows that overlap, vessels of all seas, 5 % delayed",
        partial(_overlapping, "uniform", 5),
        slow=True,
    ),
    *(
        Workload(
            f"overlapping-fleet-{delayed}",
            f"windows that overlap, a fleet of vehicles, {delayed} % delayed",
            partial(_overlapping, "fleet", delayed),
            slow=True,
        )
        for delayed in (5, 40)
    ),
    Workload("late-events", "some late events in a window of a million", _changes, slow=True),
]
