"""Numbers: the engine, windows worked out by what changed, sessions and columns of any type say what the reference
evaluator does, of floats and integers of every size.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.logic.arithmetic import NoValue, evaluate
from holdsfor.reference import Occurrence, Record
from holdsfor.session import Session
from holdsfor.syntax.terms import Compound, Const, Term
from tests.strategies.batches import NEVER, Batches
from tests.strategies.engine_runs import Rows, Scenario, check_engine, differences, on_reference
from tests.strategies.scenario_numbers import number_scenario, number_scenarios
from tests.strategies.scenario_words import Pen

pytestmark = pytest.mark.filterwarnings("ignore:windows of")


@settings(max_examples=80)
@given(number_scenarios(windowed=False))
def test_whole_history(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=80)
@given(number_scenarios(windowed=True))
def test_windows(scenario: Scenario) -> None:
    check_engine(scenario)


@settings(max_examples=60)
@given(number_scenarios(windowed=True))
def test_sessions(scenario: Scenario) -> None:
    span = scenario.span
    assert span is not None
    # What lies before the start of a session is not part of it, whenever it arrives.
    records = [record for record in scenario.records if isinstance(record, Occurrence) and record.time > span.start]
    wanted = on_reference(scenario.reasoner, list[Record](records), span)
    session = Session(scenario.reasoner.plan, span.size, span.start)
    stream = from_records(records, scenario.reasoner.analysis.entities, session.dictionary)
    windows = WindowPlan(span.size, span.step, span.start, span.end)
    batches = Batches(stream, windows, windows.query_times, NEVER)
    for place, query in enumerate(windows.query_times.tolist()):
        session.push(batches.of(place))
        rows = {row for row in wanted.intervals if row.query_time == query}
        assert set(session.query(query)) == rows


@settings(max_examples=60)
@given(number_scenarios(windowed=True))
def test_typed_columns(scenario: Scenario) -> None:
    """Numbers come as columns of 64-bit integers or floats, or as Python's own."""
    span = scenario.span
    assert span is not None
    events = {name: _columns(scenario.records, name) for name in ("m", "n")}
    found = scenario.reasoner.recognise(
        {name: columns for name, columns in events.items() if columns["time"]},
        window=span.size,
        step=span.step,
        start=span.start,
        end=span.end,
    )
    wanted = on_reference(scenario.reasoner, scenario.records, span)
    assert differences(Rows(tuple(sorted(found)), wanted.events), wanted) == []


def _columns(records: list[Record], name: str) -> dict[str, Any]:
    """The events of a name as columns; such with words are left to other tests."""
    chosen = [one for one in records if isinstance(one, Occurrence) and _args(one)[0].name == name]
    values = [_number(_args(one)[1]) for one in chosen]
    column: Any = values
    if all(isinstance(value, float) or abs(value) < 2**53 for value in values):
        column = np.array(values, np.float64)
    else:
        # In a column of several types numbers are looked for in text, and `-inf` is a name there.
        assume(float("-inf") not in values)
    return {
        "time": [one.time for one in chosen],
        "arrival": [one.arrival for one in chosen],
        "key": [_args(one)[2] for one in chosen],
        "value": column,
    }


def _args(record: Occurrence) -> tuple[Compound, Term, str]:
    event = record.event
    assert isinstance(event, Compound)
    key = event.args[0]
    assert isinstance(key, Const)
    return event, event.args[1], str(key.value)


def _number(term: Term) -> int | float:
    assume(not (isinstance(term, Const) and term.value in ("abc", "pi", "e")))
    try:
        return evaluate(term, {})
    except NoValue:
        raise AssertionError(term) from None


def test_all_programs_of_the_family_are_accepted() -> None:
    """`number_scenario` raises if one is refused; most of them derive something."""
    found = [number_scenario(Pen(random.Random(seed).randint), windowed=False) for seed in range(100)]
    filled = sum(bool(on_reference(one.reasoner, one.records, None).intervals) for one in found)
    assert filled >= 60
