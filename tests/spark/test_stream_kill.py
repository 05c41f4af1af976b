"""A streaming query is killed in the middle of a batch, again and again: its table is that of a run that was not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.engine.changelog import CHANGES
from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.stream_files import RULE_SETS, local_rows, some_rows, stream_rows, write_file

ROOT = Path(__file__).parents[2]


def killed_after(
    folder: Path, seconds: float | None, process: str = "tests.spark.stream_process", *options: str
) -> bool:
    """Run the query, and kill it so long after it has started; whether it was done before that."""
    command = [sys.executable, "-m", process, str(folder), *options]
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


def drop_unbegun(checkpoint: Path) -> None:
    """Delete a checkpoint without one whole offset, as Spark asks for: it refuses to go on with what it left unfinished."""
    offsets = checkpoint / "offsets"
    if offsets.exists() and not any(entry.name.isdigit() for entry in offsets.iterdir()):
        shutil.rmtree(checkpoint)


def check_kills(folder: Path, seed: int, most: int, kind: str, rules: str) -> None:
    """Kill a query at random moments: it loses nothing, and reports nothing twice."""
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    rng = random.Random(seed)
    rows = some_rows(seed, 1, 200, each=6)
    # All rows of a time-point are in one file: those that come after their query time would be seen at the next.
    size = 6 * -(-199 // (2 * most))
    for number in range(-(-len(rows) // size)):
        write_file(folder / "in", number, rows[size * number : size * number + size])
    process = "tests.spark.stream_process", kind, rules
    kills = 0
    while kills < most and not killed_after(folder, rng.uniform(0.2, 9), *process):
        kills += 1
        drop_unbegun(folder / "checkpoint")
    assert kills
    assert kills < most or killed_after(folder, None, *process)
    changes = pq.ParquetDataset(sorted((folder / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()
    assert stream_rows(changes, 190) == local_rows(rows, 190, rules=RULE_SETS[rules])
    assert len({(row["id"], row["query_time"]) for row in changes.to_pylist()}) == len(changes)


def test_killed_on_a_store_of_sparks(tmp_path: Path) -> None:
    check_kills(tmp_path, 3, 3, "viewfs", "meetings")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["classic", "viewfs"])
@pytest.mark.parametrize("rules", RULE_SETS)
def test_killed_again_and_again(tmp_path: Path, kind: str, rules: str) -> None:
    """A hundred kills over all of them, if the queries take long enough."""
    check_kills(tmp_path, len(kind) + len(rules), 17, kind, rules)
