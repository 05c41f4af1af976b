"""Stage 1 of the maritime pipeline: position reports a second, from CSV to events and proximity in Parquet.

    python benchmarks/maritime_signals.py [--vessels 5000] [--hours 720] [--cores 2] [--repeat 3] [--folder FOLDER]

The data set is made first and is not counted (a folder that has one is taken as it is). Wall time, and in brackets the
processor time of Spark and its Python workers together, which says more on a machine that has other things to do.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from spark_batch import processor_seconds, session

from holdsfor.maritime.generator import generate
from holdsfor.maritime.signals.batch import critical_events
from holdsfor.maritime.signals.local import critical_events as local_events


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--vessels", type=int, default=5_000)
    parser.add_argument("--hours", type=float, default=720)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    spark = session(options.cores)
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        if not (folder / "truth.csv").exists():
            begin, used = time.perf_counter(), processor_seconds()
            rows = generate(folder, vessels=options.vessels, hours=options.hours, spark=spark)
            report("generate", begin, used, rows, options.cores)
        for turn in range(options.repeat):
            begin, used = time.perf_counter(), processor_seconds()
            found = critical_events(spark, folder, out=Path(made, "signals", str(turn))).counts()
            report("Spark", begin, used, found["read"], options.cores)
        begin, used = time.perf_counter(), processor_seconds()
        local_events(folder)
        report("one process", begin, used, found["read"], 1)
        print(found)


def report(what: str, begin: float, used: float, rows: int, cores: int = 2) -> None:
    wall, processor = time.perf_counter() - begin, processor_seconds() - used
    free = f"{cores * rows / processor:,.0f} by processor time on {cores} cores"
    print(f"{what}: {wall:.1f} s ({processor:.1f}), {rows / wall:,.0f} reports/s ({free})")


if __name__ == "__main__":
    main()
