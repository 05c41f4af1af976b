"""A streaming query is killed in the middle of a batch, again and again: its table is that of a run that was not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.engine.changelog import CHANGES
from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.stream_files import local_rows, some_rows, stream_rows, write_file

ROOT = Path(__file__).parents[2]


def killed_after(folder: Path, seconds: float | None, process: str = "tests.spark.stream_process") -> bool:
    """Run the query, and kill it so long after it has started; whether it was done before that."""
    command = [sys.executable, "-m", process, str(folder)]
    quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **quiet) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if line.startswith("started"):
                break
        timer = threading.Timer(3600 if seconds is None else seconds, os.killpg, (running.pid, signal.SIGKILL))
        timer.start()
        running.stdout.read()
        done = running.wait() == 0
        timer.cancel()
        return done


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    rng = random.Random(seed)
    rows = some_rows(seed, 1, 200, each=6)
    for number in range(10):
        write_file(tmp_path / "in", number, rows[120 * number : 120 * number + 120])
    kills = 0
    while kills < 8 and not killed_after(tmp_path, rng.uniform(0.2, 9)):
        kills += 1
    assert kills
    assert kills < 8 or killed_after(tmp_path, None)
    changes = pq.ParquetDataset(sorted((tmp_path / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()
    assert stream_rows(changes, 190) == local_rows(rows, 190)
    assert len({(row["id"], row["query_time"]) for row in changes.to_pylist()}) == len(changes)
