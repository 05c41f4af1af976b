"""What happens at one time-point: every evaluator gives what the definitions do, in whatever order rules are written."""

from __future__ import annotations

import random

from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.loading import Reasoner
from tests.strategies.cycle_oracle import Row, TooLongError, answer
from tests.strategies.cycles import Program, any_events, any_program, records_of
from tests.strategies.engine_runs import Rows, differences, on_engine, on_reference
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import Span, any_span

Events = list[tuple[int, str, str]]


def shown(rows: Rows) -> list[Row]:
    return sorted((row.fluent, row.value, row.start, row.end) for row in rows.intervals)


def whole(events: Events) -> Span:
    """One query over everything; the stream begins before all events and initial values."""
    start, last = min(0, *(time for time, _, _ in events)) - 2, max(time for time, _, _ in events)
    return Span(last - start, last - start, start, last)


def drawn(pen: Pen) -> tuple[Program, Events, list[Row]] | None:
    """A program, events and the right answer; None if delayed effects go on for too long."""
    program = any_program(pen)
    events = any_events(pen, program)
    try:
        return program, events, answer(program, events, max(time for time, _, _ in events))
    except TooLongError:
        return None


def loaded(program: Program) -> Reasoner:
    """A program with a meaning: very few depend on their own absence."""
    try:
        return loads(program.text)
    except ProgramError:
        assume(False)
        raise


def on_session(reasoner: Reasoner, events: Events, by: int) -> list[Row]:
    """The last answer of a session that is asked every so many time-points."""
    session = reasoner.session(start=min(time for time, _, _ in events) - 1)
    last = max(time for time, _, _ in events)
    for now in [*range(min(time for time, _, _ in events), min(last, 30), by), last]:
        for time, name, item in events:
            if now - by < time <= now or (now == last and now - by >= time > 30 - by):
                session.push_one(name, time, *([item] if item else []))
        found = session.query(now)
    return sorted((row.fluent, row.value, row.start, row.end) for row in found)


@settings(max_examples=80, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 1 << 40))
def test_reference_and_engine(seed: int) -> None:
    found = drawn(Pen(random.Random(seed).randint))
    assume(found is not None)
    assert found is not None
    program, events, right = found
    reasoner, records, span = loaded(program), records_of(events), whole(events)
    assert shown(on_reference(reasoner, records, span)) == right, f"reference\n{program.text}{events}"
    assert shown(on_engine(reasoner, records, span)) == right, f"engine\n{program.text}{events}"


@settings(max_examples=40, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.integers(0, 1 << 40))
def test_windows_and_sessions(seed: int) -> None:
    pen = Pen(random.Random(seed).randint)
    found = drawn(pen)
    assume(found is not None)
    assert found is not None
    program, events, right = found
    reasoner = loaded(program)
    near = [event for event in events if event[0] < 50]
    if near:
        records = records_of(near)
        span = any_span(pen, records)
        assert differences(on_engine(reasoner, records, span), on_reference(reasoner, records, span)) == []
    assert on_session(reasoner, events, by=pen.number(1, 6)) == right


def test_nearly_all_programs_are_accepted() -> None:
    refused = 0
    for seed in range(200):
        program = any_program(Pen(random.Random(seed).randint))
        try:
            loads(program.text)
            on_engine(loads(program.text), [], Span(5, 5, 0, 5))
        except (ProgramError, HoldsforError):
            refused += 1
    assert refused <= 10
