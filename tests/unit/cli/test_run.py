"""`holdsfor run`: inputs, outputs, what it says."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import Result
from typer.testing import CliRunner

from holdsfor.cli import app

RULES = """\
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
initiatedAt(alarm(D)=level(2), T) :- happensAt(force(D), T).
happensAt(opened(D), T) :- happensAt(start(open(D)=true), T).
"""
EVENTS = "unlock|1|1|front\nlock|5|5|front\nunlock|9|9|back\nforce|7|7|back\n"
HEADER = "query_time,fluent,value,start,end"

runner = CliRunner()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "events.csv").write_text(EVENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, stdin: bytes | None = None) -> Result:
    return runner.invoke(app, ["run", "rules.prolog", *arguments], input=stdin)


@pytest.mark.usefixtures("folder")
def test_csv() -> None:
    result = run("--events", "events.csv")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        HEADER,
        "9,alarm(back),level(2),8,inf",
        "9,open(back),true,10,inf",
        "9,open(front),true,2,6",
    ]
    assert result.stderr.splitlines() == [
        "4 records read, 0 of names no rule knows, 0 malformed",
        "4 used, 0 late and dropped",
        "3 intervals, 2 derived events, 0 conflicts; 1 query time",
    ]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("window", [(), ("--window", "4", "--step", "2", "--start", "0", "--end", "10")])
def test_both_engines_say_the_same(folder: Path, engine: str, window: tuple[str, ...]) -> None:
    expected = run("--events", "events.csv", *window, "--derived-events", "one.csv")
    found = run("--events", "events.csv", *window, "--derived-events", "two.csv", "--engine", engine)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    assert (folder / "one.csv").read_text() == (folder / "two.csv").read_text()


def test_derived_events(folder: Path) -> None:
    run("--events", "events.csv", "--derived-events", "derived.csv")
    assert (folder / "derived.csv").read_text() == "query_time,event,time\n9,opened(back),9\n9,opened(front),1\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack: type[bytes]) -> None:
    result = run("--events", "-", "--fluent", "alarm", stdin=pack(EVENTS.encode()))
    assert result.stdout == f"{HEADER}\n9,alarm(back),level(2),8,inf\n"


def test_formats(folder: Path) -> None:
    lines = run("--events", "events.csv", "-f", "jsonl").stdout.splitlines()
    assert json.loads(lines[0]) == {
        "query_time": 9,
        "fluent": "alarm(back)",
        "value": "level(2)",
        "start": 8,
        "end": None,
    }
    assert run("--events", "events.csv", "-f", "table").stdout.splitlines()[1] == (
        "         9  alarm(back)  level(2)      8  inf"
    )
    run("--events", "events.csv", "-o", "out.parquet")
    assert pq.read_table(folder / "out.parquet")["end"].to_pylist() == [None, None, 6]
    run("--events", "events.csv", "-o", "out.jsonl")
    assert (folder / "out.jsonl").read_text().splitlines() == lines


def test_a_mapping(folder: Path) -> None:
    (folder / "map.toml").write_text('name = "what"\ntime = "when"\n[event.unlock]\nargs = ["door"]\n')
    (folder / "doors.csv").write_text("what,when,door\nunlock,3,front\npaint,4,front\n")
    result = run("--events", "doors.csv", "--mapping", "map.toml")
    assert result.stdout == f"{HEADER}\n3,open(front),true,4,inf\n"
    assert "names no rule knows: paint (1)\n" in result.stderr


def test_bad_rows_are_shown_counted_and_written_aside(folder: Path) -> None:
    (folder / "events.csv").write_text(EVENTS + "lock|x|3|a\nlock|1|1\n" + "lock|1|?|b\n" * 9)
    result = run("--events", "events.csv", "--rejects", "bad.csv")
    assert result.exit_code == 0
    assert "4 records read, 0 of names no rule knows, 11 malformed" in result.stderr
    assert result.stderr.count("skipped ") == 5
    assert (
        "skipped events.csv:6: lock takes 1 argument in the rules; this row has 3 fields: 'lock|1|1'" in result.stderr
    )
    lines = (folder / "bad.csv").read_text().splitlines()
    assert lines[:2] == ["file,line,reason,row", "events.csv,5,arrival 'x' is not a whole number in range,lock|x|3|a"]
    assert len(lines) == 12


def test_strict(folder: Path) -> None:
    (folder / "events.csv").write_text("lock|x|3|a\n")
    result = run("--events", "events.csv", "--strict")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: events.csv:1: arrival 'x' is not a whole number")


@pytest.mark.usefixtures("folder")
def test_late_events_are_counted() -> None:
    rows = EVENTS + "unlock|20|2|side\nunlock|99|99|side\n"
    result = run("--events", "-", "--window", "5", "--start", "0", "--end", "20", stdin=rows.encode())
    assert "4 used, 1 late and dropped, 1 outside the run" in result.stderr


@pytest.mark.usefixtures("folder")
def test_profile() -> None:
    result = run("--events", "events.csv", "--profile")
    times = [line for line in result.stderr.splitlines() if " ms " in line]
    assert len(times) == 3
    assert any("evaluating" in line for line in times)
    assert "kept at the end" in result.stderr


@pytest.mark.usefixtures("folder")
def test_any_number_of_threads() -> None:
    windows = ("--events", "events.csv", "--window", "6", "--step", "2")
    one, three = (run(*windows, "--threads", threads) for threads in ("1", "3"))
    assert one.stdout == three.stdout
    assert one.stdout.count("\n") > 3


@pytest.mark.usefixtures("folder")
def test_there_is_one_way_to_evaluate_windows() -> None:
    result = run("--events", "events.csv", "--incremental", "never")
    assert result.exit_code == 2
    assert "only what has changed is evaluated, always; leave this option out" in " ".join(
        result.stderr.replace("│", " ").split()
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--events", "none.csv"), "cannot read none.csv: No such file or directory"),
        (("--events", "events.csv", "--fluent", "opne"), "no rule defines a fluent opne; did you mean open?"),
        (("--events", "events.csv", "--mapping", "none.toml"), "cannot read none.toml"),
        (
            ("--events", "events.csv", "-o", "no/where.csv"),
            "cannot write no/where.csv: there is no folder no; create it first",
        ),
        (("--events", "events.csv", "-f", "parquet"), "Parquet is not for the terminal"),
        (("--events", "events.csv", "--background", "none.prolog"), "cannot read none.prolog"),
        (("--events", "events.csv", "--start", "9", "--end", "3"), "--end 3 lies before --start 9"),
        (("--events", "events.csv", "--start", "99"), "end 9 lies before start 99"),
    ],
)
def test_mistakes_end_in_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: {message}")
    assert result.stderr.count("\n") == 1


def program(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("holdsfor")), "run", "rules.prolog", *arguments]


@pytest.mark.usefixtures("folder")
def test_as_a_program_in_a_pipe() -> None:
    done = subprocess.run(program("--events", "-"), input=EVENTS, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == HEADER
    assert done.stderr.startswith("4 records read")


def test_nobody_listens_to_the_end(folder: Path) -> None:
    (folder / "many.csv").write_text("".join(f"unlock|1|1|d{number}\n" for number in range(50_000)))
    command = " ".join([*program("--events", "many.csv"), "| head -1"])
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert (done.stdout, "Traceback" in done.stderr) == (f"{HEADER}\n", False)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.usefixtures("folder")
def test_a_terminal_shows_how_it_is_getting_on() -> None:
    ours, theirs = os.openpty()
    subprocess.run(
        program("--events", "events.csv", "--window", "1"), stdout=subprocess.PIPE, stderr=theirs, check=True
    )
    os.close(theirs)
    seen = io.BytesIO()
    while chunk := _read(ours):
        seen.write(chunk)
    os.close(ours)
    assert b"query time 9" in seen.getvalue()
    assert b"events/s" in seen.getvalue()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""
