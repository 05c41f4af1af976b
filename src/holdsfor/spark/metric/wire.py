"""The format of facts that are exchanged between buckets: one narrow table for all relations of all stages.

| column | |
| --- | --- |
| `tag` | the input of a stage that receives the fact, or the predicate of a result; below 0, rows that are no facts |
| `bucket` | the bucket that receives it |
| `start`, `end` | cells of the doubled time-line |
| `scale` | the ticks per time unit on that line |
| `a0`, `a1`, … | arguments as text, with a letter in front for their type |

Every row has its own scale, so no bucket needs to know the scale of others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import Facts
from holdsfor.spark.keys import PartsOfCodes, buckets
from holdsfor.spark.metric.job import FactRoute, MetricJob
from holdsfor.spark.wire import TermTexts, codes_from, table_of

BUCKET, COUNTS = -1, -2
"""Tags of rows that give a bucket its number, and of rows that count facts: read (`start`), malformed (`end`), and
unused (`scale`).
"""


def wire_schema(job: MetricJob) -> pa.Schema:
    """The columns of a job."""
    kinds = {"tag": pa.int32(), "bucket": pa.int32(), "start": pa.int64(), "end": pa.int64(), "scale": pa.int64()}
    slots = {f"a{place}": pa.string() for place in range(job.width)}
    return pa.schema([pa.field(name, kind) for name, kind in (kinds | slots).items()])


class Sender:
    """Writes facts for the buckets that need them."""

    def __init__(self, job: MetricJob, dictionary: Dictionary) -> None:
        self._job, self._schema = job, wire_schema(job)
        self._texts = TermTexts(dictionary)
        self._parts = PartsOfCodes(dictionary)

    def owned(self, facts: Facts, place: int, bucket: int) -> Facts:
        """The facts whose key belongs to a bucket."""
        return facts.take(np.flatnonzero(self._buckets(facts, place) == bucket))

    def _buckets(self, facts: Facts, place: int) -> Ints:
        return buckets([self._parts.of(facts.args[place])], facts.rows, self._job.buckets)

    def sent(self, facts: Facts, scale: int, routes: Sequence[FactRoute]) -> Iterator[pa.Table]:
        """Rows with some facts for all their routes."""
        if not facts.rows or not routes:
            return
        slots = {f"a{place}": self._texts.column(column) for place, column in enumerate(facts.args)}
        columns = {"start": pa.array(facts.start), "end": pa.array(facts.end), "scale": scale, **slots}
        for route in routes:
            if route.place is not None:
                yield self._table(facts.rows, columns, route.tag, pa.array(self._buckets(facts, route.place)))
            else:
                for bucket in range(self._job.buckets) if route.is_everywhere else (route.bucket,):
                    yield self._table(facts.rows, columns, route.tag, bucket)

    def _table(self, rows: int, columns: dict[str, Any], tag: int, bucket: Any) -> pa.Table:
        return table_of(self._schema, rows, {**columns, "tag": tag, "bucket": bucket})


def note_row(job: MetricJob, tag: int, bucket: int, start: int = 0, end: int = 0, scale: int = 0) -> pa.Table:
    """A row that is not a fact."""
    return table_of(wire_schema(job), 1, {"tag": tag, "bucket": bucket, "start": start, "end": end, "scale": scale})


def received(table: pa.Table, arity: int, dictionary: Dictionary) -> Iterator[tuple[int, Facts]]:
    """The facts of rows of one tag, by their scale."""
    table = table.combine_chunks()
    scales = table["scale"].to_numpy()
    args = [codes_from(_whole(table[f"a{place}"]), dictionary) for place in range(arity)]
    start, end = table["start"].to_numpy(), table["end"].to_numpy()
    for scale in np.unique(scales).tolist():
        rows = np.flatnonzero(scales == scale)
        yield scale, Facts(tuple(column[rows] for column in args), start[rows], end[rows])


def by_tag(table: pa.Table) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each tag."""
    tags = table["tag"].to_numpy()
    for tag in np.unique(tags).tolist():
        rows = np.flatnonzero(tags == tag)
        yield tag, table if len(rows) == len(tags) else table.take(pa.array(rows))


def _whole(column: Any) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
