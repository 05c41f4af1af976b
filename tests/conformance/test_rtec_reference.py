"""Every RTEC conformance case on the reference evaluator."""

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.reference import Windows, recognise
from tests.conformance.rtec_cases import CASES, load_case, parameters
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("folder", parameters("reference"))
def test_case(folder: Path) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    stream = RowReader(reasoner.analysis).read([case.stream])
    assert len(stream.malformed) == case.malformed
    windows = Windows(case.window, case.step, case.start, case.end)
    result = recognise(reasoner.analysis, stream.records, windows)
    assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in result.intervals} == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in result.events} == case.events


def test_there_are_cases() -> None:
    assert len(CASES) == 112
