"""The page about explanations: its files are written, its commands and Python blocks run, their output compared."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

PAGE = Path(__file__).parents[3] / "docs" / "explain.md"
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for language, file, text in BLOCKS:
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif language == "console":
            command, _, expected = text.removeprefix("$ ").partition("\n")
            result = CliRunner().invoke(app, shlex.split(command)[1:])
            assert result.stdout + result.stderr == expected
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, str(PAGE), "exec"), names)
            printed = output.getvalue()
        elif language == "text":
            assert printed == text


def test_there_are_examples() -> None:
    assert [language for language, _, _ in BLOCKS].count("console") == 8
