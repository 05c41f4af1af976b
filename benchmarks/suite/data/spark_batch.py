"""A batch on Spark: four situations, one of them in SQL, and what Spark needs by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

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
