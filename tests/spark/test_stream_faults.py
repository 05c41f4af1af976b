"""Whatever happens in the middle of a batch: it is run again, nothing is lost, nothing comes twice."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import Occurrence
from holdsfor.spark.streaming import state
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.commits import last_commit
from holdsfor.spark.streaming.store import Store
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_simulated import LATE, Feeding, feedings
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")


class Killed(Exception):
    """The process is gone."""


@dataclass(frozen=True)
class FrailStore(Store):
    """A store that is killed after so many steps, before or after the last of them is done."""

    steps: list[int] = field(default_factory=lambda: [10**9])
    late: bool = False

    def write(self, name: str, *data: Any) -> None:
        self._step(lambda: Store.write(self, name, *data))

    def drop(self, batches: Any) -> None:
        for batch in batches:
            self._step(lambda batch=batch: Store.drop(self, [batch]))

    def _step(self, action: Any) -> None:
        self.steps[0] -= 1
        if self.steps[0] == 0 and not self.late:
            raise Killed
        action()
        if self.steps[0] == 0:
            raise Killed


def started(scenario: Scenario, feeding: Feeding, folder: Path, store: Store | None = None) -> SimulatedStream:
    span = scenario.span
    assert span is not None
    windows = Windows(span.size, span.step, feeding.lateness, feeding.by_event)
    sent = [Sent(record) for record in scenario.records]
    return SimulatedStream(
        scenario.reasoner, sent, windows, folder, start=span.start, buckets=feeding.buckets, store=store
    )


def check_kills(scenario: Scenario, feeding: Feeding) -> None:
    batches = feeding.batched(scenario)
    rng = random.Random(feeding.seed)
    with (
        TemporaryDirectory() as first,
        TemporaryDirectory() as second,
        # State in many parts and files.
        patch.object(state, "USUAL", rng.choice([1, state.USUAL])),
        patch.object(state, "MOST_FILES", rng.choice([1, state.MOST_FILES])),
    ):
        calm = started(scenario, feeding, Path(first))
        for number, batch in enumerate(batches):
            calm.run(batch, number)
        delivered: dict[int, pa.Table] = {}
        number = attempts = 0
        root = Store.below(second).root
        while number < len(batches):
            attempts += 1
            store = FrailStore(root, steps=[rng.randint(1, 8 + 4 * attempts)], late=rng.random() < 0.5)
            stream = started(scenario, feeding, Path(second), store)
            stream.delivered = delivered
            try:
                while number < len(batches):
                    stream.run(batches[number], number)
                    if rng.random() < 0.2:
                        raise Killed  # noqa: TRY301 -- Spark has not heard that the batch is done
                    number += 1
            except Killed:
                continue
        assert delivered.keys() == calm.delivered.keys()
        for batch, table in calm.delivered.items():
            assert delivered[batch].to_pylist() == table.to_pylist()


@settings(max_examples=12)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_killed_anywhere(scenario: Scenario, feeding: Feeding) -> None:
    check_kills(scenario, feeding)


@pytest.mark.slow
@settings(max_examples=500)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_killed_anywhere_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check_kills(scenario, feeding)


RULES = """
initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).
"""


def event(name: str, time: int, *who: str) -> Sent:
    return Sent(Occurrence(Compound(name, tuple(map(Const, who or ("a",)))), time, time))


def stream_of(folder: Path, buckets: int = 2, window: int = 20) -> SimulatedStream:
    sent = [event("go", 1), event("stop", 1)]
    return SimulatedStream(loads(RULES), sent, Windows(window, 5), folder, start=0, buckets=buckets)


def test_files_of_the_past_are_deleted(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    for batch in range(12):
        stream.run([event("go" if batch % 2 else "stop", 5 * batch + 2)], batch)
        assert len(stream.store.batches()) <= 3
    assert stream.reports[-1].state_rows < 20


def test_a_checkpoint_does_not_grow(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    sizes = []
    for batch in range(200):
        names = [("go" if batch % 2 else "stop", f"v{batch % 10}"), ("go", f"w{batch % 7}")]
        stream.run([event(name, 3 * batch + 2, who) for name, who in names], batch)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        sizes.append((len(files), sum(path.stat().st_size for path in files)))
    assert max(files for files, _ in sizes[100:]) <= max(files for files, _ in sizes[20:100])
    assert max(size for _, size in sizes[100:]) < 1.1 * max(size for _, size in sizes[20:100])


def test_small_batches_leave_the_states_alone(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    for time in range(1, 10):
        report = stream.run([event("go", time, f"v{time}")], time - 1)
        assert stream.store.exists(f"{time - 1}/state") == (time == 5)
        assert report.queries == (time == 5)
        # Sizes are those of the last query time.
        assert (report.state_bytes > 0) == (report.intervals == 5) == (time >= 5)
    assert sorted(row["start"] for row in stream.delivered[4].to_pylist()) == [2, 3, 4, 5, 6]


def test_another_number_of_buckets(tmp_path: Path) -> None:
    names = [f"v{number}" for number in range(9)]
    stream_of(tmp_path).run([event("go", 7, name) for name in names], 0)
    # Nothing is due yet: the rows wait in two buckets.
    stream_of(tmp_path, buckets=3).run([event("go", 8, "late")], 1)
    stream = stream_of(tmp_path, buckets=3)
    stream.run([event("stop", 12, name) for name in names], 2)
    stream.run([event("go", 26, "x")], 3)
    found = [(row["fluent"], row["start"], row["end"]) for row in stream.changes.to_pylist() if row["op"] != "open"]
    assert sorted(found) == [(f"on({name})", 8, 13) for name in names]
    assert last_commit(stream.store, {}).settings["buckets"] == 3


def test_late_events_are_counted_and_those_in_time_revise(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    stream.run([event("go", 3), event("go", 26)], 0)
    report = stream.run([event("stop", 8), event("go", 9, "b"), event("stop", 31)], 1)
    assert (report.late, report.query_time) == (2, 30)
    report = stream.run([event("stop", 16), event("go", 36)], 2)
    assert report.late == 0
    assert sorted((row["op"], row["start"], row["end"]) for row in stream.delivered[2].to_pylist()) == [
        ("open", 27, 32),
        ("revise", 4, 17),
    ]


@given(st.integers(0, 3))
def test_a_stream_without_events_waits(batches: int) -> None:
    with TemporaryDirectory() as folder:
        stream = stream_of(Path(folder))
        for batch in range(batches):
            assert stream.run([], batch).queries == 0
        assert stream.run([event("go", 12)], batches).query_time == 10
