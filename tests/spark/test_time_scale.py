"""Where it is known what one time-point is, Spark has timestamps: the times of a local run, in whatever zone the session is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads, loads_metric
from holdsfor.spark import derived_events, materialise, materialise_stream, recognise, recognise_stream
from holdsfor.spark.job import Span
from holdsfor.spark.streaming import sinks
from holdsfor.spark.streaming.sinks import Memory
from holdsfor.spark.timestamps import TIMESTAMP, timestamps, with_timestamps
from holdsfor.times import TimeScale
from tests.spark.on_spark import on_spark
from tests.spark.stream_files import MAPPING, RULES, file_stream, local_rows, some_rows, write_file
from tests.strategies.engine_runs import differences, on_engine, sampled
from tests.strategies.scenarios import WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")
DOORS = """
initiatedAt(open(Door)=true, T) :- happensAt(unlock(Door), T).
terminatedAt(open(Door)=true, T) :- happensAt(lock(Door), T).
happensAt(opened(Door), T) :- happensAt(start(open(Door)=true), T).
"""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def elsewhere(spark: Any) -> Iterator[Any]:
    """A session in a zone that is not UTC and has summer time."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield spark
    spark.conf.set("spark.sql.session.timeZone", before)


def points(rows: Any, unit: timedelta) -> list[tuple[Any, ...]]:
    """Rows with timestamps as rows with time-points."""
    table = rows.toArrow()
    return sorted(
        tuple((value - EPOCH) // unit if isinstance(value, datetime) else value for value in row.values())
        for row in table.to_pylist()
    )


def local(rules: str, events: Any, **options: Any) -> list[tuple[Any, ...]]:
    found = loads(rules).recognise(events, **options)
    return sorted((r.query_time, r.fluent, r.value, r.start, None if r.end == np.inf else r.end) for r in found)


def test_a_directive_makes_timestamps_of_time_points(elsewhere: Any) -> None:
    given = {"unlock": [(30_000_000, "a"), (30_000_090, "b")], "lock": [(30_000_060, "a")]}
    events = {name: elsewhere.createDataFrame(rows, "time long, door string") for name, rows in given.items()}
    rules = ":- time_unit(min).\n:- time_zone('Europe/Athens').\n" + DOORS
    options = {"window": "1h", "start": "2027-01-15T07:00Z", "end": "2027-01-15T11:00Z"}
    found = recognise(loads(rules), events, partitions=2, columns="open", **options)
    assert [kind for _, kind in found.dtypes] == ["timestamp", "string", "string", "timestamp", "timestamp", "string"]
    wanted = local(DOORS, given, unit="min", **options)
    assert len(wanted) == 4
    assert points(found.drop("door"), timedelta(minutes=1)) == wanted
    happened = derived_events(loads(rules), events, partitions=2, **options)
    assert [kind for _, kind in happened.dtypes] == ["timestamp", "string", "timestamp"]
    assert [row[1:] for row in points(happened, timedelta(minutes=1))] == [
        ("opened(a)", 30_000_000),
        ("opened(b)", 30_000_090),
    ]
    with pytest.raises(HoldsforError, match=re.escape("unit is 's', but the rules declare time_unit(min)")):
        recognise(loads(rules), events, unit="s")


def test_timestamps_and_dates_as_text_in(elsewhere: Any) -> None:
    texts = ["2026-03-01 12:00:00", "2026-03-01T12:30:00+02:00", "2026-07-01T00:00:00Z"]
    wanted = [datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 3, 1, 10, 30, tzinfo=UTC)]
    frame = elsewhere.createDataFrame([(text, "abc"[n]) for n, text in enumerate(texts)], "time string, door string")
    found = recognise(loads(DOORS), {"unlock": frame}, unit="s", partitions=1).orderBy("fluent")
    starts = [row["start"] for row in found.toArrow().to_pylist()]
    assert starts == [moment + timedelta(seconds=1) for moment in (*wanted, datetime(2026, 7, 1, tzinfo=UTC))]


def test_nanoseconds_must_be_whole_microseconds(elsewhere: Any) -> None:
    rules = ":- time_unit(ns).\n" + DOORS
    frame = elsewhere.createDataFrame([(5999, "a")], "time long, door string")
    row = recognise(loads(rules), {"unlock": frame}, partitions=1).selectExpr("unix_micros(start) as s").collect()
    assert row[0].s == 6
    frame = elsewhere.createDataFrame([(5000, "a")], "time long, door string")
    with pytest.raises(
        Exception, match="time-point 5001 ns is no whole number of microseconds, .* declare the unit us"
    ):
        recognise(loads(rules), {"unlock": frame}, partitions=1).select("start").collect()


@pytest.mark.parametrize("seed", [352, 17])
def test_random_programs(elsewhere: Any, seed: int) -> None:
    scenario = sampled(seed, WINDOWED, windowed=True, late=12)
    assert scenario is not None and scenario.span is not None
    span = Span(scenario.span.size, scenario.span.step, scenario.span.start, scenario.span.end)
    wanted = on_engine(scenario.reasoner, scenario.records, scenario.span)
    found = on_spark(elsewhere, scenario.reasoner, scenario.records, span, 2, TimeScale("min"))
    assert differences(found, wanted) == []


def test_streams(elsewhere: Any, tmp_path: Path) -> None:
    rows = some_rows(5, 1, 50, 1)
    for number in range(2):
        write_file(tmp_path / "in", number, rows[25 * number : 25 * number + 25])
    stream = file_stream(elsewhere, tmp_path / "in").selectExpr(
        "name", "timestamp_seconds(time * 60) as time", "a", "b"
    )
    mapping = {"unit": "min", **MAPPING}
    reports: list[Any] = []
    memory = Memory()
    made = recognise_stream(
        loads(RULES), stream, mapping=mapping, window="30 minutes", step="10min", start="1970-01-01T00:00Z", buckets=2
    )
    query = made.start(
        memory, checkpoint=str(tmp_path / "check"), trigger={"availableNow": True}, on_report=reports.append
    )
    assert query.awaitTermination(300)
    assert str(reports[-1]).startswith("batch 1: query time 1970-01-01T00:40:00Z")
    assert reports[-1].data()["query_time"] == "1970-01-01T00:40:00Z"
    table = memory.table()
    assert all(pa.types.is_timestamp(table.schema.field(name).type) for name in ("query_time", "start", "end"))
    changes = elsewhere.createDataFrame(table)
    for query_time in (20, 40):
        at = EPOCH + timedelta(minutes=query_time)
        found = points(sinks.snapshot(changes, at, "30min", unit="min"), timedelta(minutes=1))
        wanted = [row for row in local_rows(rows, 40) if row[0] == query_time]
        assert [(*row[:4], 10**18 if row[4] is None else row[4]) for row in found] == wanted
    assert sinks.replayed(changes, "1970-01-01T00:20Z", "min").count() > 0
    with pytest.raises(HoldsforError, match="this changelog has timestamps; say what one time-point is"):
        sinks.snapshot(changes, at, 30)
    other = recognise_stream(loads(RULES), file_stream(elsewhere, tmp_path / "in"), mapping=MAPPING, window=30, step=10)
    with pytest.raises(HoldsforError, match="was made with unit min, not not given"):
        other.start(Memory(), checkpoint=str(tmp_path / "check"))


# Metric programs

METRIC = "Recent(Pump) :- Diamondminus[0,1/2] Alarm(Pump)\nStill(P) :- Diamondminus[0,1/3] Alarm(P)"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_metric_results(elsewhere: Any) -> None:
    rows = [(NOON, "a"), (NOON + timedelta(minutes=2), "b")]
    alarms = {"Alarm": elsewhere.createDataFrame(rows, "time timestamp, pump string")}
    rules = ":- time_unit(min).\n" + METRIC
    found = materialise(loads_metric(rules), alarms, columns="Recent", end=NOON + timedelta(minutes=1), partitions=2)
    assert dict(found.dtypes)["start"] == dict(found.dtypes)["end"] == "timestamp"
    wanted = loads_metric(rules).materialise({"Alarm": rows}, end=NOON + timedelta(minutes=1))["Recent"]
    shown = [{name: row[name] for name in row if name != "args"} for row in found.toArrow().to_pylist()]
    assert shown == wanted.to_arrow().drop_columns("args").to_pylist()
    assert shown[0]["end"] == NOON + timedelta(seconds=30)
    # Exact text has a third of a minute; timestamps are rounded down.
    both = {"query": "Still", "end": "2026-03-01T12:01Z", "partitions": 1}
    (text,) = materialise(loads_metric(rules), alarms, exact=True, **both).collect()
    assert (text.start, text.end) == ("2026-03-01T12:00:00Z", "2026-03-01T12:00:20Z")
    (number,) = materialise(loads_metric(rules), alarms, points=True, **both).collect()
    assert number.end == pytest.approx(NOON.timestamp() / 60 + 1 / 3)


def test_metric_streams(elsewhere: Any, tmp_path: Path) -> None:
    rows = [(NOON, "a"), (NOON + timedelta(minutes=2), "b")]
    elsewhere.createDataFrame(rows, "time timestamp, pump string").coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = elsewhere.readStream.schema("time timestamp, pump string").parquet(str(tmp_path / "in"))
    reports: list[Any] = []
    made = materialise_stream(
        loads_metric(METRIC), {"Alarm": stream}, unit="min", lateness="1min", buckets=1, query="Recent"
    )
    query = made.start(
        {"Recent": str(tmp_path / "out")},
        checkpoint=str(tmp_path / "check"),
        trigger={"availableNow": True},
        on_report=reports.append,
    )
    assert query.awaitTermination(300)
    assert str(reports[0]).startswith("batch 0: up to 2026-03-01T12:01:00Z")
    (row,) = elsewhere.read.parquet(str(tmp_path / "out")).toArrow().to_pylist()
    assert [row[name] for name in ("start", "end", "until")] == [
        NOON,
        NOON + timedelta(seconds=30),
        NOON + timedelta(minutes=1),
    ]
    assert row["pump"] == "a"


# Without Spark


def test_tables_of_workers() -> None:
    table = pa.table({"id": ["x"], "start": pa.array([None], pa.int64()), "end": [90]})
    assert with_timestamps(table, None) is table
    shown = with_timestamps(table, TimeScale("min"))
    assert shown.schema.field("end").type == TIMESTAMP
    assert shown.to_pylist() == [{"id": "x", "start": None, "end": EPOCH + timedelta(minutes=90)}]


def test_times_between_microseconds_and_beyond_all_calendars() -> None:
    no = np.array([False])
    assert timestamps(np.array([5]), 2, no, TimeScale("s")).to_pylist() == [EPOCH + timedelta(seconds=2.5)]
    with pytest.raises(HoldsforError, match="the time 4/3 s is no whole number of microseconds"):
        timestamps(np.array([4]), 3, no, TimeScale("s"))
    assert timestamps(np.array([4]), 3, no, TimeScale("s"), rounded=True).to_pylist() == [
        EPOCH + timedelta(microseconds=1_333_333)
    ]
    with pytest.raises(HoldsforError, match="is beyond what a timestamp of Spark can be"):
        timestamps(np.array([2**60]), 1, no, TimeScale("d"))
