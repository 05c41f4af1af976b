"""Pages of the documentation, taken at their word: files are written, commands and Python run, output compared."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.frontend.rtec import print_program
from holdsfor.testing import assert_markdown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_BLOCK = re.compile(
    r"^(?P<fence>```|~~~)(?P<language>\w*)(?: +(?P<rest>[^\n]*))?\n(?P<text>.*?)^(?P=fence)$", re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"^\$ (?P<command>(?:[^\n]*\\\n)*[^\n]*)\n(?P<output>(?:(?!\$ )[^\n]*\n)*)", re.MULTILINE)

SHOWN = frozenset({"lua", "sql"})
"""Languages that nothing here can run."""

_CHECKED = frozenset({"prolog", "dmtl", "events", "facts", "expected"})


@dataclass(frozen=True)
class Block:
    """A fenced block; `file` is the name to save it under, `line` the line of the page before its text."""

    language: str
    file: str
    text: str
    line: int

    def has(self, line: str) -> bool:
        """Whether one of its lines is this one."""
        return line in (stripped.strip() for stripped in self.text.splitlines())


def blocks(path: Path) -> Iterator[Block]:
    """All fenced blocks of a page."""
    page = path.read_text("utf-8")
    for found in _BLOCK.finditer(page):
        rest = found["rest"] or ""
        file = rest if re.fullmatch(r"[\w./-]+\.\w+", rest) else ""
        yield Block(found["language"], file, found["text"], page.count("\n", 0, found.start("text")))


@dataclass
class Page:
    """A page while it is being followed, in the folder that is the present one.

    `names` are those that its Python starts with, `skipped` lines of the blocks that are left out, and `rewritten`
    changes a block before it is run, such as the address of a server in it.
    """

    path: Path
    names: dict[str, object] = field(default_factory=dict)
    skipped: Collection[str] = ()
    rewritten: Callable[[str], str] = str
    printed: str = ""
    done: int = 0

    def follow(self) -> None:
        """Do all that the page says, from top to bottom. A block that nothing can be done with is a mistake."""
        page = list(blocks(self.path))
        has_checks = any(block.language == "expected" for block in page)
        if has_checks:
            assert_markdown(self.path)
        for block in page:
            if block.language in SHOWN or any(block.has(line) for line in self.skipped):
                continue
            if block.file:
                Path(block.file).write_text(block.text, encoding="utf-8")
            elif not (has_checks and block.language in _CHECKED):
                self._do(block)
            self.done += 1

    def _do(self, block: Block) -> None:
        text = self.rewritten(block.text)
        match block.language:
            case "console":
                self._commands(text)
            case "python":
                self.printed = self._python(text, block.line)
            case "text":
                assert self.printed == text
            case "prolog":
                self._built(text)
            case other:
                raise AssertionError(f"{self.path.name}: nothing runs this block of {other!r}:\n{block.text}")

    def _commands(self, text: str) -> None:
        found = list(_COMMAND.finditer(text))
        assert "".join(match[0] for match in found) == text, "a command begins with $"
        for match in found:
            program, *arguments = shlex.split(match["command"].replace("\\\n", " "))
            assert self._output(program, arguments) == match["output"]

    def _output(self, program: str, arguments: list[str]) -> str:
        if program == "holdsfor":
            result = CliRunner().invoke(app, arguments)
            return result.stdout + result.stderr
        assert program == "python"
        with contextlib.redirect_stdout(io.StringIO()) as output:
            runpy.run_path(arguments[0], run_name="__main__")
        return output.getvalue().replace(f"{Path.cwd()}/", "")

    def _python(self, text: str, line: int) -> str:
        # At its own lines: hypothesis reads the source of a test from the page.
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile("\n" * line + text, str(self.path), "exec"), self.names)
        return output.getvalue()

    def _built(self, text: str) -> None:
        """Rules under a block of Python are those that it has built."""
        assert print_program(self.names["rules"].program()) == text
