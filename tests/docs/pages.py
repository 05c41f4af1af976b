"""Pages of the documentation, taken at their word: files are written, commands and Python run, output compared."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```(\w+)(?: +([^\n]*))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass
class Page:
    """A page while it is being followed, in the folder that is the present one."""

    path: Path
    names: dict[str, object] = field(default_factory=dict)
    printed: str = ""
    commands: int = 0
    programs: int = 0

    def follow(self) -> None:
        """Do all that the page says, from top to bottom."""
        for language, rest, text in _BLOCK.findall(self.path.read_text("utf-8")):
            if re.fullmatch(r"[\w./-]+\.\w+", rest):
                Path(rest).write_text(text, encoding="utf-8")
            elif language == "console":
                self._command(text)
            elif language == "python":
                self._python(text)
            elif language == "text":
                assert self.printed == text

    def _command(self, text: str) -> None:
        command, _, expected = text.removeprefix("$ ").partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "holdsfor"
        result = CliRunner().invoke(app, arguments)
        self.commands += 1
        assert result.stdout + result.stderr == expected

    def _python(self, text: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(text, str(self.path), "exec"), self.names)
        self.printed = output.getvalue()
        self.programs += 1
