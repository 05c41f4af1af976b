"""A stream on a cluster whose Python workers have another checkpoint folder: `… FOLDER MASTER [elsewhere]`.

On one machine all processes see the same files. Workers with `HOLDSFOR_TEST_ELSEWHERE` put whatever they read and write
below that folder, as a disk of another machine would.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark import recognise_stream
from tests.spark.stream_files import MAPPING, RULES, STEP, WINDOW, file_stream


def elsewhere() -> None:
    """Let the stores of this process, if it is a worker, be on another disk."""
    import os

    from holdsfor.spark.streaming import store

    other = os.environ.get("HOLDSFOR_TEST_ELSEWHERE")
    if other is None or getattr(store, "is_elsewhere", False):
        return
    place_of = store.place_of

    def place_elsewhere(folder: str) -> tuple[Any, str]:
        system, path = place_of(folder)
        return system, f"{other}{path}"

    store.place_of = place_elsewhere
    store.is_elsewhere = True  # type: ignore[attr-defined]


def main(folder: Path, master: str, kind: str = "shared") -> None:
    """Follow the files in a folder until there are no more."""
    from pyspark.sql import SparkSession

    from holdsfor.spark.session import worker_python
    from holdsfor.spark.streaming import query as query_module
    from holdsfor.spark.streaming.opening import wait_for

    worker_python()
    root = Path(__file__).parents[2]
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.executor.memory", "600m").config("spark.sql.codegen.wholeStage", "false")
    builder = builder.config("spark.executorEnv.PYTHONPATH", f"{root}/src:{root}")
    if kind != "shared":
        builder = builder.config("spark.executorEnv.HOLDSFOR_TEST_ELSEWHERE", str(folder / "other"))
        builder = builder.config("spark.python.daemon.module", "tests.spark.cluster_daemon")
    if kind == "unasked":
        # As if executors had come after the run began.
        query_module.probe = lambda *_: None
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        made = recognise_stream(
            loads(RULES),
            file_stream(spark, folder / "in"),
            mapping=MAPPING,
            window=WINDOW,
            step=STEP,
            start=0,
            buckets=4,
        )
        query = made.start(str(folder / "out"), checkpoint=str(folder / "checkpoint"), trigger={"availableNow": True})
        wait_for(query)
        print("done", flush=True)  # noqa: T201
    except HoldsforError as problem:
        print(f"refused: {problem}", flush=True)  # noqa: T201
    finally:
        spark.stop()


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]), *sys.argv[2:])
