"""The commands of the maritime application on the command line: help, examples, completion."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.commands import GROUP
from holdsfor.cli.completing import CommandWords, items_for, line_of
from holdsfor.cli.examples import EXAMPLES
from holdsfor_maritime.commands.demo import demo
from holdsfor_maritime.commands.maritime import maritime
from tests.unit.cli.adding import declared_entry_points

SUBCOMMANDS = {f"maritime {one.callback.__name__}": one.callback for one in maritime.registered_commands}
COMMANDS = {"demo": demo, **SUBCOMMANDS}


def offered(line: str) -> list[str]:
    return [item.word for item in items_for(line_of(line), app)]


def test_entry_points_name_what_there_is() -> None:
    assert {entry.name: entry.load() for entry in declared_entry_points(GROUP)} == {"demo": demo, "maritime": maritime}


def test_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sea").mkdir()
    (tmp_path / "sea.csv").touch()
    assert offered("holdsfor dem") == ["demo"]
    assert offered("holdsfor maritime r") == ["run", "report", "rules"]
    assert offered("holdsfor maritime run ") == offered("holdsfor demo --out ") == ["sea/"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_examples(command: str) -> None:
    shown = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "60"}).stdout
    assert EXAMPLES[command]
    listed = [f"  # {what}\n  {line}\n" for what, line in EXAMPLES[command]]
    assert shown.endswith(f"Examples\n{''.join(listed)}\n")
    options = {*offered(f"holdsfor {command} --"), "-o"}
    for _, line in EXAMPLES[command]:
        assert set(re.findall(r"(?<=\s)--?[a-z][\w-]*", line)) <= options


@pytest.mark.parametrize("command", COMMANDS)
def test_help_texts_are_sentences(command: str) -> None:
    assert re.fullmatch(r"[A-Z].*\.", (COMMANDS[command].__doc__ or "").splitlines()[0])
    for parameter in CommandWords(command, COMMANDS[command]).parameters:
        assert re.fullmatch(r"[A-Z].*\.", parameter.help), parameter.name
