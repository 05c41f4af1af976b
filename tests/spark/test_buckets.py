"""Stages over buckets report what the engine does: every conformance case, whatever the number of buckets."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.spark.job import Span
from tests.conformance.rtec_cases import load_case, parameters
from tests.spark.simulated import on_buckets
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("folder", parameters("buckets"))
def test_case(folder: Path, count: int) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    records = RowReader(reasoner.analysis).read([case.stream]).records
    found = on_buckets(reasoner, records, Span(case.window, case.step, case.start, case.end), count)
    rows = [(r.query_time, r.fluent, r.value, r.start, r.end) for r in found.intervals]
    assert len(rows) == len(set(rows))
    assert set(rows) == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in found.events} == case.events
