"""Streams whose checkpoint, state and sink are on a file system that only Spark can open."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming import table_workers
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.sinks import Memory
from holdsfor.spark.streaming.tables import Tables
from tests.spark.stream_files import (
    MAPPING,
    RULES,
    STEP,
    WINDOW,
    Row,
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
    rows = some_rows(6, 1, 31)
    for number in range(8):
        write_file(tmp_path, number, rows[12 * number : 12 * number + 12])
    reports = follow(spark, tmp_path, place)
    assert 0 in {report.queries for report in reports}
    last = reports[-1].query_time
    assert stream_rows(changes_of(spark, place), last or 0) == local_rows(rows, last or 0)


def test_folders_are_used_again(spark: Any, tmp_path: Path, place: str, mounted: Path) -> None:
    rows = some_rows(7, 1, 201)
    for number in range(20):
        write_file(tmp_path, number, rows[30 * number : 30 * number + 30])
    sink = Memory()
    reports = follow(spark, tmp_path, place, sink)
    assert len(reports) == 20
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


def altered(checkpoint: Path) -> None:
    """The offsets of the last batch are others; Spark's own checksum of them goes, too."""
    offsets = checkpoint / "offsets/1"
    offsets.write_text(offsets.read_text().replace('"batchTimestampMs":1', '"batchTimestampMs":2'))
    (checkpoint / "offsets/.1.crc").unlink()


def spark_behind(checkpoint: Path) -> None:
    """Spark's files are those of an older copy."""
    for name in ("offsets/1", "offsets/.1.crc", "commits/1", "commits/.1.crc", "sources/0/1", "sources/0/.1.crc"):
        (checkpoint / name).unlink()


def log_altered(checkpoint: Path) -> None:
    """Spark's list of the files of the last batch is another."""
    log = checkpoint / "sources/0/1"
    log.write_text(log.read_text().replace('"timestamp":1', '"timestamp":2'))
    (checkpoint / "sources/0/.1.crc").unlink()


def log_lost(checkpoint: Path) -> None:
    """Spark no longer knows which files it has read."""
    shutil.rmtree(checkpoint / "sources/0")


def tables_behind(checkpoint: Path) -> None:
    """The tables are those of an older copy: the last commit is gone."""
    shutil.rmtree(checkpoint / "holdsfor/commit-1")


def tables_of_another(checkpoint: Path) -> None:
    """The tables are those of another query, which has read other files."""
    shutil.rmtree(checkpoint / "holdsfor")
    shutil.copytree(checkpoint.parents[1] / "another/checkpoint/holdsfor", checkpoint / "holdsfor")


def line_lost(checkpoint: Path) -> None:
    """The line beside the commit is missing."""
    for file in (checkpoint / "holdsfor/commit-1").glob("part-*"):
        file.write_text("".join(line for line in file.open() if line.startswith("{")))
    for file in (checkpoint / "holdsfor/commit-1").glob(".part-*"):
        file.unlink()


@pytest.fixture(scope="module")
def two_batches(spark: Any, mounted: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Row], Path, Path]:
    """The rows, their files, and a copy of the folder of a query that has followed two of three files. A query named
    `another` has followed other files.
    """
    folder, rows = tmp_path_factory.mktemp("two_batches"), some_rows(11, 1, 121)
    for name, first in (("followed", 0), ("another", 180)):
        files = folder / name
        for number in range(2):
            write_file(files, number, rows[first + 60 * number : first + 60 * number + 60])
        follow(spark, files, f"viewfs://cl/data/{name}")
    files = folder / "followed"
    write_file(files, 2, rows[120:180])
    return rows[:180], files, shutil.copytree(mounted / "followed", folder / "copy")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (altered, "offsets/1 is not the one that Spark had in the last batch"),
        (spark_behind, "offsets/1 is missing, which says how far Spark had read"),
        (log_altered, "sources/0/1 is not the one that Spark had in the last batch"),
        (log_lost, "sources/0/1 is missing, which says what Spark had read"),
        (tables_behind, "commit-1 is missing, the commit of the batch before batch 2"),
        (tables_of_another, "offsets/1 is not the one that Spark had in the last batch"),
        (line_lost, "offsets/1 is not the one that Spark had in the last batch"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_checkpoint_that_does_not_belong_to_the_tables(
    spark: Any, mounted: Path, two_batches: tuple[list[Row], Path, Path], damage: Any, message: str
) -> None:
    rows, files, copy = two_batches
    place, folder = "viewfs://cl/data/followed", mounted / "followed"
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)
    damage(folder / "checkpoint")
    with pytest.raises(Exception, match=f"the checkpoint is damaged: .*{message}.*; put the checkpoint folder back"):
        follow(spark, files, place)
    shutil.rmtree(folder / "checkpoint")
    shutil.copytree(copy / "checkpoint", folder / "checkpoint")
    assert [report.batch for report in follow(spark, files, place)] == [2]
    changes = changes_of(spark, place)
    assert stream_rows(changes, 50) == local_rows(rows, 50)


def test_commits_without_offsets_are_read(
    spark: Any, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version before wrote none."""
    rows = some_rows(12, 1, 91)
    write_file(tmp_path, 0, rows[:120])
    with monkeypatch.context() as patched:
        patched.setattr(Tables, "spark_files", lambda _: {})
        write = Tables._write_text
        patched.setattr(Tables, "_write_text", lambda tables, name, text, _=-1: write(tables, name, text))
        follow(spark, tmp_path, place)
    write_file(tmp_path, 1, rows[120:])
    follow(spark, tmp_path, place)
    assert stream_rows(changes_of(spark, place), 90) == local_rows(rows, 90)
