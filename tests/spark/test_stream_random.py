"""Random programs and streams on Structured Streaming: what a run without Spark reports, which is what the engine does."""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.sinks import Memory
from tests.spark.on_spark import frames
from tests.spark.stream_runs import Sent, SimulatedStream, shown_at
from tests.strategies.engine_runs import Scenario, sampled
from tests.strategies.scenarios import WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")


def followed(spark: Any, tables: dict[str, pa.Table], cut: int, folder: Path) -> dict[str, Any]:
    """Tables as streams of two files each: what arrives up to a time-point, and the rest."""
    streams = {}
    for name, table in tables.items():
        place = folder / name
        place.mkdir(parents=True)
        early = pc.less_equal(table["arrival"], cut)
        for number, part in enumerate((table.filter(early), table.filter(pc.invert(early)))):
            pq.write_table(part, place / f"{number}.parquet")
            os.utime(place / f"{number}.parquet", (1_000_000 + number, 1_000_000 + number))
        schema = spark.read.parquet(str(place)).schema
        streams[name] = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(place))
    return streams


def check(spark: Any, scenario: Scenario, folder: Path) -> bool:
    """Whether a stream can work a scenario out, and then that it is right."""
    span, reasoner = scenario.span, scenario.reasoner
    tables = {name: frame.toArrow() for name, frame in frames(spark, scenario.records, reasoner).items()}
    if span is None or not tables:
        return False
    arrivals = sorted(record.arrival for record in scenario.records)
    cut = arrivals[len(arrivals) // 2]
    windows = Windows(span.size, span.step, 0, by_event=False)
    sent = [Sent(record) for record in scenario.records]
    wanted = SimulatedStream(reasoner, sent, windows, folder / "simulated", start=span.start)
    wanted.run([one for one in sent if one.record.arrival <= cut], 0)
    wanted.run([one for one in sent if one.record.arrival > cut], 1)
    sink, asked = Memory(), []
    streams = followed(spark, tables, cut, folder / "in")
    options: dict[str, Any] = {"window": span.size, "step": span.step, "start": span.start, "clock": "arrival"}
    # Windows are short here: without this, rows of the second half would be too far ahead of the first.
    options["max_ahead"] = math.inf
    query = recognise_stream(reasoner, streams, untyped=True, buckets=3, **options).start(
        sink, checkpoint=str(folder / "checkpoint"), trigger={"availableNow": True}, on_report=asked.append
    )
    query.awaitTermination()
    assert [report.query_time for report in asked] == [report.query_time for report in wanted.reports]
    assert [report.late for report in asked] == [report.late for report in wanted.reports]
    changes = sink.table() if sink.batches else wanted.changes.slice(0, 0)
    found = sorted(row for query in wanted.asked for row in shown_at(changes, query, span.size))
    assert found == wanted.snapshots()
    return True


@pytest.mark.parametrize("seed", [6])
def test_random(spark: Any, tmp_path: Path, seed: int) -> None:
    run_seed(spark, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 130))
def test_random_at_length(spark: Any, tmp_path: Path, seed: int) -> None:
    run_seed(spark, tmp_path, seed)


def run_seed(spark: Any, folder: Path, seed: int) -> None:
    """The scenario of a seed, or of the next one that has events and that a stream can work out."""
    for at in itertools.count(seed, 1_000):
        scenario = sampled(at, WINDOWED, windowed=True, late=12)
        if scenario is not None and scenario.records and check(spark, scenario, folder / str(at)):
            return
