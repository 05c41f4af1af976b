"""The stages of a metric program, one bucket after the other in this process: what Spark does, without Spark."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.ir.metric import MetricFact
from holdsfor.metric.goals import Goals
from holdsfor.spark.metric.buckets import StageOnBucket
from holdsfor.spark.metric.job import MetricJob
from holdsfor.spark.metric.reading import sent
from holdsfor.spark.metric.wire import BUCKET, Sender, note_row, wire_schema
from tests.strategies.metric_engine import columns

Row = tuple[str, str, Fraction | None, bool, Fraction | None, bool]
"""Predicate, arguments joined by `|`, start, whether it is included, end, whether it is included."""


def by_stages(
    plan: MetricPlan,
    facts: Sequence[MetricFact],
    start: Fraction | None,
    end: Fraction | None,
    buckets: int,
    goals: Goals | None = None,
) -> list[Row]:
    """The rows of a run over buckets."""
    job = MetricJob.of(plan, buckets, start, end, goals)
    dictionary = Dictionary()
    waiting = [*sent_facts(job, columns(facts, dictionary), dictionary)]
    waiting += [note_row(job, BUCKET, bucket) for bucket in range(buckets)]
    for stage in job.stages.stages:
        task = StageOnBucket(job, stage.number, exact=True)
        waiting = [passed(task, pa.concat_tables(waiting), buckets, task.out_schema)]
    return rows_of(waiting[0]) if job.stages.stages else []


def sent_facts(job: MetricJob, facts: FactSet, dictionary: Dictionary) -> Iterator[pa.Table]:
    """Facts on their way to the stages that read them."""
    yield wire_schema(job).empty_table()
    yield from map(pa.Table.from_batches, ([one] for one in sent(job, Sender(job, dictionary), facts, dictionary)))


def passed(
    task: Callable[[Iterable[pa.RecordBatch]], Iterable[pa.RecordBatch]], table: pa.Table, count: int, schema: pa.Schema
) -> pa.Table:
    """What a task makes of the rows of all buckets, which come in any order."""
    found = []
    for bucket in range(count):
        rows = np.flatnonzero(table["bucket"].to_numpy() == bucket)
        random.Random(bucket).shuffle(rows)
        found += list(task(table.take(pa.array(rows)).to_batches(max_chunksize=5)))
    return pa.Table.from_batches(found, schema)


def rows_of(table: pa.Table) -> list[Row]:
    """Results with exact times as rows; counts are left out."""
    return [as_row(row) for row in table.to_pylist() if row["predicate"] is not None]


def as_row(row: dict[str, Any]) -> Row:
    """A row of results."""
    low, high = (None if row[name] is None else Fraction(row[name]) for name in ("start", "end"))
    return row["predicate"], "|".join(row["args"]), low, row["start_closed"], high, row["end_closed"]
