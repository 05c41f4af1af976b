"""Configures Spark sessions on one machine, and Python workers."""

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
    """Makes workers on this machine use the current Python, unless another one is configured."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def workers_like_driver(spark: SparkSession) -> None:
    """Makes the workers of an existing classic session on this machine use the current Python.

    PySpark uses `python3` from the path, which is another Python if an environment is used without being activated. A
    `PYSPARK_PYTHON` set by the user is not changed; it must provide holdsfor.
    """
    if "connect" in type(spark).__module__ or not (spark.conf.get("spark.master", "") or "").startswith("local"):
        return
    context: Any = spark.sparkContext
    if "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
        return
    chosen = shutil.which(context.pythonExec) or context.pythonExec
    # Packages sent along with the session are not on the interpreter's own path.
    if context._python_includes or Path(chosen).absolute() == Path(sys.executable).absolute() or _can_run_here(chosen):  # noqa: SLF001 -- PySpark has no other
        return
    raise HoldsforError(
        f"PYSPARK_PYTHON lets Spark's workers run {chosen}, which lacks holdsfor or is another version of Python; set it to "
        f"{sys.executable}"
    )


def usual_buckets(spark: SparkSession) -> int:
    """The default number of buckets of a stream: one per core of Spark, or Spark's number of shuffle partitions if it
    is configured.
    """
    shuffled = int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)
    return shuffled if shuffled != 200 else cores(spark)


def cores(spark: SparkSession) -> int:
    """The number of cores of Spark, measured by a small job: by default Spark divides a range by cores. Spark Connect
    and shared clusters do not expose their cores otherwise.
    """
    return max(1, spark.range(100_000).selectExpr("spark_partition_id() as part").distinct().count())


@cache
def _can_run_here(python: str) -> bool:
    """Whether another Python has the same version and the packages that workers need."""
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
    """Excludes loaded modules from garbage collection, once per worker.

    PySpark collects garbage after every task. With all loaded modules this takes longer than a small bucket.
    """
    gc.collect()
    gc.freeze()
