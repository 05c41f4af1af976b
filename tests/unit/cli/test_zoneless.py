"""Times as text that do not say which zone they mean: a note says how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdsfor.cli import app

MAPPING = """unit = "s"
time = "at"
[event.added]
args = ["user"]
"""


@pytest.mark.parametrize(
    ("times", "noted"),
    [
        (["2026-03-01T12:00:00", "2026-03-01T12:05:00"], True),
        (["2026-03-01 12:00", "2026-03-01 12:05:00.5"], True),
        (["2026-03-01T12:00:00Z", "2026-03-01T12:05:00"], True),
        (["2026-03-01T12:00:00Z", "2026-03-01T12:05:00+02:00"], False),
        (["2026-03-01T12:00:00+02:00", "2026-03-01T12:05:00+02:00"], False),
        (["1772366400", "1772366700"], False),
    ],
)
def test_the_note(times: list[str], noted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text("initiatedAt(cart(User)=active, T) :- happensAt(added(User), T).")
    Path("mapping.toml").write_text(MAPPING)
    Path("shop.csv").write_text("at,user\n" + "".join(f"{time},ann\n" for time in times))
    words = "run rules.prolog --events shop.csv --mapping mapping.toml".split()
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert (result.exit_code, "have no time zone; they are read as UTC" in result.stderr) == (0, noted)
    quiet = CliRunner().invoke(app, [*words, "--quiet"], catch_exceptions=False)
    assert quiet.stderr == ""
