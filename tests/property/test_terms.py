"""Compound values and arguments, odd atoms, local variables: every evaluator reports what the reference evaluator does."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError, Source, errors_of
from holdsfor.loading import from_program
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from tests.property import test_explain, test_session
from tests.strategies.edits import Step, steps
from tests.strategies.engine_runs import Scenario, check_engine, differences, on_engine, on_reference
from tests.strategies.scenario_terms import attempt, term_scenarios
from tests.strategies.scenario_words import Pen
from tests.strategies.term_equations import with_equations

LATE = 6
SAMPLE = 100
ACCEPTED = 0.95
"""The least part of the programs that must be accepted, and run."""


def test_nearly_all_programs_are_accepted() -> None:
    refused = []
    for seed in range(SAMPLE):
        found = attempt(Pen(random.Random(seed).randint), windowed=True)
        try:
            if found.scenario is None:
                refused.append(found.refusal)
            else:
                on_engine(found.scenario.reasoner, found.scenario.records, found.scenario.span)
        except HoldsforError as error:
            refused.append(str(error))
    assert len(refused) <= (1 - ACCEPTED) * SAMPLE, refused


@settings(max_examples=40)
@given(term_scenarios(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=40)
@given(term_scenarios(windowed=True, late=LATE))
def test_at_every_query_time(scenario: Scenario) -> None:
    check_engine(scenario)


@st.composite
def sittings(draw: Callable[..., int]) -> tuple[Scenario, list[Step]]:
    """A scenario, and what is done with its records."""
    pen = Pen.of(draw)
    found = attempt(pen, windowed=False)
    assume(found.scenario is not None)
    assert found.scenario is not None
    return found.scenario, steps(pen, found.scenario)


@settings(max_examples=20)
@given(sittings())
def test_sessions(found: tuple[Scenario, list[Step]]) -> None:
    test_session.check_sitting(*found)


@settings(max_examples=20)
@given(data=st.data())
def test_proofs_and_refutations_replay(data: st.DataObject) -> None:
    test_explain.check(data.draw(term_scenarios(windowed=False)), data)


def check_equations(scenario: Scenario) -> bool:
    """A compound value means what a variable with an equation does; says whether the other program was accepted."""
    other = from_program(with_equations(scenario.reasoner.analysis.written))
    if errors_of(other.diagnostics):
        return False
    wanted = on_reference(other, scenario.records, scenario.span)
    assert differences(on_reference(scenario.reasoner, scenario.records, scenario.span), wanted) == []
    return True


@settings(max_examples=40)
@given(term_scenarios(windowed=False))
def test_a_compound_value_is_a_variable_with_an_equation(scenario: Scenario) -> None:
    assume(check_equations(scenario))


@settings(max_examples=40)
@given(term_scenarios(windowed=False))
def test_what_is_printed_reads_back(scenario: Scenario) -> None:
    for row in on_reference(scenario.reasoner, scenario.records, None).intervals:
        for text in (row.fluent, row.value):
            (clause,) = parse(Source("", f"x({text}).")).clauses
            assert clause.head is not None
            assert print_term(clause.head) == f"x({text})"


@pytest.mark.slow
@settings(max_examples=500)
@given(sittings())
def test_sessions_at_length(found: tuple[Scenario, list[Step]]) -> None:
    test_session.check_sitting(*found)
