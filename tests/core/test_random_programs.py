"""The core gives what the reference evaluator gives, on random programs of every family."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from holdsfor.diagnostics import ProgramError
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import Windows, recognise
from tests.core.runs import on_core
from tests.strategies.calendar_programs import calendar_scenario
from tests.strategies.domains import domain_scenario
from tests.strategies.engine_runs import Scenario, scenario
from tests.strategies.families import family_scenario
from tests.strategies.filter_programs import filter_program
from tests.strategies.pairs import pair_scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.value_programs import value_program

Writer = Callable[[Pen], Scenario | None]

FAMILIES: dict[str, Writer] = {
    "everything": lambda pen: scenario(pen, windowed=False),
    "everything in windows": lambda pen: scenario(pen, windowed=True, late=12),
    "values": lambda pen: family_scenario(pen, value_program, windowed=True, late=12),
    "filters": lambda pen: family_scenario(pen, filter_program, windowed=True, late=12),
    "domains": lambda pen: domain_scenario(pen, dynamic=True, windowed=True, late=12),
    "pairs": pair_scenario,
    "sliding aggregates": lambda pen: family_scenario(pen, sliding_program, windowed=True, late=12),
    "calendar": lambda pen: calendar_scenario(pen, windowed=True, late=12),
}


def _check(family: str, seeds: range, threads: int) -> int:
    """Compares the programs of some seeds; says how many there were."""
    checked = 0
    for seed in seeds:
        try:
            one = FAMILIES[family](Pen(random.Random(seed).randint))
        except ProgramError:
            one = None
        if one is None:
            continue
        windows = None if one.span is None else Windows(one.span.size, one.span.step, one.span.start, one.span.end)
        try:
            wanted = recognise(one.reasoner.analysis, one.records, windows)
        except EvaluationError:
            continue
        found = on_core(one.reasoner, one.records, windows, threads)
        assert found.intervals == wanted.intervals, (seed, one)
        assert found.events == wanted.events, (seed, one)
        assert found.conflicts == wanted.conflicts, (seed, one)
        checked += 1
    return checked


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_the_reference_evaluator(family: str) -> None:
    seeds = range(10_000, 10_040)
    assert _check(family, seeds, threads=2) >= 0.9 * len(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_equals_the_reference_evaluator_at_length(family: str) -> None:
    seeds = range(20_000, 21_000)
    assert _check(family, seeds, threads=1) >= 0.9 * len(seeds)
