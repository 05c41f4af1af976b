"""Live sessions, by what users call: the same code for both engines.

`python -m benchmarks.engines.live NAME [--quick]` prints figures as JSON. Times are of the processor.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.engines import streams
from benchmarks.suite.data import sessions
from benchmarks.suite.data.maritime_rules import RULES

from holdsfor import loads

Figures = dict[str, float]
PATIENCE = 12.0
"""Seconds of processor time after which batches are not repeated."""


def single(quick: bool) -> Figures:
    """One event after the other into a session of 100,000 vessels; changes with ids and causes are spelled out."""
    keys, count = (2_000, 500) if quick else (100_000, 4_000)
    before, after = sessions.maritime(keys, count)
    session = sessions.filled(RULES, before)
    taken: list[float] = []
    walls: list[float] = []
    changed = 0
    gc.collect()
    gc.freeze()
    begin = time.process_time()
    for _, step in sessions.steps(session, after):
        wall, used = time.perf_counter(), time.process_time()
        changed += step()
        taken.append(time.process_time() - used)
        walls.append(time.perf_counter() - wall)
        if time.process_time() - begin > PATIENCE:
            break
    median, high = np.percentile(1e6 * np.array(taken[50:]), [50, 99])
    clock = np.percentile(1e6 * np.array(walls[50:]), [50, 99])
    return {
        "median_us": median,
        "p99_us": high,
        "clock_median_us": clock[0],
        "clock_p99_us": clock[1],
        "steps": len(taken),
        "changes": changed,
    }


def batches(quick: bool) -> Figures:
    """Batches of 1,000 events into a session of 100,000 vessels; changes are computed, not spelled out."""
    keys, count = (5_000, 10) if quick else (100_000, 100)
    random, vessels = np.random.default_rng(1), streams.vessel_names(keys)
    session = loads(RULES).session()
    session.push(streams.every_vessel(random, 4 * keys, vessels))
    session.changes(streams.END)
    taken: list[float] = []
    changed = 0
    for number in range(count):
        now = streams.END + 60 * (number + 1)
        frames = streams.events(random, 1_000, vessels, now - 60, now)
        used = time.process_time()
        session.push(frames)
        changed += len(session.changes(now))
        taken.append(time.process_time() - used)
        if sum(taken) > PATIENCE:
            break
    return {"events_per_s": 1_000 * len(taken) / sum(taken), "batches": len(taken), "changes": changed}


def changes(quick: bool) -> Figures:
    """The changes of many events at once, as columns and as Python objects."""
    keys, count = (2_000, 10_000) if quick else (34_000, 300_000)
    vessels, seconds = streams.vessel_names(keys), {}
    readers: dict[str, Callable[[Any], Any]] = {"columns": lambda found: found.to_arrow(), "objects": list}
    # What is imported once in a process is no part of it.
    small = loads(RULES).session()
    small.push(streams.every_vessel(np.random.default_rng(1), 100, vessels[:100]))
    assert len(small.changes(streams.END).to_arrow())
    for name, read in readers.items():
        session = loads(RULES).session()
        session.push(streams.every_vessel(np.random.default_rng(2), count, vessels))
        used = time.process_time()
        found = session.changes(streams.END)
        number = len(found)
        computed = time.process_time() - used
        used = time.process_time()
        assert len(read(found)) == number
        seconds[name] = time.process_time() - used
    return {
        "columns_per_s": number / seconds["columns"],
        "objects_per_s": number / seconds["objects"],
        "changes": number,
        "computing_ms": 1e3 * computed,
    }


def keys(quick: bool) -> Figures:
    """Keys that come and go: two million of them, through a window that holds two batches."""
    count, size = (40, 2_000) if quick else (100, 20_000)
    step = 1_000
    session = loads(sessions.DOORS).session(window=2 * step)
    early = 0.0
    used = time.process_time()
    for number, frames in enumerate(streams.doors_that_come_and_go(count, size, step)):
        session.push(frames)
        len(session.changes((number + 1) * step))
        if number == 9:
            early = resident()
    return {
        "rss_after_10_mb": early,
        "rss_mb": resident(),
        "batches": count,
        "keys": count * size,
        "cpu_s": time.process_time() - used,
    }


def late(quick: bool) -> Figures:
    """One late event, and 100,000, into a window of a million."""
    count, size = (20_000, 2_000) if quick else (1_000_000, 100_000)
    random, vessels = np.random.default_rng(3), streams.vessel_names(size)
    session = loads(RULES).session(window=streams.END)
    session.push(streams.every_vessel(random, count, vessels))
    used = time.process_time()
    len(session.changes(streams.END))
    first = time.process_time() - used
    one: list[float] = []
    for number in range(50):
        args = (f"v{random.integers(0, size)}", 3.0 + number % 9)
        moment = int(random.integers(1, streams.END))
        used = time.process_time()
        session.push_one("velocity", moment, *args)
        len(session.changes(streams.END))
        one.append(time.process_time() - used)
    many: list[float] = []
    for _ in range(3):
        frames = streams.events(random, count // 10, vessels)
        used = time.process_time()
        session.push(frames)
        reading = time.process_time() - used
        len(session.changes(streams.END))
        many.append(time.process_time() - used)
    return {
        "one_ms": 1e3 * float(np.median(one)),
        "many_ms": 1e3 * min(many),
        "of_which_reading_ms": 1e3 * reading,
        "first_ms": 1e3 * first,
    }


def resident() -> float:
    """Memory of this process now, in MB."""
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024


WORKLOADS: dict[str, Callable[[bool], Figures]] = {
    work.__name__: work for work in (single, batches, changes, keys, late)
}


def main(words: list[str]) -> None:
    """Print the figures of a workload."""
    found = WORKLOADS[words[0]]("--quick" in words)
    print(json.dumps({name: float(f"{value:.6g}") for name, value in found.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
