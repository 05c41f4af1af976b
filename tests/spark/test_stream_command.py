"""`holdsfor stream`: files in, a folder of changes out, a line for each micro-batch."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.columns.changelog import CHANGES
from holdsfor.spark.streaming.opening import wait_for
from tests.spark.stream_files import COLUMNS, RULES, local_rows, some_rows, stream_rows, write_file

pytestmark = pytest.mark.filterwarnings("ignore")
MAPPING = """
name = "name"
time = "time"
event.go.args = ["a"]
event.stop.args = ["a"]
event.meet.args = ["a", "b"]
event.part.args = ["a", "b"]
"""


@pytest.fixture
def folder(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("holdsfor.cli.spark.spark_session", lambda _: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "mapping.toml").write_text(MAPPING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stream(*arguments: str) -> Result:
    given = ["--mapping", "mapping.toml", "--window", "30", "--step", "10", "--start", "0", "--once", "--buckets", "2"]
    places = ["--checkpoint", "@checkpoint", "--sink", "@out"]
    # Java has a working directory of its own.
    found = [word.replace("@", f"{Path.cwd()}/") for word in (*places, *arguments)]
    return CliRunner().invoke(app, ["stream", "rules.prolog", *given, *found])


def changes(folder: Path) -> Any:
    return pq.ParquetDataset(sorted((folder / "out").glob("batch=*/*.parquet")), schema=CHANGES).read()


def test_history_and_files(folder: Path) -> None:
    rows = some_rows(5, 1, 60)
    write_file(folder / "before", 0, rows[:90])
    write_file(folder / "in", 0, rows[90:150])
    arguments = ("--source", "parquet", "--path", "@in", "--history", "@before", "--option", "maxFilesPerTrigger=1")
    result = stream(*arguments)
    assert result.exit_code == 0, result.output
    assert "batch -1: query time 30 (+3), 90 events, 0 late" in result.output
    assert "batch 0: query time 50 (+2), 60 events, 0 late" in result.output
    write_file(folder / "in", 1, rows[150:] + [("go", 3, "a", ""), ("stop", 60, "a", "")])
    result = stream(*arguments, "--side", "@side")
    assert result.exit_code == 0, result.output
    assert "batch -1" not in result.output
    assert "28 events, 1 late" in result.output
    assert stream_rows(changes(folder), 60) == local_rows([*rows, ("stop", 60, "a", "")], 60)
    assert len(list((folder / "side").glob("batch=1/*.parquet"))) == 1


def test_a_lateness_for_each_source(folder: Path) -> None:
    for number, (name, times) in enumerate((("near", (14, 33)), ("far", (12, 25)))):
        place = folder / "in" / f"by={name}"
        place.mkdir(parents=True)
        rows = [{"name": "go", "time": time, "a": name} for time in times]
        (place / f"{number}.txt").write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = ("--source", "text", "--path", "@in", "--schema", COLUMNS, "--source-column", "by")
    result = stream(*told, "--lateness-of", "near=1", "--lateness-of", "far=5")
    assert result.exit_code == 0, result.output
    assert "query time 20 (+2), 4 events, 0 late" in result.output
    assert "waiting for far" in result.output
    result = stream(*told, "--lateness-of", "near")
    assert "--lateness-of near: write source=duration" in result.output
    result = stream(*told, "--lateness", "3", "--lateness-of", "near=1")
    assert "--lateness and --lateness-of exclude each other" in result.output


def test_json_lines_with_a_schema(folder: Path) -> None:
    (folder / "in").mkdir()
    row = {"name": "go", "time": 14, "a": "x", "b": None}
    (folder / "in" / "one.json").write_text(json.dumps(row) + "\n")
    result = stream("--source", "json", "--path", "@in", "--schema", COLUMNS)
    assert result.exit_code == 0, result.output
    assert "query time 10 (+1), 1 events" in result.output


EMPTY = ("--source", "json", "--path", "@empty", "--schema", COLUMNS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source", "json"), "needs the folder of its files"),
        (("--source", "json", "--path", "@nowhere"), "no files that show their columns"),
        (("--source", "json", "--path", "@in", "--option", "x"), "--option x: write name=value"),
        (("--source", "json", "--path", "@in", "--trigger", "1 second"), "leave out --trigger"),
        (("--source", "json", "--path", "@nowhere", "--schema", COLUMNS), "nowhere cannot be followed"),
        (("--source", "json", "--path", "@empty", "--schema", COLUMNS, "--idle", "soon"), "idle must be"),
        (("--source", "json", "--path", "@empty", "--schema", "time bogus"), 'Unsupported data type "BOGUS"'),
        (
            ("--source", "json", "--path", "@empty", "--schema", "time long"),
            "event.go has no column 'a'; it has time",
        ),
        ((*EMPTY, "--checkpoint", "@rules.prolog"), "cannot be the folder of the checkpoint: File exists"),
        ((*EMPTY, "--sink", "@rules.prolog"), "cannot be the folder of the results: File exists"),
        ((*EMPTY, "--checkpoint", "nosuch://x/y"), 'No FileSystem for scheme "nosuch"'),
        ((*EMPTY, "--retracted", "wrong"), "has no column 'wrong'"),
        ((*EMPTY, "--fluent", "movin"), "no rule defines a fluent movin; did you mean moving?"),
        ((*EMPTY, "--history", "@nowhere"), "nowhere cannot be read: Path does not exist"),
        (("--source", "nosuch"), "the source nosuch cannot be followed: Failed to find the data source"),
    ],
)
def test_mistakes(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    (folder / "empty").mkdir()
    result = stream(*arguments)
    assert result.exit_code == 1
    assert message in result.output


def test_other_rules(folder: Path) -> None:
    write_file(folder / "in", 0, [("meet", 3, "a", "b"), ("go", 1, "a", ""), ("go", 12, "a", "")])
    source = ("--source", "parquet", "--path", "@in", "--derived-events", "@happened")
    (folder / "rules.prolog").write_text(RULES + "happensAt(bump(A),T) :- happensAt(meet(A,B),T).")
    result = stream(*source)
    assert "2 changes, 1 of events" in result.output
    assert len(list((folder / "happened").glob("batch=0/*.parquet"))) == 1
    assert "made with derived events on, not off" in stream(*source[:-2]).output
    (folder / "rules.prolog").write_text(RULES)
    assert (
        "is that of other rules: go on with the same, name those with swap (--swap) to change" in stream(*source).output
    )


def test_no_master() -> None:
    result = CliRunner().invoke(
        app,
        ["run", str(Path(__file__).parents[2] / "examples/voting/rules.prolog"), "--events", __file__]
        + ["--engine", "spark", "--master", "locl"],
    )
    assert "'locl' is not a Spark master" in result.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_a_query(number: signal.Signals) -> None:
    class Query:
        asked = stopped = 0

        def awaitTermination(self, _: int) -> bool:
            self.asked += 1
            if self.asked == 2:
                os.kill(os.getpid(), number)
            assert not self.stopped, "no call while another waits for its answer"
            return False

        def stop(self) -> None:
            self.stopped += 1

    query, before = Query(), signal.getsignal(number)
    wait_for(query)
    assert (query.asked, query.stopped) == (2, 1)
    assert signal.getsignal(number) is before


def test_edited_rules(folder: Path) -> None:
    rows = some_rows(5, 1, 100)
    write_file(folder / "in", 0, rows[:150])
    arguments = ("--source", "parquet", "--path", "@in")
    assert stream(*arguments).exit_code == 0
    write_file(folder / "in", 1, rows[150:])
    edited = RULES.replace("happensAt(stop(V),T)", "happensAt(part(V,_),T)")
    Path("earlier.prolog").write_text(RULES)
    Path("rules.prolog").write_text(edited)
    refused = stream(*arguments)
    assert refused.exit_code == 1
    assert "name those with swap (--swap) to change them" in refused.output.replace("\n", " ")
    swapped = stream(*arguments, "--swap", "earlier.prolog", "--swap-history", "@in")
    assert swapped.exit_code == 0, swapped.output
    assert "changed: moving/1\nmoving/1: exact at once\n" in swapped.output
    assert "not reached by the edit, exact: close/2\n" in swapped.output
    again = stream(*arguments, "--swap", "earlier.prolog")
    assert again.exit_code == 0, again.output
    assert "changed:" not in again.output
    causes = pq.read_table(folder / "out/batch=1")["causes"].to_pylist()
    assert "rule changed moving/1 at 50" in {cause for listed in causes for cause in listed}
