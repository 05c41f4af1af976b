"""Puts a run where readers look: results, report and pictures, and the tables of the README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmarks.suite.measure import Result, written
from benchmarks.suite.sections import SECTIONS, heading
from benchmarks.suite.tables import table
from benchmarks.suite.workload import ROOT

RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "benchmarks" / "README.md"
IMAGES = ROOT / "docs" / "images"


def publish(run: Result) -> Iterator[Path]:
    """Write everything; a quick run says nothing and is refused."""
    from benchmarks.suite.plots import draw

    if run["quick"]:
        raise SystemExit("a quick run is not for readers")
    RESULTS.mkdir(exist_ok=True)
    for path, text in (
        (RESULTS / "latest.json", written(run)),
        (RESULTS / "latest.md", f"# The latest run\n\n{table(run)}"),
        (README, with_tables(README.read_text(encoding="utf-8"), run)),
    ):
        path.write_text(text, encoding="utf-8")
        yield path
    yield from draw(run, IMAGES)


def with_tables(page: str, run: Result) -> str:
    """A page with its tables made anew: what stands between two marks of one name."""
    for name, section in {"heading": heading, **{name: make for name, (_, make) in SECTIONS.items()}}.items():
        body = "\n".join(section(run))
        page = re.sub(
            rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)",
            lambda match, body=body: f"{match[1]}\n{body}\n\n{match[2]}",
            page,
            flags=re.DOTALL,
        )
    return page
