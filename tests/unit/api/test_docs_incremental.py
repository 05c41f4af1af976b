"""The page about sessions: its rules are loaded, its Python blocks run, their output compared."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "incremental.md"
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for language, file, text in BLOCKS:
        if file:
            Path(file).write_text(text, encoding="utf-8")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, str(PAGE), "exec"), names)
            printed = output.getvalue()
        else:
            assert printed == text


def test_there_are_examples() -> None:
    assert [language for language, _, _ in BLOCKS].count("text") == 4
