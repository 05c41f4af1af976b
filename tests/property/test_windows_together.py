"""Query times that are worked out several at once = each for itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.run import Run
from holdsfor.engine.stream import Stream, from_records
from holdsfor.engine.variants import NotSupported
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental import together
from holdsfor.incremental.run import Choice, IncrementalRun
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference.history import Occurrence, Record
from tests.property.test_overlapping_windows import told
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import EVERYTHING, WINDOWED

STEPS = st.integers(1, 8)
OVERLAPS = st.integers(1, 4)
DOORS = loads(
    """
    initiatedAt(open(Door)=true, T) :- happensAt(opens(Door), T).
    terminatedAt(open(Door)=true, T) :- happensAt(closes(Door), T).
    """
)


def _prompt(records: list[Record], *, with_intervals: bool) -> list[Record]:
    """Records of which nearly all arrive when they happen."""
    found: list[Record] = []
    for number, record in enumerate(records):
        if isinstance(record, Occurrence):
            found.append(record if number % 16 == 15 else replace(record, arrival=record.time))
        elif with_intervals:
            found.append(record)
    return found


def check(one: Scenario, step: int, overlap: int, *, with_intervals: bool) -> None:
    assert one.span is not None
    plan, dictionary = one.reasoner.plan, Dictionary()
    records = _prompt(one.records, with_intervals=with_intervals)
    stream = from_records(records, one.reasoner.analysis.entities, dictionary)
    windows = WindowPlan(step * overlap, step, one.span.start, one.span.start + 6 * step)
    try:
        wanted = told(list(Run(plan, dictionary, stream, windows)), dictionary)
    except (NotSupported, EvaluationError):
        assume(False)
        raise
    assert told(list(IncrementalRun(plan, dictionary, stream, windows)), dictionary) == wanted


@settings(max_examples=50)
@given(scenarios(WINDOWED, windowed=True, late=6), STEPS, OVERLAPS, st.booleans())
def test_at_every_query_time(one: Scenario, step: int, overlap: int, with_intervals: bool) -> None:
    check(one, step, overlap, with_intervals=with_intervals)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(scenarios(EVERYTHING, windowed=True, late=6), STEPS, OVERLAPS, st.booleans())
def test_at_every_query_time_at_length(one: Scenario, step: int, overlap: int, with_intervals: bool) -> None:
    check(one, step, overlap, with_intervals=with_intervals)


def _opened(times: list[int], arrivals: list[int]) -> tuple[Dictionary, Stream]:
    from holdsfor.syntax.terms import Compound, Const

    dictionary = Dictionary()
    door = Compound("opens", (Const("front"),))
    records = [Occurrence(door, time, arrival) for time, arrival in zip(times, arrivals, strict=True)]
    return dictionary, from_records(records, DOORS.analysis.entities, dictionary)


def _run(times: list[int], arrivals: list[int], size: int = 10, choice: Choice = Choice.AUTO) -> IncrementalRun:
    dictionary, stream = _opened(times, arrivals)
    run = IncrementalRun(DOORS.plan, dictionary, stream, WindowPlan(size, 10, 0, 50), choice=choice)
    assert [answer.query_time for answer in run] == [10, 20, 30, 40, 50]
    return run


def test_a_prompt_stream_goes_in_one_go() -> None:
    times = [3, 12, 14, 28, 41]
    assert _run(times, times).work.together == 5
    assert _run(times, times, size=30).work.together == 5
    assert _run(times, times, choice=Choice.ALWAYS).work.together == 0


def test_what_comes_late_or_early_is_worked_out_by_itself() -> None:
    assert _run([3, 12, 14, 28, 41], [3, 12, 22, 28, 41], size=30).work.together == 4  # 10, 20; 40, 50
    assert _run([3, 12, 14, 48, 41], [3, 12, 14, 28, 41], size=30).work.together == 4


def test_windows_with_gaps_are_worked_out_one_by_one() -> None:
    times = [3, 12, 14, 28, 41]
    assert _run(times, times, size=5).work.together == 0


def test_not_too_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "MOST_ROWS", 3)
    times = [3, 12, 14, 28, 41]
    assert _run(times, times).work.together == 5  # 10, 20; 30, 40, 50
    monkeypatch.setattr(together, "MOST_QUERIES", 2)
    assert _run(times, times).work.together == 4
