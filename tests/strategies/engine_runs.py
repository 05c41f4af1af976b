"""One stream on the engine and on the reference evaluator, as rows that can be compared."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.run import run
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan
from holdsfor.loading import Reasoner
from holdsfor.reference import EventRow, IntervalRow, Record, Windows, recognise
from tests.strategies.streams import Span


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


def on_engine(reasoner: Reasoner, records: list[Record], span: Span | None) -> Rows:
    """The rows of the engine."""
    dictionary = Dictionary()
    stream = from_records(records, reasoner.analysis.entities, dictionary)
    plan = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    answers = list(run(reasoner.plan, dictionary, stream, plan))
    return Rows(tuple(interval_rows(answers, dictionary)), tuple(event_rows(answers, dictionary)))


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
