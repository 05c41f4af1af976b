"""Alerts of a stream on Spark: told in the batch, the same again if it is run again; metrics beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from holdsfor.alerts import Alert
from holdsfor.spark.streaming.alerting import AlertingDirectory, AlertSink
from tests.spark.stream_files import some_rows, write_file
from tests.spark.test_stream_command import folder, stream

__all__ = ["folder"]
pytestmark = pytest.mark.filterwarnings("ignore")
FILES = ("--source", "parquet", "--path", "@in")


def test_lines_of_json_on_standard_output(folder: Path) -> None:
    write_file(folder / "in", 0, some_rows(5, 1, 60))
    result = stream(*FILES, "--alerts", "-", "--metrics", "0")
    assert result.exit_code == 0, result.output
    told = [json.loads(line) for line in result.stdout.splitlines()]
    written = [row for file in (folder / "out").glob("batch=*/*.parquet") for row in pq.read_table(file).to_pylist()]
    assert len(told) == len(written) > 0
    assert {one["id"] for one in told} == {row["id"] for row in written}
    assert len({one["delivery"] for one in told}) == len(told)
    assert re.search(r"batch 0: query time", result.stderr)


def test_a_batch_that_is_run_again_tells_the_same(spark: Any, tmp_path: Path) -> None:
    columns = "id string, op string, fluent string, value string, start bigint, `end` bigint, query_time bigint, causes array<string>"
    rows = [
        ("a", "open", "f(x)", "true", 3, None, 10, []),
        ("a", "close", "f(x)", "true", 3, 12, 20, ["late e(x) at 11"]),
    ]
    changes = spark.createDataFrame(rows, columns)
    told: list[list[Alert]] = []
    sink = AlertSink(lambda alerts: told.append(list(alerts)))
    sink(changes, 3)
    sink(changes, 3)
    assert [one.action for one in told[0]] == ["open", "close"]
    assert told[0] == told[1]
    AlertingDirectory(str(tmp_path / "out"), "json", send=sink.send)(changes, 3)
    assert told[2] == told[0]
    assert list((tmp_path / "out" / "batch=3").glob("part-*"))


def test_not_with_columns(folder: Path) -> None:
    write_file(folder / "in", 0, some_rows(5, 1, 20))
    result = stream(*FILES, "--alerts", "-", "--columns")
    assert result.exit_code != 0
    assert "omit --columns" in result.output
