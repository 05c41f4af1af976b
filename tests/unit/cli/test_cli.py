"""The command line, as a user meets it."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

RULES = """\
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
"""
EVENTS = "unlock|1|1|front\nlock|5|5|front\nunlock|9|9|back\n"

runner = CliRunner()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rules, events = tmp_path / "rules.prolog", tmp_path / "events.csv"
    rules.write_text(RULES)
    events.write_text(EVENTS)
    return rules, events


def test_run_prints_intervals(files: tuple[Path, Path]) -> None:
    rules, events = files
    result = runner.invoke(app, ["run", str(rules), "--events", str(events)])
    assert result.exit_code == 0
    assert result.stdout == ("query_time,fluent,value,start,end\n9,open(back),true,10,inf\n9,open(front),true,2,6\n")


def test_run_with_windows(files: tuple[Path, Path]) -> None:
    rules, events = files
    arguments = ["--window", "5", "--start", "0", "--end", "10", "--fluent", "open"]
    result = runner.invoke(app, ["run", str(rules), "--events", str(events), *arguments])
    assert result.stdout.splitlines()[1:] == ["5,open(front),true,2,6", "10,open(back),true,10,inf"]


def test_run_reads_gz_and_several_files(files: tuple[Path, Path], tmp_path: Path) -> None:
    rules, events = files
    packed = tmp_path / "more.csv.gz"
    with gzip.open(packed, "wt") as file:
        file.write("lock|12|12|back\n")
    result = runner.invoke(app, ["run", str(rules), "--events", str(events), "--events", str(packed)])
    assert "12,open(back),true,10,13" in result.stdout


def test_bad_rows_are_counted_and_named(files: tuple[Path, Path]) -> None:
    rules, events = files
    events.write_text(EVENTS + "unlock|x|7|side\nlock|8\nmystery|3|3|a\n")
    result = runner.invoke(app, ["run", str(rules), "--events", str(events)])
    assert result.exit_code == 0
    assert "events.csv:4: arrival 'x' is not a whole number" in result.stderr
    assert "3 records read, 1 of names no rule knows, 2 malformed" in result.stderr


def test_check_is_quiet_about_good_rules(files: tuple[Path, Path]) -> None:
    result = runner.invoke(app, ["check", str(files[0])])
    assert (result.exit_code, result.stdout) == (0, "2 clauses, no findings\n")


def test_check_fails_on_errors_and_shows_all(files: tuple[Path, Path]) -> None:
    rules, _ = files
    rules.write_text(RULES + "initiatedAt(a=b, T) :- hapensAt(e, T).\nx(1\n")
    result = runner.invoke(app, ["check", str(rules)])
    assert result.exit_code == 1
    assert "HF101" in result.stdout
    assert "HF004" in result.stdout
    assert "did you mean happensAt?" in result.stdout


def test_check_json(files: tuple[Path, Path]) -> None:
    rules, _ = files
    rules.write_text("initiatedAt(a(X)=b, T) :- happensAt(e, T).")
    result = runner.invoke(app, ["check", "--json", str(rules)])
    (finding, *_) = [item for item in json.loads(result.stdout) if item["code"] == "HF201"]
    assert finding["severity"] == "error"
    assert (finding["line"], finding["column"]) == (1, 15)


def test_check_names_input_that_no_data_provides(files: tuple[Path, Path]) -> None:
    rules, events = files
    events.write_text("unlok|1|1|front\nlock|2|2|front\n")
    result = runner.invoke(app, ["check", str(rules), "--events", str(events)])
    assert "HF304" in result.stdout
    assert "unlok" in result.stdout


def test_strict_turns_warnings_into_failure(files: tuple[Path, Path]) -> None:
    rules, _ = files
    rules.write_text("terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).")
    assert runner.invoke(app, ["check", str(rules)]).exit_code == 0
    assert runner.invoke(app, ["check", "--strict", str(rules)]).exit_code == 1


def test_fmt(files: tuple[Path, Path]) -> None:
    rules, _ = files
    assert runner.invoke(app, ["fmt", "--check", str(rules)]).exit_code == 1
    formatted = runner.invoke(app, ["fmt", str(rules)]).stdout
    runner.invoke(app, ["fmt", "--write", str(rules)])
    assert rules.read_text() == formatted
    assert runner.invoke(app, ["fmt", "--check", str(rules)]).exit_code == 0


def test_fmt_of_a_broken_file_changes_nothing(files: tuple[Path, Path]) -> None:
    rules, _ = files
    rules.write_text("a :- b")
    result = runner.invoke(app, ["fmt", "--write", str(rules)])
    assert result.exit_code == 1
    assert rules.read_text() == "a :- b"


@pytest.mark.parametrize(("style", "start"), [("mermaid", "flowchart"), ("dot", "digraph"), ("svg", "<svg")])
def test_graph(files: tuple[Path, Path], tmp_path: Path, style: str, start: str) -> None:
    output = tmp_path / "graph"
    result = runner.invoke(app, ["graph", str(files[0]), "-f", style, "-o", str(output)])
    assert result.exit_code == 0
    assert output.read_text().lstrip().startswith(start)


def test_plan(files: tuple[Path, Path]) -> None:
    assert "  component open/1\n" in runner.invoke(app, ["plan", str(files[0])]).stdout
    assert json.loads(runner.invoke(app, ["plan", "--json", str(files[0])]).stdout)["stages"][0]["key"] == 1


def test_codes() -> None:
    listed = runner.invoke(app, ["codes"]).stdout
    assert re.search(r"^HF201  \w", listed, re.MULTILINE)
    assert runner.invoke(app, ["codes", "hf201"]).stdout.startswith("# HF201: ")
    assert runner.invoke(app, ["codes", "HF999"]).exit_code == 1


@pytest.mark.parametrize("command", ["check", "plan", "graph", "fmt"])
def test_a_missing_file_is_said_in_one_line(command: str) -> None:
    result = runner.invoke(app, [command, "no-such-file.prolog"])
    assert result.exit_code == 1
    assert result.stderr == "error: cannot read no-such-file.prolog: No such file or directory\n"


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "rules.prolog"
    path.write_bytes(b"a(1).\xff\xfe")
    result = runner.invoke(app, ["check", str(path)])
    assert result.exit_code == 1
    assert "is not a UTF-8 text file (byte 5)" in result.stderr


def test_an_end_before_the_start(files: tuple[Path, Path]) -> None:
    rules, events = files
    result = runner.invoke(app, ["run", str(rules), "--events", str(events), "--start", "9", "--end", "3"])
    assert result.exit_code == 1
    assert "--end 3 lies before --start 9" in result.stderr


def test_it_runs_as_a_program(files: tuple[Path, Path]) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("holdsfor"), "run", files[0], "--events", files[1]],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("query_time,fluent,value,start,end\n")
    assert "Traceback" not in done.stderr
