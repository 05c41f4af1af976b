"""The golden cases of `holdsfor check` and how they are run."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app

CASES = Path(__file__).parent / "cases"
RULES = ("rules.prolog", "rules.dmtl")
UPDATE = bool(os.environ.get("HOLDSFOR_UPDATE_GOLDENS"))


def cases() -> list[Path]:
    """The directories with rules, by name."""
    return sorted({path.parent for name in RULES for path in CASES.glob(f"*/{name}")})


@cache
def check(case: Path, *options: str) -> str:
    """What `holdsfor check` prints when it is run in the directory of a case."""
    events = ["--events", "events.csv"] if (case / "events.csv").exists() else []
    rules = [name for name in RULES if (case / name).exists()]
    rules += ["--streaming"] if rules == ["rules.dmtl"] else []
    before = Path.cwd()
    os.chdir(case)
    try:
        result = CliRunner().invoke(app, ["check", *rules, *events, *options], catch_exceptions=False)
    finally:
        os.chdir(before)
    return result.stdout


def findings(case: Path) -> list[dict[str, object]]:
    """The findings of a case as `--json` gives them."""
    found = json.loads(check(case, "--json"))
    assert isinstance(found, list)
    return found
