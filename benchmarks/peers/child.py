"""Runs one solver time and again in a process of its own, and prints what it took and a digest of its answer.

    python -m benchmarks.peers.child SOLVER REPEAT ARGUMENTS…

It runs in the environment of the peers, so it imports nothing but what is there.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import resource
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SOLVERS = {
    "holdsfor": ("benchmarks.peers.islands.rules", "answer"),
    "Polars": ("benchmarks.peers.islands.polars_query", "best"),
    "Polars, as usual": ("benchmarks.peers.islands.polars_query", "usual"),
    "DuckDB": ("benchmarks.peers.islands.duckdb_query", "answer"),
    "Logica": ("benchmarks.peers.quotes.logica_query", "answer"),
    "MeTeoR": ("benchmarks.peers.stops.meteor_query", "answer"),
}


def digest(rows: Iterable[tuple[Any, ...]]) -> tuple[int, str]:
    """How many rows there are, and a number that other rows would hardly have."""
    texts = sorted(",".join(map(str, row)) for row in rows)
    return len(texts), hashlib.sha256("\n".join(texts).encode()).hexdigest()


def measure(name: str, repeat: int, arguments: list[str]) -> dict[str, Any]:
    """Times in ms, and the answer."""
    module, function = SOLVERS[name]
    solver = importlib.import_module(module)
    work = getattr(solver, function)
    found = work(*arguments) if repeat > 1 else None
    wall, processor = [], []
    for _ in range(repeat):
        begin, used = time.perf_counter(), _used()
        found = work(*arguments)
        processor.append(1e3 * (_used() - used))
        wall.append(1e3 * (time.perf_counter() - begin))
    # Not `ru_maxrss`, which is inherited; and before rows are spelled out, which is no part of the work.
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024
    count, text = digest(solver.rows(found))
    return {
        "wall": wall,
        "cpu": processor,
        "count": count,
        "digest": text,
        "rss_mb": peak,
    }


def _used() -> float:
    uses = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3:])))
