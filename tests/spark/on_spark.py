"""Records as DataFrames, and what Spark reports of them."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from holdsfor.columns.dictionary import value_of
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.loading import Reasoner
from holdsfor.reference import EventRow, IntervalRow, Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark import derived_events, recognise
from holdsfor.spark.job import Span
from holdsfor.spark.scales import in_points, in_timestamps
from holdsfor.spark.timestamps import TIMES
from holdsfor.syntax.numbers import number_text
from holdsfor.syntax.terms import arguments, functor
from holdsfor.times import TimeScale
from tests.strategies.engine_runs import Rows


def frames(spark: Any, records: list[Record], reasoner: Reasoner) -> dict[str, Any]:
    """A DataFrame for each event and input fluent; columns that mix numbers and words are text."""
    found: dict[Symbol, list[dict[str, Any]]] = {}
    for record in records:
        happened = isinstance(record, Occurrence)
        term = record.event if happened else record.fluent
        symbol = Symbol(EntityKind.EVENT if happened else EntityKind.FLUENT, *(functor(term) or ("", 0)))
        if symbol not in reasoner.analysis.entities.table:
            continue
        row: dict[str, Any] = {f"a{place}": value_of(arg) for place, arg in enumerate(arguments(term))}
        if happened:
            row |= {"time": record.time}
        elif record.is_point:
            row |= {"time": record.start, "value": value_of(record.value)}
        else:
            end = None if math.isinf(record.end) else int(record.end)
            row |= {"start": record.start, "end": end, "value": value_of(record.value)}
        found.setdefault(symbol, []).append(row | {"arrival": record.arrival})
    return {symbol.name: spark.createDataFrame(_table(rows)) for symbol, rows in found.items()}


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    names = list(rows[0])
    return pa.table({name: _column([row[name] for row in rows]) for name in names})


def _column(values: list[Any]) -> pa.Array:
    whole = [value for value in values if isinstance(value, int)]
    size = max(map(abs, whole), default=0)
    if size < 2**63 and all(value is None or isinstance(value, int) for value in values):
        return pa.array(values, pa.int64())
    if size >= 2**53 or not all(isinstance(value, int | float) for value in values):
        texts = [value if isinstance(value, str) else number_text(value) for value in values]
        return pa.array(texts, pa.string())
    return pa.array([float(value) for value in values], pa.float64())


def on_spark(
    spark: Any, reasoner: Reasoner, records: list[Record], span: Span, partitions: int, scale: TimeScale | None = None
) -> Rows:
    """The rows that Spark reports; with a scale, its input and its results have timestamps."""
    events = frames(spark, records, reasoner) or {"nothing": spark.createDataFrame([(0,)], "time bigint")}
    options: dict[str, Any] = {"window": span.window, "step": span.step, "start": span.start, "end": span.end}
    options |= {"partitions": partitions, "untyped": True}
    if scale is not None:
        events = {name: in_timestamps(frame, scale, {*TIMES, "arrival"}) for name, frame in events.items()}
        options["unit"] = scale.unit
    intervals_frame = recognise(reasoner, events, **options)
    events_frame = derived_events(reasoner, events, **options)
    if scale is not None:
        kinds = {*intervals_frame.dtypes, *events_frame.dtypes}
        assert {(name, "timestamp") for name in ("query_time", "start", "end", "time")} <= kinds
        intervals_frame, events_frame = in_points(intervals_frame, scale), in_points(events_frame, scale)
    found = intervals_frame.collect()
    happened = events_frame.collect() if reasoner.analysis.program.events else []
    intervals = [
        IntervalRow(
            row.query_time,
            row.fluent,
            row.value,
            -math.inf if row.start is None else row.start,
            math.inf if row.end is None else row.end,
        )
        for row in found
    ]
    return Rows(tuple(sorted(intervals)), tuple(sorted(EventRow(*row) for row in happened)))
