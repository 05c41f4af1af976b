"""The page about running: its files are written, its commands and Python blocks run, their output compared."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

PAGE = Path(__file__).parents[3] / "docs" / "running.md"
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for language, file, text in BLOCKS:
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif language == "console":
            check_command(text)
        elif language == "python":
            printed = run_python(text, names)
        else:
            assert printed == text


def check_command(text: str) -> None:
    command, _, expected = text.removeprefix("$ ").partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "holdsfor"
    result = CliRunner().invoke(app, arguments)
    assert result.stdout + result.stderr == expected


def run_python(text: str, names: dict[str, object]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(text, str(PAGE), "exec"), names)
    return output.getvalue()


def test_there_are_examples() -> None:
    assert [language for language, _, _ in BLOCKS].count("console") == 8
    assert [language for language, _, _ in BLOCKS].count("python") == 3
