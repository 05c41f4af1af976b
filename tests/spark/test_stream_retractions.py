"""Input that is taken back: every query time reports what follows from what is left."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import interval_rows
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.run import RecordedRun
from holdsfor.reference import InputInterval, IntervalRow, Occurrence, Record
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.commits import last_commit
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_runs import Sent, SimulatedStream, load_query
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED

FAR = 10_000
pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Changing:
    """How a stream comes in, with changes of mind."""

    buckets: int
    seed: int
    step: int
    batches: int

    def batched(self, scenario: Scenario) -> list[list[Sent]]:
        """Batches in which some rows are taken back, some of them in vain, some reported again."""
        rng = random.Random(self.seed)
        made: list[list[Sent]] = [[] for _ in range(self.batches)]
        for record in scenario.records:
            place = rng.randrange(self.batches)
            made[place].append(Sent(record))
            if rng.random() < 0.35:
                made[rng.randrange(self.batches)].append(Sent(record, retracted=True))
            if rng.random() < 0.1:
                made[rng.randrange(self.batches)].append(Sent(record))
        return made


@st.composite
def changes_of_mind(draw: Callable[..., int]) -> Changing:
    whole = st.integers
    return Changing(draw(whole(1, 3)), draw(whole(0, 9999)), draw(whole(1, 9)), draw(whole(1, 5)))


def left(known: list[Record], lost: Record) -> list[Record]:
    """What is known without what is taken back."""
    if isinstance(lost, Occurrence):
        return [r for r in known if not (isinstance(r, Occurrence) and (r.event, r.time) == (lost.event, lost.time))]
    found: list[Record] = []
    for record in known:
        if isinstance(record, InputInterval) and (record.fluent, record.value) == (lost.fluent, lost.value):
            before, after = min(record.end, lost.start), max(record.start, lost.end)
            if before > record.start:
                found.append(replace(record, end=before))
            if after < record.end:
                found.append(replace(record, start=int(after)))
        else:
            found.append(record)
    return found


def wanted(stream: SimulatedStream) -> list[IntervalRow]:
    """At every query time, what the engine finds in what is known by then."""
    clock = last_commit(stream.store, {}).clock
    assert clock.start is not None
    loads_ = sorted(
        (
            (load_query(arrival, clock, stream.windows), batch, sent.retracted, place)
            for place, (sent, arrival, batch) in enumerate(stream.workers.used)
        ),
    )
    rows: list[IntervalRow] = []
    known: list[Record] = []
    for query in stream.asked:
        while loads_ and loads_[0][0] <= query:
            *_, is_lost, place = loads_.pop(0)
            record = stream.workers.used[place][0].record
            known = left(known, record) if is_lost else [*known, record]
        rows += whole(stream, known, query, clock.start)
    return sorted(rows)


def whole(stream: SimulatedStream, known: list[Record], query: int, start: int) -> list[IntervalRow]:
    dictionary, reasoner = Dictionary(), stream.workers.reasoner
    records = [replace(record, arrival=query) for record in known]
    columns = from_records(records, reasoner.analysis.entities, dictionary)
    plan = WindowPlan(FAR, query - start, start, query)
    return interval_rows(RecordedRun(reasoner.plan, dictionary, columns, plan), dictionary)


def check(scenario: Scenario, changing: Changing) -> None:
    batches = changing.batched(scenario)
    sent = [one for batch in batches for one in batch]
    assume(any(one.retracted for one in sent))
    assert scenario.span is not None
    start = min(r.time if isinstance(r, Occurrence) else r.start for r in scenario.records) - 1
    with TemporaryDirectory() as folder:
        windows = Windows(FAR, changing.step)
        stream = SimulatedStream(scenario.reasoner, sent, windows, Path(folder), start=start, buckets=changing.buckets)
        for number, batch in enumerate(batches):
            stream.run(batch, number)
        if stream.asked:
            assert stream.snapshots() == wanted(stream)


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=True), changes_of_mind())
def test_what_is_taken_back_never_was(scenario: Scenario, changing: Changing) -> None:
    check(scenario, changing)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(WINDOWED, windowed=True), changes_of_mind())
def test_what_is_taken_back_never_was_at_length(scenario: Scenario, changing: Changing) -> None:
    check(scenario, changing)


RULES = """
initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).
holdsFor(lit(X)=true,I) :- holdsFor(on(X)=true,I1), holdsFor(dark(X)=true,I2), intersect_all([I1,I2],I).
"""


def event(name: str, time: int, *, retracted: bool = False) -> Sent:
    return Sent(Occurrence(Compound(name, (Const("a"),)), time, time), retracted)


def dark(start: int, end: float, *, retracted: bool = False) -> Sent:
    return Sent(InputInterval(Compound("dark", (Const("a"),)), Const("true"), start, end, start), retracted)


def streaming(folder: Path) -> SimulatedStream:
    sent = [event("go", 1), event("stop", 1, retracted=True), dark(1, 2), dark(1, math.inf)]
    return SimulatedStream(loads(RULES), sent, Windows(20, 5), folder, start=0, buckets=2)


def ops(stream: SimulatedStream, batch: int) -> set[tuple[object, ...]]:
    return {(r["op"], r["fluent"], r["start"], r["end"]) for r in stream.delivered[batch].to_pylist()}


def test_an_event_is_taken_back(tmp_path: Path) -> None:
    stream = streaming(tmp_path)
    stream.run([event("go", 2), event("stop", 4), event("go", 6)], 0)
    report = stream.run([event("stop", 4, retracted=True), event("go", 11)], 1)
    assert ops(stream, 1) == {("extend", "on(a)", 3, None)}
    assert report.unmatched == 0


def test_what_was_never_seen_is_counted_once(tmp_path: Path) -> None:
    stream = streaming(tmp_path)
    report = stream.run([event("go", 2), event("go", 3, retracted=True), event("go", 6)], 0)
    assert report.unmatched == 1
    assert [row["what"] for row in stream.unmatched(0)] == ["go(a)"]


def test_what_is_too_old_is_late(tmp_path: Path) -> None:
    stream = streaming(tmp_path)
    stream.run([event("go", 2), event("go", 31)], 0)
    assert stream.run([event("go", 2, retracted=True)], 1).late == 1


def test_an_interval_is_taken_back(tmp_path: Path) -> None:
    stream = streaming(tmp_path)
    stream.run([event("go", 2), dark(1, math.inf), event("go", 6)], 0)
    stream.run([dark(4, 8, retracted=True), event("go", 11)], 1)
    assert ops(stream, 1) == {("revise", "lit(a)", 3, 4), ("open", "lit(a)", 8, None)}


def test_a_row_comes_back(tmp_path: Path) -> None:
    stream = streaming(tmp_path)
    stream.run([event("go", 2)], 0)
    stream.run([event("go", 2, retracted=True)], 1)
    stream.run([event("go", 2)], 2)
    stream.run([event("stop", 6)], 3)
    assert ops(stream, 3) == {("open", "on(a)", 3, None)}
