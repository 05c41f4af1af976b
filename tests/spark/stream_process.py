"""A streaming query in a process of its own, to be killed: `python -m tests.spark.stream_process FOLDER [connect]`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from holdsfor import loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.session import worker_python
from tests.spark.stream_files import MAPPING, RULES, STEP, WINDOW, file_stream


def main(folder: Path, kind: str = "classic") -> None:
    """Follow the files in a folder until there are no more."""
    if kind == "connect":
        worker_python()
        follow(SparkSession.builder.remote("local[2]").getOrCreate(), folder)
        return
    follow(small_session(), folder)


def small_session() -> SparkSession:
    """A session that is quick to start, for a short life."""
    worker_python()
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .getOrCreate()
    )


def follow(spark: SparkSession, folder: Path) -> None:
    """Run the query."""
    made = recognise_stream(
        loads(RULES), file_stream(spark, folder / "in"), mapping=MAPPING, window=WINDOW, step=STEP, start=0, buckets=2
    )
    run_to_the_end(made, folder)


def run_to_the_end(made: Any, folder: Path) -> None:
    """Run a query over all that is there, and say so at every batch: that is when to be killed."""
    print("started", flush=True)  # noqa: T201
    query = made.start(
        str(folder / "out"),
        checkpoint=str(folder / "checkpoint"),
        trigger={"availableNow": True},
        on_report=lambda report: print(report.batch, flush=True),  # noqa: T201
    )
    query.awaitTermination()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), *sys.argv[2:])
