"""Feeds an engine with the rows of a bucket, and converts its output to rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.answer import Answer
from holdsfor.columns.frames import codes_of
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts
from holdsfor.core.engine import Engine, Share
from holdsfor.core.rows import Rows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.io.layouts import Form
from holdsfor.spark.output import BucketOutput
from holdsfor.spark.rows import stream_of
from holdsfor.spark.wire import DELIVERY, DERIVED, Tag, table_of
from holdsfor.times import LATEST


def engine_rows(engine: Engine, own: list[tuple[Tag, pa.Table]], vocabulary: Vocabulary) -> Iterator[tuple[Rows, Ints]]:
    """Input for the engine, with its arrivals. Python converts what the core cannot read."""
    rest = []
    for tag, table in own:
        found = None
        if tag.form is Form.EVENT and all(slot[0] in "lds" for slot in tag.args):
            found = engine.table_rows(tag.symbol, pa.table(_named(tag, table)), LATEST)
        if found is None:
            rest.append((tag, table))
        else:
            arrival = table["arrival"].to_numpy() if "arrival" in table.column_names else found[0].time
            yield found[0], arrival
    yield from engine.rows_of(stream_of(rest, vocabulary.dictionary), vocabulary)


def _named(tag: Tag, table: pa.Table) -> dict[str, Any]:
    return {"time": table["t0"]} | {f"a{place}": table[slot] for place, slot in enumerate(tag.args)}


class EngineOutput(BucketOutput):
    """Converts engine results to rows."""

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
