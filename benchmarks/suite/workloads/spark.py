"""Spark: a batch over Parquet files, micro-batches, and the maritime pipeline. All of it takes minutes."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.peers.clocks import tree_time
from benchmarks.suite.workload import Figures, Ready, Task, Workload, again

BUCKETS = 4


def _batch(events: int, cores: int, quick: bool) -> Ready:
    from benchmarks.suite.data import spark_batch

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
    # The floor comes first: holdsfor makes Python workers leaner, and Spark alone should not gain by that.
    works: dict[str, Any] = {
        "floor": frame.repartition(8, "k").mapInArrow(spark_batch.identity, frame.schema),
        "four situations": four,
        "one situation": one,
        "one, by SQL": spark.sql(spark_batch.ISLANDS),
    }
    tasks = {
        name: Task(again(partial(spark_batch.run_all, work)), 1, 3, 1, clock=tree_time) for name, work in works.items()
    }
    rules, files = loads(spark_batch.RULES), [str(path) for path in sorted(folder.glob("*.parquet"))]

    def in_one_process() -> None:
        rules.recognise(files, mapping=spark_batch.MAPPING)

    tasks["four, in one process"] = Task(again(in_one_process), 1, 2, 0, clock=tree_time)
    return Ready(tasks, {"events": events, "cores": cores})


def _streaming(events: int, quick: bool) -> Ready:
    from benchmarks.suite.data import spark_batch, spark_streams

    events, batches = (min(20_000, events), 3) if quick else (events, 8)
    spark = spark_batch.session(2)
    keys = max(100, events // 10)

    def stream() -> Figures:
        folder = Path(tempfile.mkdtemp())
        spark_streams.make_files(folder / "in", batches + spark_streams.WARM, events, keys)
        floor = min(spark_streams.floor(spark, folder, BUCKETS))
        return {**_followed(spark, folder, spark_streams.STEP), "spark_alone_ms": floor}

    return Ready({"micro-batches": Task(again(stream), batches, 1, 0, clock=tree_time)}, _sizes(events, keys))


def _touched(touched: int, quick: bool) -> Ready:
    """Batches with one event for each of some keys, in a window of 60 steps that has many events of many keys."""
    from benchmarks.suite.data import spark_batch, spark_streams

    touched, events, keys = (min(touched, 100), 20_000, 1_000) if quick else (touched, 1_000_000, 50_000)
    batches = 3 if quick else 4
    spark = spark_batch.session(2)

    def stream() -> Figures:
        folder = Path(tempfile.mkdtemp())
        spark_streams.make_touching_files(folder / "in", batches + spark_streams.WARM, events, keys, touched)
        return _followed(spark, folder, 60 * spark_streams.STEP)

    return Ready({"micro-batches": Task(again(stream), batches, 1, 0, clock=tree_time)}, _sizes(touched, keys))


def _sizes(events: int, keys: int) -> dict[str, float]:
    return {"events a batch": events, "keys": keys}


def _followed(spark: Any, folder: Path, window: int) -> dict[str, float]:
    """What the batches took that are not there to warm up."""
    from benchmarks.suite.data import spark_streams

    reports, seconds = spark_streams.run(spark, folder, BUCKETS, window)
    shutil.rmtree(folder, ignore_errors=True)
    taken = [report.milliseconds for report in reports]
    return {
        "batch_ms": min(taken),
        "batch_median_ms": statistics.median(taken),
        "batch_cpu_ms": 1e3 * seconds,
        "state_mb": reports[-1].state_bytes / 1e6,
    }


def _traffic(quick: bool) -> Path:
    """A month of position reports."""
    from holdsfor_maritime.generator import generate

    folder = Path(tempfile.mkdtemp()) / "reports"
    generate(folder, vessels=100 if quick else 5_000, hours=24 if quick else 720)
    return folder


def _signals(quick: bool) -> Ready:
    from benchmarks.suite.data import spark_batch

    from holdsfor_maritime.signals.batch import critical_events
    from holdsfor_maritime.signals.local import critical_events as local_events

    folder, spark = _traffic(quick), spark_batch.session(2)

    def on_spark() -> Figures:
        with tempfile.TemporaryDirectory() as out:
            return {"reports": critical_events(spark, folder, out=Path(out, "signals")).counts()["read"]}

    def in_one_process() -> Figures:
        return {"reports": local_events(folder).counts()["read"]}

    works = {"Spark, two cores": on_spark, "one process": in_one_process}
    return Ready({name: Task(again(work), 1, 2, 0, clock=tree_time) for name, work in works.items()})


def _pipeline(quick: bool) -> Ready:
    from benchmarks.suite.data import spark_batch

    from holdsfor_maritime.pipeline import PipelineJob, run_on_spark

    folder, spark = _traffic(quick), spark_batch.session(2)

    def whole() -> Figures:
        begun: list[float] = []
        with tempfile.TemporaryDirectory() as out:
            found = run_on_spark(
                spark, PipelineJob(folder, Path(out, "results")), lambda _: begun.append(time.perf_counter())
            )
        begun.append(time.perf_counter())
        stages = {
            f"stage_{number}_ms": 1e3 * (until - since) for number, (since, until) in enumerate(pairwise(begun), 1)
        }
        return {**stages, "reports": found.reports, "intervals": len(found.rows)}

    return Ready({"all stages": Task(again(whole), 1, 2, 0, clock=tree_time)})


WORKLOADS = [
    *(
        Workload(
            f"spark-batch-{events // 1_000_000}m-{cores}",
            f"Spark batch, {events:,} events, cores: {cores}",
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
    *(
        Workload(
            f"spark-touched-{touched}",
            f"Spark micro-batches that touch {touched:,} of 50,000 keys",
            partial(_touched, touched),
            slow=True,
        )
        for touched in (100, 1_000, 50_000)
    ),
    Workload("spark-signals", "position reports of a month to signals", _signals, slow=True),
    Workload("spark-pipeline", "position reports of a month to situations and a report", _pipeline, slow=True),
]
