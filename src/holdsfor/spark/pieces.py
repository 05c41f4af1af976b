"""Evaluates long histories piece by piece, for a bucket with rows in time order; final results are dropped.

After each piece, the engine advances to a query time, with a window over all results that may still change. It keeps
the earlier rows that rules need. The answer equals that of one query over everything: an interval is reported once it
is final; an open one is reported with the last piece.

Stages that read results of earlier ones must advance to the same query times, which are common to all buckets. The
engines of a first stage may use further query times in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts
from holdsfor.columns.tables import FOREVER, Events
from holdsfor.core.engine import Engine
from holdsfor.core.program import received
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.output import BucketOutput
from holdsfor.spark.rows import BucketRows, by_tag, engine_rows
from holdsfor.spark.wire import DELIVERY

_MOST_QUERIES = 10_000
"""The most common query times at which stages exchange results."""


class Pieces(BucketOutput):
    """The evaluation of one bucket, piece by piece."""

    def __init__(self, job: Job, spec: StageSpec, first: pa.RecordBatch) -> None:
        assert job.rows_at_once is not None
        self._most = job.rows_at_once
        self._rows = BucketRows()
        self._rows.add(pa.Table.from_batches([first]), job, spec)
        super().__init__(job, spec, self._rows.bucket)
        self._plan, program = received(job.program)
        self._settle = program.lowered.plan.settle
        self._last = self._rows.whole.reach[1]
        self._common = self._query_times()
        self._waiting: list[pa.Table] = []
        self._sent_here: dict[int, list[tuple[int, bytes]]] = {}
        """Messages from engines of earlier stages, by common query time: their time, and bytes."""
        self._query: int | None = None
        self._final = -int(FOREVER)
        """Results have been reported up to here."""
        origin = self._rows.whole.reach[0]
        self._engine = Engine(self._plan, origin=origin, threads=1, program=program, share=self._share())
        self._begin_dictionary()

    def work(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates rows in time order; information about the whole stream comes first."""
        yield from self.stream_facts(self._rows)
        yield from self._added()
        for batch in batches:
            self._rows.add(pa.Table.from_batches([batch]), self._job, self._spec)
            yield from self._added()
        while self._common:
            yield from self._step(self._common[0])

    def _query_times(self) -> list[int]:
        """The query times of all buckets: as many as they need on average, if there are later stages."""
        first, last = self._rows.whole.reach
        if len(self._job.stages) == 1:
            return [last]
        rows = self._rows.counts[0]
        count = min(-(-rows // (self._job.buckets * self._most)), last - first + 1, _MOST_QUERIES)
        return [first + (last - first) * (place + 1) // count for place in range(count)] if count > 1 else [last]

    def _begin_dictionary(self) -> None:
        dictionary = Dictionary()
        self._vocabulary = Vocabulary(dictionary, self._engine.words)
        self._texts = Texts(dictionary)

    def _added(self) -> Iterator[pa.RecordBatch]:
        """Adds rows, and advances as far as they are complete."""
        rows = self._rows
        if rows.passing is not None:
            yield from self.passed(rows.passing)
        assert rows.own is not None
        if "data" in rows.own.column_names:
            sent = rows.own.filter(pc.equal(rows.own["tag"], DELIVERY))
            for columns in zip(*(sent[name].to_pylist() for name in ("q", "t0", "data")), strict=True):
                self._sent_here.setdefault(columns[0], []).append(columns[1:])
        known = rows.own.filter(
            pc.or_(pc.greater_equal(rows.own["tag"], 0), pc.equal(rows.own["tag"], DELIVERY))
        ).select([name for name in rows.own.column_names if name != "data"])
        if not len(known):
            return
        self._waiting.append(known)
        # More rows of the last time-point may follow.
        before = int(_times(known)[-1]) - 1
        while len(self._common) > 1 and self._common[0] <= before:
            yield from self._step(self._common[0])
        may_go_on = self._query is None or before > self._query
        has_many = sum(map(len, self._waiting)) >= self._most
        if has_many and may_go_on and before < self._common[0] and not self._reads_earlier_stages:
            yield from self._step(before)

    @property
    def _reads_earlier_stages(self) -> bool:
        return self._spec.number > 1

    def _step(self, query: int) -> Iterator[pa.RecordBatch]:
        is_common, is_last = query == self._common[0], len(self._common) == 1 and query == self._common[0]
        engine = self._engine
        for rows, _ in engine_rows(engine, by_tag(self._cut(query), self._spec), self._vocabulary):
            engine.push(rows)
        common = self._common.pop(0) if is_common else self._common[0]
        for _, data in sorted(self._sent_here.pop(common, ()) if is_common else ()):
            engine.receive(data)
        if self._query is not None:
            # Rows after the last query time count, and unreported results are shown.
            engine.set_window(query - (min(self._final, self._query) - 1))
        engine.advance(query, is_last=is_last)
        self._query = query
        yield from self._sent(engine, common, query)
        final = int(FOREVER) if is_last else query - self._settle - 1
        yield from self._found(self._reported(engine.answer(self._vocabulary), final), self._texts)
        yield from self._without_value(engine.failures, self._plan)
        self._final = final
        if engine.has_grown and not is_last:
            engine.reclaim(())
            self._begin_dictionary()

    def _cut(self, query: int) -> pa.Table:
        """The input up to a query time; the remainder is kept."""
        assert self._rows.own is not None
        if not self._waiting:
            return self._rows.own.slice(0, 0)
        table = pa.concat_tables(self._waiting)
        end = int(np.searchsorted(_times(table), query, side="right"))
        self._waiting = [table.slice(end)] if end < len(table) else []
        return table.slice(0, end)

    def _reported(self, answer: Answer, final: int) -> Answer:
        """The results that became final since the last report, dated at the last query time."""
        fluents = {}
        for symbol, table in answer.fluents.items():
            is_new = (table.end > self._final) & (table.end <= final)
            fluents[symbol] = table if is_new.all() else table.take(np.flatnonzero(is_new))
        events = {}
        for symbol, some in answer.events.items():
            is_new = (some.time > self._final) & (some.time <= final)
            args = tuple(column.take(np.flatnonzero(is_new)) for column in some.args)
            events[symbol] = Events(args, some.time[is_new])
        return Answer(self._last, fluents, events, answer.conflicts)


def _times(table: pa.Table) -> Ints:
    found: Ints = table["t0"].fill_null(-int(FOREVER)).to_numpy()
    return found
