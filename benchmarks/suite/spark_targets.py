"""What Spark's targets ask, in one run: `python -m benchmarks.suite.spark_targets [NAME…]` prints a table.

Every figure stands beside what Spark needs for the same rows without rules, in the same session: the *floor*. Batches of
streams are the median of those after the first three.
"""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.suite.data import spark_batch
from benchmarks.suite.data.spark_batch import MAPPING, NAMES, RULES, identity, run_all
from benchmarks.suite.data.spark_streams import make_files
from benchmarks.suite.spark_skew import SHARES, skewed_keys
from benchmarks.suite.spark_skew import STEP as SPARSE_STEP

from holdsfor import loads
from holdsfor.spark import recognise, recognise_stream

SCHEMA = "k bigint, t bigint, e tinyint"
STEP, WARM = 1_000, 3
PAIRS = """
initiatedAt(slow(V)=true, T) :- happensAt(slow_start(V), T).
terminatedAt(slow(V)=true, T) :- happensAt(slow_end(V), T).
fi(slow(V)=true, slow(V)=stuck, 300).
p(slow(V)=true).
initiatedAt(near(A,B)=true, T) :- happensAt(meet(A,B), T).
terminatedAt(near(A,B)=true, T) :- happensAt(part(A,B), T).
holdsFor(meeting(A,B)=true, I) :-
    holdsFor(slow(A)=true, I1), holdsFor(slow(B)=true, I2), holdsFor(near(A,B)=true, I3), intersect_all([I1,I2,I3], I).
"""
PAIR_NAMES = ("slow_start", "slow_end", "meet", "part")
PAIR_MAPPING = {
    "time": "t",
    "event": {
        name: {"args": ["k"] if place < 2 else ["k", "o"], "where": {"e": place}}
        for place, name in enumerate(PAIR_NAMES)
    },
}
Row = tuple[str, str, str, str]


def timed(work: Callable[[], Any], times: int = 3) -> float:
    """The best of some runs, in seconds."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        found.append(time.perf_counter() - begin)
    return min(found)


class Peak:
    """The largest memory of a Python worker while something runs."""

    def __init__(self) -> None:
        self.most = 0

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if b"pyspark" in (folder / "cmdline").read_bytes() and b"python" in (folder / "cmdline").read_bytes():
                    pages = int((folder / "statm").read_text().split()[1])
                    self.most = max(self.most, pages * os.sysconf("SC_PAGE_SIZE"))
            except OSError:
                continue


def followed(spark: Any, folder: Path, rules: str, mapping: Any, schema: str, **options: Any) -> list[Any]:
    """Follow the files of a folder; the reports of its batches."""
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    reports: list[Any] = []
    place = folder / f"run-{len(list(folder.iterdir()))}"
    made = recognise_stream(
        loads(rules), stream, **{"mapping": mapping, "window": STEP, "step": STEP, "start": 0} | options
    )
    query = made.start(
        str(place / "out"),
        checkpoint=str(place / "checkpoint"),
        trigger={"availableNow": True},
        on_report=reports.append,
    )
    query.awaitTermination()
    return reports


def floor(spark: Any, folder: Path, schema: str, keys: str = "k") -> float:
    """What Spark needs for a micro-batch with default settings: read, shuffle by key, to Python and back. Milliseconds."""
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    times: list[float] = []

    def work(frame: Any, _: int) -> None:
        begin = time.perf_counter()
        run_all(frame.repartition(keys).mapInArrow(identity, schema))
        times.append((time.perf_counter() - begin) * 1e3)

    writer = stream.writeStream.option("checkpointLocation", str(folder / "floor")).foreachBatch(work)
    writer.trigger(availableNow=True).start().awaitTermination()
    return statistics.median(times[WARM:])


def median(reports: list[Any]) -> float:
    return statistics.median([report.milliseconds for report in reports[WARM:]])


def batch(spark: Any, folder: Path) -> Iterator[Row]:
    """10 M events: four situations, and one beside SQL by hand."""
    spark_batch.make_files(folder, 10_000_000, 50_000, 4)
    frame = spark.read.parquet(str(folder))
    frame.createOrReplaceTempView("events")
    alone = timed(lambda: run_all(frame.repartition(8, "k").mapInArrow(identity, frame.schema)))
    four = timed(lambda: run_all(recognise(loads(RULES), frame, mapping=MAPPING)))
    yield "batch, 10 M events, four situations", f"{four:.2f} s", f"floor {alone:.2f} s", f"{four / alone:.2f} (1.15)"
    one = timed(lambda: run_all(recognise(loads(spark_batch.ONE), frame, mapping=MAPPING)))
    sql = timed(lambda: run_all(spark.sql(spark_batch.ISLANDS)))
    yield "batch, 10 M events, one situation", f"{one:.2f} s", f"SQL by hand {sql:.2f} s", f"{one / sql:.2f} (1)"


def memory(spark: Any, folder: Path) -> Iterator[Row]:
    """50 M events: the memory of a worker."""
    import threading

    spark_batch.make_files(folder, 50_000_000, 250_000, 10)
    frame = spark.read.parquet(str(folder))
    peak, is_done = Peak(), threading.Event()

    def watch() -> None:
        while not is_done.wait(0.2):
            peak.look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    taken = timed(lambda: run_all(recognise(loads(RULES), frame, mapping=MAPPING)), 1)
    is_done.set()
    watcher.join()
    yield "batch, 50 M events, memory of a worker", f"{peak.most / 2**30:.2f} GiB", f"{taken:.0f} s", "(2 GiB)"


def tiny(spark: Any, folder: Path) -> Iterator[Row]:
    """100 events a batch, state in files and in tables."""
    make_files(folder / "in", 15, 100, 100)
    alone = floor(spark, folder, SCHEMA)
    for state in ("files", "tables"):
        found = median(followed(spark, folder, RULES, MAPPING, SCHEMA, state=state))
        yield (
            f"stream, 100 events, state in {state}",
            f"{found:.0f} ms",
            f"floor {alone:.0f} ms",
            f"{found / alone:.2f} (1.3)",
        )


def large(spark: Any, folder: Path) -> Iterator[Row]:
    """500,000 events a batch."""
    make_files(folder / "in", 9, 500_000, 50_000)
    alone = floor(spark, folder, SCHEMA)
    for state in ("files", "tables"):
        found = median(followed(spark, folder, RULES, MAPPING, SCHEMA, state=state))
        pace = f"{500_000 / found * 1e3:,.0f} events/s (600,000)"
        yield f"stream, 500,000 events, state in {state}", f"{found:.0f} ms", f"floor {alone:.0f} ms", pace


def pairs(spark: Any, folder: Path) -> Iterator[Row]:
    """30,000 events with pairs and delays that touch all of 2,000 keys."""
    random, schema = np.random.default_rng(3), "k bigint, o bigint, t bigint, e tinyint"
    (folder / "in").mkdir()
    for number in range(9):
        columns = {
            "k": random.integers(0, 2_000, 30_000),
            "o": random.integers(0, 2_000, 30_000),
            "t": np.sort(random.integers(0, STEP, 30_000)) + number * STEP + 1,
            "e": random.integers(0, len(PAIR_NAMES), 30_000).astype(np.int8),
        }
        columns["t"][-1] = (number + 1) * STEP
        pq.write_table(pa.table(columns), folder / "in" / f"part{number:04}.parquet")
    alone = floor(spark, folder, schema)
    found = median(followed(spark, folder, PAIRS, PAIR_MAPPING, schema))
    yield (
        "stream, 30,000 events, pairs and delays",
        f"{found:.0f} ms",
        f"floor {alone:.0f} ms",
        f"{found / alone:.2f} (1.3)",
    )


def touched(spark: Any, folder: Path, keys: int = 1_000_000) -> Iterator[Row]:
    """Batches that touch 100 of a million keys, beside batches of 100 events of 100 keys."""
    random = np.random.default_rng(5)
    make_files(folder / "in", 12, 100, 100)
    small = median(followed(spark, folder, RULES, MAPPING, SCHEMA))
    shutil.rmtree(folder / "in")
    (folder / "in").mkdir()
    for number in range(12):
        chosen = random.permutation(keys)[:100] if number else np.arange(keys)
        times = np.sort(random.integers(0, STEP, len(chosen))) + number * STEP + 1
        times[-1] = (number + 1) * STEP
        kinds = (random.integers(0, len(NAMES) // 2, len(chosen)) * 2).astype(np.int8)
        pq.write_table(pa.table({"k": chosen, "t": times, "e": kinds}), folder / "in" / f"part{number:04}.parquet")
    for state in ("files", "tables"):
        found = median(followed(spark, folder, RULES, MAPPING, SCHEMA, window=100 * STEP, state=state))
        told = f"100 of 100 keys {small:.0f} ms"
        yield f"stream, 100 of {keys:,} keys, state in {state}", f"{found:.0f} ms", told, f"{found / small:.2f} (1.5)"


def coming_and_going(spark: Any, folder: Path, batches: int = 40, events: int = 200_000) -> Iterator[Row]:
    """Keys that come, open and close a fluent, and go: state and time of the first and the last quarter."""
    random = np.random.default_rng(11)
    (folder / "in").mkdir()
    for number in range(batches):
        keys = number * (events // 20) + random.integers(0, events // 20, events // 2)
        first = np.sort(random.integers(0, STEP // 2, events // 2)) + number * STEP + 1
        kinds = (random.integers(0, len(NAMES) // 2, events // 2) * 2).astype(np.int8)
        columns = {
            "k": np.concatenate((keys, keys)),
            "t": np.concatenate((first, first + STEP // 2)),
            "e": np.concatenate((kinds, kinds + 1)).astype(np.int8),
        }
        columns["t"][-1] = (number + 1) * STEP
        pq.write_table(pa.table(columns), folder / "in" / f"part{number:04}.parquet")
    reports = followed(spark, folder, RULES, MAPPING, SCHEMA)
    quarter = len(reports) // 4
    early, late = reports[quarter : 2 * quarter], reports[-quarter:]
    sizes = [max(report.state_bytes for report in part) / 1e6 for part in (early, late)]
    times = [statistics.median([report.milliseconds for report in part]) for part in (early, late)]
    total = batches * events
    yield (
        f"stream, {total:,} events, keys come and go",
        f"state {sizes[0]:.1f} → {sizes[1]:.1f} MB",
        f"batches {times[0]:.0f} → {times[1]:.0f} ms",
        f"{sizes[1] / sizes[0]:.2f} (1)",
    )


def skew_stream(spark: Any, folder: Path, events: int = 200_000) -> Iterator[Row]:
    """Micro-batches in which one key has a share of all events: the curve."""
    even = 0.0
    for share in SHARES:
        random, place = np.random.default_rng(13), folder / f"{share}"
        (place / "in").mkdir(parents=True)
        for number in range(WARM + 5):
            columns = {
                "k": skewed_keys(random, events, events // 10, share),
                "t": np.sort(random.integers(0, SPARSE_STEP, events)) + number * SPARSE_STEP + 1,
                "e": random.integers(0, len(NAMES), events).astype(np.int8),
            }
            columns["t"][-1] = (number + 1) * SPARSE_STEP
            pq.write_table(pa.table(columns), place / "in" / f"part{number:04}.parquet")
        given = {"window": SPARSE_STEP, "step": SPARSE_STEP, "buckets": 2}
        found = median(followed(spark, place, RULES, MAPPING, SCHEMA, **given))
        even = even or found
        yield (
            f"stream, {events:,} events, one key has {share:.0%}",
            f"{found:.0f} ms",
            f"even {even:.0f} ms",
            f"{found / even:.2f}",
        )


def skew(spark: Any, folder: Path, events: int = 3_000_000) -> Iterator[Row]:
    """One key with a share of all events: the curve."""
    random = np.random.default_rng(13)
    even = 0.0
    for share in SHARES:
        place = folder / f"{share}"
        place.mkdir()
        columns = {
            "k": skewed_keys(random, events, events // 200, share),
            "t": np.sort(random.integers(0, 5 * events, events)),
            "e": random.integers(0, len(NAMES), events).astype(np.int8),
        }
        table = pa.table(columns)
        for number in range(4):
            pq.write_table(table.slice(number * events // 4, events // 4), place / f"part{number}.parquet")
        frame = spark.read.parquet(str(place))
        taken = timed(lambda frame=frame: run_all(recognise(loads(RULES), frame, mapping=MAPPING)))
        even = even or taken
        yield (
            f"batch, {events:,} events, one key has {share:.0%}",
            f"{taken:.2f} s",
            f"even {even:.2f} s",
            f"{taken / even:.2f}",
        )


ALL = {one.__name__: one for one in (tiny, large, pairs, touched, coming_and_going, skew, skew_stream, batch, memory)}


def main(names: list[str]) -> None:
    """Measure what is named, or everything."""
    warnings.simplefilter("ignore")
    spark = spark_batch.session(2)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    print(f"{now}; {platform.machine()}, {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}\n")
    print("| work | found | beside | ratio (goal) |\n| --- | --- | --- | --- |")
    for name in names or ALL:
        folder = Path(tempfile.mkdtemp())
        for row in ALL[name](spark, folder):
            print(f"| {' | '.join(row)} |", flush=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
