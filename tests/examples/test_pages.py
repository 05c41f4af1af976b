"""Every command of the example pages works when it is copied, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
from pathlib import Path

import pytest

from tests.examples.catalogue import EXAMPLES, FOLDERS, invoke

PAGES = sorted(folder / "README.md" for folder in (*FOLDERS, EXAMPLES))
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^    ((?:holdsfor|python examples/)(?:.*\\\n)*.*)$", re.MULTILINE)
COMMAND = re.compile(r"\$ ((?:[^\n]*\\\n)*[^\n]*)\n((?:.*\n)*)")
LINK = re.compile(r"\[[^]]+\]\(([^)#:]+)\)")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the examples are found by the paths that the pages use."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_command(text: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints: standard output, then standard error."""
    program, *words = shlex.split(text.replace("\\\n", " "))
    if program == "holdsfor":
        result = invoke(words)
        assert result.exit_code == 0, result.output
        return result.stdout + result.stderr
    assert program == "python"
    monkeypatch.setattr("sys.argv", words)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        runpy.run_path(words[0], run_name="__main__")
    return output.getvalue()


def blocks(text: str) -> list[tuple[str, str]]:
    """Commands and Python blocks in the order in which they stand."""
    found = [(match.start(), match[1], match[2]) for match in FENCED.finditer(text)]
    found += [(match.start(), "command", match[1]) for match in INDENTED.finditer(text)]
    return [(kind, body) for _, kind, body in sorted(found)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_block(page: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, object] = {}
    printed = ""
    for kind, body in blocks(page.read_text("utf-8")):
        if kind == "command":
            run_command(body, monkeypatch)
        elif kind == "console":
            command, output = COMMAND.fullmatch(body).groups()
            assert run_command(command, monkeypatch) == output
        elif kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as caught:
                exec(compile(body, str(page), "exec"), names)
            printed = caught.getvalue()
        elif kind == "text":
            assert printed == body


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_link(page: Path) -> None:
    assert [link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()] == []


def test_every_example_has_a_page_with_a_command() -> None:
    assert [page for page in PAGES if not page.exists()] == []
    index = (EXAMPLES / "README.md").read_text("utf-8")
    for folder in FOLDERS - {EXAMPLES / "spark_submit"}:
        text = (folder / "README.md").read_text("utf-8")
        assert any("holdsfor run" in body for _, body in blocks(text)), folder
        assert f"({folder.name}/README.md)" in index
