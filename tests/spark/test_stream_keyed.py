"""Keys in buckets and parts, read when something reaches them: the changelog is that of one engine with all keys."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.core.engine import Engine
from holdsfor.core.rows import EventRows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.reference import Occurrence, Record
from holdsfor.session.changes import MOST_CAUSES, Changes
from holdsfor.session.texts import Texts
from holdsfor.spark.streaming import state, tables
from holdsfor.spark.streaming.clock import Windows
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.table_runs import SimulatedTables
from tests.spark.test_stream_simulated import LATE, Feeding, feedings
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import INTERVALS, WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Keeping:
    """How state is kept: the usual size of a part, and in how many files parts may be."""

    usual: int
    files: int
    spare: int


@st.composite
def keepings(draw: Callable[..., Any]) -> Keeping:
    one_of = st.sampled_from
    return Keeping(draw(one_of([1, 300, 64 * 1024])), draw(one_of([0, 2, 12])), draw(one_of([0, 10_000])))


def with_retractions(batches: list[list[Sent]], seed: int) -> list[list[Sent]]:
    """Some rows are taken back, in the same batch or later; some come once more."""
    rng = random.Random(seed)
    made = [list(batch) for batch in batches]
    for place, batch in enumerate(batches):
        for sent in batch:
            if rng.random() < 0.2:
                made[rng.randrange(place, len(made))].append(replace(sent, retracted=True))
            if rng.random() < 0.05:
                made[rng.randrange(len(made))].append(sent)
    return made


def streamed(
    scenario: Scenario,
    feeding: Feeding,
    batches: list[list[Sent]],
    folder: str,
    sent: list[Sent],
    kind: type[SimulatedStream] = SimulatedStream,
) -> SimulatedStream:
    span = scenario.span
    assert span is not None
    windows = Windows(span.size, span.step, feeding.lateness, feeding.by_event)
    stream = kind(scenario.reasoner, sent, windows, Path(folder), start=span.start, buckets=feeding.buckets)
    for number, batch in enumerate(batches):
        stream.run(batch, number)
    return stream


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    listed = table.drop_columns(["causes"]) if "causes" in table.column_names else table
    return sorted((tuple(row.values()) for row in listed.to_pylist()), key=repr)


class Local:
    """One engine with all keys, which gets the rows of a stream at the query times that see them first."""

    def __init__(self, stream: SimulatedStream) -> None:
        plan = stream.workers.reasoner.plan
        self.stream, self.engine = stream, Engine(plan, stream.windows.size, threads=1, changes=True)
        self.engine.core.keep_event_changes()
        self.texts = Texts(self.engine.words, self.engine.symbols)
        self.changes: list[tuple[object, ...]] = []
        self.causes: list[tuple[object, ...]] = []
        self.known = -(2**62)
        for query in stream.asked:
            self._ask(query)

    def _ask(self, query: int) -> None:
        engine, step = self.engine, self.stream.windows.step
        used = self.stream.workers.used
        for batch in sorted({batch for _, _, batch in used}):
            for retracted in (False, True):
                records = [
                    sent.record
                    for sent, arrival, of in used
                    if of == batch and sent.retracted == retracted and query - step < arrival <= query
                ]
                self._edit(records, retracted=retracted)
        engine.advance(query)
        self.known = query
        table = Changes(engine.changes(MOST_CAUSES), query, self.texts, 1, None).to_arrow()
        for row in table.to_pylist():
            named = row.pop("causes")
            self.changes.append(tuple(row.values()))
            # A row that came twice may be named twice.
            self.causes.append((row["id"], query, sorted(set(named))))

    def _edit(self, records: list[Record], *, retracted: bool) -> None:
        dictionary = Dictionary()
        stream = from_records(records, self.stream.workers.reasoner.analysis.entities, dictionary)
        for rows, _ in self.engine.rows_of(stream, Vocabulary(dictionary, self.engine.words)):
            if retracted:
                self.engine.retract(rows.kept())
            else:
                # Input in time is no cause that a stream names.
                is_late = (rows.time if isinstance(rows, EventRows) else rows.start) <= self.known
                self.engine.push(rows.take(np.flatnonzero(~is_late)).kept(), is_cause=False)
                self.engine.push(rows.take(np.flatnonzero(is_late)).kept())


def check(
    scenario: Scenario,
    feeding: Feeding,
    keeping: Keeping,
    *,
    retracting: bool,
    kind: type[SimulatedStream] = SimulatedStream,
) -> None:
    batches = feeding.batched(scenario)
    if retracting:
        batches = with_retractions(batches, feeding.seed)
    sent = [one for batch in batches for one in batch]
    with (
        TemporaryDirectory() as folder,
        patch.object(state, "USUAL", keeping.usual),
        patch.object(state, "MOST_FILES", keeping.files),
        patch.object(state, "_SPARE", keeping.spare),
        patch.object(tables, "MOST_FILES", keeping.files),
        patch.object(tables, "_SPARE", keeping.spare),
    ):
        stream = streamed(scenario, feeding, batches, folder, sent, kind)
        local = Local(stream)
        assert rows_of(stream.changes) == sorted(local.changes, key=repr)
        assert sum(report.unmatched for report in stream.reports) == local.engine.unmatched
        assert sum(report.conflicts for report in stream.reports) == local.engine.core.conflicts()
        found = [(row["id"], row["query_time"], sorted(row["causes"])) for row in stream.changes.to_pylist()]
        few = {one[:2] for one in local.causes if len(one[2]) < MOST_CAUSES}  # type: ignore[arg-type]
        assert sorted(one for one in found if one[:2] in few) == sorted(one for one in local.causes if one[:2] in few)


@settings(max_examples=20)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings())
def test_as_one_engine(scenario: Scenario, feeding: Feeding, keeping: Keeping) -> None:
    check(scenario, feeding, keeping, retracting=False)


@settings(max_examples=20)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings())
def test_retractions(scenario: Scenario, feeding: Feeding, keeping: Keeping) -> None:
    check(scenario, feeding, keeping, retracting=True)


@settings(max_examples=30)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings(), st.booleans())
def test_in_tables(scenario: Scenario, feeding: Feeding, keeping: Keeping, retracting: bool) -> None:
    check(scenario, feeding, keeping, retracting=retracting, kind=SimulatedTables)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings(), st.booleans())
def test_in_tables_at_length(scenario: Scenario, feeding: Feeding, keeping: Keeping, retracting: bool) -> None:
    check(scenario, replace(feeding, batches=2 * feeding.batches), keeping, retracting=retracting, kind=SimulatedTables)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings(), st.booleans())
def test_as_one_engine_at_length(scenario: Scenario, feeding: Feeding, keeping: Keeping, retracting: bool) -> None:
    check(scenario, replace(feeding, batches=2 * feeding.batches), keeping, retracting=retracting)


@pytest.mark.slow
@settings(max_examples=700)
@given(scenarios(INTERVALS, windowed=True, late=LATE), feedings(), keepings(), st.booleans())
def test_whole_intervals_at_length(scenario: Scenario, feeding: Feeding, keeping: Keeping, retracting: bool) -> None:
    check(scenario, replace(feeding, batches=2 * feeding.batches), keeping, retracting=retracting)


RULES = """
initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).
initiatedAt(near(X,Y)=true,T) :- happensAt(meet(X,Y),T).
terminatedAt(near(X,Y)=true,T) :- happensAt(part(X,Y),T).
holdsFor(both(X,Y)=true,I) :-
    holdsFor(on(X)=true,I1), holdsFor(on(Y)=true,I2), holdsFor(near(X,Y)=true,I3), intersect_all([I1,I2,I3],I).
"""


def event(name: str, time: int, *who: str, retracted: bool = False) -> Sent:
    return Sent(Occurrence(Compound(name, tuple(map(Const, who))), time, time), retracted)


def stream_of(folder: Path, *, retracting: bool = False) -> SimulatedStream:
    sent = [event("go", 1, "a"), event("stop", 1, "a", retracted=retracting), event("meet", 1, "a", "b")]
    sent.append(event("part", 1, "a", "b"))
    return SimulatedStream(loads(RULES), sent, Windows(1_000, 10), folder, start=0, buckets=2)


def causes_of(stream: SimulatedStream, batch: int) -> dict[tuple[str, str], list[str]]:
    return {(row["op"], row["fluent"]): row["causes"] for row in stream.delivered[batch].to_pylist()}


def test_a_revision_names_the_late_event(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    stream.run([event("go", 2, "a"), event("go", 3, "b"), event("meet", 4, "a", "b"), event("go", 11, "c")], 0)
    assert set(map(tuple, causes_of(stream, 0).values())) == {()}
    stream.run([event("stop", 7, "b"), event("go", 13, "d"), event("go", 21, "e")], 1)
    assert causes_of(stream, 1) == {
        ("revise", "on(b)"): ["late stop(b) at 7"],
        ("revise", "both(a,b)"): ["late stop(b) at 7"],
        ("open", "on(c)"): [],
        ("open", "on(d)"): [],
    }


def test_a_retraction_is_named(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, retracting=True)
    stream.run([event("go", 2, "a"), event("go", 3, "b"), event("meet", 4, "a", "b"), event("go", 11, "c")], 0)
    stream.run([event("go", 3, "b", retracted=True), event("go", 21, "e")], 1)
    assert causes_of(stream, 1) == {
        ("retract", "on(b)"): ["retracted go(b) at 3"],
        ("retract", "both(a,b)"): ["retracted go(b) at 3"],
        ("open", "on(c)"): [],
    }


def test_other_keys_are_left_alone(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    people = [f"p{number}" for number in range(500)]
    stream.run([event("go", 2 + place % 7, who) for place, who in enumerate(people)] + [event("go", 10, "z")], 0)
    report = stream.reports[0]
    assert report.keys_held == 501
    report = stream.run([event("stop", 13, "p7"), event("go", 20, "z")], 1)
    assert (report.keys_worked, report.keys_held) == (2, 501)
    assert "2 of 501 keys" in str(report)
    assert [(row["op"], row["fluent"], row["end"]) for row in stream.delivered[1].to_pylist()] == [
        ("close", "on(p7)", 14)
    ]


def test_parts_that_nothing_reaches_stay_where_they_are(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    people = [f"p{number}" for number in range(500)]
    with patch.object(state, "USUAL", 2_000), patch.object(state, "_SPARE", 10_000):
        stream.run([event("go", 2, who) for who in people] + [event("go", 10, "z")], 0)
        stream.run([event("stop", 13, "p7"), event("go", 20, "z")], 1)
        # The pairs of the second stage are read by parts of their keys, and have no parts.
        first, second = (
            sum(file.stat().st_size for file in Path(stream.store.path(f"{batch}/state")).glob("1-*"))
            for batch in (0, 1)
        )
        assert second < first / 3
        for batch in range(2, 40):
            stream.run(
                [event("stop" if batch % 2 else "go", 10 * batch + 5, "p7"), event("go", 10 * batch + 10, "z")], batch
            )
            # Two buckets have parts in at most twelve files each; the batch before may have to be run again.
            assert len(stream.store.batches()) <= 2 * state.MOST_FILES + 2
    assert stream.reports[-1].intervals == 501 + 19


FACTS = """
initiatedAt(fast(X)=true,T) :- happensAt(speed(X,S),T), limit(L), S > L.
terminatedAt(fast(X)=true,T) :- happensAt(speed(X,S),T), limit(L), S =< L.
"""


def test_other_background_facts(tmp_path: Path) -> None:
    """All that is kept is evaluated again; also keys that nothing reaches."""

    def speed(time: int, who: str, value: int) -> Sent:
        return Sent(Occurrence(Compound("speed", (Const(who), Const(value))), time, time))

    def with_limit(limit: int) -> SimulatedStream:
        sent = [speed(1, "a", 1)]
        rules = loads(FACTS + f"limit({limit}).")
        return SimulatedStream(rules, sent, Windows(1_000, 10), tmp_path, start=0, buckets=2)

    first = with_limit(5)
    first.run([speed(2, "a", 7), speed(3, "b", 9), speed(4, "c", 3), speed(10, "z", 1)], 0)
    assert {(row["op"], row["fluent"]) for row in first.delivered[0].to_pylist()} == {
        ("open", "fast(a)"),
        ("open", "fast(b)"),
    }
    second = with_limit(8)
    second.run([speed(20, "z", 1)], 1)
    assert [(row["op"], row["fluent"]) for row in second.delivered[1].to_pylist()] == [("retract", "fast(a)")]
