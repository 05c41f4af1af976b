"""Reading RTEC's stream format: rows a second, from a file of mixed maritime-like rows to encoded columns.

    python benchmarks/ingest.py [rows]

Also prints rows to a second of CPU time, the ratio to cutting the same file into lines with Arrow's own CSV reader, and
the rate from a gzip file.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv

from holdsfor import loads
from holdsfor.io.rtec_csv import read_rtec

RULES = """
initiatedAt(moving(V)=true, T) :- happensAt(velocity(V,Speed,Course,Heading), T), Speed > 1, Course >= 0, Heading >= 0.
initiatedAt(within(V,A)=true, T) :- happensAt(entersArea(V,A), T).
initiatedAt(silent(V)=true, T) :- happensAt(gap_start(V), T).
holdsFor(near(V,W)=true, I) :- holdsFor(proximity(V,W)=true, I).
"""


def lines(rows: int, vessels: int = 34_000, seed: int = 1) -> list[str]:
    """Rows of four kinds and widths, in order of time."""
    random = np.random.default_rng(seed)
    time_of = np.sort(random.integers(1_443_650_400, 1_443_708_000, rows)).tolist()
    vessel = random.integers(200_000_000, 200_000_000 + vessels, (2, rows)).tolist()
    speed, course = np.round(random.gamma(2, 4, rows), 1).tolist(), np.round(random.random(rows) * 360, 1).tolist()
    area, kind = random.integers(0, 4_000, rows).tolist(), random.random(rows).tolist()
    found = []
    for t, v, w, s, c, a, k in zip(time_of, *vessel, speed, course, area, kind, strict=True):
        if k < 0.6:
            found.append(f"velocity|{t}|{t}|{v}|{s}|{c}|{a % 360}\n")
        elif k < 0.8:
            found.append(f"entersArea|{t}|{t}|{v}|area{a}\n")
        elif k < 0.9:
            found.append(f"gap_start|{t}|{t}|{v}\n")
        else:
            found.append(f"proximity|{t}|{t}|{t + 60}|true|{v}|{w}\n")
    return found


def fastest(action: Callable[[], object], repeat: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """The least time of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        begin = clock()
        action()
        times.append(clock() - begin)
    return min(times)


def cut_into_lines(path: Path) -> None:
    """What Arrow needs to do no more than find the lines."""
    arrow_csv.read_csv(
        path,
        arrow_csv.ReadOptions(column_names=["line"]),
        arrow_csv.ParseOptions(delimiter="\x01", quote_char=False),
    )


def main() -> None:
    """Measure and print."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    entities = loads(RULES).analysis.entities
    with tempfile.TemporaryDirectory() as folder:
        plain, packed = Path(folder, "events.csv"), Path(folder, "events.csv.gz")
        text = "".join(lines(rows))
        plain.write_text(text)
        packed.write_bytes(gzip.compress(text.encode(), 1))
        reading = read_rtec([plain], entities)
        assert (reading.rows, reading.rejects.count, reading.unknown) == (rows, 0, {})
        taken = fastest(lambda: read_rtec([plain], entities))
        unpacking = fastest(lambda: read_rtec([packed], entities))
        cutting = fastest(lambda: cut_into_lines(plain))
        working = fastest(lambda: read_rtec([plain], entities), clock=time.process_time)
    print(
        f"{rows} rows, {len(text) / 1e6:.0f} MB: {rows / taken / 1e6:.2f} M rows/s, gzip {rows / unpacking / 1e6:.2f}"
    )
    print(f"{rows / working / 1e6:.2f} M rows to a second of CPU time")
    print(f"Arrow only to find the lines: {rows / cutting / 1e6:.2f} M rows/s, ratio {taken / cutting:.1f}")


if __name__ == "__main__":
    main()
