"""Plain command lines give to `run` what Typer would, and all others are left to Typer."""

from __future__ import annotations

import subprocess
import sys
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from holdsfor.cli.plain import plain_arguments
from holdsfor.cli.run import run

ROOT = Path(__file__).parent.parent.parent.parent
EXAMPLE = ROOT / "examples" / "fleet_management"
PLAIN = [
    "a.prolog --events e.csv",
    "a.prolog b.prolog --events e.csv --events - --background f.prolog",
    "--events=e.csv a.prolog --mapping=m.toml --window 10 --step 5 --start 3 --end 1/3",
    "a.prolog --events e.csv --fluent x --query y --format jsonl -o out.csv --strict --profile",
    "a.prolog --events e.csv -f table --engine reference --threads 2 --delay inf --tick 0.25",
    "a.dmtl --events e.txt --derived-events d.csv --timeline t.svg --unit s --rejects r.csv --output=o.csv",
    "a.prolog --events e.csv --master local[2] --partitions 3",
    "a.prolog",
]
NOT_PLAIN = [
    "",
    "--events e.csv",
    "a.prolog --help",
    "a.prolog --events",
    "a.prolog --events --strict",
    "a.prolog --nothing",
    "a.prolog -fcsv",
    "a.prolog --window soon",
    "a.prolog --window ten",
    "a.prolog --window 1 --window 2",
    "a.prolog --start x",
    "a.prolog --end -3",
    "a.prolog --engine prolog",
    "a.prolog --strict=yes",
    "a.prolog -- b.prolog",
]


def by_typer(words: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}

    @wraps(run)
    def taken(**arguments: Any) -> None:
        given.update(arguments)

    app = typer.Typer()
    app.command()(taken)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return given


@pytest.mark.parametrize("line", PLAIN)
def test_the_same_as_by_typer(line: str) -> None:
    found = plain_arguments(run, line.split())
    assert found is not None
    defaults = {name: one.default for name, one in signature(run).parameters.items() if name not in found}
    expected = by_typer(line.split())
    assert {**defaults, **found} == expected
    assert {name: type(value) for name, value in found.items()} == {name: type(expected[name]) for name in found}


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_is_left_to_typer(line: str) -> None:
    assert plain_arguments(run, line.split()) is None


def start(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "holdsfor", "run", str(EXAMPLE / "rules.prolog"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_in_a_process_of_its_own() -> None:
    done = start("--events", str(EXAMPLE / "events.csv"))
    assert (done.returncode, done.stdout.count("\n")) == (0, 12)
    missing = start("--events", "nowhere.csv")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "error: cannot read nowhere.csv" in missing.stderr
    nothing = start()
    assert nothing.returncode == 2
    assert "the events are missing" in nothing.stderr
    assert "Usage:" in nothing.stderr
