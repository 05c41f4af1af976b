"""What goes wrong on real Spark: nothing is lost without a word, and the word is a sentence."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdsfor import loads
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark import recognise, recognise_stream
from holdsfor.spark.streaming.opening import wait_for
from holdsfor.spark.streaming.shared import NotShared, probe
from holdsfor.spark.streaming.store import Store
from tests.spark.damage import DAMAGES
from tests.spark.stream_files import COLUMNS, local_rows, some_rows, stream_rows, write_file
from tests.spark.test_stream_command import changes, folder, stream
from tests.spark.test_stream_spark import NOW, recognition

__all__ = ["folder"]
pytestmark = pytest.mark.filterwarnings("ignore")
HISTORY = ("--source", "parquet", "--path", "@in", "--history", "@before")


def died(*_: Any) -> None:
    raise ConnectionError("the table is locked")


def test_a_history_that_died_is_worked_through_again(folder: Path, spark: Any) -> None:
    rows = some_rows(5, 1, 60)
    write_file(folder / "before", 0, rows[:90])
    write_file(folder / "in", 0, rows[90:])
    before = spark.read.parquet(str(folder / "before"))
    with pytest.raises(ConnectionError):
        recognition(spark, folder / "in").backfill(before, died, checkpoint=f"{folder}/checkpoint")
    result = stream(*HISTORY[:4])
    assert result.exit_code == 1
    assert "a history was begun here and did not come to its end" in result.output
    result = stream(*HISTORY)
    assert result.exit_code == 0, result.output
    assert "batch -1: query time 30 (+3), 90 events" in result.output
    assert stream_rows(changes(folder), 50) == local_rows(rows, 50)
    assert "batch -1" not in stream(*HISTORY).output


def test_a_damaged_checkpoint(folder: Path) -> None:
    """A sample of what is done to every file without Spark, and Spark's own files."""
    rows = some_rows(6, 1, 60)
    for number in range(2):
        write_file(folder / "in", number, rows[60 * number : 60 * number + 60])
    one_by_one = ("--source", "parquet", "--path", "@in", "--option", "maxFilesPerTrigger=1")
    assert stream(*one_by_one).exit_code == 0
    write_file(folder / "in", 2, rows[120:])
    for name in ("checkpoint", "out"):
        shutil.copytree(folder / name, folder / f"kept-{name}")
    rng = random.Random(3)
    (state,) = (folder / "checkpoint/holdsfor/1/state").glob("1-0-*")
    files = ["holdsfor/1/commit.json", f"holdsfor/1/state/{state.name}", "offsets/1", "sources/0/1"]
    for name, damage in [(name, DAMAGES[place]) for place, name in enumerate(files)]:
        for part in ("checkpoint", "out"):
            shutil.rmtree(folder / part)
            shutil.copytree(folder / f"kept-{part}", folder / part)
        path = folder / "checkpoint" / name
        assert damage(path, rng)
        result = stream(*one_by_one)
        assert result.exit_code == 1, (name, damage, result.output)
        assert str(path) in result.output, (name, damage, result.output)
        assert "\n" not in result.output.strip().partition("error: ")[2]
    shutil.rmtree(folder / "checkpoint")
    shutil.copytree(folder / "kept-checkpoint", folder / "checkpoint")
    shutil.rmtree(folder / "checkpoint/holdsfor")
    result = stream(*one_by_one)
    assert "checkpoint/holdsfor/1/commit.json is missing, the commit of the batch before batch 2" in result.output


def test_reasons(spark: Any, tmp_path: Path) -> None:
    write_file(tmp_path / "in", 0, some_rows(2, 1, 20))

    def killed(rows: Any, _: int) -> None:
        def work(batches: Any) -> Any:
            os.kill(os.getpid(), 9)
            yield from batches

        rows.mapInArrow(work, rows.schema).count()

    def reason(sink: Any, where: str) -> str:
        query = recognition(spark, tmp_path / "in").start(sink, checkpoint=str(tmp_path / where), trigger=NOW)
        with pytest.raises(HoldsforError) as problem:
            wait_for(query)
        return str(problem.value)

    assert reason(died, "one") == "ConnectionError: the table is locked"
    assert reason(killed, "two") == (
        "a Python worker died in the middle of its work: it was killed, perhaps because memory ran out"
    )
    (tmp_path / "in" / "0000.parquet").write_bytes(b"nonsense")
    said = reason(died, "three")
    assert said.startswith("Encountered error while reading file file://")
    assert "is not a Parquet file" in said
    assert "\n" not in said


def test_three_kinds_of_malformed_rows(folder: Path) -> None:
    good = {"name": "go", "time": 14, "a": "x", "b": None}
    lines = [good, {"name": "go", "a": "no time"}, {"name": "go", "time": "soon", "a": "x"}]
    text = "\n".join([*map(json.dumps, lines), "this is no JSON", ""])
    for name in ("in", "before"):
        (folder / name).mkdir()
        (folder / name / "one.json").write_text(text)
    result = stream(
        *("--source", "json", "--path", "@in", "--schema", COLUMNS, "--side", "@side", "-f", "json"),
        *("--history", "@before"),
    )
    assert result.exit_code == 0, result.output
    assert "batch -1: query time 10 (+1), 1 events, 0 late, 3 malformed" in result.output
    assert "batch 0: query time 10 (+0), 1 events, 0 late, 3 malformed" in result.output
    found = [json.loads(line) for path in (folder / "side").glob("batch=0/*.json") for line in path.open()]
    assert [row["reason"] for row in found] == ["malformed"] * 3
    assert sum("this is no JSON" in row["row"] for row in found) == 1


def test_two_hundred_kinds_of_input(spark: Any, tmp_path: Path) -> None:
    rules = loads("".join(f"initiatedAt(on(X)=v{n},T) :- happensAt(e{n}(X),T).\n" for n in range(200)))
    mapping = {"name": "name", "time": "time", "event": {f"e{n}": {"args": ["a"]} for n in range(200)}}
    write_file(tmp_path / "in", 0, [(f"e{n}", n + 1, "x", "") for n in range(200)])
    found = recognise(rules, spark.read.parquet(str(tmp_path / "in")), mapping=mapping, partitions=2)
    assert found.count() == 200
    events = spark.readStream.schema(COLUMNS).parquet(str(tmp_path / "in"))
    made = recognise_stream(rules, events, mapping=mapping, window=100, step=50, start=0, buckets=2)
    made.start(str(tmp_path / "out"), checkpoint=str(tmp_path / "checkpoint"), trigger=NOW).awaitTermination()
    written = spark.read.parquet(str(tmp_path / "out")).where("op = 'open'")
    assert written.select("value").distinct().count() == 200


class OtherMachine:
    """A session of a cluster whose executor has a folder of its own under the same name."""

    def __init__(self, elsewhere: Path) -> None:
        self._elsewhere = elsewhere
        self.conf = {"spark.master": "spark://one:7077"}

    def range(self, *_: int) -> OtherMachine:
        return self

    def selectExpr(self, _: str) -> OtherMachine:
        return self

    def distinct(self) -> OtherMachine:
        return self

    def count(self) -> int:
        return 4

    def mapInArrow(self, task: Any, _: str) -> OtherMachine:
        import pyarrow as pa

        task.store = Store(f"{self._elsewhere}/holdsfor")
        self._rows = pa.Table.from_batches(task([pa.record_batch({"id": [0]})])).to_pylist()
        return self

    def collect(self) -> list[Any]:
        from types import SimpleNamespace

        return [SimpleNamespace(**row) for row in self._rows]


def test_a_folder_that_executors_do_not_share(tmp_path: Path) -> None:
    """The real cluster is in the slow tests."""
    store = Store(f"{tmp_path}/driver/holdsfor")
    with pytest.raises(
        NotShared, match=r"does not see the driver's folder .*/driver: the checkpoint must be in a folder"
    ):
        probe(OtherMachine(tmp_path / "executor"), store)
    probe(OtherMachine(tmp_path / "driver"), store)
    assert list((tmp_path / "driver/holdsfor").iterdir()) == []


def test_malformed_facts(folder: Path) -> None:
    (folder / "p.dmtl").write_text("Near(X) :- Diamondminus[0,5] Seen(X).\n")
    (folder / "facts.toml").write_text('name = "kind"\ntime = "at"\n[event.Seen]\nargs = ["who"]\n')
    (folder / "in").mkdir()
    lines = [
        {"kind": "Seen", "at": 1, "who": "a"},
        {"kind": "Seen", "who": "a"},
        {"kind": "Seen", "at": "?", "who": "a"},
    ]
    lines += [{"kind": "Seen", "at": 10**13, "who": "b"}, {"kind": "Seen", "at": 2, "who": "b"}]
    (folder / "in/one.json").write_text("\n".join([*map(json.dumps, lines), "no JSON", ""]))
    found = ["stream", "p.dmtl", "--mapping", "facts.toml", "--source", "json", "--path", f"{folder}/in", "--once"]
    found += ["--schema", "kind string, at bigint, who string", "--side", f"{folder}/side", "--max-ahead", "100"]
    found += ["--checkpoint", f"{folder}/checkpoint", "--sink", f"{folder}/out", "--buckets", "2", "-f", "json"]
    result = CliRunner().invoke(app, found)
    assert result.exit_code == 0, result.output
    assert "batch 0: up to 2, 2 facts, 0 late, 3 malformed, 1 too far ahead" in result.output
    aside = [json.loads(line) for path in (folder / "side").glob("batch=0/*.json") for line in path.open()]
    assert sum(row["row"] == "no JSON" for row in aside) == 1
    assert len(aside) == 4


def test_one_time_in_milliseconds(folder: Path) -> None:
    rows = [("go", 5, "a", ""), ("stop", 14, "a", ""), ("go", 1_700_000_000_000, "b", ""), ("go", 21, "b", "")]
    write_file(folder / "in", 0, rows)
    write_file(folder / "in", 1, [("stop", 24, "b", ""), ("go", 31, "c", "")])
    one_by_one = ("--source", "parquet", "--path", "@in", "--option", "maxFilesPerTrigger=1", "--side", "@side")
    result = stream(*one_by_one, "-f", "json")
    assert result.exit_code == 0, result.output
    assert "3 events, 0 late, 1 too far ahead (up to 1700000000000, later than 314)" in result.output
    assert "batch 1: query time 30 (+1), 2 events, 0 late, 1 changes" in result.output
    (path,) = (folder / "side").glob("batch=0/*.json")
    found = json.loads(path.read_text())
    assert (found["reason"], json.loads(found["row"])["time"]) == ("too far ahead", 1_700_000_000_000)
    shutil.rmtree(folder / "checkpoint")
    result = stream(*one_by_one, "--max-ahead", "inf")
    assert result.exit_code == 0, result.output
    assert "batch 0: query time 1700000000000 (+170000000000), 4 events" in result.output
    assert "batch 1: query time 1700000000000 (+0), 0 events, 2 late" in result.output
    assert stream(*one_by_one, "--max-ahead", "soon").exit_code == 2
