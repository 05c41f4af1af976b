"""Structured Streaming reports what the engine does: files in, a changelog out."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming.commits import last_commit
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.sinks import Memory, latest, replayed, snapshot
from holdsfor.spark.streaming.store import Store
from tests.spark.stream_files import (
    COLUMNS,
    MAPPING,
    RULES,
    STEP,
    WINDOW,
    file_stream,
    local_rows,
    some_rows,
    stream_rows,
    write_file,
)

pytestmark = pytest.mark.filterwarnings("ignore")
NOW = {"availableNow": True}


def recognition(spark: Any, folder: Path, **options: Any) -> Any:
    given = {"mapping": MAPPING, "window": WINDOW, "step": STEP, "start": 0, "buckets": 2} | options
    return recognise_stream(loads(RULES), file_stream(spark, folder), **given)


def test_files_are_followed(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(1, 1, 75)
    for number in range(3):
        write_file(tmp_path / "in", number, rows[75 * number : 75 * number + 75])
    sink, reports = Memory(), []
    query = recognition(spark, tmp_path / "in").start(
        sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW, on_report=reports.append
    )
    query.awaitTermination()
    assert stream_rows(sink.table(), 70) == local_rows(rows, 70)
    assert [report.query_time for report in reports] == [20, 50, 70]
    assert sum(report.events for report in reports) == len(rows)
    assert [observed(progress) for progress in query.recentProgress] == [
        (75, 0, 1, 25),
        (75, 0, 26, 50),
        (72, 0, 51, 74),
    ]
    check_views(spark, sink)


def observed(progress: Any) -> tuple[int, int, int, int]:
    """What listeners of a query are told."""
    found = progress["observedMetrics"]["holdsfor"]
    return found["events"], found["malformed"], found["first"], found["last"]


def check_views(spark: Any, sink: Memory) -> None:
    """The views of a changelog in Spark are those of the engine."""
    changes = spark.createDataFrame(sink.table())
    seen = {tuple(row) for row in snapshot(changes, 60, WINDOW).collect()}
    wanted = {
        row[:-1] + (None if row[-1] == 10**18 else row[-1],) for row in stream_rows(sink.table(), 70) if row[0] == 60
    }
    assert seen == wanted
    assert latest(changes).count() == len(set(sink.table()["id"].to_pylist()))
    assert replayed(changes).where("end is null").count() > 0


def test_a_sink_that_fails_gets_the_same_batch_again(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(2, 1, 50)
    for number in range(2):
        write_file(tmp_path / "in", number, rows[75 * number : 75 * number + 75])
    sink, failures = Memory(), [1]

    def frail(changes: Any, batch: int) -> None:
        if batch == 1 and failures:
            failures.pop()
            raise ConnectionError("the table is locked")
        sink(changes, batch)

    started = recognition(spark, tmp_path / "in")
    where = str(tmp_path / "checkpoint")
    with pytest.raises(Exception, match="the table is locked"):
        started.start(frail, checkpoint=where, trigger=NOW).awaitTermination()
    started.start(frail, checkpoint=where, trigger=NOW).awaitTermination()
    assert stream_rows(sink.table(), 40) == local_rows(rows, 40)


def test_history_then_live(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(3, 1, 75)
    history, live = rows[:120], rows[120:]
    write_file(tmp_path / "history", 0, history)
    write_file(tmp_path / "in", 0, live)
    sink, where = Memory(), str(tmp_path / "checkpoint")
    started = recognition(spark, tmp_path / "in")
    nothing = spark.createDataFrame([], COLUMNS)
    assert started.backfill(nothing, sink, checkpoint=str(tmp_path / "empty")).events == 0
    report = started.backfill(spark.read.parquet(str(tmp_path / "history")), sink, checkpoint=where)
    assert (report.batch, report.query_time) == (-1, 40)
    started.start(sink, checkpoint=where, trigger=NOW).awaitTermination()
    assert stream_rows(sink.table(), 70) == local_rows(rows, 70)
    with pytest.raises(HoldsforError, match="has begun"):
        started.backfill(spark.read.parquet(str(tmp_path / "history")), sink, checkpoint=where)
    with pytest.raises(HoldsforError, match="was made with window 30, not 60"):
        recognition(spark, tmp_path / "in", window=60).start(sink, checkpoint=where)


def test_rows_that_cannot_be_used_are_put_aside(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, [("go", 5, "a", ""), ("go", 65, "a", ""), ("swim", 66, "a", "")])
    late: Any = [("stop", 20, "a", ""), ("stop", 50, "a", ""), ("go", 61, None, ""), ("go", 71, "b", "")]
    write_file(tmp_path / "in", 1, late)
    sink, side, reports = Memory(), Memory(), []
    query = recognition(spark, tmp_path / "in").start(
        sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW, side=side, on_report=reports.append
    )
    query.awaitTermination()
    assert [(report.events, report.late, report.malformed) for report in reports] == [(2, 0, 0), (2, 1, 1)]
    assert [observed(progress) for progress in query.recentProgress] == [(2, 0, 5, 65), (3, 1, 20, 71)]
    found = side.table().to_pylist()
    assert sorted((row["batch"], row["reason"], json.loads(row["row"])["time"]) for row in found) == [
        (1, "late", 20),
        (1, "malformed", 61),
    ]


def test_several_streams_with_retractions(spark: Any, tmp_path: Path) -> None:
    columns = "time bigint, vessel string, wrong boolean"
    rules = loads(
        "initiatedAt(on(X)=true,T) :- happensAt(go(X),T).\nterminatedAt(on(X)=true,T) :- happensAt(stop(X),T)."
    )
    streams = {}
    for name, rows in {
        "go": [(2, "a", False), (3, "b", False), (25, "c", False)],
        "stop": [(4, "a", False), (4, "a", True), (5, "b", False), (6, "d", True)],
    }.items():
        folder = str(tmp_path / name)
        spark.createDataFrame(rows, columns).coalesce(1).write.json(folder)
        streams[name] = spark.readStream.schema(columns).json(folder)
    sink, side, reports = Memory(), Memory(), []
    made = recognise_stream(rules, streams, window=30, step=10, start=0, retracted="wrong", buckets=2)
    query = made.start(sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW, side=side, on_report=reports.append)
    query.awaitTermination()
    found = {(r["fluent"], r["start"], r["end"]) for r in sink.table().to_pylist() if r["query_time"] == 10}
    assert found == {("on(a)", 3, None), ("on(b)", 4, 6)}
    assert sum(report.unmatched for report in reports) == 1
    assert [observed(progress) for progress in query.recentProgress] == [(7, 0, 2, 25)]
    assert [json.loads(row["row"])["what"] for row in side.table().to_pylist()] == ["stop(d)"]


def test_a_source_that_says_nothing_lets_the_clock_go_on(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, [("go", 8, "a", ""), ("stop", 9, "a", "")])
    reports: list[Report] = []
    query = recognition(spark, tmp_path / "in", idle="1 second").start(
        Memory(), checkpoint=str(tmp_path / "checkpoint"), on_report=reports.append
    )
    try:
        for _ in range(600):
            if (reports and reports[-1].query_time == STEP) or not query.isActive:
                break
            time.sleep(0.1)
    finally:
        query.stop()
    assert query.exception() is None
    assert reports[-1].query_time == STEP
    assert sum(report.events for report in reports) == 2


def test_a_checkpoint_with_the_name_of_its_file_system(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, [("go", 5, "a", ""), ("go", 11, "a", "")])
    place = f"file:{tmp_path}/a folder"
    query = recognition(spark, tmp_path / "in").start(
        f"file://{tmp_path}/out", checkpoint=place, trigger=NOW, style="json"
    )
    query.awaitTermination()
    assert (tmp_path / "a folder" / "offsets").exists()
    assert (tmp_path / "a folder" / "holdsfor" / "0" / "commit.json").exists()
    assert len(list((tmp_path / "out").glob("batch=0/*.json"))) == 1


def test_the_number_of_buckets_goes_with_the_checkpoint(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, [("go", 5, "a", ""), ("go", 11, "a", "")])
    where = str(tmp_path / "checkpoint")
    recognition(spark, tmp_path / "in").start(Memory(), checkpoint=where, trigger=NOW).awaitTermination()
    write_file(tmp_path / "in", 1, [("stop", 12, "a", ""), ("go", 21, "a", "")])
    sink = Memory()
    recognition(spark, tmp_path / "in", buckets=None).start(sink, checkpoint=where, trigger=NOW).awaitTermination()
    assert [row["op"] for row in sink.table().to_pylist()] == ["close"]
    # Until somebody says otherwise.
    write_file(tmp_path / "in", 2, [("stop", 25, "a", ""), ("go", 31, "b", "")])
    sink = Memory()
    recognition(spark, tmp_path / "in", buckets=3).start(sink, checkpoint=where, trigger=NOW).awaitTermination()
    assert [(row["op"], row["end"]) for row in sink.table().to_pylist()] == [("open", 26)]
    assert last_commit(Store.below(where), {}).settings["buckets"] == 3


def test_a_stream_has_a_bucket_for_each_core(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, [("go", 5, "a", ""), ("go", 11, "a", "")])
    where = str(tmp_path / "checkpoint")
    few = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "200")
    try:
        made = recognition(spark, tmp_path / "in", buckets=None)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", few)
    made.start(Memory(), checkpoint=where, trigger=NOW).awaitTermination()
    cores = {"local[2]": 2, "local[*]": os.cpu_count()}
    assert last_commit(Store.below(where), {}).settings["buckets"] == cores[spark.conf.get("spark.master")]


def test_keys_that_are_tied_together(spark: Any, tmp_path: Path) -> None:
    rules = loads("initiatedAt(ill(X)=true,T) :- happensAt(meet(X,Y),T), holdsAt(ill(Y)=true,T).\n" + RULES)
    with pytest.warns(UserWarning, match=r"ill/1: one worker does all the work.*rule at <rules>:1") as found:
        recognise_stream(rules, file_stream(spark, tmp_path), mapping=MAPPING, window=5, step=10)
    assert any("the step 10 is longer than the window 5" in str(warning.message) for warning in found)


@pytest.mark.slow
def test_two_hundred_batches(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(7, 1, 201)
    for number in range(200):
        write_file(tmp_path / "in", number, rows[3 * number : 3 * number + 3])
    place, sizes = tmp_path / "checkpoint", []

    def measure(_: Report) -> None:
        files = [path for path in place.rglob("*") if path.is_file() and "sources" not in path.parts]
        sizes.append((len(files), sum(path.stat().st_size for path in files)))

    spark.conf.set("spark.sql.streaming.minBatchesToRetain", "20")
    try:
        query = recognition(spark, tmp_path / "in").start(
            Memory(), checkpoint=str(place), trigger=NOW, on_report=measure
        )
        query.awaitTermination()
    finally:
        spark.conf.unset("spark.sql.streaming.minBatchesToRetain")
    assert len(sizes) == 200
    assert max(files for files, _ in sizes[100:]) <= 1.1 * max(files for files, _ in sizes[50:100])
    # More and more pairs meet, until most of them have.
    assert max(size for _, size in sizes[100:]) <= 1.3 * max(size for _, size in sizes[50:100])
