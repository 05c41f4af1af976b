"""What the README shows is what happens."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

README = Path(__file__).parents[2] / "README.md"


def blocks() -> list[tuple[str, str]]:
    """The fenced blocks of the README with their language."""
    return re.findall(r"^```(\w*)\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)


def test_the_first_screen(tmp_path: Path) -> None:
    (_, rules), (_, events), (_, intervals), *_ = blocks()
    (tmp_path / "rules.prolog").write_text(rules)
    (tmp_path / "events.csv").write_text(events)
    result = CliRunner().invoke(app, ["run", str(tmp_path / "rules.prolog"), "--events", str(tmp_path / "events.csv")])
    assert result.stdout == intervals


def test_the_first_example_stands_within_the_first_forty_lines() -> None:
    assert "58,inFishingArea(tern),true,41,59" in README.read_text().splitlines()[:40]


def test_the_python_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = [text for language, text in blocks() if language == "python"]
    exec(compile(code, "README.md", "exec"), {})
    assert "light(hall)  on         4   10" in capsys.readouterr().out


def test_the_diagnostic_is_the_one_that_is_printed(tmp_path: Path) -> None:
    (shown,) = [text for _, text in blocks() if "error[HF101]" in text]
    rules = blocks()[0][1].splitlines()
    broken = "\n".join([*rules[1:3], rules[3].replace("areaType", "areaTyp"), rules[-1]])
    (tmp_path / "rules.prolog").write_text(broken)
    result = CliRunner().invoke(app, ["check", str(tmp_path / "rules.prolog")])
    assert result.stdout.replace(f"{tmp_path}/", "").startswith(shown)


def test_it_is_short() -> None:
    assert len(README.read_text().splitlines()) <= 120
