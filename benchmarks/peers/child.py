"""Runs one solver time and again in a process of its own, and prints what it took and a digest of its answer.

    python -m benchmarks.peers.child SOLVER REPEAT ARGUMENTS…

It runs in the environment of the peers, so it imports nothing but what is there.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.peers.clocks import processor_time, tree_time

SOLVERS: dict[str, tuple[str, ...]] = {
    "holdsfor": ("benchmarks.peers.islands.rules", "answer"),
    "Polars": ("benchmarks.peers.islands.polars_query", "best"),
    "Polars, as usual": ("benchmarks.peers.islands.polars_query", "usual"),
    "DuckDB": ("benchmarks.peers.islands.duckdb_query", "answer"),
    "Logica": ("benchmarks.peers.quotes.logica_query", "answer"),
    "MeTeoR": ("benchmarks.peers.stops.meteor_query", "answer"),
    "MeTeoR, facts in memory": ("benchmarks.peers.stops.meteor_query", "derived", "read"),
    "Flink": ("benchmarks.peers.sequences.flink_query", "answer"),
}


def digest(rows: Iterable[tuple[Any, ...]]) -> tuple[int, str]:
    """How many rows there are, and a number that other rows would hardly have."""
    texts = sorted(",".join(map(str, row)) for row in rows)
    return len(texts), hashlib.sha256("\n".join(texts).encode()).hexdigest()


def measure(name: str, repeat: int, arguments: list[str]) -> dict[str, Any]:
    """Times in ms, and the answer."""
    module, function, *before = SOLVERS[name]
    solver = importlib.import_module(module)
    work = getattr(solver, function)
    # What is not timed: another function makes of the arguments what the work gets.
    prepare = getattr(solver, before[0]) if before else None

    def given() -> list[Any]:
        return [prepare(*arguments)] if prepare is not None else list(arguments)

    # What Java does is done in a process that goes on.
    clock = tree_time if getattr(solver, "IN_JAVA", False) else processor_time
    begin = time.perf_counter()
    found = work(*given()) if repeat > 1 else None
    first = 1e3 * (time.perf_counter() - begin)
    wall, processor = [], []
    for _ in range(repeat):
        known = given()
        begin, used = time.perf_counter(), clock()
        found = work(*known)
        processor.append(1e3 * (clock() - used))
        wall.append(1e3 * (time.perf_counter() - begin))
    # Not `ru_maxrss`, which is inherited; and before rows are spelled out, which is no part of the work.
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
    count, text = digest(solver.rows(found))
    figures = {"first_ms": first} if clock is tree_time else {"rss_mb": peak}
    return {"wall": wall, "cpu": processor, "count": count, "digest": text, "figures": figures}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3:])))
