"""Programs that are in order give no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.diagnostics import Severity
from holdsfor.io.rejects import Rejects
from holdsfor.loading import from_files
from tests.examples.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]


def paths(pattern: str) -> list[object]:
    found = sorted(ROOT.glob(pattern))
    assert found
    return [pytest.param(path, id=str(path.relative_to(ROOT).parent / path.stem)) for path in found]


def rendered(path: Path, *severities: Severity) -> list[str]:
    diagnostics = from_files([path, *tables_of(path.parent)], Rejects(strict=True)).diagnostics
    return [item.render() for item in diagnostics if item.severity in severities]


def tables_of(folder: Path) -> list[Path]:
    """The tables of facts that an example is run with, as the command line has them."""
    tables = {table for example in CATALOGUE if example.path("") == folder for table in example.background}
    return [Path(f"{name}={folder / file}") for name, _, file in (table.partition("=") for table in sorted(tables))]


@pytest.mark.parametrize("path", paths("tests/conformance/rtec/*/*/rules.prolog"))
def test_conformance_programs_have_no_errors(path: Path) -> None:
    assert rendered(path, Severity.ERROR) == []


@pytest.mark.parametrize("path", paths("examples/*/*.prolog"))
def test_examples_have_neither_errors_nor_warnings(path: Path) -> None:
    assert rendered(path, Severity.ERROR, Severity.WARNING) == []
