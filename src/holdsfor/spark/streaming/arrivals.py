"""The input rows of a bucket: what has come in since the last query times, cut into what arrives for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.answer import Answer
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import Texts, event_table, interval_table
from holdsfor.engine.retractions import Arrived
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import Events, Intervals
from holdsfor.io.builder import Builder
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import piece_of, whole_column
from holdsfor.spark.steps import Batches
from holdsfor.spark.streaming.rows import BACK, read_rows, row_schema
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.wire import Kind, Tag, table_of

UNMATCHED = pa.schema(
    [
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("what", pa.string(), nullable=False),
        pa.field("value", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
"""Retractions of what was never seen."""


class Arrivals:
    """The rows that a stage has to take in on a bucket: `rest` is what no query time of the turn sees."""

    def __init__(self, job: Job, spec: StageSpec, turn: Turn, rest: pa.Table | None, store: Store, bucket: int) -> None:
        self._job, self._spec, self._turn = job, spec, turn
        rows = [] if rest is None else [rest]
        for batch, buckets in sorted(turn.rows.items()):
            if bucket in buckets:
                rows.append(self._mine(read_rows(store, batch, bucket)))
        schema = row_schema(job.wire, retracting=turn.retracting).append(pa.field("batch", pa.int64()))
        table = pa.concat_tables(rows) if rows else schema.empty_table()
        is_due = pc.less_equal(table["arrival"], turn.until)
        self.rest = table.filter(pc.invert(is_due))
        self._arrived = table if not len(self.rest) else table.filter(is_due)

    def _mine(self, table: pa.Table) -> pa.Table:
        return table.filter(pc.equal(table["stage"], self._spec.number)) if self._job.wire.staged else table

    def queries(self, dictionary: Dictionary) -> Iterator[tuple[int, Arrived, Arrived]]:
        """Query times, what arrived for each, and what was taken back."""
        queries = self._turn.plan.query_times.tolist()
        if not self._turn.retracting:
            batches = Batches(self._columns(self._arrived, dictionary).stream, self._turn.plan)
            for place, query in enumerate(queries):
                yield query, Arrived(batches.of(place)), Arrived()
            return
        flag = self._arrived["retracted"].fill_null(0)
        plain = self._columns(self._arrived.filter(pc.equal(flag, 0)), dictionary)
        back = self._columns(self._arrived.filter(pc.greater(flag, 0)), dictionary)
        for query in queries:
            after = max(query - self._turn.windows.step, query - self._turn.windows.size)
            yield query, plain.part(after, query), back.part(after, query)

    def _columns(self, table: pa.Table, dictionary: Dictionary) -> Arrived:
        builder, made = Builder(), Arrived()
        batch: dict[Any, list[Any]] = {}
        flags: dict[Any, list[Any]] = {}
        for tag, rows in by_tag(self._spec, table):
            if tag.kind is Kind.INPUT:
                builder.add(piece_of(tag, rows.combine_chunks()))
                batch.setdefault(tag.symbol, []).append(rows["batch"].to_numpy())
                if self._turn.retracting:
                    is_first = rows["retracted"].fill_null(0).to_numpy() == BACK
                    flags.setdefault(tag.symbol, []).append(is_first)
        made.stream = builder.finish(dictionary).stream
        made.batch = {symbol: np.concatenate(parts) for symbol, parts in batch.items()}
        made.is_first = {symbol: np.concatenate(parts) for symbol, parts in flags.items()}
        return made


def by_tag(spec: StageSpec, rows: pa.Table) -> Iterator[tuple[Tag, pa.Table]]:
    """Rows of each kind that a stage reads."""
    if not len(rows):
        return
    tags = rows["tag"].to_numpy()
    for number in np.unique(tags).tolist():
        if number in spec.tags:
            yield spec.tags[number], rows.take(pa.array(np.flatnonzero(tags == number)))


def unmatched_rows(stream: Stream, query: int, texts: Texts) -> pa.Table:
    """Retractions that found nothing, as text."""
    events = {s: Events(table.columns, table.time) for s, table in stream.events.items()}
    fluents = {
        symbol: Intervals(table.args, table.value, table.start, table.end, single_valued=False)
        for symbol, table in stream.fluents.items()
    }
    answer = Answer(query, fluents, events, 0)
    happened, held = event_table(answer, texts), interval_table(answer, texts)
    named = happened.rename_columns({"event": "what", "time": "start"})
    found = [table_of(UNMATCHED, len(named), {name: whole_column(named[name]) for name in named.column_names})]
    found.append(held.rename_columns({"fluent": "what"}).select(UNMATCHED.names).cast(UNMATCHED))
    return pa.concat_tables(found)
