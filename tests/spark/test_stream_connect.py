"""Streaming over Spark Connect: the batches are worked on in a process of the server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.columns.changelog import CHANGES
from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.stream_files import local_rows, some_rows, stream_rows, write_file

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_remote_session(tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    pytest.importorskip("grpc")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    rows = some_rows(1, 1, 75)
    for number in range(3):
        write_file(tmp_path / "in", number, rows[75 * number : 75 * number + 75])
    command = [sys.executable, "-m", "tests.spark.stream_process", str(tmp_path), "connect"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    for _ in range(3):
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=900, check=False
        )
        # Spark waits no longer than 10 seconds for its worker, which a busy machine may need.
        if "worker failed to connect back" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr[-3000:]
    changes = pq.ParquetDataset(sorted((tmp_path / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()
    assert stream_rows(changes, 70) == local_rows(rows, 70)
