"""Commands that other packages add, and what a broken one of them does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor.cli.commands import BUILT_IN, GROUP, all_commands
from holdsfor.cli.typer_app import application
from tests.unit.cli.adding import make_package

CODE = '''
from typing import Annotated

import typer

from holdsfor.cli.examples import EXAMPLES

EXAMPLES["greet"] = (("say hello", "holdsfor greet ann"),)


def greet(name: Annotated[str, typer.Argument(help="Whom to greet.")]) -> None:
    """Say hello."""
    typer.echo(f"hello {name}")


tools = typer.Typer(help="More tools.")
tools.command()(greet)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    entries = {"greet": "added:greet", "tools": "added:tools", "run": "added:greet"}
    make_package(tmp_path, "added", CODE, GROUP, entries)
    make_package(tmp_path, "broken", "import nothing_of_that_name", GROUP, {"break": "broken:it"})
    return tmp_path


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-c", "from holdsfor.cli import main; main()", *words]
    environment = os.environ | {"PYTHONPATH": path, "NO_COLOR": "1", "COLUMNS": "100"} | variables
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_functions_and_groups(folder: Path) -> None:
    assert run(folder, "greet", "ann").stdout == "hello ann\n"
    assert run(folder, "greet", "--help").stdout.endswith("Examples\n  # say hello\n  holdsfor greet ann\n\n")
    assert "Missing argument" in run(folder, "tools", "greet").stderr


def test_help_lists_them_apart_and_survives_a_broken_one(folder: Path) -> None:
    shown = run(folder, "--help")
    assert shown.returncode == 0
    assert "From added" in shown.stdout
    assert "More tools." in shown.stdout
    problem = "the command break of the package broken cannot be loaded: No module named 'nothing_of_that_name'"
    assert shown.stderr == f"warning: {problem}\n"
    direct = run(folder, "break")
    assert (direct.returncode, direct.stderr) == (1, f"error: {problem}\n")


def test_built_in_commands_cannot_be_replaced(folder: Path) -> None:
    assert "Evaluate rules" in run(folder, "run", "--help").stdout


@pytest.mark.parametrize("command", BUILT_IN)
def test_built_in_commands_do_not_look_for_added_ones(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: pytest.fail("looked for entry points"))
    assert [one.name for one in application(command).registered_commands] == [command]


def test_every_built_in_command_is_there() -> None:
    listed = [command.name for command in all_commands(lambda _: None) if not command.package]
    assert listed == list(BUILT_IN)
