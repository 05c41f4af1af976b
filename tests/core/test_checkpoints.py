"""Evaluation that goes on from a checkpoint gives what evaluation from the beginning gives."""

from __future__ import annotations

import random

import pytest

from holdsfor.diagnostics import ProgramError
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import Record, Windows
from holdsfor.reference.history import Occurrence
from tests.core.runs import on_core
from tests.core.test_random_programs import FAMILIES
from tests.strategies.scenario_words import Pen


def _times(records: list[Record]) -> list[int]:
    """The times that records mention, with those around them."""
    found = [one.time if isinstance(one, Occurrence) else one.start for one in records]
    return sorted({-2, -1, *found, *(time + 1 for time in found), *(time - 1 for time in found)})


def _check(family: str, seeds: range) -> int:
    """Compares programs at random times to stop; says how many there were."""
    checked = 0
    for seed in seeds:
        choice = random.Random(seed)
        try:
            one = FAMILIES[family](Pen(choice.randint))
        except ProgramError:
            one = None
        if one is None:
            continue
        windows = None if one.span is None else Windows(one.span.size, one.span.step, one.span.start, one.span.end)
        try:
            wanted = on_core(one.reasoner, one.records, windows)
        except EvaluationError:
            continue
        time = choice.choice(_times(one.records))
        found = on_core(one.reasoner, one.records, windows, resume_at=time)
        assert found.intervals == wanted.intervals, (seed, time, one)
        assert found.events == wanted.events, (seed, time, one)
        checked += 1
    return checked


@pytest.mark.parametrize("family", FAMILIES)
def test_goes_on_from_a_checkpoint(family: str) -> None:
    seeds = range(30_000, 30_025)
    assert _check(family, seeds) >= 0.9 * len(seeds)
