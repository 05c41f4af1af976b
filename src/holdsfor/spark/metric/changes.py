"""Reports changes of a metric program on a stream: intervals begin, and later they end.

An interval is reported when it begins (`open`), with its end if already known, and when it has ended (`close`). There
are no reports in between; a null end is not known yet. The `id` is a hash of predicate, arguments and start, so a table
with upserts by `id` contains every maximal interval once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.ids import SEEDS, hex_digits, text_hashes
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import Facts, maximal
from holdsfor.columns.metric.report import arguments, exact_times, plain_arguments
from holdsfor.columns.metric.timeline import rescaled
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.rules import Relation
from holdsfor.io.rejects import repeated
from holdsfor.spark.metric.answers import lists_of
from holdsfor.spark.timestamps import TIMESTAMP, timestamps_of_texts
from holdsfor.times import TimeScale

OPEN, CLOSE = "open", "close"
CHANGES = pa.schema(
    [
        ("id", pa.string()),
        ("op", pa.string()),
        ("predicate", pa.string()),
        ("args", pa.list_(pa.string())),
        ("start", pa.string()),
        ("start_closed", pa.bool_()),
        ("end", pa.string()),
        ("end_closed", pa.bool_()),
        ("until", pa.string()),
    ]
)
"""Times are exact text; `until` is the time up to which the stream is evaluated."""
_TIMES = ("start", "end", "until")


def changes_sql(scale: TimeScale | None = None) -> str:
    """The columns of changes in Spark SQL; times are timestamps if the time unit is known."""
    time = "string" if scale is None else "timestamp"
    return (
        f"id string, op string, predicate string, args array<string>, `start` {time}, start_closed boolean, `end` {time}, "
        f"end_closed boolean, until {time}"
    )


def with_timestamps(changes: pa.Table, scale: TimeScale | None) -> pa.Table:
    """Changes with timestamps in place of exact text."""
    if scale is None:
        return changes
    for name in _TIMES:
        place = changes.column_names.index(name)
        moments = timestamps_of_texts(changes[name].combine_chunks(), scale)
        changes = changes.set_column(place, pa.field(name, TIMESTAMP), moments)
    return changes


class OpenIntervals:
    """Intervals that hold at the end of the evaluated time, with their starts."""

    def __init__(self, scale: int, tables: Mapping[Relation, Facts]) -> None:
        self.scale = scale
        self.tables = dict(tables)

    def rescaled(self, scale: int) -> None:
        """Converts to a finer time-line."""
        self.tables = {relation: rescaled(facts, scale // self.scale) for relation, facts in self.tables.items()}
        self.scale = scale

    def changes(
        self,
        relation: Relation,
        predicate: Relation,
        found: Facts,
        border: tuple[int, int],
        until: str,
        dictionary: Dictionary,
    ) -> Iterator[pa.Table]:
        """The changes for facts of a relation within a range of cells, by the name of its predicate."""
        low, high = border
        before = self.tables.pop(relation, None)
        facts = found if before is None else maximal([before, found])
        was_open = facts.start < low
        is_open = facts.end >= high
        if before is None and low <= -FOREVER:
            was_open = np.zeros(facts.rows, np.bool_)
        open_facts = facts.take(np.flatnonzero(is_open))
        if open_facts.rows:
            self.tables[relation] = open_facts
        for op, rows in ((OPEN, ~was_open), (CLOSE, was_open & ~is_open)):
            chosen = np.flatnonzero(rows)
            if len(chosen):
                yield self._table(predicate, facts.take(chosen), is_open[chosen], op, until, dictionary)

    def _table(
        self, relation: Relation, facts: Facts, is_open: Bools, op: str, until: str, dictionary: Dictionary
    ) -> pa.Table:
        args = [plain_arguments(column, dictionary) for column in facts.args]
        named = [arguments(column, dictionary) for column in facts.args]
        is_first, no_end = facts.start <= -FOREVER, is_open | (facts.end >= FOREVER)
        start = exact_times(facts.start >> 1, is_first, self.scale)
        columns = [
            _ids(relation, named, start, facts.start),
            repeated(op, facts.rows),
            repeated(relation.name, facts.rows),
            lists_of(args, facts.rows),
            start,
            pa.array(~is_first & (facts.start % 2 == 0)),
            exact_times(facts.end >> 1, no_end, self.scale),
            pa.array(~no_end & (facts.end % 2 == 1)),
            repeated(until, facts.rows),
        ]
        return pa.table(columns, schema=CHANGES)


def _ids(relation: Relation, args: Sequence[Any], start: Any, cells: Ints) -> Any:
    """Ids that are the same on every machine."""
    begins = [pc.fill_null(start, "-"), pa.array(cells % 2).cast(pa.string())]
    texts = pc.binary_join_element_wise(repeated(relation.name, len(cells)), *args, *begins, "\0")
    return hex_digits(np.stack([text_hashes(texts, seed) for seed in SEEDS], axis=1))
