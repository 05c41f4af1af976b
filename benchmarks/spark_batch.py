"""Spark batch: what the engine adds to what Spark itself needs.

    python benchmarks/spark_batch.py [--events 10000000] [--keys 50000] [--partitions 8] [--cores 2] [--repeat 3]

In one session and over the same Parquet files: the *floor* (scan, shuffle by key, identity `mapInArrow`), the same with
as many rows of text coming out as holdsfor has, holdsfor on Spark, hand-written Spark SQL (gaps and islands) for one of
the situations, and the local engine on the same columns. Wall time, and in brackets the processor time of Spark and its
Python workers together, which says more on a machine that has other things to do.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from holdsfor import loads
from holdsfor.spark import recognise
from holdsfor.spark.java import require_java
from holdsfor.spark.session import worker_python

RULES = """
initiatedAt(gap(V)=true, T) :- happensAt(gap_start(V), T).
terminatedAt(gap(V)=true, T) :- happensAt(gap_end(V), T).
initiatedAt(stopped(V)=true, T) :- happensAt(stop_start(V), T).
terminatedAt(stopped(V)=true, T) :- happensAt(stop_end(V), T).
terminatedAt(stopped(V)=true, T) :- happensAt(start(gap(V)=true), T).
initiatedAt(slow(V)=true, T) :- happensAt(slow_start(V), T).
terminatedAt(slow(V)=true, T) :- happensAt(slow_end(V), T).
terminatedAt(slow(V)=true, T) :- happensAt(start(gap(V)=true), T).
holdsFor(idle(V)=true, I) :-
    holdsFor(stopped(V)=true, I1), holdsFor(slow(V)=true, I2), union_all([I1,I2], I3),
    holdsFor(gap(V)=true, I4), relative_complement_all(I3, [I4], I).
"""
NAMES = ("gap_start", "gap_end", "stop_start", "stop_end", "slow_start", "slow_end")
ONE = "initiatedAt(gap(V)=true, T) :- happensAt(gap_start(V), T). terminatedAt(gap(V)=true, T) :- happensAt(gap_end(V), T)."
MAPPING = {"time": "t", "event": {name: {"args": ["k"], "where": {"e": place}} for place, name in enumerate(NAMES)}}
ISLANDS = """
with steps as (
  select k, t, e, lag(e) over (partition by k order by t, e desc) as before from events where e in (0, 1)
), changes as (
  select k, t, e, lead(t) over (partition by k order by t, e desc) as until from steps where before is null or before != e
)
select k, t + 1 as start, until + 1 as end from changes where e = 0
"""


def make_files(folder: Path, events: int, keys: int, files: int) -> None:
    """Events of many keys, in order of time."""
    random = np.random.default_rng(7)
    each = events // files
    for number in range(files):
        time_of = np.sort(random.integers(0, events // 50, each)) + number * (events // 50)
        columns = {
            "k": random.integers(0, keys, each),
            "t": time_of,
            "e": random.integers(0, len(NAMES), each).astype(np.int8),
        }
        pq.write_table(pa.table(columns), folder / f"part{number}.parquet")


def session(cores: int) -> SparkSession:
    """A session as a user would make it on one machine."""
    require_java()
    worker_python()
    made: SparkSession = (
        SparkSession.builder.master(f"local[{cores}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    return made


def identity(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def run_all(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def emitting(rows: int, read: int) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Rows as holdsfor gives them out, so many for all that are read, with nothing worked out."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            part = batch.slice(0, batch.num_rows * rows // read)
            term = pc.binary_join_element_wise("gap(", part["k"].cast(pa.string()), ")", "")
            value = pa.array(["true"]).take(pa.array(np.zeros(len(part), np.int64)))
            yield pa.record_batch(
                [part["t"], term, value, part["t"], part["t"]], ["q", "fluent", "value", "start", "end"]
            )

    return work


def processor_seconds() -> float:
    """What this process and all below it have used."""
    children: dict[int, list[int]] = {}
    used: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        name = folder.name
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        used[int(name)] = sum(map(int, fields[11:15]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += used.get(process, 0)
        waiting += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, order=True)
class Cost:
    """Seconds by the clock and of processors."""

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:.1f} s ({self.processor:.1f})"

    def times(self, floor: Cost) -> str:
        """How many times another cost."""
        return f"{self.wall / floor.wall:.2f} ({self.processor / floor.processor:.2f})"


def best(work: Callable[[], Any], repeat: int) -> Cost:
    """The least time of several tries, after one that warms up."""
    costs = []
    for _ in range(repeat + 1):
        begin, used = time.perf_counter(), processor_seconds()
        work()
        costs.append(Cost(time.perf_counter() - begin, processor_seconds() - used))
    return min(costs[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=50_000)
    parser.add_argument("--partitions", type=int, nargs="+", default=[8])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--skip-local", action="store_true")
    parser.add_argument("--skip-sql", action="store_true")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    make_files(folder, chosen.events, chosen.keys, max(4, chosen.cores * 2))
    spark = session(chosen.cores)
    events = spark.read.parquet(str(folder))
    events.createOrReplaceTempView("events")
    rules, one = loads(RULES), loads(ONE)
    print(f"{chosen.events:,} events, {chosen.keys:,} keys, local[{chosen.cores}]; seconds, best of {chosen.repeat}")
    # The floors come first: holdsfor makes Python workers leaner, and Spark alone should not gain by that.
    shuffled = {count: events.repartition(count, "k") for count in chosen.partitions}
    floors = {
        count: best(partial(run_all, frame.mapInArrow(identity, events.schema)), chosen.repeat)
        for count, frame in shuffled.items()
    }
    found = recognise(rules, events, mapping=MAPPING).count()
    print(f"{found:,} intervals come out")
    print("| partitions | floor | floor, as many rows out | 4 situations | × floor | 1 situation | × floor |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    out = "q bigint, fluent string, value string, start bigint, end bigint"
    for count, frame in shuffled.items():
        floor = floors[count]
        emit, ours, single = (
            best(partial(run_all, work), chosen.repeat)
            for work in (
                frame.mapInArrow(emitting(found, chosen.events), out),
                recognise(rules, events, mapping=MAPPING, partitions=count),
                recognise(one, events, mapping=MAPPING, partitions=count),
            )
        )
        print(
            f"| {count} | {floor} | {emit} | {ours} | {ours.times(floor)} | {single} | {single.times(floor)} |",
            flush=True,
        )
    if not chosen.skip_sql:
        islands = best(lambda: run_all(spark.sql(ISLANDS)), chosen.repeat)
        print(f"hand-written SQL for 1 situation: {islands}, {islands.times(floor)} x floor")
    if not chosen.skip_local:
        local = best(
            lambda: rules.recognise([str(path) for path in sorted(folder.glob("*.parquet"))], mapping=MAPPING), 1
        )
        print(f"local engine, 4 situations: {local}")
    spark.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
