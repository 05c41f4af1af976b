"""`holdsfor rtec`: applications from a parameter file in RTEC's form."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from holdsfor.cli import app

HERE = Path(__file__).parents[2] / "applications"
PARAMETERS = HERE / "scripts" / "defaults.toml"
EXPECTED = (HERE / "museum" / "expected.csv").read_text(encoding="utf-8")


def rtec(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["rtec", *map(str, arguments)])


def rows(text: str) -> list[tuple[str, ...]]:
    return sorted(tuple(row) for row in csv.reader(text.splitlines()))


@pytest.mark.parametrize("options", [(), ("--engine", "reference"), ("--threads", "1")])
def test_an_application_runs_as_its_table_says(options: tuple[str, ...]) -> None:
    result = rtec(PARAMETERS, "museum", *options)
    assert result.exit_code == 0, result.output
    assert rows(result.stdout) == rows(EXPECTED)
    assert "5 query times" in result.stderr


def test_it_runs_from_any_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert rows(rtec(PARAMETERS, "museum").stdout) == rows(EXPECTED)


def test_options_go_before_the_table() -> None:
    result = rtec(
        PARAMETERS, "museum", "--window", "1000", "--step=1000", "--fluent", "long_walk", "--end-time", "1000"
    )
    assert result.stdout.splitlines()[1:] == [
        "1000,long_walk(ann),true,40,240",
        "1000,long_walk(bob),true,640,840",
    ]
    fewer = rtec(PARAMETERS, "museum", "--input", HERE / "museum/streams/people.csv", "--fluent", "long_walk")
    assert fewer.exit_code == 0
    assert len(fewer.stdout.splitlines()) == 1


def test_original_names_of_options_are_understood() -> None:
    names = ("--window-size", "400", "--start-time", "0", "--end-time", "1000", "--clock-tick", "40")
    files = (
        *("--event-description", HERE / "museum/patterns/rules.prolog"),
        *("--background-knowledge", HERE / "museum/background/load.prolog"),
    )
    assert rows(rtec(PARAMETERS, "museum", *names, *files).stdout) == rows(EXPECTED)


@pytest.mark.parametrize(
    ("application", "said"),
    [
        ("musuem", "has no application musuem; did you mean museum?"),
        ("live", "input_mode 'socket', which is not supported"),
        ("moved", "patterns/rules.prolog: give it with --event-description"),
    ],
)
def test_what_cannot_run_says_why(application: str, said: str) -> None:
    result = rtec(PARAMETERS, application)
    assert result.exit_code == 1
    assert said in result.stderr.replace("\n", " ")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("window_size = 0", "window_size must be a whole number of at least 1, not 0"),
        ("step = 'ten'", "step must be a whole number of at least 1, not 'ten'"),
        ("input_providers = 3", "input_providers must be the name of a file or a list of them"),
        ("input_providers = ['e.csv']", "has no event_description"),
        ("event_description = 'r.prolog'", "has no input_providers"),
        ("event_description = [", "is not a TOML file"),
        ("event_description = 'gone.prolog'\ninput_providers = 'e.csv'", "gone.prolog, which does not exist"),
    ],
)
def test_what_is_wrong_with_a_table(table: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(f"[app]\n{table}\n", encoding="utf-8")
    result = rtec(file, "app")
    assert result.exit_code == 1
    assert said in result.stderr


def test_parameters_without_effect_are_named(tmp_path: Path) -> None:
    (tmp_path / "r.prolog").write_text("initiatedAt(on=true, T) :- happensAt(press, T).", encoding="utf-8")
    (tmp_path / "e.csv").write_text("press|3|3\n", encoding="utf-8")
    table = (
        "[app]\nevent_description='r.prolog'\ninput_providers='e.csv'\ngoals=['init']\ncolour='red'\nstream_rate=2\n"
    )
    (tmp_path / "p.toml").write_text(table, encoding="utf-8")
    result = rtec(tmp_path / "p.toml", "app")
    assert result.exit_code == 0
    assert "not used: goals, colour" in result.stderr
    assert result.stdout.splitlines()[1:] == ["3,on,true,4,inf"]
