"""Spark: a batch over Parquet files, and micro-batches. Both take minutes."""

from __future__ import annotations

import shutil
import statistics
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.suite.workload import Figures, Ready, Task, Workload, again


def _batch(events: int, cores: int, quick: bool) -> Ready:
    import spark_batch

    from holdsfor import loads
    from holdsfor.spark import recognise

    events = 200_000 if quick else events
    folder = Path(tempfile.mkdtemp())
    spark_batch.make_files(folder, events, events // 200, 4)
    spark = spark_batch.session(cores)
    frame = spark.read.parquet(str(folder))
    frame.createOrReplaceTempView("events")
    four = recognise(loads(spark_batch.RULES), frame, mapping=spark_batch.MAPPING)
    one = recognise(loads(spark_batch.ONE), frame, mapping=spark_batch.MAPPING)
    floor = frame.repartition(8, "k").mapInArrow(spark_batch.identity, frame.schema)
    works = {
        "floor": floor,
        "four situations": four,
        "one situation": one,
        "one, by SQL": spark.sql(spark_batch.ISLANDS),
    }
    clock = spark_batch.processor_seconds
    tasks = {name: Task(again(partial(spark_batch.run_all, work)), 1, 3, 1, clock) for name, work in works.items()}
    return Ready(tasks, {"events": events, "cores": cores})


def _streaming(events: int, quick: bool) -> Ready:
    import spark_streaming

    events, batches = (20_000, 3) if quick else (events, 8)
    spark = spark_streaming.session(2)
    keys = max(100, events // 10)

    def stream() -> Figures:
        folder = Path(tempfile.mkdtemp())
        spark_streaming.make_files(folder / "in", batches + spark_streaming.WARM, events, keys)
        reports, _ = spark_streaming.run(spark, folder, 4, spark_streaming.STEP)
        shutil.rmtree(folder, ignore_errors=True)
        taken = [report.milliseconds for report in reports]
        return {"batch_ms": min(taken), "batch_median_ms": statistics.median(taken)}

    return Ready({"micro-batches": Task(again(stream), batches, 1, 0)}, {"events a batch": events, "keys": keys})


WORKLOADS = [
    *(
        Workload(
            f"spark-batch-{events // 1_000_000}m-{cores}",
            f"Spark batch, {events:,} events, {cores} cores",
            partial(_batch, events, cores),
            slow=True,
        )
        for events, cores in ((2_000_000, 1), (2_000_000, 2), (10_000_000, 1), (10_000_000, 2))
    ),
    *(
        Workload(
            f"spark-streaming-{events}",
            f"Spark micro-batches of {events:,} events",
            partial(_streaming, events),
            slow=True,
        )
        for events in (100, 100_000, 500_000)
    ),
]
