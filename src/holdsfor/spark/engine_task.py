"""One stage on one bucket with the engine: rows come in, the engine goes from query time to query time, results go out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.engine import Engine, Rows, Share, received
from holdsfor.core.feed import Feed
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.engine.answer import Answer
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.kernels import Ints
from holdsfor.engine.report import Texts
from holdsfor.io.layouts import Form
from holdsfor.recognition import plan_windows
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.output import BucketOutput
from holdsfor.spark.rows import BucketRows, by_tag, stream_of
from holdsfor.spark.wire import DELIVERY, DERIVED, FINAL, Tag, table_of
from holdsfor.times import LATEST


@dataclass(frozen=True)
class EngineTask:
    """A stage, to be called on the rows of each bucket."""

    job: Job
    number: int

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of what comes out."""
        return FINAL if self.number == self.job.last else self.job.wire.out_schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one bucket."""
        listed = list(batches)
        if listed:
            yield from _Bucket(self.job, self.job.stages[self.number - 1], pa.Table.from_batches(listed)).work()


def engine_rows(engine: Engine, own: list[tuple[Tag, pa.Table]], vocabulary: Vocabulary) -> Iterator[tuple[Rows, Ints]]:
    """Input as the engine takes it, and when it arrives. What the core cannot read by itself is read in Python."""
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


class _Bucket(BucketOutput):
    """The work on one bucket of a stage."""

    def __init__(self, job: Job, spec: StageSpec, table: pa.Table) -> None:
        self._rows = BucketRows()
        self._rows.add(table, job, spec)
        super().__init__(job, spec, self._rows.bucket)

    def work(self) -> Iterator[pa.RecordBatch]:
        rows = self._rows
        yield from self.told(rows)
        if rows.passing is not None:
            yield from self.passed(rows.passing)
        span, whole = self._job.span, rows.whole
        windows = plan_windows(whole, span.window, span.step, span.start, span.end)
        queries = [whole.reach[1]] if windows is None else windows.query_times.tolist()
        plan, program = received(self._job.program)
        ties = tuple(None if one.ties is None else (one.ties.parts, one.ties.first) for one in self._job.stages)
        share = Share(self._spec.number - 1, rows.bucket, self._job.buckets, self._job.sides, ties)
        size = None if windows is None else windows.size
        engine = Engine(plan, size, threads=1, program=program, share=share)
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
            yield from self._sent(engine, query)
            yield from self._found(engine.answer(vocabulary), texts)
            yield from self._without_value(engine.failures, plan)

    def _deliveries(self) -> dict[int, list[bytes]]:
        """What engines of earlier stages have sent, by query time."""
        found: dict[int, list[bytes]] = {}
        if self._rows.own is not None and "data" in self._rows.own.column_names:
            sent = self._rows.own.filter(pc.equal(self._rows.own["tag"], DELIVERY))
            for query, data in zip(sent["q"].to_pylist(), sent["data"].to_pylist(), strict=True):
                found.setdefault(query, []).append(data)
        return found

    def _sent(self, engine: Engine, query: int) -> Iterator[pa.RecordBatch]:
        """What engines of later stages need of a query time."""
        for stage in range(self._spec.number, self._job.last):
            found = engine.deliveries_for(stage)
            if found:
                buckets, data = zip(*found, strict=True)
                columns: dict[str, Any] = {"tag": DELIVERY, "stage": stage + 1, "q": query}
                columns |= {"bucket": np.array(buckets), "data": pa.array(data, pa.binary())}
                yield from table_of(self._schema, len(found), columns).to_batches()

    def _found(self, answer: Answer, texts: Texts) -> Iterator[pa.RecordBatch]:
        """What holds and has happened at a query time."""
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
