"""The page about pictures: its Python blocks run, and the pictures next to it are those that they draw."""

import contextlib
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", (DOCS / "pictures.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)


def test_every_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    for language, text in BLOCKS:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, "pictures.md", "exec"), names)
            printed = output.getvalue()
        else:
            assert printed == text
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert drawn == ["graph.svg", "map.svg", "timeline.svg", "timeline_metric.svg"]
    for name in drawn:
        if name != "graph.svg":
            assert (tmp_path / name).read_text() == (DOCS / "images" / name).read_text(), f"draw {name} again"


def test_there_are_examples_and_pictures() -> None:
    assert [language for language, _ in BLOCKS].count("python") == 6
    for path in re.findall(r"\]\((images/[^)]+)\)", (DOCS / "pictures.md").read_text("utf-8")):
        assert (DOCS / path).exists()
