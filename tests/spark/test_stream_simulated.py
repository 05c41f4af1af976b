"""Streaming runs report at every query time what the engine does: random programs, streams, batches and buckets."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import Occurrence
from holdsfor.spark.streaming.clock import Windows
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_files import RULES, STEP, WINDOW, local_rows, some_rows, stream_rows
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.table_runs import SimulatedTables
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import INTERVALS, WINDOWED

LATE = 12
pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Feeding:
    """How a stream comes in."""

    buckets: int
    by_event: bool
    lateness: int
    seed: int
    mess: int
    batches: int

    def batched(self, scenario: Scenario) -> list[list[Sent]]:
        """Records in order of arrival, somewhat shuffled, cut into batches; some are empty."""
        rng = random.Random(self.seed)
        records = sorted(scenario.records, key=lambda record: record.arrival + rng.random() * self.mess)
        cuts = sorted(rng.randint(0, len(records)) for _ in range(self.batches - 1))
        edges = [0, *cuts, len(records)]
        return [[Sent(r) for r in records[a:b]] for a, b in pairwise(edges)]


@st.composite
def feedings(draw: Callable[..., int]) -> Feeding:
    whole = st.integers
    return Feeding(
        draw(whole(1, 4)),
        bool(draw(whole(0, 1))),
        draw(whole(0, 6)),
        draw(whole(0, 9999)),
        draw(whole(0, 9)),
        draw(whole(1, 6)),
    )


def check(scenario: Scenario, feeding: Feeding, kind: type[SimulatedStream] = SimulatedStream) -> None:
    span = scenario.span
    assert span is not None
    batches = feeding.batched(scenario)
    windows = Windows(span.size, span.step, feeding.lateness, feeding.by_event)
    with TemporaryDirectory() as folder:
        stream = kind(
            scenario.reasoner,
            [sent for batch in batches for sent in batch],
            windows,
            Path(folder),
            start=span.start,
            buckets=feeding.buckets,
        )
        for number, batch in enumerate(batches):
            stream.run(batch, number)
        intervals, events = stream.wanted()
        for found, wanted in ((stream.snapshots(), intervals), (stream.event_snapshots(), events)):
            assert differences(found, wanted) == []
            assert len(found) == len(wanted)


def differences(found: Sequence[object], wanted: Sequence[object]) -> list[str]:
    return [
        *(f"missing in the stream: {row}" for row in wanted if row not in found),
        *(f"only in the stream: {row}" for row in found if row not in wanted),
    ]


@settings(max_examples=20)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_replay_is_what_the_engine_reports(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


@settings(max_examples=12)
@given(scenarios(INTERVALS, windowed=True, late=LATE), feedings())
def test_whole_intervals(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


@pytest.mark.parametrize("kind", [SimulatedStream, SimulatedTables])
def test_rows_by_a_part_of_the_key_wait_for_the_key(tmp_path: Path, kind: type[SimulatedStream]) -> None:
    """Who moves is known in a bucket before there is a pair of those who do."""
    rows = some_rows(7, 1, 101)
    sent = [Sent(occurrence(*row)) for row in rows]
    stream = kind(loads(RULES), sent, Windows(WINDOW, STEP), tmp_path, start=0, buckets=2)
    for number in range(10):
        stream.run(sent[30 * number : 30 * number + 30], number)
    assert stream_rows(stream.changes, 100) == local_rows(rows, 100)


def occurrence(name: str, time: int, one: str, other: str) -> Occurrence:
    args = (Const(one),) if name in ("go", "stop") else (Const(one), Const(other))
    return Occurrence(Compound(name, args), time, time)


@settings(max_examples=20)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_state_in_tables(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding, SimulatedTables)


@settings(max_examples=12)
@given(scenarios(INTERVALS, windowed=True, late=LATE), feedings())
def test_whole_intervals_in_tables(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding, SimulatedTables)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_state_in_tables_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding, SimulatedTables)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_replay_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(INTERVALS, windowed=True, late=LATE), feedings())
def test_whole_intervals_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)
