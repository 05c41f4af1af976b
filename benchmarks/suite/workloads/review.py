"""What an edit of one rule changes, and a threshold that is tuned, over the maritime stream in memory."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.suite.workload import Ready, Task, Workload, again

EDITS = {
    "trawling up to 8 knots": ("S =< 9", "S =< 8"),
    "fast from 14 knots": ("S >= 15.", "S >= 14."),
    "gaps end later": ("gap_end(V), T).", "gap_end(V), T), T > 5000."),
    "a longer delay": ("=false, 600)", "=false, 900)"),
}
"""Edits by what they do, with the text before and after."""


def _work(function: Any, *args: Any) -> None:
    function(*args)


def _diff(quick: bool) -> Ready:
    from benchmarks.suite.data import maritime_rules, review

    from holdsfor import loads

    runs = review.InMemory(*((50_000, 1_000) if quick else (1_500_000, 34_000)))
    tasks = {"one run": Task(again(partial(_work, review.run, runs, loads(maritime_rules.RULES))), repeat=5)}
    for name, (before, after) in EDITS.items():
        edited = maritime_rules.RULES.replace(before, after)
        tasks[name] = Task(again(partial(_work, review.diff, runs, maritime_rules.RULES, edited)), repeat=5)
    return Ready(tasks, {"events": runs.read.rows})


def _tune(quick: bool) -> Ready:
    from benchmarks.suite.data import review

    from holdsfor import loads

    tasks, counts = {}, {}
    # With speeds in hundredths of a knot there are more different ones than settings.
    for name, decimals in (("271 settings", 1), ("1,000 settings", 2)):
        runs = review.InMemory(*((20_000, 500) if quick else (1_500_000, 34_000)), decimals)
        labels = review.labels(runs)
        tasks[f"one run, before {name}"] = Task(again(partial(_work, review.run, runs, loads(review.TUNED))), repeat=5)
        tasks[name] = Task(
            again(partial(_work, review.tuned, runs, labels, "fastest(3..30)", 1000)), repeat=1, warm_up=0
        )
        counts |= {"events": runs.read.rows, f"labels of {name}": len(labels)}
    return Ready(tasks, counts)


WORKLOADS = [
    Workload("review-diff", "what edits of one rule change, 1.5 M events", _diff),
    Workload("review-tune", "a threshold with 271 and with 1,000 settings, 1.5 M events", _tune, slow=True),
]
