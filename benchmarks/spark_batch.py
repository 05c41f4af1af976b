"""Spark batch: what the engine adds to what Spark itself needs.

    python benchmarks/spark_batch.py [--events 10000000] [--keys 50000] [--partitions 8] [--cores 2] [--repeat 3]

In one session and over the same Parquet files: the *floor* (scan, shuffle by key, identity `mapInArrow`), holdsfor on
Spark, hand-written Spark SQL (gaps and islands) for one of the situations, and the local engine on the same columns.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
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


def best(work: Callable[[], Any], repeat: int) -> float:
    """The least time of several tries, after one that warms up."""
    times = []
    for _ in range(repeat + 1):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=50_000)
    parser.add_argument("--partitions", type=int, nargs="+", default=[8])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--skip-local", action="store_true")
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    make_files(folder, chosen.events, chosen.keys, max(4, chosen.cores * 2))
    spark = session(chosen.cores)
    events = spark.read.parquet(str(folder))
    events.createOrReplaceTempView("events")
    rules, one = loads(RULES), loads(ONE)
    print(f"{chosen.events:,} events, {chosen.keys:,} keys, local[{chosen.cores}]; seconds, best of {chosen.repeat}")
    for count in chosen.partitions:
        floor = best(
            lambda n=count: run_all(events.repartition(n, "k").mapInArrow(identity, events.schema)), chosen.repeat
        )
        ours = best(lambda n=count: run_all(recognise(rules, events, mapping=MAPPING, partitions=n)), chosen.repeat)
        single = best(lambda n=count: run_all(recognise(one, events, mapping=MAPPING, partitions=n)), chosen.repeat)
        print(
            f"{count:4} partitions: floor {floor:6.2f}   holdsfor, 4 situations {ours:6.2f} = {ours / floor:4.2f} x floor",
            end="",
        )
        print(f"   1 situation {single:6.2f} = {single / floor:4.2f} x floor")
    islands = best(lambda: run_all(spark.sql(ISLANDS)), chosen.repeat)
    print(f"hand-written SQL for 1 situation {islands:6.2f} = {islands / floor:4.2f} x floor")
    if not chosen.skip_local:
        local = best(
            lambda: rules.recognise([str(path) for path in sorted(folder.glob("*.parquet"))], mapping=MAPPING), 1
        )
        print(f"local engine, 4 situations {local:6.2f}")
    spark.stop()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
