"""Spark streaming: events per second, what a batch costs at least, and how large the state is.

    python benchmarks/spark_streaming.py [--events 500000] [--keys 50000 ...] [--batches 8] [--cores 2] [--buckets 4]
    python benchmarks/spark_streaming.py --touched 100 1000 50000 [--keys 50000] [--events 1000000]

Files of so many events are followed by a query, one file for each micro-batch; the changelog goes to a folder. The same
query then gets files of a hundred events, which shows what every batch costs. Batches that warm up do not count. Processor
time counts all processes: on a busy machine it says more than the clock.

With `--touched`, a first batch fills a window of 60 steps with so many events of all keys. Then come small batches, each
with one event for each of so many keys, a twentieth of them late. Little of the window leaves it meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from spark_batch import MAPPING, NAMES, RULES, run_all, session

from holdsfor import loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming.driver import Report

STEP = 1_000
WARM = 3
LATE = 0.05


def make_files(folder: Path, batches: int, events: int, keys: int) -> None:
    """Files of events, each a step of time long."""
    random = np.random.default_rng(7)
    folder.mkdir()
    for number in range(batches):
        columns = {
            "k": random.integers(0, keys, events),
            "t": np.sort(random.integers(0, STEP, events)) + number * STEP + 1,
            "e": random.integers(0, len(NAMES), events).astype(np.int8),
        }
        columns["t"][-1] = (number + 1) * STEP
        path = folder / f"part{number:04}.parquet"
        pq.write_table(pa.table(columns), path)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


def make_touching_files(folder: Path, batches: int, events: int, keys: int, touched: int) -> None:
    """A file that fills the window, and files with one event for each of some keys, some of them late."""
    random = np.random.default_rng(7)
    folder.mkdir()
    for number in range(batches):
        count = touched if number else events
        chosen = random.permutation(keys)[:count] if number else random.integers(0, keys, count)
        time_points = np.sort(random.integers(0, STEP, count)) + number * STEP + 1
        late = (random.random(count) < LATE) & (number > 0)
        time_points[late] -= STEP * random.integers(1, number + 1, int(late.sum()))
        time_points[-1] = (number + 1) * STEP
        kinds = random.integers(0, len(NAMES), count).astype(np.int8)
        path = folder / f"part{number:04}.parquet"
        pq.write_table(pa.table({"k": chosen, "t": time_points, "e": kinds}), path)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


def run(spark: SparkSession, folder: Path, buckets: int, window: int) -> tuple[list[Report], float]:
    """Follow the files. What each batch took, and the processor time of one."""
    schema = "k bigint, t bigint, e tinyint"
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    reports: list[Report] = []
    spent: list[float] = []
    options: dict[str, Any] = {"mapping": MAPPING, "window": window, "step": STEP, "start": 0, "buckets": buckets}
    query = recognise_stream(loads(RULES), stream, **options).start(
        str(folder / "out"),
        checkpoint=str(folder / "checkpoint"),
        trigger={"availableNow": True},
        on_report=lambda report: (reports.append(report), spent.append(processor_seconds())),
    )
    query.awaitTermination()
    return reports[WARM:], (spent[-1] - spent[WARM - 1]) / (len(spent) - WARM)


def processor_seconds() -> float:
    """What this process and all it has started have used of the processor: also right on a machine that is busy."""
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        used[int(path.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    mine = {os.getpid()}
    while len(mine) < len(found := mine | {child for child, parent in parents.items() if parent in mine}):
        mine = found
    return sum(used.get(number, 0.0) for number in mine)


def identity(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def floor(spark: SparkSession, folder: Path, buckets: int) -> list[float]:
    """What Spark itself needs for a micro-batch: read, shuffle by key, hand to Python and back."""
    schema = "k bigint, t bigint, e tinyint"
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    times: list[float] = []

    def work(frame: Any, _: int) -> None:
        begin = time.perf_counter()
        run_all(frame.repartition(buckets, "k").mapInArrow(identity, schema))
        times.append((time.perf_counter() - begin) * 1e3)

    writer = stream.writeStream.option("checkpointLocation", str(folder / "floor")).foreachBatch(work)
    writer.trigger(availableNow=True).start().awaitTermination()
    return times[WARM:]


def touch(spark: SparkSession, chosen: argparse.Namespace) -> None:
    """What a batch costs that touches few keys of many, in a long window."""
    keys, window = chosen.keys[-1], 60 * STEP
    print(
        f"local[{chosen.cores}], {chosen.buckets} buckets, {keys:,} keys, {chosen.events:,} events in the window at first"
    )
    for touched in chosen.touched:
        folder = Path(tempfile.mkdtemp())
        make_touching_files(folder / "in", chosen.batches + WARM, chosen.events, keys, touched)
        reports, seconds = run(spark, folder, chosen.buckets, window)
        times = [report.milliseconds for report in reports]
        print(
            f"{touched:7,} keys touched: {min(times):6} ms a batch (median {statistics.median(times):.0f}, "
            f"most {max(times)}), {seconds:.2f} s of processor, {reports[-1].changes:,} changes, "
            f"state {reports[-1].state_bytes / 1e6:.1f} MB"
        )
        print("   ", reports[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=500_000)
    parser.add_argument("--keys", type=int, nargs="+", default=[12_500, 50_000])
    parser.add_argument("--batches", type=int, default=8)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--buckets", type=int, default=4)
    parser.add_argument("--window", type=int, default=STEP, help="in time-points; a step has 1000")
    parser.add_argument("--touched", type=int, nargs="+", default=[], help="keys that a batch has events for")
    chosen = parser.parse_args()
    spark = session(chosen.cores)
    if chosen.touched:
        touch(spark, chosen)
        return
    print(f"local[{chosen.cores}], {chosen.buckets} buckets, window {chosen.window}, step {STEP}")
    for events in (chosen.events, 100):
        for keys in chosen.keys:
            folder = Path(tempfile.mkdtemp())
            make_files(folder / "in", chosen.batches + WARM, events, keys)
            least = min(floor(spark, folder, chosen.buckets))
            reports, seconds = run(spark, folder, chosen.buckets, chosen.window)
            times = [report.milliseconds for report in reports]
            last = reports[-1]
            print(
                f"{events:9,} events, {keys:7,} keys: {min(times):6} ms a batch (median {statistics.median(times):.0f}), "
                f"Spark alone {least:.0f} ms, {seconds:.2f} s of processor, "
                f"{events / min(times) * 1e3:10,.0f} events/s, {last.changes:8,} changes, "
                f"state {last.state_bytes / 1e6:.2f} MB, {last.state_bytes / keys:.0f} bytes a key"
            )


if __name__ == "__main__":
    main()
