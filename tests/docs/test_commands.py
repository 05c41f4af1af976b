"""Commands that pages mention in passing, in a sentence or a list, exist with the options they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from holdsfor.cli import app
from tests.docs.pages import DOCS, ROOT

PAGES = [*sorted(DOCS.rglob("*.md")), *(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING"))]
_MENTIONED = re.compile(r"(?:`|^|\$ |    )holdsfor (?P<rest>[a-z]+(?:(?!`|\s#\s)(?:\\\n|.))*)", re.MULTILINE)


def options(words: list[str]) -> set[str]:
    """The options of the command that some words begin with."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    assert not (hasattr(command, "commands") and words and re.fullmatch("[a-z]+", words[0])), f"no command {words[0]}"
    return {"--help", *(name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts))}


def mentioned(path: Path) -> Iterator[str]:
    for found in _MENTIONED.finditer(path.read_text("utf-8")):
        yield found["rest"].replace("\\\n", " ")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_and_their_options(path: Path) -> None:
    for command in mentioned(path):
        known = options(command.split())
        asked = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", command))
        assert asked <= known, f"holdsfor {command}: {asked - known}"


def test_there_are_such_commands() -> None:
    assert sum(1 for path in PAGES for _ in mentioned(path)) > 60
