"""Keys that are worked out only when something changes for them: the changelog is that of working out everything."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.reference import Occurrence
from holdsfor.spark.streaming import pacing, tasks, vault
from holdsfor.spark.streaming.clock import Windows
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_simulated import LATE, Feeding, feedings
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import INTERVALS, WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Keeping:
    """How state is kept: rows of a pane, the size of files that are written again, and when all is worked out anew."""

    least: int
    small: int
    dear: float
    more_values: int


@st.composite
def keepings(draw: Callable[..., Any]) -> Keeping:
    one_of = st.sampled_from
    return Keeping(
        draw(one_of([0, 0, 5, 4096])),
        draw(one_of([0, 0, 50, 8192])),
        draw(one_of([0.3, 1.2, 100.0])),
        draw(one_of([-100, 20_000, 20_000])),
    )


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
    scenario: Scenario, feeding: Feeding, batches: list[list[Sent]], folder: str, sent: list[Sent]
) -> SimulatedStream:
    span = scenario.span
    assert span is not None
    windows = Windows(span.size, span.step, feeding.lateness, feeding.by_event)
    stream = SimulatedStream(scenario.reasoner, sent, windows, Path(folder), start=span.start, buckets=feeding.buckets)
    for number, batch in enumerate(batches):
        stream.run(batch, number)
    return stream


def rows_of(table: pa.Table) -> list[tuple[object, ...]]:
    listed = table.drop_columns(["causes"]) if "causes" in table.column_names else table
    return sorted((tuple(row.values()) for row in listed.to_pylist()), key=repr)


def check(scenario: Scenario, feeding: Feeding, keeping: Keeping, *, retracting: bool) -> None:
    batches = feeding.batched(scenario)
    if retracting:
        batches = with_retractions(batches, feeding.seed)
    sent = [one for batch in batches for one in batch]
    with (
        TemporaryDirectory() as first,
        TemporaryDirectory() as second,
        patch.object(pacing, "LEAST", keeping.least),
        patch.object(vault, "SMALL", keeping.small),
        patch.object(pacing, "_DEAR", keeping.dear),
        patch.object(pacing, "_MORE_VALUES", keeping.more_values),
    ):
        try:
            by_changes = streamed(scenario, feeding, batches, first, sent)
            with patch.object(tasks, "is_keyed", lambda *_: False):
                from_scratch = streamed(scenario, feeding, batches, second, sent)
        except NotSupported:
            assume(False)
        for mine, theirs in zip(by_changes.reports, from_scratch.reports, strict=True):
            for name in ("query_time", "changes", "event_changes", "intervals", "conflicts", "unmatched"):
                assert (name, getattr(mine, name)) == (name, getattr(theirs, name))
        for batch, table in from_scratch.delivered.items():
            assert rows_of(by_changes.delivered[batch]) == rows_of(table)
            assert rows_of(by_changes.delivered_events[batch]) == rows_of(from_scratch.delivered_events[batch])
            assert by_changes.unmatched(batch) == from_scratch.unmatched(batch)


@settings(max_examples=15)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings())
def test_as_from_scratch(scenario: Scenario, feeding: Feeding, keeping: Keeping) -> None:
    check(scenario, feeding, keeping, retracting=False)


@settings(max_examples=15)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings())
def test_retractions(scenario: Scenario, feeding: Feeding, keeping: Keeping) -> None:
    check(scenario, feeding, keeping, retracting=True)


@pytest.mark.slow
@settings(max_examples=1_500)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings(), keepings(), st.booleans())
def test_as_from_scratch_at_length(scenario: Scenario, feeding: Feeding, keeping: Keeping, retracting: bool) -> None:
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
    assert report.from_scratch
    assert report.keys_held == 501
    report = stream.run([event("stop", 13, "p7"), event("go", 20, "z")], 1)
    assert (report.keys_worked, report.keys_held, report.from_scratch) == (2, 501, False)
    assert "2 of 501 keys" in str(report)
    assert [(row["op"], row["fluent"], row["end"]) for row in stream.delivered[1].to_pylist()] == [
        ("close", "on(p7)", 14)
    ]


def test_large_files_stay_as_they_are(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    people = [f"p{number}" for number in range(500)]
    with patch.object(vault, "SMALL", 0):
        stream.run([event("go", 2, who) for who in people] + [event("go", 10, "z")], 0)
        stream.run([event("stop", 13, "p7"), event("go", 20, "z")], 1)
        first, second = (
            sum(file.stat().st_size for file in Path(stream.store.path(f"{batch}/state")).iterdir()) for batch in (0, 1)
        )
        assert second < first / 3
        for batch in range(2, 40):
            stream.run(
                [event("stop" if batch % 2 else "go", 10 * batch + 5, "p7"), event("go", 10 * batch + 10, "z")], batch
            )
            assert len(stream.store.batches()) <= 12
    assert stream.reports[-1].intervals == 501 + 19
