"""The golden cases of `holdsfor check` and how they are run."""

from __future__ import annotations

import json
import os
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app

CASES = Path(__file__).parent / "cases"
UPDATE = bool(os.environ.get("HOLDSFOR_UPDATE_GOLDENS"))


def cases() -> list[Path]:
    """The directories with a `rules.prolog`, by name."""
    return sorted(path.parent for path in CASES.glob("*/rules.prolog"))


def check(case: Path, *options: str) -> str:
    """What `holdsfor check` prints when it is run in the directory of a case."""
    events = ["--events", "events.csv"] if (case / "events.csv").exists() else []
    before = Path.cwd()
    os.chdir(case)
    try:
        result = CliRunner().invoke(app, ["check", "rules.prolog", *events, *options], catch_exceptions=False)
    finally:
        os.chdir(before)
    return result.stdout


def findings(case: Path) -> list[dict[str, object]]:
    """The findings of a case as `--json` gives them."""
    found = json.loads(check(case, "--json"))
    assert isinstance(found, list)
    return found
