"""Streams that go on with another number of buckets: the changelog of one that never changed it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark.streaming.clock import Windows
from holdsfor.syntax.terms import Compound, Const
from tests.core.families import FAMILIES, written
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_keyed import rows_of, with_retractions
from tests.spark.test_stream_simulated import Feeding, feedings
from tests.strategies.engine_runs import Scenario, Span, scenarios
from tests.strategies.scenarios import WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")
NOT_SIMULATED = "clock ticks", "numbers"
"""Rows of simulated streams have whole numbers of time-points, and arguments that are names and usual numbers."""
COUNTS = st.lists(st.integers(1, 6), min_size=1, max_size=4)


def streamed(
    scenario: Scenario, feeding: Feeding, batches: list[list[Sent]], counts: list[int], folder: str
) -> SimulatedStream:
    span = scenario.span
    assert span is not None
    windows = Windows(span.size, span.step, feeding.lateness, feeding.by_event)
    sent = [one for batch in batches for one in batch]
    stream = SimulatedStream(scenario.reasoner, sent, windows, Path(folder), start=span.start, buckets=counts[0])
    for number, batch in enumerate(batches):
        stream.regroup(counts[number % len(counts)])
        stream.run(batch, number)
    return stream


def check(scenario: Scenario, feeding: Feeding, counts: list[int]) -> None:
    batches = with_retractions(feeding.batched(scenario), feeding.seed)
    with TemporaryDirectory() as folder, TemporaryDirectory() as other:
        found = streamed(scenario, feeding, batches, counts, folder)
        wanted = streamed(scenario, feeding, batches, counts[:1], other)
        assert found.asked == wanted.asked
        assert rows_of(found.changes) == rows_of(wanted.changes)
        assert rows_of(found.event_changes) == rows_of(wanted.event_changes)
        for number in range(len(batches)):
            assert sorted(map(repr, found.unmatched(number))) == sorted(map(repr, wanted.unmatched(number)))


@settings(max_examples=25)
@given(scenarios(WINDOWED, windowed=True, late=12), feedings(), COUNTS)
def test_the_changelog_is_the_same(scenario: Scenario, feeding: Feeding, counts: list[int]) -> None:
    check(scenario, feeding, counts)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in NOT_SIMULATED])
def test_families(family: str) -> None:
    accepted = 0
    for seed in range(50_000, 50_005):
        one = written(family, seed, windowed=True)
        if one is not None:
            accepted += 1
            feeding = Feeding(3, by_event=seed % 2 == 0, lateness=seed % 5, seed=seed, mess=4, batches=5)
            check(one, feeding, [3, 1 + seed % 6, 2])
    assert accepted >= 4


TICKS = """
initiatedAt(f1(X1)=red, T) :- happensAt(tick,T), holdsAt(f1(X1)=red,T).
initiatedAt(f1(X1)=red, T) :- happensAt(go(X1),T).
"""
TIMES = "a3 a5 a7 b5 t2 t0 b7 t4 t5 t0 a2 b2 c6 a1 a3 c6 t7 t6 t3 a5 t2 t7 b3 b0 a4 t4 t2 a1 a6 t5 b1 a6 b2 a2 b8 c2"


def test_an_unmatched_retraction_that_all_buckets_get() -> None:
    """An event without arguments is retracted twice, which is reported once, before two buckets become five."""
    names = {"a": "ann", "b": "bob", "c": "cy"}
    events = [
        (Const("tick") if name == "t" else Compound("go", (Const(names[name]),)), int(time))
        for name, time in TIMES.split()
    ]
    records: list[Record] = [Occurrence(event, time, time) for event, time in events]
    scenario = Scenario(TICKS, records, Span(1, 1, -1, 8), loads(TICKS))
    check(scenario, Feeding(4, by_event=False, lateness=0, seed=1, mess=4, batches=3), [2, 5])


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(WINDOWED, windowed=True, late=12), feedings(), COUNTS)
def test_the_changelog_is_the_same_at_length(scenario: Scenario, feeding: Feeding, counts: list[int]) -> None:
    check(scenario, feeding, counts)
