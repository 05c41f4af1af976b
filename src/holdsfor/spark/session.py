"""Settings of a Spark session on one machine, and of the Python workers."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdsfor.diagnostics import HoldsforError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def worker_python() -> None:
    """Let workers on this machine run the Python that runs here, unless something else was asked for."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def workers_like_driver(spark: SparkSession) -> None:
    """Let the workers of a classic session that somebody else made on this machine run the Python that runs here.

    PySpark looks for `python3` on the path, which is another Python where an environment is used without being
    activated. What the user chose with `PYSPARK_PYTHON` stays as it is, and must have holdsfor.
    """
    if "connect" in type(spark).__module__ or not (spark.conf.get("spark.master", "") or "").startswith("local"):
        return
    context: Any = spark.sparkContext
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
        return
    chosen = shutil.which(context.pythonExec) or context.pythonExec
    # Packages that were sent along with the session are not where an interpreter would look for them.
    if context._python_includes or Path(chosen).absolute() == Path(sys.executable).absolute() or _can_run_here(chosen):  # noqa: SLF001 -- PySpark has no other
        return
    raise HoldsforError(
        f"PYSPARK_PYTHON lets Spark's workers run {chosen}, which lacks holdsfor or is another version of Python; set it to "
        f"{sys.executable}"
    )


def usual_buckets(spark: SparkSession) -> int:
    """How many buckets a stream has if nobody says: one for each core that Spark has, or as many as it was told to shuffle
    into.
    """
    shuffled = int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    return shuffled if shuffled != 200 else cores(spark)


def cores(spark: SparkSession) -> int:
    """How many cores Spark has, by a small job: it divides a range by them if nobody says otherwise. Spark Connect and shared
    clusters show nothing else of their cores.
    """
    return max(1, spark.range(100_000).selectExpr("spark_partition_id() as part").distinct().count())


@cache
def _can_run_here(python: str) -> bool:
    """Whether another Python is of the same version and has what workers need."""
    test = (
        "import sys, importlib.util as u; "
        f"sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])} or "
        "not all(map(u.find_spec, ('holdsfor', 'numpy', 'pyarrow'))))"
    )
    try:
        done = subprocess.run([python, "-c", test], capture_output=True, timeout=60, check=False)  # noqa: S603 -- the path is the Python that Spark itself would run
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@cache
def spare_worker() -> None:
    """Leave what a worker has loaded out of its garbage collections, once in its life.

    PySpark collects garbage after every task. With all the modules that are loaded, that takes longer than a small
    bucket does.
    """
    gc.collect()
    gc.freeze()
