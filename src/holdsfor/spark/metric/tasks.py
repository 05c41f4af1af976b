"""The tasks of a micro-batch: facts are written to the files of their buckets, then time advances.

Every stage of every bucket has a state of its own, in a file that is named by the batch that wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet
from holdsfor.columns.metric.timeline import after, finer_cell
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.stages import MetricStage
from holdsfor.core.metric_stream import MetricStream
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.ahead import sampled
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.spark.metric.buckets import StageRows, owned_facts, program_facts
from holdsfor.spark.metric.changes import CHANGES, OpenIntervals, with_timestamps
from holdsfor.spark.metric.job import FactRoute, MetricJob
from holdsfor.spark.metric.reading import FrameKind, pieces, sent
from holdsfor.spark.metric.wire import BUCKET, COUNTS, Sender, by_tag, note_row, received, wire_schema
from holdsfor.spark.streaming.rows import NOTE, noted, rows_file
from holdsfor.spark.streaming.store import Store, as_parquet, new_attempt, packed, state_file, unpacked
from holdsfor.spark.wire import table_of, value_from
from holdsfor.syntax.terms import Const

LATEST, ASIDE, NOTES, BEGINS = -3, -4, -5, -6
"""Tags of rows with the latest time read, rows that cannot be used, notes of workers to the driver, and sampled start
times of facts, each with the number of facts that it represents.
"""
ASIDE_ROWS = pa.schema([("reason", pa.string()), ("row", pa.string())])
ASIDE_SQL = "reason string, row string"
"""Late or malformed rows, as text."""


@dataclass(frozen=True)
class ReadStream:
    """Reads facts of a stream, routes them to their buckets, and adds all messages about them."""

    job: MetricJob
    source: FrameKind

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Processes some rows."""
        dictionary = Dictionary()
        sender = Sender(self.job, dictionary)
        for piece in pieces(self.job, self.source, batches, dictionary):
            yield from sent(self.job, sender, piece.facts, dictionary)
            found = [note_row(self.job, COUNTS, 0, piece.rows, piece.rejects.count, piece.unknown)]
            starts = [table.start.max() for table in piece.facts.tables.values() if table.rows]
            if starts and max(starts) > -FOREVER:
                found.append(note_row(self.job, LATEST, 0, int(max(starts)), 0, piece.facts.scale))
                found.append(self._begins(piece.facts))
            found += [self._aside(table) for table in piece.rejects.tables]
            for table in found:
                yield from table.to_batches()

    def _begins(self, facts: FactSet) -> pa.Table:
        """A sample of the start times of facts. It always includes the last one, which is the most likely error."""
        starts = np.concatenate([table.start for table in facts.tables.values() if table.rows])
        starts = starts[starts > -FOREVER]
        times, weights = sampled(starts)
        columns = {"tag": BEGINS, "bucket": 0, "start": pa.array(np.append(times, starts.max()))}
        columns |= {"end": pa.array(np.append(weights, 0)), "scale": facts.scale}
        return table_of(wire_schema(self.job), len(times) + 1, columns)

    def _aside(self, refused: pa.Table) -> pa.Table:
        refused = refused.combine_chunks()
        reason, row = (refused[name].cast(pa.string()).combine_chunks() for name in ("reason", "row"))
        columns = {"tag": ASIDE, "bucket": 0, "start": 0, "end": 0, "scale": 0, "a0": reason, "a1": row}
        return table_of(wire_schema(self.job), len(refused), columns)


@dataclass(frozen=True)
class StoreFacts:
    """Writes the facts of a bucket to its file, and sets late facts aside."""

    job: MetricJob
    store: Store
    batch: int
    reached: Fraction | None
    limit: Fraction | None = None
    """Facts that begin later are too far ahead of the others."""

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Processes the rows of one partition, which contains one or more buckets."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed).cast(wire_schema(self.job))
        buckets = table["bucket"].to_numpy()
        for bucket in np.unique(buckets).tolist():
            rows = np.flatnonzero(buckets == bucket)
            yield self._stored(table if len(rows) == len(buckets) else table.take(pa.array(rows)), bucket)

    def _stored(self, table: pa.Table, bucket: int) -> pa.RecordBatch:
        counted = {"read": 0, "malformed": 0, "unknown": 0, "late": 0, "ahead": 0}
        seen: list[Fraction] = []
        begins: list[tuple[str, int]] = []
        aside, kept = [], []
        for tag, rows in by_tag(table):
            if tag == COUNTS:
                for name, column in zip(counted, ("start", "end", "scale"), strict=False):
                    counted[name] += int(rows[column].to_numpy().sum())
            elif tag == LATEST:
                seen += _times(rows)
            elif tag == BEGINS:
                begins += [
                    (str(time), weight) for time, weight in zip(_times(rows), rows["end"].to_pylist(), strict=True)
                ]
            elif tag == ASIDE:
                aside.append(pa.table([rows["a0"], rows["a1"]], schema=ASIDE_ROWS))
            else:
                used, ahead = self._parted(rows)
                for reason, texts in (
                    ("late", self._late(tag, used, bucket)),
                    (_AHEAD, self._named(tag, ahead, bucket)),
                ):
                    counted["late" if reason == "late" else "ahead"] += len(texts)
                    columns = [pa.array([reason] * len(texts), pa.string()), pa.array(texts, pa.string())]
                    aside.append(pa.table(columns, schema=ASIDE_ROWS))
                if len(used):
                    kept.append(used)
        refused_rows = pa.concat_tables([ASIDE_ROWS.empty_table(), *aside])
        if len(refused_rows):
            self.store.write(f"{self.batch}/aside/{bucket}.parquet", as_parquet(refused_rows))
        if kept:
            self.store.write_sealed(rows_file(self.batch, bucket), packed([pa.concat_tables(kept)]))
        if self.limit is not None:
            # All relevant times belong to facts that are kept, or to facts that no rule uses.
            seen = [time for time in map(Fraction, (time for time, _ in begins)) if time <= self.limit]
            seen += [time for rows in kept for time in _times(rows) if len(rows)]
        shown = str(max(seen)) if seen else None
        note = {"latest": shown, "aside": len(refused_rows), "begins": begins, **counted}
        return noted(bucket=bucket, rows=sum(map(len, kept)), **note)

    def _parted(self, rows: pa.Table) -> tuple[pa.Table, pa.Table]:
        """Separates usable facts from those that begin too far ahead."""
        if self.limit is None:
            return rows, rows.slice(0, 0)
        far = np.zeros(len(rows), np.bool_)
        scales, starts = rows["scale"].to_numpy(), rows["start"].to_numpy()
        for scale in np.unique(scales).tolist():
            far |= (scales == scale) & (starts >= after(self.limit, scale))
        return rows.filter(pa.array(~far)), rows.filter(pa.array(far))

    def _late(self, tag: int, rows: pa.Table, bucket: int) -> list[str]:
        """Facts that begin before the reached time, as text; a fact for several buckets is reported once."""
        if self.reached is None:
            return []
        is_late = np.zeros(len(rows), np.bool_)
        scales, starts = rows["scale"].to_numpy(), rows["start"].to_numpy()
        for scale in np.unique(scales).tolist():
            is_late |= (scales == scale) & (starts < after(self.reached, scale))
        return self._named(tag, rows.filter(pa.array(is_late)), bucket)

    def _named(self, tag: int, rows: pa.Table, bucket: int) -> list[str]:
        """Facts as text; a fact for several buckets is reported once."""
        delivery = self.job.tags[tag][1]
        first = self.job.routes(delivery.relation, None)[0]
        if first.tag != tag or (delivery.place is None and bucket):
            return []
        relation, found = delivery.relation, []
        for row in rows.to_pylist():
            args = tuple(Const(value_from(row[f"a{place}"])) for place in range(relation.arity))  # type: ignore[arg-type]
            during = _range(row["start"], row["end"], row["scale"])
            found.append(metric_text(MetricFact(relation.name, args, during)).strip())
        return found


def _times(rows: pa.Table) -> list[Fraction]:
    """The start times of rows, without infinite ones."""
    cells = zip(rows["start"].to_pylist(), rows["scale"].to_pylist(), strict=True)
    return [Fraction(cell >> 1, scale) for cell, scale in cells if cell > -FOREVER]


_AHEAD = "too far ahead"


def _range(start: int, end: int, scale: int) -> Range:
    low = None if start <= -FOREVER else Fraction(start >> 1, scale)
    high = None if end >= FOREVER else Fraction(end >> 1, scale)
    return Range(low, high, low is None or start % 2 == 1, high is None or end % 2 == 0)


@dataclass(frozen=True)
class BatchAssignment:
    """The work of the buckets: read the states of a batch and the facts of other batches, and advance to `until`.

    `attempts` identifies the valid state files, by stage and bucket.
    """

    batch: int
    states: int | None
    rows: Mapping[int, list[int]]
    until: Fraction
    attempts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Advance:
    """Advances all buckets of a stage to a time. The first stage receives bucket numbers, later ones receive rows."""

    job: MetricJob
    number: int
    store: Store
    turn: BatchAssignment

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of the output."""
        return NOTE if self.number == self.job.last else wire_schema(self.job)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates one bucket."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed)
        rows = StageRows(self.job, self.number)
        if self.number == 1:
            rows.bucket = table["id"][0].as_py()
        else:
            rows.add(table.cast(wire_schema(self.job)))
        assert rows.bucket is not None
        found = list(rows.passing)
        if self.number < self.job.last:
            found.append(note_row(self.job, BUCKET, rows.bucket))
        stage = self.job.stages.stages[self.number - 1]
        if not (stage.is_single and rows.bucket):
            work = _Bucket(self, stage, rows.bucket)
            work.push(rows)
            found += work.advance()
            note = json.dumps(work.finish())
            columns = {"tag": NOTES, "bucket": rows.bucket, "start": 0, "end": 0, "scale": 0, "a0": pa.array([note])}
            found.append(table_of(wire_schema(self.job), 1, columns))
        for one in found:
            if self.number < self.job.last:
                yield from one.to_batches()
                continue
            for tag, notes in by_tag(one):
                if tag == NOTES:
                    yield from pa.table([notes["a0"].combine_chunks()], schema=NOTE).to_batches()


class _Bucket:
    """A stage on a bucket, from the end of one batch to the end of the next."""

    def __init__(self, task: Advance, stage: MetricStage, bucket: int) -> None:
        self._task, self._stage, self._bucket = task, stage, bucket
        self._dictionary = Dictionary()
        job = task.job
        self._outputs = job.leaving(stage)
        self._plan = job.plan_of(stage)
        self._changes: list[pa.Table] = []
        if task.turn.states is None:
            self._begin()
        else:
            self._load(task.turn.states)

    def _begin(self) -> None:
        job = self._task.job
        self._stream = MetricStream(self._plan, self._dictionary, job.scale)
        self._open = OpenIntervals(job.scale, {})
        given = program_facts(job, self._stage.number, self._bucket, job.scale, self._dictionary)
        self._stream.push(FactSet(job.scale, {(copy.name, copy.arity): facts for copy, facts in given}))

    def _load(self, batch: int) -> None:
        attempt = self._task.turn.attempts[f"{self._stage.number}-{self._bucket}"]
        data = self._task.store.read_sealed(state_file(batch, self._stage.number, self._bucket, attempt))
        state, intervals = unpacked(data)
        self._stream = MetricStream.load(self._plan, self._dictionary, state["state"][0].as_py())
        tables = {}
        for tag, rows in by_tag(intervals):
            relation = self._outputs[tag]
            ((_, tables[relation]),) = received(rows, relation.arity, self._dictionary)
        self._open = OpenIntervals(self._stream.scale, tables)

    def push(self, rows: StageRows) -> None:
        """Adds the facts that wait in files, and the results of earlier stages."""
        task = self._task
        for batch, buckets in task.turn.rows.items():
            if self._bucket in buckets:
                rows.add(unpacked(task.store.read_sealed(rows_file(batch, self._bucket)))[0])
        for tag, table in rows.own:
            copy = task.job.tags[tag][1].copy
            for scale, facts in received(table, copy.arity, self._dictionary):
                self._stream.push(FactSet(scale, {(copy.name, copy.arity): facts}))

    def advance(self) -> Iterator[pa.Table]:
        """Advances; returns rows for later stages and keeps the changes."""
        job, until = self._task.job, self._task.turn.until
        low, scale = self._stream.reached, self._stream.scale
        found = self._stream.advance(until)
        low, high = finer_cell(low, found.scale // scale), self._stream.reached
        self._open.rescaled(found.scale)
        sender = Sender(job, self._dictionary)
        for relation in self._outputs:
            facts = found.tables[relation.name, relation.arity]
            owned = owned_facts(sender, self._stage, relation, facts, self._bucket)
            yield from sender.sent(owned, found.scale, job.routes(relation, self._stage.number))
            if relation in job.plan.outputs:
                delay = 2 * int(job.plan.delays.get(relation, Fraction(0)) * found.scale)
                border = (low if low <= -FOREVER else low - delay, high - delay)
                requested = job.requested(relation, owned, self._dictionary)
                moment = number_text(until)
                self._changes += self._open.changes(
                    relation, job.predicate(relation), requested, border, moment, self._dictionary
                )

    def finish(self) -> dict[str, Any]:
        """Writes everything and returns the notes."""
        task, place = self._task, f"{self._stage.number}-{self._bucket}"
        changes = pa.concat_tables([CHANGES.empty_table(), *self._changes])
        if len(changes):
            task.store.write(
                f"{task.turn.batch}/changes/{place}.parquet", as_parquet(with_timestamps(changes, task.job.time_scale))
            )
        state = pa.table({"state": pa.array([self._stream.save()], pa.large_binary())})
        data = packed([state, self._open_intervals()], "zstd")
        attempt = new_attempt()
        task.store.write_sealed(state_file(task.turn.batch, self._stage.number, self._bucket, attempt), data)
        open_now = sum(table.rows for table in self._open.tables.values())
        counts = {"changes": len(changes), "open": open_now, "kept": self._stream.facts, "state_bytes": data.size}
        return {"stage": self._stage.number, "bucket": self._bucket, "attempt": attempt, **counts}

    def _open_intervals(self) -> pa.Table:
        """Intervals without an end, each tagged with the index of its relation among the outputs."""
        intervals, sender = self._open, Sender(self._task.job, self._dictionary)
        found = [wire_schema(self._task.job).empty_table()]
        for relation, facts in intervals.tables.items():
            route = FactRoute(self._outputs.index(relation), None, bucket=self._bucket)
            found += sender.sent(facts, intervals.scale, [route])
        return pa.concat_tables(found)
