"""The law of the driver, on random histories of the programs of every family."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdsfor.reference import Windows, recognise
from tests.core.histories import Advance, History, Push, Step
from tests.core.law import FAMILIES, Driver, check, history_of, right_answers
from tests.core.law_cases import cases, read
from tests.core.law_core import OnCore
from tests.core.law_model import Model
from tests.core.law_oracle import expected
from tests.strategies.engine_runs import sampled

SEEDS = 40
LONG_SEEDS = 8
LONG = 300
"""Rows of a history."""


def check_seeds(family: str, seeds: range, make: Callable[[History], Driver], rows: int = 0) -> int:
    """Check the histories of some seeds, with so many rows each; says how many there were."""
    checked = 0
    for seed in seeds:
        one = history_of(family, seed, rows)
        right = None if one is None else right_answers(one)
        if one is None or right is None:
            continue
        try:
            check(one, make, right)
        except AssertionError as problem:
            raise AssertionError(f"family {family!r}, seed {seed}\n{problem}") from problem
        checked += 1
    return checked


@pytest.mark.parametrize("family", FAMILIES)
def test_the_law(family: str) -> None:
    assert check_seeds(family, range(SEEDS), OnCore) >= 0.9 * SEEDS


@pytest.mark.parametrize("family", FAMILIES)
def test_the_law_with_many_rows(family: str) -> None:
    """What the window has left behind is dropped only where there is much of it."""
    assert check_seeds(family, range(LONG_SEEDS), OnCore, LONG) >= 0.6 * LONG_SEEDS


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("part", range(4))
def test_the_law_at_length(family: str, part: int) -> None:
    first = 10_000 + 140 * part
    assert check_seeds(family, range(first, first + 140), OnCore) >= 126


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_law_with_many_rows_at_length(family: str) -> None:
    assert check_seeds(family, range(10_000, 10_030), OnCore, 1_000) >= 20


@pytest.mark.parametrize("path", cases(), ids=lambda path: path.stem)
def test_cases(path: Path) -> None:
    check(read(path.read_text(encoding="utf-8")), OnCore)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_plain_model_keeps_the_law(family: str) -> None:
    assert check_seeds(family, range(2), Model) >= 1


@pytest.mark.parametrize("seed", range(20))
def test_rows_that_count_are_those_of_the_reference_evaluator(seed: int) -> None:
    """Without retractions and at regular query times, rows come in as they do in a run with windows."""
    one = sampled(seed, windowed=True, late=12)
    if one is None or one.span is None:
        return
    windows = Windows(one.span.size, one.span.step, one.span.start, one.span.end)
    records = [record for record in one.records if windows.loaded_at(record.arrival) is not None]
    steps: list[Step] = []
    for query in windows.query_times:
        steps.append(Push([record for record in records if windows.loaded_at(record.arrival) == query]))
        steps.append(Advance(query))
    found = list(expected(History(one, one.span.size, steps)))
    wanted = recognise(one.reasoner.analysis, one.records, windows)
    assert tuple(row for at in found for row in at.intervals) == wanted.intervals
    assert tuple(row for at in found for row in at.events) == wanted.events
