"""Streams with several sources: each has its own lateness, none that is idle holds the others, batches are bounded."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming import small
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.sinks import Memory
from tests.spark.stream_files import (
    COLUMNS,
    MAPPING,
    RULES,
    STEP,
    WINDOW,
    Row,
    file_stream,
    local_rows,
    some_rows,
    stream_rows,
    write_file,
)
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_simulated import occurrence

pytestmark = pytest.mark.filterwarnings("ignore")
NOW = {"availableNow": True}
NAMES = ("far", "near", "slow")


# The watermark


@dataclass(frozen=True)
class Look:
    """What a batch brings: the processing time, and the latest time of each source that has sent rows."""

    now: int | None
    latest: Mapping[str, int]


LOOKS = st.lists(
    st.builds(
        Look,
        st.none() | st.integers(0, 30),
        st.dictionaries(st.sampled_from(NAMES), st.integers(0, 40), max_size=3),
    ),
    max_size=8,
)


def by_definition(looks: list[Look], lateness: Mapping[str, int], idle: int | None) -> int | None:
    """The watermark after some batches, from all that was ever sent."""
    moment: int | None = None
    moments: list[int | None] = []
    for look in looks:
        moment = look.now if moment is None else max(moment, look.now or 0)
        moments.append(moment)
    sent = {
        name: [(look, at) for look, at in zip(looks, moments, strict=True) if name in look.latest] for name in lateness
    }
    first = next((at for at in moments if at is not None), None)
    own = {
        name: max(look.latest[name] for look, _ in found) - lateness[name] if found else None
        for name, found in sent.items()
    }
    # Rows that came before any processing time was known count as heard at the first one.
    heard = {name: found[-1][1] if found and found[-1][1] is not None else first for name, found in sent.items()}
    silence = {name: 0 if moment is None or at is None else moment - at for name, at in heard.items()}
    awake = [name for name in lateness if idle is None or silence[name] < idle]
    if awake:
        found = [own[name] for name in awake]
        return None if None in found else min(one for one in found if one is not None)
    known = [one for one in own.values() if one is not None]
    return max(known) + min(silence.values()) if known else None


@settings(max_examples=400)
@given(LOOKS, st.lists(st.integers(0, 9), min_size=1, max_size=3), st.none() | st.integers(1, 15))
def test_the_watermark_is_as_defined(looks: list[Look], lateness: list[int], idle: int | None) -> None:
    own = dict(zip(NAMES, lateness, strict=False))
    windows, clock = Windows(10, 5, lateness_of=own, idle=idle), Clock().beginning(0)
    for number, look in enumerate(looks, 1):
        latest = {name: last for name, last in look.latest.items() if name in own}
        clock = clock.seen(min(latest.values(), default=None), latest, look.now, windows)
        clock = Clock.of(json.loads(json.dumps(asdict(clock))))
        known = [replace(one, latest={n: t for n, t in one.latest.items() if n in own}) for one in looks[:number]]
        found = clock.watermark(windows)
        assert found == by_definition(known, own, idle)
        assert list(clock.due(windows)) == [q for q in range(5, 200, 5) if found is not None and q <= found]


def test_a_source_that_has_sent_nothing_is_waited_for_until_it_is_idle() -> None:
    windows = Windows(10, 5, lateness_of={"far": 4, "near": 0}, idle=3)
    clock = Clock().seen(1, {"near": 20}, 100, windows)
    assert (clock.watermark(windows), clock.slowest(windows)) == (None, "far")
    clock = clock.seen(None, {"near": 22}, 103, windows)
    assert (clock.watermark(windows), clock.slowest(windows)) == (22, "near")
    clock = clock.seen(None, {"far": 9}, 104, windows)
    assert (clock.watermark(windows), clock.slowest(windows)) == (5, "far")
    clock = clock.seen(None, {}, 110, windows)
    assert (clock.watermark(windows), clock.slowest(windows)) == (28, None)


def test_the_clock_of_the_version_before_is_read() -> None:
    windows = Windows(10, 5, idle=3)
    told = {"start": 0, "query": 15, "latest": 19, "beat": 100, "idle": 4}
    assert Clock.of(told).watermark(windows) == 23
    assert Clock.of(told).seen(None, {}, 107, windows).watermark(windows) == 26


# Simulated streams


def sent_by(rows: list[Row], lateness: Mapping[str, int], seed: int) -> list[list[Sent]]:
    """Rows of several sources in batches. Each source is late by less than its lateness; they go at different speeds."""
    rng = random.Random(seed)
    waiting: dict[str, list[Row]] = {name: [] for name in lateness}
    for row in rows:
        waiting[rng.choice(sorted(lateness))].append(row)
    for name, mine in waiting.items():
        mine.sort(key=lambda row: row[1] + rng.random() * lateness[name])
    batches = []
    while any(waiting.values()):
        batch = []
        for name, mine in waiting.items():
            count = rng.choice([0, 0, 5, 20, 60])
            batch += [Sent(occurrence(*row), source=name) for row in mine[:count]]
            del mine[:count]
        batches.append(batch)
    return batches


@settings(max_examples=25)
@given(st.integers(0, 9_999), st.lists(st.integers(1, 25), min_size=2, max_size=3))
def test_no_row_comes_too_late_for_the_lateness_of_its_source(seed: int, lateness: list[int]) -> None:
    own, rows = dict(zip(NAMES, lateness, strict=False)), some_rows(seed, 1, 90)
    batches = sent_by(rows, own, seed)
    with TemporaryDirectory() as folder:
        windows = Windows(WINDOW, STEP, lateness_of=own)
        sent = [one for batch in batches for one in batch]
        stream = SimulatedStream(loads(RULES), sent, windows, Path(folder), start=0, buckets=2)
        for number, batch in enumerate(batches):
            stream.run(batch, number)
        assert not any(report.late for report in stream.reports)
        assert all(arrival == one.record.arrival for one, arrival, _ in stream.workers.used)
        last = min(max(s.record.arrival for s in sent if s.source == name) - own[name] for name in own)
        assert stream.asked == list(range(STEP, last + 1, STEP))
        assert stream_rows(stream.changes, stream.asked[-1]) == local_rows(rows, stream.asked[-1])
        assert not {"revise", "retract"} & set(stream.changes["op"].to_pylist())


def test_with_one_watermark_the_rows_of_a_slow_source_are_late(tmp_path: Path) -> None:
    rows = some_rows(3, 1, 200)
    near, far = rows[::2], rows[1::2]
    batches = [
        [Sent(occurrence(*row), source="near") for row in near],
        [Sent(occurrence(*row), source="far") for row in far],
    ]
    for windows, late in (
        (Windows(WINDOW, STEP), True),
        (Windows(WINDOW, STEP, lateness_of={"near": 0, "far": 0}), False),
    ):
        folder = tmp_path / str(late)
        stream = SimulatedStream(loads(RULES), [*batches[0], *batches[1]], windows, folder, start=0, buckets=2)
        for number, batch in enumerate(batches):
            stream.run(batch, number)
        assert (stream.reports[1].late > 0) == late
        assert stream.reports[0].waiting_for == (None if late else "far")


# On Spark


@pytest.fixture(params=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether batches are evaluated by the driver, or by Spark's workers."""
    if request.param == "large":
        monkeypatch.setattr(small, "MOST_ROWS", -1)
    return str(request.param)


def test_sources_named_by_a_column(spark: Any, tmp_path: Path, size: str) -> None:
    assert size in ("small", "large")
    rows, schema = some_rows(4, 1, 60), f"{COLUMNS}, by string"
    for number in range(4):
        # The far source is one file behind.
        first, last = 45 * number, 45 * number + 45
        sent: list[Any] = [(*row, "near") for row in rows[first:last:2]]
        sent += [(*row, "far") for row in rows[first - 44 : first : 2]] if number else []
        sent += [("go", 500, "z", "", "unknown"), ("go", 501, "z", "", None)] if number == 2 else []
        write_file(tmp_path / "in", number, sent, schema)
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    given = {"mapping": MAPPING, "window": WINDOW, "step": STEP, "start": 0, "buckets": 2, "source_column": "by"}
    made = recognise_stream(loads(RULES), stream, lateness={"near": 2, "far": 5}, **given)
    sink, reports = Memory(), []
    made.start(sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW, on_report=reports.append).awaitTermination()
    assert [report.waiting_for for report in reports] == ["far"] * 4
    assert [report.query_time for report in reports] == [0, 10, 20, 40]
    assert [report.malformed for report in reports] == [0, 0, 2, 0]
    assert not any(report.late for report in reports)
    assert stream_rows(sink.table(), 40) == local_rows(rows, 40)


def test_an_idle_stream_does_not_hold_the_others(spark: Any, tmp_path: Path) -> None:
    rules = loads(
        "initiatedAt(on(X)=true,T) :- happensAt(go(X),T).\nterminatedAt(on(X)=true,T) :- happensAt(stop(X),T)."
    )
    schema = "time bigint, vessel string"
    streams = {}
    for name in ("go", "stop"):
        (tmp_path / name).mkdir()
        streams[name] = spark.readStream.schema(schema).parquet(str(tmp_path / name))
    made = recognise_stream(
        rules, streams, window=30, step=10, start=0, lateness={"go": 5, "stop": 0}, idle="2 seconds", buckets=2
    )
    reports: list[Report] = []
    query = made.start(Memory(), checkpoint=str(tmp_path / "checkpoint"), on_report=reports.append)
    try:
        for number in range(300):
            write_file(tmp_path / "go", number, [(1_000 * number + 7, "a")], schema)
            time.sleep(0.2)
            if not query.isActive or any(one.waiting_for == "go" and one.queries for one in reports):
                break
    finally:
        query.stop()
    assert query.exception() is None
    before = [report for report in reports if report.waiting_for == "stop"]
    assert before and not any(report.queries for report in before)
    passed = next(report for report in reports if report.waiting_for == "go" and report.queries)
    assert passed.query_time is not None and passed.query_time >= 1_000


def test_a_backlog_is_read_in_bounded_batches(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(6, 1, 90)
    for number in range(6):
        write_file(tmp_path / "in", number, rows[45 * number : 45 * number + 45])
    stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 2).parquet(str(tmp_path / "in"))
    sink, reports = Memory(), []
    made = recognise_stream(loads(RULES), stream, mapping=MAPPING, window=WINDOW, step=STEP, start=0, buckets=2)
    made.start(sink, checkpoint=str(tmp_path / "checkpoint"), trigger=NOW, on_report=reports.append).awaitTermination()
    assert [report.events for report in reports] == [90, 90, 87]
    assert stream_rows(sink.table(), 80) == local_rows(rows, 80)


def test_mistakes_are_explained(spark: Any, tmp_path: Path) -> None:
    one = file_stream(spark, tmp_path)
    pair = {name: spark.readStream.schema("time bigint, a string").parquet(str(tmp_path)) for name in ("go", "stop")}
    for streams, options, wanted in (
        (one, {"lateness": {"near": 1}}, "name the column of the stream with the source: source_column"),
        (one, {"lateness": {"near": 1}, "source_column": "by"}, "no column 'by'"),
        (one, {"lateness": {"near": -1}, "source_column": "a"}, "lateness of 'near' must be at least 0, not -1"),
        (one, {"lateness": {}, "source_column": "a"}, "lateness has no source"),
        (one, {"source_column": "a"}, "needs a lateness for each source"),
        (pair, {"lateness": {"go": 1}}, "lateness has no duration for the stream stop"),
        (pair, {"lateness": {"go": 1, "stp": 1}}, "lateness names a stream stp; did you mean stop?"),
        (pair, {"lateness": {"go": 1, "stop": 1}, "source_column": "a"}, "source_column is for one stream"),
    ):
        mapping = MAPPING if streams is one else None
        with pytest.raises(HoldsforError) as found:
            recognise_stream(loads(RULES), streams, mapping=mapping, window=30, **options)
        assert wanted in str(found.value), str(found.value)
