"""Streams whose checkpoint, state and sink are on a file system that only Spark can open."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming import table_workers
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.sinks import Memory
from tests.spark.stream_files import (
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
_numbers = itertools.count()


@pytest.fixture
def place() -> str:
    """A folder of its own that only Spark can open."""
    return f"viewfs://cl/data/{next(_numbers)}"


def follow(spark: Any, files: Path, place: str, sink: Any = None, **options: Any) -> list[Report]:
    """Follow all files that are there."""
    reports: list[Report] = []
    made = recognise_stream(
        loads(RULES),
        file_stream(spark, files),
        mapping=MAPPING,
        **{"window": WINDOW, "step": STEP, "start": 0, "buckets": 2} | options,
    )
    query = made.start(
        f"{place}/out" if sink is None else sink,
        checkpoint=f"{place}/checkpoint",
        trigger={"availableNow": True},
        on_report=reports.append,
    )
    query.awaitTermination()
    return reports


def changes_of(spark: Any, place: str) -> pa.Table:
    return spark.read.parquet(f"{place}/out").drop("batch").toArrow()


def test_state_and_sink_by_spark_alone(spark: Any, tmp_path: Path, place: str, mounted: Path) -> None:
    rows = some_rows(5, 1, 130)
    for number in range(4):
        write_file(tmp_path, number, rows[90 * number : 90 * number + 90])
    reports = follow(spark, tmp_path, place)
    assert len(reports) == 4
    # It goes on, with other files and another number of buckets.
    write_file(tmp_path, 4, rows[360:])
    reports = follow(spark, tmp_path, place, buckets=3)
    assert [report.batch for report in reports] == [4]
    last = reports[-1].query_time
    assert last == 120
    changes = changes_of(spark, place)
    assert stream_rows(changes, last) == local_rows(rows, last)
    assert len({(row["id"], row["query_time"]) for row in changes.to_pylist()}) == len(changes)
    folder = mounted / place.rpartition("/")[2] / "checkpoint" / "holdsfor"
    assert {path.name for path in folder.iterdir()} <= {"commit-0", "commit-1", *(f"slot-{n}" for n in range(9))}


def test_rows_wait_until_a_query_time_is_due(spark: Any, tmp_path: Path, place: str) -> None:
    rows = some_rows(6, 1, 61)
    for number in range(15):
        write_file(tmp_path, number, rows[12 * number : 12 * number + 12])
    reports = follow(spark, tmp_path, place)
    assert 0 in {report.queries for report in reports}
    last = reports[-1].query_time
    assert stream_rows(changes_of(spark, place), last or 0) == local_rows(rows, last or 0)


def test_folders_are_used_again(spark: Any, tmp_path: Path, place: str, mounted: Path) -> None:
    rows = some_rows(7, 1, 301)
    for number in range(30):
        write_file(tmp_path, number, rows[30 * number : 30 * number + 30])
    sink = Memory()
    reports = follow(spark, tmp_path, place, sink)
    assert len(reports) == 30
    last = reports[-1].query_time
    assert stream_rows(sink.table(), last or 0) == local_rows(rows, last or 0)
    folder = mounted / place.rpartition("/")[2] / "checkpoint" / "holdsfor"
    assert len([path for path in folder.iterdir() if path.name.startswith("slot")]) < 16


MANY = """
initiatedAt(on(K)=true,T) :- happensAt(up(K),T).
terminatedAt(on(K)=true,T) :- happensAt(down(K),T).
initiatedAt(seen(K)=true,T) :- happensAt(start(on(K)=true),T).
terminatedAt(seen(K)=true,T) :- happensAt(end(on(K)=true),T), happensAt(down(K),T).
"""


@pytest.mark.parametrize("keys", [12_000])
def test_only_parts_that_are_reached(
    spark: Any, tmp_path: Path, place: str, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large state, of which small batches read and write a little; the results are those of a state in files."""
    import pyarrow.parquet as pq

    monkeypatch.setattr(table_workers, "_SMALL", 0)
    asked: list[str] = []
    condition = table_workers._condition
    monkeypatch.setattr(table_workers, "_condition", lambda *given: asked.append(condition(*given)) or asked[-1])
    batches = [[(n % 10 + 1, n, "up") for n in range(keys)] + [(10, 0, "up")]]
    batches += [
        [(10 * b + 5, 37 * b, "down"), (10 * b + 6, keys + b, "up"), (10 * b + 10, 5, "up")] for b in range(1, 5)
    ]
    for number, rows in enumerate(batches):
        time, key, name = zip(*rows, strict=True)
        pq.write_table(pa.table({"time": time, "k": key, "name": name}), tmp_path / f"{number}.parquet")
    mapping = {"name": "name", "time": "time", "event": {"up": {"args": ["k"]}, "down": {"args": ["k"]}}}
    found = []
    for state, where in (("files", str(tmp_path / "files")), (None, place)):
        stream = spark.readStream.schema("time bigint, k bigint, name string").option("maxFilesPerTrigger", 1)
        options: dict[str, Any] = {"mapping": mapping, "window": 1_000, "step": 10, "start": 0, "buckets": 2}
        reports = list[Report]()
        query = recognise_stream(
            loads(MANY), stream.parquet(str(tmp_path / "*.parquet")), state=state, **options
        ).start(
            f"{where}/out", checkpoint=f"{where}/checkpoint", trigger={"availableNow": True}, on_report=reports.append
        )
        query.awaitTermination()
        columns = "hash(id, op, fluent, start, end, query_time) as row", "batch"
        changes = spark.read.parquet(f"{where}/out").selectExpr(*columns).groupBy("batch").agg({"row": "sum"})
        counts = [(one.changes, one.keys_held) for one in reports]
        found.append((sorted(map(tuple, changes.collect())), counts))
        assert reports[-1].keys_worked < 100
    assert found[0] == found[1]
    assert "number between" in asked[-1] or "number = " in asked[-1].replace("number = -1", "")


def test_a_missing_folder_is_named(spark: Any, tmp_path: Path, place: str, mounted: Path) -> None:
    import shutil

    rows = some_rows(8, 1, 61)
    write_file(tmp_path, 0, rows[:90])
    follow(spark, tmp_path, place)
    folder = mounted / place.rpartition("/")[2] / "checkpoint" / "holdsfor"
    shutil.rmtree(folder / "slot-0")
    write_file(tmp_path, 1, rows[90:])
    with pytest.raises(Exception, match="the checkpoint is damaged: .*slot-0/[12] is missing"):
        follow(spark, tmp_path, place)


def test_an_altered_section_is_refused(spark: Any, tmp_path: Path, place: str) -> None:
    rows = some_rows(9, 1, 61)
    write_file(tmp_path, 0, rows[:90])
    follow(spark, tmp_path, place)
    slot = f"{place}/checkpoint/holdsfor/slot-0/1"
    kept = spark.read.parquet(slot).toArrow()
    data = [None if one is None else b"x" + one[1:] for one in kept["data"].to_pylist()]
    changed = kept.set_column(kept.column_names.index("data"), "data", pa.array(data, pa.binary()))
    spark.createDataFrame(changed).write.mode("overwrite").parquet(slot)
    write_file(tmp_path, 1, rows[90:])
    with pytest.raises(Exception, match="the checkpoint is damaged: .* has been changed since it was written"):
        follow(spark, tmp_path, place)


def test_other_rules_are_refused(spark: Any, tmp_path: Path, place: str) -> None:
    write_file(tmp_path, 0, some_rows(10, 1, 30))
    follow(spark, tmp_path, place)
    with pytest.raises(HoldsforError, match="was made with window 30, not 40"):
        follow(spark, tmp_path, place, window=40)
