"""Events of vessels: speeds, and ways in and out of an area. No vessel has two events at one time-point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HOURS = 16
KINDS = ("velocity", "entersArea", "leavesArea")
SHARES = (0.6, 0.2, 0.2)


def write(path: Path, events: int, vessels: int) -> None:
    """Write so many events in order of time."""
    random = np.random.default_rng(5)
    span = HOURS * 3600
    places = np.unique(random.integers(0, vessels * span, events + events // 50))
    places = np.sort(random.permutation(places)[:events])
    vessel, time = np.divmod(places, span)
    order = np.argsort(time, kind="stable")
    kind = random.choice(len(KINDS), events, p=SHARES).astype(np.int8)
    speed = np.where(kind == 0, np.round(random.gamma(2.0, 4.0, events), 1), 0.0)
    columns = {"vessel": vessel[order], "time": time[order], "kind": kind, "speed": speed}
    pq.write_table(pa.table(columns), path)
