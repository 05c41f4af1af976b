"""A streaming query in a process of its own, to be killed: `python -m tests.spark.stream_process FOLDER [KIND [RULES]]`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from holdsfor import loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.session import worker_python
from holdsfor.spark.streaming import small
from tests.spark.stream_files import MAPPING, RULE_SETS, STEP, WINDOW, file_stream


def main(folder: Path, kind: str = "classic", rules: str = "meetings", size: str = "small") -> None:
    """Follow the files in a folder until there are no more. The kinds are classic, connect, viewfs (a checkpoint and a
    sink on a file system that only Spark can open) and the address of a cluster. No batch is small for the size "large".
    """
    if size == "large":
        small.MOST_ROWS = -1
    if kind == "connect":
        worker_python()
        follow(SparkSession.builder.remote("local[2]").getOrCreate(), folder, rules)
        return
    master = kind if kind.startswith("spark:") else "local[2]"
    follow(small_session(folder, master), folder, rules, "viewfs://cl/data" if kind == "viewfs" else None)


def small_session(mounted: Path | None = None, master: str = "local[2]") -> SparkSession:
    """A session that is quick to start, for a short life. On a cluster, executors may be killed as often as one likes."""
    worker_python()
    made = SparkSession.builder
    if mounted is not None:
        made = made.config("spark.hadoop.fs.viewfs.mounttable.cl.link./data", mounted.as_uri())
    if master.startswith("spark:"):
        root = Path(__file__).parents[2]
        made = made.config("spark.driver.host", "127.0.0.1").config("spark.executor.memory", "600m")
        made = made.config("spark.executorEnv.PYTHONPATH", f"{root}/src:{root}")
        made = made.config("spark.task.maxFailures", "1000").config("spark.stage.maxConsecutiveAttempts", "1000")
        made = made.config("spark.executor.cores", "1")
    return (
        made.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .getOrCreate()
    )


def follow(spark: SparkSession, folder: Path, rules: str = "meetings", place: str | None = None) -> None:
    """Run the query."""
    made = recognise_stream(
        loads(RULE_SETS[rules]),
        file_stream(spark, folder / "in"),
        mapping=MAPPING,
        window=WINDOW,
        step=STEP,
        start=0,
        buckets=2,
    )
    run_to_the_end(made, place or folder)


def run_to_the_end(made: Any, place: str | Path) -> None:
    """Run a query over all that is there, and say so at every batch: that is when to be killed."""
    print("started", flush=True)  # noqa: T201
    query = made.start(
        f"{place}/out",
        checkpoint=f"{place}/checkpoint",
        trigger={"availableNow": True},
        on_report=lambda report: print(report.batch, flush=True),  # noqa: T201
    )
    query.awaitTermination()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), *sys.argv[2:])
