"""A stream of facts in a process of its own, to be killed: `python -m tests.spark.metric_stream_process FOLDER`."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from pyspark.sql import SparkSession

from holdsfor.diagnostics import Source
from holdsfor.metric import from_metric_sources
from holdsfor.spark import materialise_stream
from holdsfor.spark.session import worker_python

RULES = """
Hot(X) :- Boxminus[0,2] High(X)
High(X) :- Diamondminus[0,1/2] Temp(X,N), N > 20
Pair(X,Y) :- Hot(X), Hot(Y), X < Y
Any :- Pair(X,Y)
"""


def main(folder: Path) -> None:
    """Follow the files in a folder until there are no more."""
    worker_python()
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .getOrCreate()
    )
    stream = spark.readStream.option("maxFilesPerTrigger", 1).text(str(folder / "in"))
    made = materialise_stream(from_metric_sources([Source("rules.dmtl", RULES)]), stream, buckets=2)
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
    main(Path(sys.argv[1]))
