"""What leaves a bucket: results, counts, and tables for later stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.report import Texts
from holdsfor.engine.tables import FOREVER, Intervals
from holdsfor.engine.unvalued import unvalued
from holdsfor.ir import EffectKind
from holdsfor.logic.failures import Failures
from holdsfor.spark.job import Exit, Job, StageSpec
from holdsfor.spark.rows import BucketRows
from holdsfor.spark.wire import (
    ARRIVALS,
    BUCKET,
    COUNTS,
    DERIVED,
    FINAL,
    MOMENTS,
    RESULT,
    RESULT_STAGE,
    SIZES,
    Kind,
    TermTexts,
    table_of,
)
from holdsfor.spreading.keys import PartsOfCodes, Ties, buckets, distinct_codes

WITHOUT_VALUE = "without_value"
"""The name of the count of rows for which a condition has no value."""


@dataclass(frozen=True)
class Share:
    """What of an evaluation is reported: events after `low` up to `high`, intervals that end after `low`, not after
    `high`; as known at a query time.
    """

    query: int
    low: int
    high: int

    def has(self, start: Ints, end: Ints | None) -> Bools:
        """Which events or intervals are reported."""
        if end is None:
            return (start > self.low) & (start <= self.high)
        return (end > self.low + 1) & (True if self.high >= FOREVER else end <= self.high + 1)


class BucketOutput:
    """Makes rows of what leaves a bucket, whoever evaluates it: results, counts, and what goes on to later stages."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int) -> None:
        self._job, self._spec, self._bucket = job, spec, bucket
        self._is_last = spec.number == job.last
        self._failed = 0

    @cached_property
    def _schema(self) -> pa.Schema:
        return FINAL if self._is_last else self._job.wire.out_schema

    def passed(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Rows on their way to a later stage, or to the end."""
        if self._is_last:
            columns = [rows[name] for name in ("tag", "q", "x0", "x1", "t0", "t1")]
            yield from pa.table(columns, schema=FINAL).to_batches()
        else:
            found = {name: rows[name] for name in rows.column_names} | {"bucket": self._bucket}
            yield from table_of(self._schema, len(rows), found).to_batches()

    def told(self, rows: BucketRows) -> Iterator[pa.RecordBatch]:
        """What the next stage must know of the whole stream; the first bucket of the first stage reports its size."""
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

    def _count(self, name: str, count: int) -> Iterator[pa.RecordBatch]:
        columns = {"tag": COUNTS, "fluent": pa.array([name]), "start": count}
        yield from self._row_table(1, columns)

    def _without_value(self, failures: Failures, plan: Plan) -> Iterator[pa.RecordBatch]:
        """For how many more rows conditions failed for want of a value, with the first of them in words."""
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


class Output(BucketOutput):
    """Makes rows of what was worked out: results, and tables for later stages."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int) -> None:
        super().__init__(job, spec, bucket)
        self._owner: Owner | None = None

    def owner(self, dictionary: Dictionary) -> Owner:
        """What tells the instances that belong here, by the codes of a dictionary."""
        if self._owner is None or self._owner.dictionary is not dictionary:
            self._owner = Owner(self._job, self._spec, self._bucket, dictionary)
        return self._owner

    def found(self, evaluation: Evaluation, share: Share | None = None) -> Iterator[pa.RecordBatch]:
        """What was worked out at a query time, or a share of it."""
        moment = evaluation.moment
        share = share or Share(moment.now, moment.low, int(FOREVER))
        self.owner(evaluation.dictionary)
        for symbol in self._spec.members:
            if symbol.kind is EntityKind.FLUENT:
                yield from self._intervals(symbol, evaluation, share)
            elif self._job.derived_events:
                yield from self._events(symbol, evaluation, share)
        if evaluation.conflicts:
            yield from self._count("conflicts", evaluation.conflicts)
        yield from self._without_value(evaluation.dictionary.failures, evaluation.prepared.plan)
        for way in self._spec.exits:
            yield from self.leaving(way, evaluation, share)

    def _intervals(self, symbol: Symbol, evaluation: Evaluation, share: Share) -> Iterator[pa.RecordBatch]:
        """The intervals of a fluent that belong here, in no order."""
        if self._job.fluents is not None and symbol.name not in self._job.fluents:
            return
        assert self._owner is not None
        table = evaluation.fluents[symbol]
        owned = self._owner.owns(symbol, list(table.args), len(table))
        table = table.take(np.flatnonzero(owned & share.has(table.start, table.end)))
        yield from self._interval_rows(symbol, table, self._owner.texts, share.query)

    def _events(self, symbol: Symbol, evaluation: Evaluation, share: Share) -> Iterator[pa.RecordBatch]:
        """The derived events that belong here."""
        assert self._owner is not None
        happened = evaluation.derived[symbol]
        args = [codes_of(column, evaluation.dictionary) for column in happened.args]
        rows = np.flatnonzero(share.has(happened.time, None) & self._owner.owns(symbol, args, len(happened)))
        terms = self._owner.texts.terms(symbol, [column[rows] for column in args], len(rows))
        yield from self._results(DERIVED, share.query, len(rows), {"fluent": terms, "start": happened.time[rows]})

    def leaving(self, way: Exit, evaluation: Evaluation, share: Share) -> Iterator[pa.RecordBatch]:
        """A table on its way to a later stage."""
        assert self._owner is not None
        columns, value, start, end = _leaving(way, evaluation)
        settled = True if self._job.rows_at_once is None else share.has(start, end)
        rows = np.flatnonzero(settled & self._owner.owns(way.symbol, columns, len(start)))
        columns = [column[rows] for column in columns]
        targets, copies = self._owner.targets(way, columns, len(rows))
        rows = rows[copies]
        if not len(rows):
            return
        tag = self._job.stages[way.stage - 1].tags[way.tag]
        terms = self._owner.terms
        found: dict[str, Any] = {slot: terms.column(c[copies]) for slot, c in zip(tag.args, columns, strict=True)}
        if tag.value is not None and value is not None:
            found[tag.value] = terms.column(value[rows])
        found["t0"] = pa.array(start[rows], mask=start[rows] <= -FOREVER)
        if end is not None:
            found["t1"] = pa.array(end[rows], mask=end[rows] >= FOREVER)
        found |= {"tag": way.tag, "stage": way.stage, "q": share.query, "bucket": targets}
        yield from table_of(self._schema, len(rows), found).to_batches()


def _terms(texts: Texts, symbol: Symbol, columns: Sequence[Ints], rows: int) -> Any:
    """The text of instances, made once for rows in a row that are of one instance."""
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


def _leaving(way: Exit, evaluation: Evaluation) -> tuple[list[Ints], Ints | None, Ints, Ints | None]:
    """The columns of a table that a later stage reads: arguments, value, start, end."""
    symbol = way.symbol
    if way.kind is Kind.SETTLED:
        settled = evaluation.next_border.settled.get(symbol)
        if settled is None:
            return [EMPTY] * width(symbol), EMPTY, EMPTY, None
        return list(settled.args), settled.value, settled.first, None
    if way.kind is not Kind.TABLE:
        points = evaluation.points[symbol, EffectKind(way.kind.value)]
        return list(points.args), points.value, points.time, None
    if symbol.kind is EntityKind.EVENT:
        events = evaluation.derived[symbol]
        return [codes_of(column, evaluation.dictionary) for column in events.args], None, events.time, None
    table = evaluation.fluents[symbol]
    return list(table.args), table.value, table.start, table.end


class Owner:
    """Tells the instances that belong to a bucket from those that only took part."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int, dictionary: Dictionary) -> None:
        self._job, self._spec, self._bucket, self.dictionary = job, spec, bucket, dictionary
        self.texts = Texts(dictionary)
        self.terms = TermTexts(dictionary)
        self._parts = PartsOfCodes(dictionary)

    def owns(self, symbol: Symbol, columns: list[Ints], rows: int) -> np.typing.NDArray[np.bool_]:
        """Which instances of a fluent or event belong here; those that other stages make never do."""
        if symbol not in self._spec.members:
            return np.zeros(rows, np.bool_)
        key = [columns[place] for place in self._spec.members[symbol]]
        found: np.typing.NDArray[np.bool_] = self._targets(key, rows, self._spec.ties) == self._bucket
        return found

    def _targets(self, key: list[Ints], rows: int, ties: Ties | None) -> Ints:
        if len(key) == 1 and rows > len(self.dictionary):
            codes, column = distinct_codes(key[0], len(self.dictionary))
            return self._hashed([codes], len(codes), ties)[column]
        return self._hashed(key, rows, ties)

    def _hashed(self, key: list[Ints], rows: int, ties: Ties | None) -> Ints:
        columns = [self._parts.of(column) for column in key]
        return buckets([column if ties is None else ties.of(column) for column in columns], rows, self._job.buckets)

    def targets(self, way: Exit, columns: list[Ints], rows: int) -> tuple[Ints, Ints]:
        """The buckets that rows go to, and the row that each copy is of."""
        count = self._job.buckets
        if way.spreading is None:
            return np.repeat(np.arange(count), rows), np.tile(np.arange(rows), count)
        ties = self._job.stages[way.stage - 1].ties
        found = [self._targets([columns[place] for place in places], rows, ties) for places in way.spreading]
        pairs = np.unique(np.stack([np.concatenate(found), np.tile(np.arange(rows), len(found))]), axis=1)
        return pairs[0], pairs[1]
