"""Derived events have a changelog of their own: they happen, and are taken back when it turns out that they did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdsfor import loads
from holdsfor.reference import Occurrence
from holdsfor.spark import derived_events, recognise_stream
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.sinks import Memory, latest, replayed_events, snapshot_events
from holdsfor.syntax.terms import Compound, Const
from tests.spark.stream_files import COLUMNS, MAPPING, RULES, STEP, WINDOW, file_stream, some_rows, write_file
from tests.spark.stream_runs import Sent, SimulatedStream

pytestmark = pytest.mark.filterwarnings("ignore")
ALARM = """
initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).
happensAt(alarm(X),T) :- happensAt(fire(X),T), holdsAt(on(X)=true,T).
"""


def event(name: str, time: int, *, retracted: bool = False) -> Sent:
    return Sent(Occurrence(Compound(name, (Const("a"),)), time, time), retracted)


def changes(stream: SimulatedStream, batch: int) -> list[tuple[object, ...]]:
    names = ("op", "event", "time", "query_time")
    return [tuple(row[name] for name in names) for row in stream.delivered_events[batch].to_pylist()]


def test_events_happen_and_are_taken_back(tmp_path: Path) -> None:
    sent = [event(name, 1, retracted=name == "stop") for name in ("go", "stop", "fire")]
    stream = SimulatedStream(loads(ALARM), sent, Windows(20, 5), tmp_path, start=0, buckets=2)
    report = stream.run([event("go", 1), event("fire", 3), event("fire", 4), event("go", 6)], 0)
    assert report.event_changes == 2
    assert "changes, 2 of events" in str(report)
    assert changes(stream, 0) == [("happen", "alarm(a)", 3, 5), ("happen", "alarm(a)", 4, 5)]
    stream.run([event("stop", 3), event("go", 11)], 1)
    assert changes(stream, 1) == [("retract", "alarm(a)", 4, 10)]
    stream.run([event("stop", 3, retracted=True), event("go", 16)], 2)
    assert changes(stream, 2) == [("happen", "alarm(a)", 4, 15)]
    first, second = stream.delivered_events[0].to_pylist(), stream.delivered_events[2].to_pylist()
    assert first[1]["id"] == second[0]["id"] != first[0]["id"]
    # What the window has left behind stays.
    stream.run([event("go", 60)], 3)
    assert changes(stream, 3) == []


def test_structured_streaming(spark: Any, tmp_path: Path) -> None:
    rules = loads(RULES + "happensAt(bump(A,B),T) :- happensAt(meet(A,B),T), holdsAt(moving(A)=true,T).")
    rows = some_rows(6, 1, 50)
    for number in range(2):
        write_file(tmp_path / "in", number, rows[75 * number : 75 * number + 75])
    given: dict[str, Any] = {"mapping": MAPPING, "window": WINDOW, "step": STEP, "start": 0}
    sink = Memory()
    made = recognise_stream(rules, file_stream(spark, tmp_path / "in"), **given, buckets=2)
    made.start(
        Memory(), checkpoint=str(tmp_path / "checkpoint"), trigger={"availableNow": True}, events=sink
    ).awaitTermination()
    found = spark.createDataFrame(sink.table())
    wanted = derived_events(rules, spark.createDataFrame(rows, COLUMNS), **given, end=40).collect()
    for query in (10, 40):
        seen = {tuple(row) for row in snapshot_events(found, query, WINDOW).collect()}
        assert seen == {tuple(row) for row in wanted if row.query_time == query}
    assert replayed_events(found).count() == latest(found).count() == len({(r.event, r.time) for r in wanted})
