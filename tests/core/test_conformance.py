"""Every RTEC conformance case on the core, at its own window setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.reference import Windows
from tests.conformance.rtec_cases import CASES, load_case, parameters
from tests.core.runs import on_core
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("folder", parameters("core"))
def test_case(folder: Path) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    stream = RowReader(reasoner.analysis).read([case.stream])
    assert len(stream.malformed) == case.malformed
    windows = Windows(case.window, case.step, case.start, case.end)
    found = on_core(reasoner, stream.records, windows, threads=2)
    assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in found.intervals} == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in found.events} == case.events


def test_there_are_cases() -> None:
    assert len(CASES) == 112
