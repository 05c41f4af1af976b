"""Incremental = from scratch = reference, at every query time: in windows, and after any history of late input, changed
facts and retractions.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.run import Batches, whole_history
from holdsfor.engine.state import NEVER
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan, first_moment
from holdsfor.incremental.engine import Incremental
from holdsfor.logic.arithmetic import EvaluationError
from tests.strategies.edits import Round, by_definition, from_scratch, incrementally, moment, rounds
from tests.strategies.engine_runs import Rows, Scenario, differences, on_engine, scenario, scenarios
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import WINDOWED

LATE = 12


def in_windows(one: Scenario) -> Rows:
    """What the incremental evaluator reports at the query times of a scenario."""
    dictionary = Dictionary()
    stream = from_records(one.records, one.reasoner.analysis.entities, dictionary)
    span = one.span
    plan = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    plan = plan or whole_history(stream)
    engine = Incremental(one.reasoner.plan, dictionary, first_moment(stream, plan), plan.size)
    batches = Batches(stream, plan, plan.query_times, NEVER)
    answers = [engine.query(query, batches.of(place)) for place, query in enumerate(plan.query_times.tolist())]
    return Rows(tuple(interval_rows(answers, dictionary)), tuple(event_rows(answers, dictionary)))


def check_windows(one: Scenario) -> None:
    try:
        wanted = on_engine(one.reasoner, one.records, one.span)
        found = in_windows(one)  # it refuses what its evaluators cannot do
    except (NotSupported, EvaluationError):
        assume(False)
        raise
    assert differences(found, wanted) == []


@settings(max_examples=40)
@given(scenarios(WINDOWED, windowed=True, late=LATE))
def test_windows(one: Scenario) -> None:
    check_windows(one)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE))
def test_windows_at_length(one: Scenario) -> None:
    check_windows(one)


@st.composite
def histories(draw: Callable[..., int]) -> tuple[Scenario, list[Round]]:
    """A scenario, and a history of its records that come late and are taken back."""
    pen = Pen.of(draw)
    one = scenario(pen, WINDOWED, windowed=False)
    assume(one is not None)
    assert one is not None
    return one, rounds(pen, one)


def check_history(one: Scenario, history: list[Round]) -> None:
    origin = min([0, *map(moment, one.records)])
    try:
        wanted = list(from_scratch(history, origin))
        defined = list(by_definition(history, origin))
        found = list(incrementally(history, origin))
    except (NotSupported, EvaluationError):
        assume(False)
        raise
    assert [differences(*pair) for pair in zip(wanted, defined, strict=True)] == [[]] * len(wanted)
    assert [differences(*pair) for pair in zip(found, wanted, strict=True)] == [[]] * len(wanted)


@settings(max_examples=40)
@given(histories())
def test_histories(found: tuple[Scenario, list[Round]]) -> None:
    check_history(*found)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(histories())
def test_histories_at_length(found: tuple[Scenario, list[Round]]) -> None:
    check_history(*found)
