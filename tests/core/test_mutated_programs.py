"""The core gives what the reference evaluator gives on programs of people with a few mistakes in them."""

from __future__ import annotations

import random

import pytest

from tests.core.families import compare
from tests.core.histories import history
from tests.core.law import check, right_answers
from tests.core.law_core import OnCore
from tests.strategies.mutated_programs import mutated_scenario
from tests.strategies.scenario_words import Pen


def _check(seeds: range) -> None:
    accepted = 0
    for seed in seeds:
        pen = Pen(random.Random(seed).randint)
        kind = seed % 3
        one = mutated_scenario(pen, windowed=kind == 1)
        if one is None:
            continue
        accepted += 1
        if kind < 2:
            compare(one, pen.number(1, 3), reports=False)
            continue
        made = history(pen, one)
        right = right_answers(made)
        if right is not None:
            check(made, OnCore, right)
    # Most changes leave a program with a meaning.
    assert accepted >= 0.5 * len(seeds)


def test_mutated_programs() -> None:
    _check(range(10_000, 10_150))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20_000, 30_000, 1_000))
def test_mutated_programs_at_length(seed: int) -> None:
    _check(range(seed, seed + 1_000))
