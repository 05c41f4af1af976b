"""A diff is the set difference of what two whole programs find, time-point by time-point: random programs and edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.rtec import print_program
from holdsfor.io.builder import Reading
from holdsfor.io.rejects import Rejects
from holdsfor.loading import Reasoner
from holdsfor.reference import Record
from holdsfor.review.comparing import Difference, DifferenceKind
from holdsfor.review.diff import Diff, compared
from holdsfor.review.running import EventInput, Runs
from holdsfor.review.timeline_scale import FAR
from tests.strategies.as_read import as_read
from tests.strategies.engine_runs import Rows, Scenario, on_engine, scenarios
from tests.strategies.rule_edits import edited
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, MIXED, WINDOWED, Features
from tests.strategies.streams import Span

Held = dict[tuple[str, str], set[int]]
"""The time-points of fluents with values; derived events have no value."""

# Random windows may leave gaps, which a user is told of.
pytestmark = pytest.mark.filterwarnings("ignore:windows of:UserWarning")


MOST = 400
FLOOR = -100
"""Before all times of a random stream."""


class Recorded(Runs):
    """Runs over records."""

    def __init__(self, records: list[Record], span: Span | None) -> None:
        times = {} if span is None else {"window": span.size, "step": span.step, "start": span.start, "end": span.end}
        super().__init__(EventInput({}, **times))
        self._records = records

    def reading(self, reasoner: Reasoner) -> Reading:
        dictionary = Dictionary()
        stream = from_records(self._records, reasoner.analysis.entities, dictionary)
        read = as_read(stream, reasoner, dictionary)
        return Reading(read, dictionary, len(self._records), {}, set(), Rejects())


def known(rows: Rows, span: Span | None, end: int) -> Held:
    """Of every time-point, what the last query time knows whose window has it."""
    queries = [] if span is None else list(range(span.start + span.step, span.end + span.step, span.step))
    found: Held = {}
    for row in rows.intervals:
        held = found.setdefault((row.fluent, row.value), set())
        points = range(int(max(row.start, FLOOR)), int(min(row.end, end)))
        held.update(time for time in points if _decides(row.query_time, time, queries, span))
    for happened in rows.events:
        if _decides(happened.query_time, happened.time, queries, span):
            found.setdefault((happened.event, ""), set()).add(happened.time)
    return {key: points for key, points in found.items() if points}


def _decides(query: int, time: int, queries: list[int], span: Span | None) -> bool:
    if span is None:
        return True
    deciding = [one for one in queries if one - span.size < time]
    return query == (deciding[-1] if deciding else queries[0])


def points(spans: tuple[tuple[int, int], ...], end: int) -> set[int]:
    return {time for low, high in spans for time in range(max(low, FLOOR), min(high, end))}


@dataclass(frozen=True, repr=False)
class Edit:
    """A scenario and the program that it is edited to."""

    scenario: Scenario
    other: Reasoner

    def __repr__(self) -> str:
        return f"{self.scenario!r}\n-- edited to --\n{print_program(self.other.analysis.written)}"


@st.composite
def edits(draw: Callable[..., Any], features: Features, *, windowed: bool) -> Edit:
    scenario = draw(scenarios(features, windowed=windowed, late=8))
    other = edited(Pen.of(draw), scenario.reasoner)
    assume(other is not None)
    assert other is not None
    return Edit(scenario, other)


def check(scenario: Scenario, other: Reasoner) -> Diff:
    try:
        whole = [on_engine(one, scenario.records, scenario.span) for one in (scenario.reasoner, other)]
    except HoldsforError:
        assume(False)
        raise
    runs = Recorded(scenario.records, scenario.span)
    if scenario.span is None:
        # The last row that a program reads is where its time ends, for all that it finds.
        ends = [runs.reading(one).stream.moments()[1] for one in (scenario.reasoner, other)]
        assume(ends[0] == ends[1])
    found = compared((scenario.reasoner, other), runs)
    times = [0, *_times(whole), *(time for one in found for spans in (one.old, one.new) for time in _ends(spans))]
    # Some programs have delays of any length; the first time-points are enough.
    end = min(3 + max(times), MOST)
    before, after = (known(rows, scenario.span, end) for rows in whole)
    gained: Held = {}
    lost: Held = {}
    for one in found:
        key = one.subject.term, one.subject.value
        gained.setdefault(key, set()).update(points(one.gained_spans, end))
        lost.setdefault(key, set()).update(points(one.lost_spans, end))
        _check_change(one)
    for key in before.keys() | after.keys() | gained.keys() | lost.keys():
        old, new = before.get(key, set()), after.get(key, set())
        assert gained.get(key, set()) == new - old, key
        assert lost.get(key, set()) == old - new, key
    return found


def _check_change(one: Difference) -> None:
    more, less = bool(one.gained_spans), bool(one.lost_spans)
    assert more or less
    assert (one.change is DifferenceKind.APPEARS) == (not one.old)
    assert (one.change is DifferenceKind.DISAPPEARS) == (not one.new)
    if one.old and one.new:
        wanted = {
            (True, False): DifferenceKind.GROWS,
            (False, True): DifferenceKind.SHRINKS,
            (True, True): DifferenceKind.MOVES,
        }
        assert one.change is wanted[more, less]


def _times(whole: list[Rows]) -> Iterator[int]:
    for rows in whole:
        yield from (int(time) for row in rows.intervals for time in (row.start, row.end) if abs(time) < FAR)
        yield from (row.time for row in rows.events)


def _ends(spans: tuple[tuple[int, int], ...]) -> Iterator[int]:
    yield from (time for span in spans for time in span if abs(time) < FAR)


@settings(max_examples=60)
@given(edits(EVERYTHING, windowed=False))
def test_over_everything(edit: Edit) -> None:
    check(edit.scenario, edit.other)


@settings(max_examples=20)
@given(edits(WINDOWED, windowed=True))
def test_with_windows(edit: Edit) -> None:
    check(edit.scenario, edit.other)


@settings(max_examples=20)
@given(edits(MIXED, windowed=False))
def test_with_metric_rules(edit: Edit) -> None:
    check(edit.scenario, edit.other)


@pytest.mark.slow
@settings(max_examples=500)
@given(edits(EVERYTHING, windowed=False))
def test_over_everything_at_length(edit: Edit) -> None:
    check(edit.scenario, edit.other)


@pytest.mark.slow
@settings(max_examples=500)
@given(edits(WINDOWED, windowed=True))
def test_with_windows_at_length(edit: Edit) -> None:
    check(edit.scenario, edit.other)
