"""Families of random programs that have a writer of their own: scenarios, and all evaluators on one of them.

Programs of a family are accepted: one that is refused, by the checks or by the engine, fails the test.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.diagnostics import ProgramError
from holdsfor.reference import Occurrence, Record
from holdsfor.session import Session
from holdsfor.spark.job import Span as JobSpan
from tests.spark.simulated import on_buckets
from tests.strategies.batches import NEVER, Batches
from tests.strategies.engine_runs import Rows, Scenario, differences, on_engine, on_reference
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span, recorded

Writer = Callable[[Pen], str]


def family_scenario(pen: Pen, write: Writer, *, windowed: bool, late: int = 0) -> Scenario:
    """A program of a family with a stream; raises ProgramError if the program is refused."""
    text = write(pen)
    reasoner = loads(text)
    records = recorded(pen, reasoner, late=pen.pick((0, late)))
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


@st.composite
def family_scenarios(draw: Callable[..., int], write: Writer, *, windowed: bool, late: int = 0) -> Scenario:
    """Scenarios of a family for Hypothesis."""
    return family_scenario(Pen.of(draw), write, windowed=windowed, late=late)


def share_accepted(write: Writer, count: int = 200) -> float:
    """How many of some programs the checks accept."""
    accepted = 0
    for seed in range(count):
        try:
            loads(write(Pen(random.Random(seed).randint)))
            accepted += 1
        except ProgramError:
            pass
    return accepted / count


def check_everywhere(one: Scenario) -> None:
    """The engine, in a session and in buckets, reports what the reference evaluator does."""
    wanted = on_reference(one.reasoner, one.records, one.span)
    assert differences(on_engine(one.reasoner, one.records, one.span), wanted) == []
    if one.span is None:
        return
    span = JobSpan(one.span.size, one.span.step, one.span.start, one.span.end)
    assert differences(on_buckets(one.reasoner, one.records, span, 2), wanted) == []
    # What lies before the start of a session is not part of it, whenever it arrives.
    if all(_begins(record) > one.span.start for record in one.records):
        _check_session(one, wanted)


def _begins(record: Record) -> int:
    return record.time if isinstance(record, Occurrence) else record.start


def _check_session(one: Scenario, wanted: Rows) -> None:
    assert one.span is not None
    session = Session(one.reasoner.plan, one.span.size, one.span.start)
    stream = from_records(one.records, one.reasoner.analysis.entities, session.dictionary)
    windows = WindowPlan(one.span.size, one.span.step, one.span.start, one.span.end)
    batches = Batches(stream, windows, windows.query_times, NEVER)
    for place, query in enumerate(windows.query_times.tolist()):
        session.push(batches.of(place))
        found = Rows(tuple(sorted(session.query(query))), ())
        assert differences(found, Rows(wanted.at(query, query - one.span.size).intervals, ())) == []
