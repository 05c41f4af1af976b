"""Sessions = reference, at every question, whatever was pushed, taken back and corrected in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import interval_rows_table
from holdsfor.columns.stream import Stream, from_records
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.windows import WindowPlan, first_moment
from holdsfor.diagnostics import HoldsforError
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import EventRow, IntervalRow, Record
from holdsfor.session import Session
from tests.strategies.batches import NEVER, Batches
from tests.strategies.changelog import SHOWN, compare, snapshot
from tests.strategies.edits import Round, Step, by_definition, moment, steps, without
from tests.strategies.engine_runs import Rows, Scenario, differences, on_reference, scenario, scenarios
from tests.strategies.fact_edits import FactEdit
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import INTERVALS, WINDOWED

LATE = 12
HINDSIGHT = replace(INTERVALS, read_whole=True)
"""Rules about time-points read what is known only later."""


@st.composite
def sittings(draw: Callable[..., int]) -> tuple[Scenario, list[Step]]:
    """A scenario, and what is done with its records."""
    pen = Pen.of(draw)
    one = scenario(pen, WINDOWED, windowed=False)
    assume(one is not None)
    assert one is not None
    return one, steps(pen, one)


def expected(one: Scenario, sitting: list[Step], origin: int) -> Iterator[Rows]:
    """What the reference evaluator says at each question."""
    known: list[Record] = []
    reasoner = one.reasoner
    for step in sitting:
        known = without(known, step.old) + step.new
        if step.facts is not None and not step.facts.is_refused:
            reasoner = step.facts.reasoner
        if step.what in ("query", "changes"):
            yield from by_definition([Round(step.now, known, [], reasoner)], origin)


def check_sitting(one: Scenario, sitting: list[Step]) -> None:
    origin = min([0, *map(moment, one.records)])
    try:
        wanted = list(expected(one, sitting, origin))
    except EvaluationError:
        assume(False)
        raise
    session = Session(one.reasoner.plan, start=origin - 1)
    shown, shown_at = SHOWN.empty_table(), NEVER
    answers = iter(wanted)
    for step in sitting:
        if step.what in ("query", "changes"):
            answer = next(answers)
        if step.what == "query":
            result = session.query(step.now)
            assert differences(Rows(tuple(sorted(result)), _events(result.derived_events)), answer) == []
        elif step.what == "changes":
            table = _found(answer.intervals)
            changes, shown = compare(shown, table, step.now, -int(FOREVER), shown_at)
            assert _lines(session.changes(step.now).to_arrow().select(CHANGES.names)) == _lines(changes)
            shown_at = step.now
        elif step.facts is not None:
            _edit_facts(session, step.facts)
        else:
            _edit(session, step.what, *(_stream(one, records, session) for records in (step.old, step.new)))


def _edit(session: Session, what: str, old: Stream, new: Stream) -> None:
    if what == "push":
        session.push(new)
    elif what == "retract":
        session.retract(old)
    else:
        session.correct(old, new)


def _edit_facts(session: Session, edit: FactEdit) -> None:
    change = session.add_background if edit.is_new else session.retract_background
    if edit.is_refused:
        with pytest.raises(HoldsforError):
            change(edit.table)
    else:
        change(edit.table)


def _stream(one: Scenario, records: list[Record], session: Session) -> Stream:
    return from_records(records, one.reasoner.analysis.entities, session.dictionary)


def _events(table: pa.Table) -> tuple[EventRow, ...]:
    return tuple(sorted(EventRow(*row.values()) for row in table.to_pylist()))


def _found(rows: tuple[IntervalRow, ...]) -> pa.Table:
    return interval_rows_table(rows).select(["fluent", "value", "start", "end"])


def _lines(table: pa.Table) -> list[str]:
    return sorted(str(row) for row in table.to_pylist())


def check_windows(one: Scenario, *, with_changes: bool) -> None:
    """A stream in windows, some of it late: at every query time the answer is right, or what all changes leave of it."""
    assume(one.span is not None)
    assert one.span is not None
    try:
        wanted = on_reference(one.reasoner, one.records, one.span)
    except EvaluationError:
        assume(False)
        raise
    windows = WindowPlan(one.span.size, one.span.step, one.span.start, one.span.end)
    assert windows.size is not None
    dictionary = Dictionary()
    stream = from_records(one.records, one.reasoner.analysis.entities, dictionary)
    session = Session(one.reasoner.plan, windows.size, first_moment(stream, windows) - 1)
    session.dictionary.encode(dictionary.values)
    batches = Batches(stream, windows, windows.query_times, NEVER)
    log: list[pa.Table] = []
    for place, query in enumerate(windows.query_times.tolist()):
        session.push(batches.of(place))
        right = [row for row in wanted.intervals if row.query_time == query]
        if with_changes:
            log.append(session.changes(query).to_arrow().select(CHANGES.names))
            found = _lines(snapshot(pa.concat_tables(log), query, windows.size).select(_found(()).column_names))
            assert found == _lines(_found(tuple(right)))
        else:
            assert sorted(session.query(query)) == right


@settings(max_examples=40)
@given(scenarios(WINDOWED, windowed=True, late=LATE), st.booleans())
def test_windows(one: Scenario, with_changes: bool) -> None:
    check_windows(one, with_changes=with_changes)


@settings(max_examples=25)
@given(scenarios(HINDSIGHT, windowed=True, late=LATE), st.booleans())
def test_hindsight(one: Scenario, with_changes: bool) -> None:
    check_windows(one, with_changes=with_changes)


@pytest.mark.slow
@settings(max_examples=800)
@given(scenarios(WINDOWED, windowed=True, late=LATE), st.booleans())
def test_windows_at_length(one: Scenario, with_changes: bool) -> None:
    check_windows(one, with_changes=with_changes)


@settings(max_examples=50)
@given(sittings())
def test_sessions(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(sittings())
def test_sessions_at_length(found: tuple[Scenario, list[Step]]) -> None:
    check_sitting(*found)
