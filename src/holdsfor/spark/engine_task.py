"""Runs one stage on one bucket with the engine, from query time to query time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import Texts
from holdsfor.core.engine import Engine
from holdsfor.core.feed import Feed
from holdsfor.core.program import received
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.recognition import plan_windows
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.output import BucketOutput
from holdsfor.spark.pieces import Pieces
from holdsfor.spark.rows import BucketRows, by_tag, engine_rows
from holdsfor.spark.wire import DELIVERY, FINAL


@dataclass(frozen=True)
class EngineTask:
    """A stage, called with the rows of each bucket."""

    job: Job
    number: int

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of the output."""
        return FINAL if self.number == self.job.last else self.job.wire.out_schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates one bucket."""
        spec = self.job.stages[self.number - 1]
        if self.job.rows_at_once is not None:
            coming = iter(batches)
            for first in coming:
                yield from Pieces(self.job, spec, first).work(coming)
            return
        listed = list(batches)
        if listed:
            yield from _Bucket(self.job, spec, pa.Table.from_batches(listed)).work()


class _Bucket(BucketOutput):
    """The evaluation of one bucket of a stage."""

    def __init__(self, job: Job, spec: StageSpec, table: pa.Table) -> None:
        self._rows = BucketRows()
        self._rows.add(table, job, spec)
        super().__init__(job, spec, self._rows.bucket)

    def work(self) -> Iterator[pa.RecordBatch]:
        rows = self._rows
        yield from self.stream_facts(rows)
        if rows.passing is not None:
            yield from self.passed(rows.passing)
        span, whole = self._job.span, rows.whole
        windows = plan_windows(whole, span.window, span.step, span.start, span.end)
        queries = [whole.reach[1]] if windows is None else windows.query_times.tolist()
        plan, program = received(self._job.program)
        size = None if windows is None else windows.size
        origin = whole.reach[0] if windows is None else min(windows.start + 1, whole.reach[0])
        engine = Engine(plan, size, origin=origin, threads=1, program=program, share=self._share())
        own = [] if rows.own is None else by_tag(rows.own, self._spec)
        deliveries = self._deliveries()
        rows.own = None
        dictionary = Dictionary()
        vocabulary = Vocabulary(dictionary, engine.words)
        texts = Texts(dictionary)
        feed = Feed(engine, engine_rows(engine, own, vocabulary), windows)
        del own
        for place, query in enumerate(queries):
            feed.push(place)
            for data in deliveries.pop(query, ()):
                engine.receive(data)
            engine.advance(query, is_last=place == len(queries) - 1)
            yield from self._sent(engine, query, query)
            yield from self._found(engine.answer(vocabulary), texts)
            yield from self._without_value(engine.failures, plan)

    def _deliveries(self) -> dict[int, list[bytes]]:
        """The messages from engines of earlier stages, by query time."""
        found: dict[int, list[bytes]] = {}
        if self._rows.own is not None and "data" in self._rows.own.column_names:
            sent = self._rows.own.filter(pc.equal(self._rows.own["tag"], DELIVERY))
            for query, data in zip(sent["q"].to_pylist(), sent["data"].to_pylist(), strict=True):
                found.setdefault(query, []).append(data)
        return found
