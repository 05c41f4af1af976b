"""A streaming query is killed in the middle of a batch, again and again: its table is that of a run that was not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.columns.changelog import CHANGES
from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.stream_files import RULE_SETS, Row, local_rows, some_rows, stream_rows, write_file

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


def check_kills(folder: Path, seed: int, most: int, kind: str, rules: str, size: str = "small") -> int:
    """Kill a query at random moments: it loses nothing, and reports nothing twice. How often it was killed."""
    rows = write_rows(folder, seed, most)
    rng, process = random.Random(seed), ("tests.spark.stream_process", kind, rules, size)
    kills = 0
    while kills < most and not killed_after(folder, rng.uniform(0.2, 9), *process):
        kills += 1
        drop_unbegun(folder / "checkpoint")
    assert kills
    assert kills < most or killed_after(folder, None, *process)
    check_changes(folder, rows, rules)
    return kills


def write_rows(folder: Path, seed: int, kills: int) -> list[Row]:
    """Files for a query that is to be killed so often: all rows of a time-point are in one file, for those that come after
    their query time would be seen at the next.
    """
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    rows = some_rows(seed, 1, 200, each=6)
    size = 6 * -(-199 // (2 * kills))
    for number in range(-(-len(rows) // size)):
        write_file(folder / "in", number, rows[size * number : size * number + size])
    return rows


def check_changes(folder: Path, rows: list[Row], rules: str) -> None:
    """The changelog is that of a local run, and nothing is in it twice."""
    changes = pq.ParquetDataset(sorted((folder / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()
    assert stream_rows(changes, 190) == local_rows(rows, 190, rules=RULE_SETS[rules])
    assert len({(row["id"], row["query_time"]) for row in changes.to_pylist()}) == len(changes)


def test_killed_on_a_store_of_sparks(tmp_path: Path) -> None:
    check_kills(tmp_path, 3, 3, "viewfs", "meetings")


@pytest.mark.slow
@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("kind", ["classic", "viewfs"])
@pytest.mark.parametrize("rules", RULE_SETS)
def test_killed_again_and_again(tmp_path: Path, kind: str, rules: str, size: str) -> None:
    """A hundred kills over all of them, if the queries take long enough: of batches that the driver works on, and of those
    that Spark's workers do.
    """
    check_kills(tmp_path, len(kind) + len(rules), 9, kind, rules, size)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS)
def test_executors_are_killed(tmp_path: Path, rules: str) -> None:
    """Executors of a cluster are killed at random moments, and sometimes the driver: Spark runs their tasks again."""
    from tests.spark.cluster import cluster

    rows, rng = write_rows(tmp_path, len(rules), 15), random.Random(len(rules))
    with cluster(tmp_path, workers=2, cores=1) as master:
        executors = Executors(tmp_path, rng)
        process = "tests.spark.stream_process", master, rules, "large"
        drivers = 0
        with executors:
            while not killed_after(tmp_path, rng.uniform(20, 40) if drivers < 2 else None, *process):
                drivers += 1
                drop_unbegun(tmp_path / "checkpoint")
                assert drivers < 3, "the query failed by itself"
        assert executors.killed
    check_changes(tmp_path, rows, rules)


class Executors(threading.Thread):
    """Kills executors of the cluster in a folder, Java and Python, one every few seconds."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        super().__init__()
        self._folder, self._rng, self._ended = folder, rng, threading.Event()
        self.killed: list[str] = []

    def __enter__(self) -> None:
        self.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        while not self._ended.wait(self._rng.uniform(1, 8)):
            found = list(self._running())
            if found:
                pid, name = self._rng.choice(found)
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(name)

    def _running(self) -> Iterator[tuple[int, str]]:
        """Processes that work for an application of the cluster."""
        for entry in Path("/proc").iterdir():
            with suppress(OSError):
                if entry.name.isdigit() and str((entry / "cwd").readlink()).startswith(f"{self._folder}/work-"):
                    yield int(entry.name), (entry / "comm").read_text().strip()
