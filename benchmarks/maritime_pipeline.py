"""The whole maritime pipeline: position reports to situations and a report, with the time of each stage.

    python benchmarks/maritime_pipeline.py [--vessels 5000] [--hours 720] [--cores 2] [--repeat 2] [--folder FOLDER]

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
from holdsfor.maritime.pipeline import Job, run_on_spark


class Stages:
    """Takes the time whenever a stage begins."""

    def __init__(self) -> None:
        self._name = ""
        self._begin, self._used = time.perf_counter(), processor_seconds()
        self._first = self._begin, self._used

    def __call__(self, name: str) -> None:
        self._report(self._name, self._begin, self._used)
        self._name, self._begin, self._used = name, time.perf_counter(), processor_seconds()

    def end(self) -> None:
        self("")
        self._report("all of it", *self._first)

    @staticmethod
    def _report(name: str, begin: float, used: float) -> None:
        if name:
            print(f"{name}: {time.perf_counter() - begin:.1f} s ({processor_seconds() - used:.1f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--vessels", type=int, default=5_000)
    parser.add_argument("--hours", type=float, default=720)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    spark = session(options.cores)
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made, "sea")
        if not (folder / "truth.csv").exists():
            generate(folder, vessels=options.vessels, hours=options.hours, spark=spark)
        for _ in range(options.repeat):
            stages = Stages()
            found = run_on_spark(spark, Job(folder, Path(made, "results")), stages)
            stages.end()
        print(f"{found.reports:,} reports, {sum(found.signals.values()):,} signals, {len(found.rows):,} intervals")
        for score in found.scores:
            print(
                f"{score.situation:18} {score.happened:6} {score.found:6}  "
                f"time {score.time_recall:.2f} {score.time_precision:.2f}  count {score.recall:.2f} {score.precision:.2f}"
            )
    spark.stop()


if __name__ == "__main__":
    main()
