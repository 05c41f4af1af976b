"""Micro-batches on Spark, one file each."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from benchmarks.peers.clocks import tree_time
from benchmarks.suite.data.spark_batch import MAPPING, NAMES, RULES, identity, run_all
from pyspark.sql import SparkSession

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
        on_report=lambda report: (reports.append(report), spent.append(tree_time())),
    )
    query.awaitTermination()
    return reports[WARM:], (spent[-1] - spent[WARM - 1]) / (len(spent) - WARM)


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
