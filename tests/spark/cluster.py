"""A stand-alone Spark cluster on this machine, from the files of the PyPI package: a master, and workers with homes of
their own.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyspark

_HOME = Path(pyspark.__file__).parent
_PATIENCE = 300


@contextmanager
def cluster(folder: Path, workers: int = 1, cores: int = 2, hidden: Sequence[Path] = ()) -> Iterator[str]:
    """The address of a cluster, which is gone afterwards. Workers find the hidden folders empty: that needs `unshare`."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        master = folder / "master.log"
        arguments = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        running.append(_started("master.Master", arguments, master, folder))
        address = _found(master, r"spark://127\.0\.0\.1:\d+")
        for number in range(workers):
            log = folder / f"worker-{number}.log"
            arguments = ["--host", "127.0.0.1", "--webui-port", "0", "--cores", str(cores), "--memory", "1g"]
            arguments += ["--work-dir", str(folder / f"work-{number}"), address]
            running.append(_started("worker.Worker", arguments, log, folder, hidden))
            _found(log, "Successfully registered with master")
        yield address
    finally:
        for process in reversed(running):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _started(
    name: str, arguments: list[str], log: Path, folder: Path, hidden: Sequence[Path] = ()
) -> subprocess.Popen[bytes]:
    command = [str(_HOME / "bin/spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    if hidden:
        mounts = [f"mount -t tmpfs none {shlex.quote(str(path))}" for path in hidden]
        command = ["unshare", "-m", "sh", "-ec", "; ".join([*mounts, f"exec {shlex.join(command)}"])]
    environment = {**os.environ, "SPARK_HOME": str(_HOME), "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as out:
        return subprocess.Popen(
            command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )


def _found(log: Path, pattern: str) -> str:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        found = re.search(pattern, log.read_text())
        if found:
            return found.group()
        time.sleep(0.2)
    raise TimeoutError(f"{log} does not say {pattern}: {log.read_text()[-2000:]}")
