"""`holdsfor run`, `stream` and `plan` with metric programs on Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from holdsfor.spark.java import JavaMissing, require_java
from tests.spark.metric_stream_simulated import replayed

RULES = """
Hot(X) :- Boxminus[0,2] High(X)
High(X) :- Diamondminus[0,1/3] Temp(X,N), N > 20
Pair(X,Y) :- Hot(X), Hot(Y), X < Y
"""
FACTS = "Temp(a,30)@[0,4]\nTemp(b,25)@[1,5)\nTemp(c,2)@[1,5)\nLater@9\nTemp(\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.dmtl").write_text(RULES)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "facts.txt").write_text(FACTS)
    return tmp_path


def command(folder: Path, *words: str) -> Any:
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    full = [sys.executable, "-c", "from holdsfor.cli import main; main()", *words]
    return subprocess.run(full, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def require_spark() -> None:
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))


def test_plan(folder: Path) -> None:
    found = command(folder, "plan", "rules.dmtl", "--spark")
    assert "makes   Pair/2, by its first argument" in found.stdout
    assert "gets    Hot/1 of stage 1, to every bucket" in found.stdout
    assert '"one_bucket": false' in command(folder, "plan", "rules.dmtl", "--spark", "--json").stdout


def test_what_makes_no_sense_is_told(folder: Path) -> None:
    found = command(folder, "run", "rules.dmtl", "--events", "in/facts.txt", "--engine", "spark", "--step", "1")
    assert found.returncode == 1
    assert "--step cannot be used with a .dmtl program on Spark" in found.stderr
    words = "stream rules.dmtl --source text --path in --checkpoint c --sink s --window 5".split()
    assert "--window cannot be used with a .dmtl program" in command(folder, *words).stderr


@pytest.mark.slow
def test_run_and_stream(folder: Path) -> None:
    require_spark()
    local = command(folder, "run", "rules.dmtl", "--events", "in/facts.txt")
    spark = "run rules.dmtl --events in/facts.txt --engine spark --master local[2] --partitions 2".split()
    found = command(folder, *spark)
    assert found.stdout == local.stdout != ""
    assert "3 facts read, 1 of names no rule knows, 1 malformed" in found.stderr
    words = "stream rules.dmtl --source text --path in --checkpoint checkpoint --sink out --side aside --once".split()
    streamed = command(folder, *words, "--lateness", "1/2", "--buckets", "2", "--master", "local[2]")
    assert streamed.stdout.startswith("batch 0: up to 8.5, 3 facts, 0 late, 1 malformed, 1 unused"), streamed.stderr
    rows = replayed(pq.read_table(folder / "out", partitioning=None).to_pylist())
    shown = {",".join([row[0], row[1]]) for row in rows}
    assert shown == {",".join(line.split(",")[:2]) for line in local.stdout.splitlines()[1:]}
