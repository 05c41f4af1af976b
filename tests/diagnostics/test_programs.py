"""Programs that are in order give nothing to complain about."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.diagnostics import Severity
from holdsfor.loading import from_sources, read_source

ROOT = Path(__file__).parents[2]


def paths(pattern: str) -> list[object]:
    found = sorted(ROOT.glob(pattern))
    assert found
    return [pytest.param(path, id=str(path.relative_to(ROOT).parent / path.stem)) for path in found]


def rendered(path: Path, *severities: Severity) -> list[str]:
    diagnostics = from_sources([read_source(path)]).diagnostics
    return [item.render() for item in diagnostics if item.severity in severities]


@pytest.mark.parametrize("path", paths("tests/conformance/rtec/*/*/rules.prolog"))
def test_conformance_programs_have_no_errors(path: Path) -> None:
    assert rendered(path, Severity.ERROR) == []


@pytest.mark.parametrize("path", paths("examples/*/*.prolog"))
def test_examples_have_neither_errors_nor_warnings(path: Path) -> None:
    assert rendered(path, Severity.ERROR, Severity.WARNING) == []
