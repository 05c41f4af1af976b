"""The golden cases of `holdsfor check` and how they are run."""

from __future__ import annotations

import json
import os
from pathlib import Path

from typer.testing import CliRunner

from holdsfor.cli import app
from holdsfor.cli.common import findings_json
from holdsfor.compiler.metric.checks import check_metric, streaming_findings
from holdsfor.diagnostics import in_reading_order
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.loading import read_source

CASES = Path(__file__).parent / "cases"
RULES = ("rules.prolog", "rules.dmtl")
UPDATE = bool(os.environ.get("HOLDSFOR_UPDATE_GOLDENS"))


def cases() -> list[Path]:
    """The directories with rules, by name."""
    return sorted(path.parent for name in RULES for path in CASES.glob(f"*/{name}"))


def check(case: Path, *options: str) -> str:
    """What `holdsfor check` prints when it is run in the directory of a case."""
    events = ["--events", "events.csv"] if (case / "events.csv").exists() else []
    before = Path.cwd()
    os.chdir(case)
    try:
        if Path("rules.dmtl").exists():
            return check_metric_rules(as_json="--json" in options)
        result = CliRunner().invoke(app, ["check", "rules.prolog", *events, *options], catch_exceptions=False)
    finally:
        os.chdir(before)
    return result.stdout


def check_metric_rules(*, as_json: bool) -> str:
    """What is found in the `rules.dmtl` of this directory."""
    program = parse_metric([read_source("rules.dmtl")])
    found = in_reading_order([*program.diagnostics, *check_metric(program), *streaming_findings(program)])
    return findings_json(found) if as_json else "".join(f"{item.render()}\n\n" for item in found)


def findings(case: Path) -> list[dict[str, object]]:
    """The findings of a case as `--json` gives them."""
    found = json.loads(check(case, "--json"))
    assert isinstance(found, list)
    return found
