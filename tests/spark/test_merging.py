"""Changelogs go to tables with MERGE: all of it, or what holds. A batch that comes twice changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor import loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming.merging import ChangelogTable, CurrentTable
from holdsfor.spark.streaming.sinks import Memory, replayed
from tests.docs.pages import DOCS, blocks
from tests.spark.merged import Tables
from tests.spark.stream_files import MAPPING, RULES, STEP, WINDOW, file_stream, some_rows, write_file

pytestmark = pytest.mark.filterwarnings("ignore")
NOW = {"availableNow": True}
MADE = next(block.text for block in blocks(DOCS / "howto/lakehouse.md") if block.language == "sql")


class Twice:
    """A sink that gets every batch twice, as after a crash, and sees that the second time changes nothing."""

    def __init__(self, tables: Tables) -> None:
        self.tables, self.memory = tables, Memory()
        self.log, self.now = ChangelogTable("stops_log"), CurrentTable("stops_now")

    def __call__(self, rows: Any, batch: int) -> None:
        self.memory(rows, batch)
        seen = []
        for _ in range(2):
            self.log(rows, batch)
            self.now(rows, batch)
            seen.append((self.tables.rows("stops_log"), self.tables.rows("stops_now")))
        assert seen[0] == seen[1]


def late_files(folder: Path) -> None:
    """Files in which every fifth row comes one file later, so that results are revised."""
    rows = some_rows(5, 1, 75)
    files = [rows[45 * number : 45 * number + 45] for number in range(5)]
    for number, found in enumerate(files):
        before = files[number - 1][::5] if number else []
        write_file(folder, number, [*before, *(row for place, row in enumerate(found) if place % 5)])


def test_tables_have_what_the_changelog_says(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late_files(tmp_path / "in")
    tables = Tables(spark, monkeypatch)
    tables.create(MADE)
    sink = Twice(tables)
    stream = file_stream(spark, tmp_path / "in")
    made = recognise_stream(loads(RULES), stream, mapping=MAPPING, window=WINDOW, step=STEP, start=0, buckets=2)
    made.start(sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW).awaitTermination()
    changes = sink.memory.table()
    assert {"open", "close", "retract"} <= set(changes["op"].to_pylist())
    assert len(sink.memory.batches) > 2
    told = tables.database.execute("select * exclude batch from stops_log").to_arrow_table()
    order = [("query_time", "ascending"), ("id", "ascending")]
    assert told.sort_by(order).to_pylist() == changes.sort_by(order).to_pylist()
    wanted = {tuple(row) for row in replayed(spark.createDataFrame(changes)).collect()}
    held = tables.database.execute('select fluent, "value", start, "end", id from stops_now').fetchall()
    assert len(held) == len(wanted)
    assert set(held) == wanted
    # A batch of long ago does not overwrite what has become of its intervals.
    first = min(sink.memory.batches)
    before = tables.rows("stops_now")
    assert any(row[-1] > first for row in before)
    sink.now(spark.createDataFrame(sink.memory.batches[first]), first)
    assert set(before) <= set(tables.rows("stops_now"))


def test_events_and_arguments(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changelogs of derived events, and of one fluent, have other columns."""
    tables = Tables(spark, monkeypatch)
    tables.create(
        "create table happened (id string, event string, time bigint, query_time bigint, who string, batch bigint)"
    )
    columns = "id string, op string, event string, time bigint, query_time bigint, who string"
    sink = CurrentTable("happened")
    sink(spark.createDataFrame([("1", "happen", "e(a)", 3, 10, "a"), ("2", "happen", "e(b)", 4, 10, "b")], columns), 0)
    last = [
        ("1", "retract", "e(a)", 3, 20, "a"),
        ("2", "retract", "e(b)", 4, 20, "b"),
        ("2", "happen", "e(b)", 4, 30, "b"),
    ]
    sink(spark.createDataFrame(last, columns), 1)
    assert tables.rows("happened") == [("2", "e(b)", 4, 30, "b", 1)]


def test_spark_takes_the_statement_up_to_the_table(spark: Any, tmp_path: Path) -> None:
    """A table of Spark's own knows no MERGE: that is all that it complains of."""
    from pyspark.errors import PySparkException

    columns = "id string, fluent string, value string, start bigint, `end` bigint, query_time bigint"
    spark.sql(f"create table plain_now ({columns}, batch bigint) using parquet location '{tmp_path}/now'")
    try:
        rows = spark.createDataFrame(
            [("1", "open", "f(a)", "true", 1, None, 10)], columns.replace("id string", "id string, op string")
        )
        with pytest.raises(PySparkException, match="MERGE INTO TABLE"):
            CurrentTable("plain_now")(rows, 0)
    finally:
        spark.sql("drop table plain_now")
