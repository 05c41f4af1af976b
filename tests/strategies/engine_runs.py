"""Random scenarios, and their rows on the engine and on the reference evaluator."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hypothesis import assume
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import event_rows, interval_rows
from holdsfor.columns.stream import Stream, from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.plan import Plan
from holdsfor.core.run import RecordedRun
from holdsfor.diagnostics import ProgramError, Source
from holdsfor.loading import Reasoner, from_sources
from holdsfor.reference import EventRow, IntervalRow, Occurrence, Record, Windows, recognise
from holdsfor.syntax.printer import print_term
from tests.strategies.as_read import as_read
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, Features, written_both
from tests.strategies.streams import Span, any_span, recorded


@dataclass(frozen=True, repr=False)
class Scenario:
    """An event description, a stream, and perhaps windows."""

    text: str
    records: list[Record]
    span: Span | None
    reasoner: Reasoner

    def __repr__(self) -> str:
        return "\n".join([self.text, *map(_shown, self.records), str(self.span)])


def _shown(record: Record) -> str:
    if isinstance(record, Occurrence):
        return f"{print_term(record.event)} at {record.time}, arrives {record.arrival}"
    kind = "point" if record.is_point else "interval"
    pair = f"{print_term(record.fluent)}={print_term(record.value)}"
    return f"{pair} on [{record.start}, {record.end}), a {kind}, arrives {record.arrival}"


def scenario(pen: Pen, features: Features = EVERYTHING, *, windowed: bool, late: int = 0) -> Scenario | None:
    """A scenario with the choices of a pen; None if its rules have no meaning."""
    text, metric = written_both(pen, features)
    try:
        reasoner = loads(text) if not metric else loaded(text, metric)
    except ProgramError:
        return None
    records = recorded(pen, reasoner, late=pen.pick((0, late)))
    return Scenario(text + metric, records, any_span(pen, records) if windowed else None, reasoner)


def loaded(text: str, metric: str) -> Reasoner:
    """An event description with metric rules."""
    reasoner = from_sources([Source("rules.prolog", text), Source("rules.dmtl", metric)])
    reasoner.require_no_errors()
    return reasoner


@st.composite
def scenarios(draw: Callable[..., int], features: Features = EVERYTHING, *, windowed: bool, late: int = 0) -> Scenario:
    """Scenarios for Hypothesis."""
    found = scenario(Pen.of(draw), features, windowed=windowed, late=late)
    assume(found is not None)
    assert found is not None
    return found


def sampled(seed: int, features: Features = EVERYTHING, *, windowed: bool, late: int = 0) -> Scenario | None:
    """The scenario of a seed."""
    return scenario(Pen(random.Random(seed).randint), features, windowed=windowed, late=late)


@dataclass(frozen=True)
class Rows:
    """Everything that was reported."""

    intervals: tuple[IntervalRow, ...]
    events: tuple[EventRow, ...]

    def at(self, query: int, border: float) -> Rows:
        """What is reported at one query time by a window that begins after a border."""
        return Rows(
            tuple(row for row in self.intervals if row.query_time == query and row.end > border + 1),
            tuple(row for row in self.events if row.query_time == query and row.time > border),
        )


Answers = Callable[[Plan, Dictionary, Stream, WindowPlan | None], Iterable[Answer]]


def on_engine(reasoner: Reasoner, records: list[Record], span: Span | None) -> Rows:
    """The rows of the engine."""
    return _rows(answers_of, reasoner, records, span)


def _rows(run: Answers, reasoner: Reasoner, records: list[Record], span: Span | None) -> Rows:
    dictionary = Dictionary()
    stream = as_read(from_records(records, reasoner.analysis.entities, dictionary), reasoner, dictionary)
    plan = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    answers = list(run(reasoner.plan, dictionary, stream, plan))
    return Rows(tuple(interval_rows(answers, dictionary)), tuple(event_rows(answers, dictionary)))


def answers_of(plan: Plan, dictionary: Dictionary, stream: Stream, windows: WindowPlan | None) -> Iterable[Answer]:
    """The answers of all query times, as `recognise` gets them."""
    return RecordedRun(plan, dictionary, stream, windows)


def on_reference(reasoner: Reasoner, records: list[Record], span: Span | None) -> Rows:
    """The rows of the reference evaluator."""
    plan = None if span is None else Windows(span.size, span.step, span.start, span.end)
    found = recognise(reasoner.analysis, records, plan)
    return Rows(found.intervals, found.events)


def differences(engine: Rows, reference: Rows) -> list[str]:
    """What one has and the other has not, for people to read."""
    found: list[str] = []
    for got, wanted in ((engine.intervals, reference.intervals), (engine.events, reference.events)):
        found += [f"missing on the engine: {row}" for row in sorted(set(wanted) - set(got))]
        found += [f"only on the engine: {row}" for row in sorted(set(got) - set(wanted))]
        found += [f"twice on the engine: {row}" for row in sorted(set(got)) if got.count(row) > 1]
    return found


def check_engine(scenario: Scenario, on: Callable[..., Rows] = on_engine) -> None:
    """Assert that the engine reports what the reference evaluator does.

    A program that the engine refuses, or that fails on the stream (a delay that is no positive whole number, say), says
    nothing.
    """
    reference = on_reference(scenario.reasoner, scenario.records, scenario.span)
    engine = on(scenario.reasoner, scenario.records, scenario.span)
    assert differences(engine, reference) == []
    assert engine == reference
