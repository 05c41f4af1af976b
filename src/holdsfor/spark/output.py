"""Converts the results of an engine to the output of its bucket: results, counts, and rows for later stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.answer import Answer
from holdsfor.columns.frames import codes_of
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts
from holdsfor.columns.tables import FOREVER, Intervals
from holdsfor.columns.unvalued import unvalued
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine, Share
from holdsfor.logic.failures import Failures
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import BucketRows
from holdsfor.spark.wire import (
    ARRIVALS,
    BUCKET,
    COUNTS,
    DELIVERY,
    DERIVED,
    FINAL,
    MOMENTS,
    RESULT,
    RESULT_STAGE,
    SIZES,
    table_of,
)

WITHOUT_VALUE = "without_value"
"""The name of the count of rows for which a condition has no value."""


class BucketOutput:
    """Creates the rows that leave a bucket."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int) -> None:
        self._job, self._spec, self._bucket = job, spec, bucket
        self._is_last = spec.number == job.last
        self._failed = 0

    @cached_property
    def _schema(self) -> pa.Schema:
        return FINAL if self._is_last else self._job.wire.out_schema

    def passed(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Rows for a later stage, or for the output."""
        if self._is_last:
            columns = [rows[name] for name in ("tag", "q", "x0", "x1", "t0", "t1")]
            yield from pa.table(columns, schema=FINAL).to_batches()
        else:
            found = {name: rows[name] for name in rows.column_names} | {"bucket": self._bucket}
            yield from table_of(self._schema, len(rows), found).to_batches()

    def stream_facts(self, rows: BucketRows) -> Iterator[pa.RecordBatch]:
        """Information about the whole stream for the next stage; the first bucket of the first stage reports its
        size.
        """
        if not self._is_last:
            facts = {BUCKET: (rows.bucket, 0), MOMENTS: rows.whole.reach, ARRIVALS: rows.whole.arrived}
            if self._job.rows_at_once is not None:
                facts[SIZES] = rows.counts
            for tag, reach in facts.items():
                columns = {"tag": tag, "t0": reach[0], "t1": reach[1]}
                columns |= {"stage": self._spec.number + 1, "bucket": self._bucket}
                yield from table_of(self._schema, 1, columns).to_batches()
        if self._spec.number == 1 and self._bucket == 0:
            for name, count in zip(("read", "malformed"), rows.counts, strict=True):
                yield from self._count(name, count)

    def _share(self) -> Share:
        """The keys of this bucket."""
        job = self._job
        ties = tuple(None if one.ties is None else (one.ties.parts, one.ties.first) for one in job.stages)
        return Share(self._spec.number - 1, self._bucket, job.buckets, job.sides, ties)

    def _sent(self, engine: Engine, query: int, at: int) -> Iterator[pa.RecordBatch]:
        """The results at a query time that engines of later stages need at another, not earlier one."""
        for stage in range(self._spec.number, self._job.last):
            found = engine.deliveries_for(stage)
            if found:
                buckets, data = zip(*found, strict=True)
                columns: dict[str, Any] = {"tag": DELIVERY, "stage": stage + 1, "q": query, "t0": at}
                columns |= {"bucket": np.array(buckets), "data": pa.array(data, pa.binary())}
                yield from table_of(self._schema, len(found), columns).to_batches()

    def _found(self, answer: Answer, texts: Texts) -> Iterator[pa.RecordBatch]:
        """The intervals and events at a query time."""
        wanted = self._job.fluents
        for symbol, table in answer.fluents.items():
            if wanted is None or symbol.name in wanted:
                yield from self._interval_rows(symbol, table, texts, answer.query_time)
        for symbol, events in answer.events.items() if self._job.derived_events else ():
            args = [codes_of(column, texts.dictionary) for column in events.args]
            terms = texts.terms(symbol, args, len(events))
            yield from self._results(DERIVED, answer.query_time, len(events), {"fluent": terms, "start": events.time})
        if answer.conflicts:
            yield from self._count("conflicts", answer.conflicts)

    def _count(self, name: str, count: int) -> Iterator[pa.RecordBatch]:
        columns = {"tag": COUNTS, "fluent": pa.array([name]), "start": count}
        yield from self._row_table(1, columns)

    def _without_value(self, failures: Failures, plan: Plan) -> Iterator[pa.RecordBatch]:
        """The number of further rows for which conditions had no value, with the first of them in words."""
        failed = len(failures)
        if failed > self._failed:
            first = str(unvalued(failures, plan)[0])
            more, self._failed = failed - self._failed, failed
            columns = {"tag": COUNTS, "fluent": pa.array([WITHOUT_VALUE]), "value": pa.array([first]), "start": more}
            yield from self._row_table(1, columns)

    def _results(self, tag: int, query: int, rows: int, columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        if rows:
            yield from self._row_table(rows, {**columns, "tag": tag, "query_time": query})

    def _interval_rows(self, symbol: Symbol, table: Intervals, texts: Texts, query: int) -> Iterator[pa.RecordBatch]:
        columns = {
            "fluent": _terms(texts, symbol, table.args, len(table)),
            "value": texts.values(table.value),
            "start": pa.array(table.start, mask=table.start <= -FOREVER),
            "end": pa.array(table.end, mask=table.end >= FOREVER),
        }
        yield from self._results(RESULT, query, len(table), columns)

    def _row_table(self, rows: int, columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        if not self._is_last:
            renamed = {"query_time": "q", "fluent": "x0", "value": "x1", "start": "t0", "end": "t1"}
            columns = {renamed.get(name, name): column for name, column in columns.items()}
            columns |= {"stage": RESULT_STAGE, "bucket": self._bucket}
        yield from table_of(self._schema, rows, columns).to_batches()


def _terms(texts: Texts, symbol: Symbol, columns: Sequence[Ints], rows: int) -> Any:
    """The text of instances, created once per run of equal instances."""
    if not rows or not columns:
        return texts.terms(symbol, columns, rows)
    begins = np.zeros(rows, np.bool_)
    begins[0] = True
    for column in columns:
        begins[1:] |= column[1:] != column[:-1]
    first = np.flatnonzero(begins)
    if 2 * len(first) > rows:
        return texts.terms(symbol, columns, rows)
    once = texts.terms(symbol, [column[first] for column in columns], len(first))
    return once.take(pa.array(np.repeat(np.arange(len(first)), np.diff(first, append=rows))))
