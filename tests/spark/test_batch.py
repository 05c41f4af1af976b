"""Spark reports what the engine does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor import load
from holdsfor.spark.job import Span
from tests.conformance.rtec_cases import CASES, load_case
from tests.spark.on_spark import on_spark
from tests.strategies.recorded import RowReader

# One case for each thing that can go wrong on the way: levels, pairs, input fluents, initial values, late arrivals,
# cycles over several keys, everything at once.
QUICK = ("08-", "26-", "28-", "57-", "64-")
pytestmark = pytest.mark.filterwarnings("ignore")


def _check(spark: Any, folder: Path, partitions: int) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    records = RowReader(reasoner.analysis).read([case.stream]).records
    found = on_spark(spark, reasoner, records, Span(case.window, case.step, case.start, case.end), partitions)
    rows = [(r.query_time, r.fluent, r.value, r.start, r.end) for r in found.intervals]
    assert len(rows) == len(set(rows))
    assert set(rows) == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in found.events} == case.events


@pytest.mark.parametrize("folder", [c for c in CASES if c.name.startswith(QUICK)], ids=lambda path: path.name)
def test_case(spark: Any, folder: Path) -> None:
    _check(spark, folder, 3)


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [1, 4])
@pytest.mark.parametrize("folder", CASES, ids=lambda path: path.name)
def test_every_case(spark: Any, folder: Path, partitions: int) -> None:
    _check(spark, folder, partitions)
