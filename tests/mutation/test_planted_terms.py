"""Bugs of the compiler that all evaluators share: about compound values and local variables.

The engine and the reference evaluator agree on wrong answers then. What notices them is that a compound value means what a
variable with an equation does, and that nearly all programs are accepted.
"""

from __future__ import annotations

import random

import pytest

from holdsfor.compiler import analyse
from holdsfor.compiler.analysis import dependencies
from holdsfor.syntax.printer import print_term
from tests.property.test_terms import check_equations, test_nearly_all_programs_are_accepted
from tests.strategies.scenario_terms import attempt
from tests.strategies.scenario_words import Pen

SCENARIOS = 300


def _is_noticed() -> bool:
    for seed in range(SCENARIOS):
        found = attempt(Pen(random.Random(seed).randint), windowed=False).scenario
        if found is None:
            continue
        try:
            check_equations(found)
        except AssertionError:
            return True
    return False


@pytest.mark.slow
def test_without_a_bug_there_is_nothing_to_notice() -> None:
    assert not _is_noticed()


@pytest.mark.slow
def test_values_with_variables_are_compared_as_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "may_equal", lambda general, value: print_term(general) == print_term(value))
    monkeypatch.setattr(dependencies, "_general", lambda value, _numbers=None: value)
    assert _is_noticed()


@pytest.mark.slow
def test_local_variables_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyse, "rename_local_variables", lambda program: program)
    with pytest.raises(AssertionError):
        test_nearly_all_programs_are_accepted()
