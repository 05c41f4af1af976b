"""Takes the time: in the process of one workload, and from outside, one such process after the other."""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.suite.workload import ROOT, Figures, Task, Workload

Result = dict[str, Any]
"""As it is written to JSON."""
PACKAGES = ("holdsfor", "numpy", "numba", "pyarrow", "pyspark", "polars", "duckdb")
ENOUGH = 4.0
"""Seconds after which a task is not repeated again, once it ran three times."""
AT_LEAST = 0.7
"""Seconds for which short tasks are repeated, or else a moment in which the machine was busy would count for all of them."""


def warm_up(task: Task) -> None:
    """Repeat a task until it is as fast as it gets."""
    done, begin = 0, task.clock()
    while done < task.warm_up or task.clock() - begin < task.warm_seconds:
        task.fresh()()
        done += 1


def timed(task: Task) -> Result:
    """Repeat a task; times in ms."""
    warm_up(task)
    wall: list[float] = []
    processor: list[float] = []
    figures = None
    while not _is_enough(wall, task.repeat):
        taken, used, figures = _once(task)
        wall.append(taken)
        processor.append(used)
    found = {"wall_ms": spread(wall), "cpu_ms": spread(processor), "windows": task.windows}
    if figures:
        found["figures"] = dict(figures)
    return found


def _once(task: Task) -> tuple[float, float, Figures | None]:
    """What one repetition takes, by the clock and of processor time, in ms. What it needs is gone before the next one."""
    work = task.fresh()
    begin, used = time.perf_counter(), task.clock()
    figures = work()
    taken = 1e3 * (task.clock() - used)
    return 1e3 * (time.perf_counter() - begin), taken, figures


def _is_enough(wall: Sequence[float], repeat: int) -> bool:
    """Whether a task was repeated often enough, given what each time took; one that is done once is done once."""
    spent = sum(wall) / 1e3
    if len(wall) < min(3, repeat) or repeat == 1:
        return len(wall) >= repeat
    return spent > ENOUGH or (len(wall) >= repeat and (spent > AT_LEAST or len(wall) >= 10 * repeat))


def brief(task: Task) -> Task:
    """The same without much repetition."""
    return replace(task, repeat=min(2, task.repeat), warm_up=min(1, task.warm_up), warm_seconds=0.0)


def spread(values: Sequence[float]) -> Result:
    """The least, the median, and how many there were."""
    return {"min": min(values), "median": statistics.median(values), "runs": len(values)}


def memory() -> float:
    """The most memory this process had since it began or `forget_peak`, in MB.

    Not `ru_maxrss`: a new process inherits that from the one that started it.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def forget_peak() -> None:
    """Have the peak begin anew at what is in memory now: making data ready is not to count."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def measure_here(workload: Workload, quick: bool) -> Result:
    """Measure a workload in this process."""
    ready = workload.make(quick)
    forget_peak()
    before = memory()
    given = {name: brief(task) for name, task in ready.tasks.items()} if quick else ready.tasks
    tasks = {name: timed(task) for name, task in given.items()}
    return {
        "title": workload.title,
        "facts": ready.facts,
        "tasks": tasks | ready.measured,
        **(
            {"series": {name: [float(f"{x:.4g}") for x in found] for name, found in ready.series.items()}}
            if ready.series
            else {}
        ),
        "rss_mb": memory(),
        "rss_ready_mb": before,
        "load": os.getloadavg()[0],
    }


def measure_apart(name: str, quick: bool, limit: float) -> Result:
    """Measure a workload in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.suite", "one", name, *(["--quick"] if quick else [])]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {limit:.0f} s"}
    try:
        found: Result = json.loads(done.stdout.strip().rpartition("\n")[2])
    except ValueError:
        return {"error": done.stderr.strip()[-2000:] or f"ended with {done.returncode} and said nothing"}
    return found


def written(run: Result) -> str:
    """A run as JSON; a list of numbers takes one line."""
    text = json.dumps(run, indent=1)
    return re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s+", " ", match[0]), text) + "\n"


def circumstances(quick: bool) -> Result:
    """The machine, the date, the load and the versions."""
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform()},
        "load": os.getloadavg(),
        "versions": versions,
        "commit": _commit(),
        "quick": quick,
    }


def _commit() -> str:
    """What was measured; with a plus if the sources are not as they were committed."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "benchmarks", "examples")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
