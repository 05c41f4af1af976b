"""Streams on a stand-alone cluster, and processes of Spark that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdsfor.columns.changelog import CHANGES
from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.stream_files import RULES, local_rows, some_rows, stream_rows, write_file

pytest.importorskip("pyspark")
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def java() -> None:
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))


def on_cluster(folder: Path, master: str, kind: str) -> str:
    command = [sys.executable, "-m", "tests.spark.cluster_process", str(folder), master, kind]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout or done.stderr


def test_executors_must_see_the_checkpoint(tmp_path: Path) -> None:
    from tests.spark.cluster import cluster

    rows = some_rows(4, 1, 60)
    with cluster(tmp_path) as master:
        for kind in ("elsewhere", "unasked", "shared"):
            folder = tmp_path / kind
            folder.mkdir()
            for number in range(2):
                write_file(folder / "in", number, rows[90 * number : 90 * number + 90])
            said = on_cluster(folder, master, kind)
            if kind == "elsewhere":
                assert "refused: the executor on " in said
                assert f"does not see the driver's folder {folder}/checkpoint" in said
                assert not list((folder / "out").glob("batch=*"))
            elif kind == "unasked":
                # Executors that come later are not asked; what they write is missed.
                assert "files that workers wrote to" in said
                assert "are not there" in said
                assert not list((folder / "checkpoint/holdsfor").glob("*/commit.json"))
            else:
                assert said.strip() == "done"
                files = sorted((folder / "out").glob("batch=*/*.parquet"))
                changes = pq.ParquetDataset(files, schema=CHANGES).read()
                assert stream_rows(changes, 50) == local_rows(rows, 50)


COMMAND = ["--mapping", "mapping.toml", "--window", "30", "--step", "10", "--start", "0", "--once", "--buckets", "2"]
COMMAND += ["--source", "parquet", "--path", "in", "--history", "before", "--checkpoint", "checkpoint", "--sink", "out"]
MAPPING = 'name = "name"\ntime = "time"\n'
MAPPING += "".join(f'event.{name}.args = ["a"]\n' for name in ("go", "stop"))
MAPPING += "".join(f'event.{name}.args = ["a", "b"]\n' for name in ("meet", "part"))


def followed(folder: Path, kill: str | None) -> tuple[int, str]:
    """`holdsfor stream` in a process of its own; all of it, or its Java process, is killed when it has begun to work."""
    command = [sys.executable, "-m", "holdsfor", "stream", "rules.prolog", *COMMAND, "--master", "local[2]"]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/src"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **pipes) as running:
        seen = folder / "checkpoint/holdsfor/-1/rows"
        stopped = threading.Event()

        def watch() -> None:
            while not stopped.wait(0.01):
                if seen.exists():
                    if kill == "all":
                        os.killpg(running.pid, signal.SIGKILL)
                    else:
                        found = subprocess.run(
                            ["pgrep", "-g", str(running.pid), "java"], capture_output=True, text=True, check=False
                        )
                        for pid in found.stdout.split():
                            os.kill(int(pid), signal.SIGKILL)
                    return

        watching = threading.Thread(target=watch)
        if kill:
            watching.start()
        assert running.stdout is not None
        said = running.stdout.read()
        stopped.set()
        return running.wait(), said


def test_a_history_that_is_killed(tmp_path: Path) -> None:
    rows = some_rows(9, 1, 400, each=6)
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "mapping.toml").write_text(MAPPING)
    write_file(tmp_path / "before", 0, rows[:2000])
    write_file(tmp_path / "in", 0, rows[2000:])
    code, said = followed(tmp_path, "java")
    assert code == 1
    assert "error: Spark's Java process has ended: it was killed" in said
    assert "Traceback" not in said
    code, _ = followed(tmp_path, "all")
    assert code == -signal.SIGKILL
    code, said = followed(tmp_path, None)
    assert code == 0, said
    assert "batch -1" in said
    changes = pq.ParquetDataset(sorted((tmp_path / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()
    assert stream_rows(changes, 390) == local_rows(rows, 390)
