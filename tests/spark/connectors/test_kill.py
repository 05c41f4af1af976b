"""Kill the process at random moments and start it again: every message arrives exactly once."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("pyspark.sql.streaming.datasource", reason="needs PySpark 4.2: pip install 'holdsfor[spark]'")

from tests.spark.connectors.test_nats import new_stream, publish
from tests.spark.connectors.test_postgres import execute, new_table

ROUNDS, EACH = 4, 400
ROOT = Path(__file__).parents[3]


def pump(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.spark.connectors.pump", *arguments]
    return subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE)


def numbered(count: int) -> list[tuple[str, bytes]]:
    return [("in", b'{"n": %d}' % number) for number in range(count)]


@pytest.mark.slow
def test_killed_and_started_again(spark: object, nats_url: str, postgres_url: str, tmp_path: Path) -> None:
    chance = random.Random(7)
    stream = new_stream(nats_url)
    table = new_table(postgres_url, "n bigint, sequence bigint, _malformed text")
    arguments = ("classic", nats_url, stream, postgres_url, table, str(tmp_path))
    messages = numbered(ROUNDS * EACH)
    seen = 0
    for start in range(0, len(messages), EACH):
        publish(nats_url, stream, messages[start : start + EACH])
        process = pump(*arguments)
        while execute(postgres_url, f"SELECT count(*) FROM {table}") == [(seen,)] and process.poll() is None:
            time.sleep(0.02)
        # Some batches later, in the middle of something.
        time.sleep(chance.random() * 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        [(now,)] = execute(postgres_url, f"SELECT count(*) FROM {table}")
        assert seen < now and now % 50 == 0
        seen = now
    process = pump(*arguments)
    problems = process.communicate()[1]
    assert process.returncode == 0, problems.decode()
    found = execute(postgres_url, f"SELECT n, sequence, _malformed FROM {table} ORDER BY n")
    assert found == [(number, number + 1, None) for number in range(len(messages))]


@pytest.mark.slow
def test_on_connect(nats_url: str, postgres_url: str, tmp_path: Path) -> None:
    stream = new_stream(nats_url, numbered(70))
    table = new_table(postgres_url, "n bigint, sequence bigint, _malformed text")
    process = pump("connect", nats_url, stream, postgres_url, table, str(tmp_path))
    problems = process.communicate()[1]
    assert process.returncode == 0, problems.decode()
    found = execute(postgres_url, f"SELECT n FROM {table} ORDER BY n")
    assert found == [(number,) for number in range(70)]
