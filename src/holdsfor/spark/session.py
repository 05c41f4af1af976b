"""Settings of a Spark session on one machine."""

from __future__ import annotations

import os
import sys


def worker_python() -> None:
    """Let workers on this machine run the Python that runs here, unless something else was asked for."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
