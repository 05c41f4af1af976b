"""Pages of mistakes: what a newcomer writes, and what the program says to it.

A page is Markdown. Blocks before the first heading `##` are files for every case; each case has files of its own and one
command or one piece of Python, followed by a block of text with everything that is printed.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError

PAGES = sorted(Path(__file__).parent.glob("*.md"))
_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^## (.+)\n", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    """One mistake: the files around it, what is done, and what is printed."""

    page: Path
    title: str
    files: dict[str, str]
    language: str
    action: str
    expected: str

    def run(self, folder: Path) -> str:
        """Everything that is printed when the mistake is made in a folder: output, messages, exit status."""
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        with contextlib.chdir(folder):
            return _run_command(self.action) if self.language == "console" else _run_python(self.action)


def cases_of(page: Path) -> Iterator[Case]:
    """The cases of a page, in order."""
    shared, *sections = re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8"))
    common = {name: body for _, name, body in _BLOCK.findall(shared) if name}
    for section in sections:
        blocks = _BLOCK.findall(section)
        files = {name: body for _, name, body in blocks if name}
        done = [(language, body) for language, name, body in blocks if not name]
        (language, action), *printed = done
        yield Case(page, _title(section), common | files, language, action, printed[0][1] if printed else "")


def _title(section: str) -> str:
    heading = _HEADING.match(section)
    assert heading is not None
    return heading[1]


def rewrite(page: Path, outputs: list[str]) -> None:
    """Put what is printed now into a page."""
    shared, *sections = re.split(r"(?m)^(?=## )", page.read_text(encoding="utf-8"))
    for number, output in enumerate(outputs):
        section = re.sub(r"\n```text\n.*?^```\n", "\n", sections[number], flags=re.DOTALL | re.MULTILINE)
        last = list(_BLOCK.finditer(section))[-1].end()
        sections[number] = f"{section[:last]}\n```text\n{output}```\n{section[last:]}"
    text = re.sub(r"\n{3,}", "\n\n", shared + "".join(sections)).rstrip("\n")
    page.write_text(f"{text}\n", encoding="utf-8")


def _run_command(text: str) -> str:
    program, *words = shlex.split(text.removeprefix("$ ").replace("\\\n", " "))
    assert program == "holdsfor"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = CliRunner().invoke(app, words, prog_name="holdsfor", catch_exceptions=False, env={"COLUMNS": "100"})
    assert not caught, [str(one.message) for one in caught]
    return f"{result.stdout}{result.stderr}exit status {result.exit_code}\n"


def _run_python(text: str) -> str:
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()) as output:
        warnings.simplefilter("always")
        said = ""
        try:
            exec(compile(text, "example.py", "exec"), {})
        except HoldsforError as problem:
            said = f"{type(problem).__name__}: {problem}\n"
    noted = "".join(f"{one.category.__name__}: {one.message}\n" for one in caught)
    return output.getvalue() + noted + said
