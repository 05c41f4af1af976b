"""`check` and `run` accept the same programs: what the engine refuses is found before it runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.refusals import refusals
from holdsfor.logic.arithmetic import EvaluationError
from tests.strategies.engine_runs import Scenario, on_engine, scenarios
from tests.strategies.families import family_scenarios
from tests.strategies.filter_programs import filter_program
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.value_programs import value_program

FAMILIES: dict[str, Callable[[], st.SearchStrategy[Scenario]]] = {
    "everything": lambda: scenarios(EVERYTHING, windowed=False),
    "windows": lambda: scenarios(WINDOWED, windowed=True, late=12),
    "values": lambda: family_scenarios(value_program, windowed=True, late=12),
    "filters": lambda: family_scenarios(filter_program, windowed=False),
}


def check(one: Scenario) -> None:
    """A program without findings is not refused."""
    foreseen = refusals(one.reasoner.plan)
    try:
        on_engine(one.reasoner, one.records, one.span)
    except NotSupported as problem:
        assert foreseen, problem
    except EvaluationError:
        pass


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_refused_is_foreseen(family: str) -> None:
    settings(max_examples=40)(given(FAMILIES[family]())(check))()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_refused_is_foreseen_at_length(family: str) -> None:
    settings(max_examples=3_000)(given(FAMILIES[family]())(check))()
