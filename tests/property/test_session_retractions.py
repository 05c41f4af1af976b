"""Windowed sessions with retractions: what the window has left behind stays as it counted, and is reported as unmatched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.stream import from_records
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import Occurrence, Record, Windows, recognise
from holdsfor.session import Session
from tests.strategies.edits import is_same, moment, without
from tests.strategies.engine_runs import Scenario, scenario
from tests.strategies.families import Writer, family_scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import WINDOWED
from tests.strategies.sliding_programs import sliding_program


@st.composite
def histories(draw: Callable[..., int], write: Writer | None = None) -> tuple[Scenario, list[list[Occurrence]]]:
    """A windowed scenario, and the events that are retracted before each query time."""
    pen = Pen.of(draw)
    family = None if write is None else family_scenario(pen, write, windowed=True, late=8)
    one = family or scenario(pen, WINDOWED, windowed=True, late=8)
    assume(one is not None)
    assert one is not None and one.span is not None
    queries = _windows(one).query_times
    retracted: list[list[Occurrence]] = [[] for _ in queries]
    for record in one.records:
        if isinstance(record, Occurrence) and pen.chance(40):
            arrives = [place for place, query in enumerate(queries) if record.arrival <= query]
            if len(arrives) > 1:
                retracted[pen.pick(arrives[1:])].append(record)
    return one, retracted


def _windows(one: Scenario) -> Windows:
    assert one.span is not None
    return Windows(one.span.size, one.span.step, one.span.start, one.span.end)


def check(one: Scenario, retracted: list[list[Occurrence]]) -> None:
    """At each query time the session says what the reference says of the rows that count."""
    windows = _windows(one)
    size, start = int(windows.size), windows.start
    entities = one.reasoner.analysis.entities
    origin = min(0, start + 1, *map(moment, one.records))
    session = Session(one.reasoner.plan, size, origin - 1)
    waiting = [record for record in one.records if windows.loaded_at(record.arrival) is not None]
    known: list[Record] = []
    previous, unmatched = start, 0
    for query, back in zip(windows.query_times, retracted, strict=True):
        # What is retracted came in before, what arrives comes after.
        left = known
        for record in back:
            is_there = record.time > query - size and any(is_same(record, other) for other in left)
            left = without(left, [record]) if is_there else left
            unmatched += not is_there
        arrived = [record for record in waiting if previous < record.arrival <= query]
        known = left + arrived
        session.retract(from_records(back, entities, session.dictionary))
        session.push(from_records(arrived, entities, session.dictionary))
        wanted = recognise(one.reasoner.analysis, known, Windows(size, windows.step, start, query)).intervals
        assert sorted(session.query(query)) == sorted(row for row in wanted if row.query_time == query)
        previous = query
    assert session.unmatched == unmatched


@settings(max_examples=45)
@given(histories())
def test_retractions(history: tuple[Scenario, list[list[Occurrence]]]) -> None:
    try:
        check(*history)
    except EvaluationError:
        assume(False)
        raise


@settings(max_examples=40)
@given(histories(sliding_program))
def test_retractions_inside_windows_that_slide(history: tuple[Scenario, list[list[Occurrence]]]) -> None:
    check(*history)


RULES = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T).\nterminatedAt(on(X)=true, T) :- happensAt(down(X), T)."


@pytest.mark.parametrize("retracted_at", [3, 10])
def test_a_retraction_behind_the_window_is_unmatched(retracted_at: int) -> None:
    session = loads(RULES).session(window=10, start=0)
    session.push_one("up", 3, "a")
    assert [(row.start, row.end) for row in session.query(5)] == [(4, float("inf"))]
    session.query(12)
    session.retract_one("up", 3, "a")
    left = [(row.fluent, row.start, row.end) for row in session.query(retracted_at + 10)]
    assert (left, session.unmatched) == ([("on(a)", 4, float("inf"))], 1)
