"""Settings of a Spark session on one machine, and of the Python workers."""

from __future__ import annotations

import gc
import os
import sys
from functools import cache


def worker_python() -> None:
    """Let workers on this machine run the Python that runs here, unless something else was asked for."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


@cache
def spare_worker() -> None:
    """Leave what a worker has loaded out of its garbage collections, once in its life.

    PySpark collects garbage after every task. With all the modules that are loaded, that takes longer than a small
    bucket does.
    """
    gc.collect()
    gc.freeze()
