"""One stage of a micro-batch on one bucket: its state and rows from files, query times asked, changes to files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine import saved
from holdsfor.engine.changelog import CHANGES, SHOWN, compare
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.report import event_table, interval_table
from holdsfor.engine.retractions import Arrived, has_rows, take_back
from holdsfor.engine.state import State
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER, Events, Intervals
from holdsfor.engine.windows import WindowPlan
from holdsfor.io.builder import Builder
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Job, StageSpec, prepared
from holdsfor.spark.output import Output, Owner, Share
from holdsfor.spark.rows import piece_of, whole_column
from holdsfor.spark.steps import Batches, advance
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.happenings import EVENT_CHANGES, HAPPENED, compare_events
from holdsfor.spark.streaming.rows import BACK, NOTE, noted, read_rows, row_schema
from holdsfor.spark.streaming.store import Store, as_parquet, packed, unpacked
from holdsfor.spark.wire import BUCKET, Kind, Tag, table_of

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
_NOTHING = pa.schema([(name, SHOWN.field(name).type) for name in SHOWN.names[:-1]]).empty_table()


@dataclass(frozen=True)
class Turn:
    """What the buckets have to do in a micro-batch: ask the query times after `before` up to `until`.

    `states` is the batch with their states, `rows` are the batches with rows for them.
    """

    batch: int
    states: int | None
    rows: Mapping[int, list[int]]
    before: int
    until: int
    origin: int
    windows: Windows
    retracting: bool = False

    @property
    def plan(self) -> WindowPlan:
        """The query times."""
        return WindowPlan(self.windows.size, self.windows.step, self.before, self.until)


@dataclass(frozen=True)
class AskStage:
    """A stage, to be called for each bucket."""

    job: Job
    number: int
    store: Store
    turn: Turn

    @property
    def is_last(self) -> bool:
        """Whether no stage comes after it."""
        return self.number == self.job.last

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of what comes out: rows for later stages with notes beside them, or notes."""
        return NOTE if self.is_last else self.job.wire.out_schema.append(NOTE.field(0))

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one partition: the number of a bucket, and rows of earlier stages for it."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        table = pa.Table.from_batches(listed)
        if self.number == 1:
            buckets, given = table["id"].to_pylist(), table.slice(0, 0)
        else:
            yield from self._passed(table)
            table = table.filter(pc.equal(table["stage"], self.number))
            is_told = pc.equal(table["tag"], BUCKET)
            buckets, given = table.filter(is_told)["t0"].to_pylist(), table.filter(pc.invert(is_told))
        for bucket in buckets:
            yield from self._bucket(bucket, given)

    def _passed(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """What is for later stages, and for the driver."""
        if self.is_last:
            found = table.select(["note"]).filter(pc.is_valid(table["note"]))
        else:
            found = table.filter(pc.or_kleene(pc.is_valid(table["note"]), pc.greater(table["stage"], self.number)))
            found = found.select(self.out_schema.names)
        yield from found.cast(self.out_schema).to_batches()

    def _bucket(self, bucket: int, given: pa.Table) -> Iterator[pa.RecordBatch]:
        spec = self.job.stages[self.number - 1]
        work = _Bucket(self.job, spec, self.store, self.turn, bucket)
        for found in work.sent(given):
            yield from found.append_column("note", pa.nulls(len(found), pa.string())).cast(self.out_schema).to_batches()
        if not self.is_last:
            told = {"tag": BUCKET, "t0": bucket, "t1": 0, "stage": self.number + 1, "bucket": bucket}
            yield from table_of(self.out_schema, 1, told).to_batches()
        note = noted(stage=self.number, bucket=bucket, **work.finish())
        if self.is_last:
            yield note
        else:
            yield from table_of(self.out_schema, 1, {"note": note.column(0), "bucket": bucket, "stage": 0}).to_batches()


def state_file(batch: int, stage: int, bucket: int) -> str:
    """Where the state of a bucket is."""
    return f"{batch}/state/{stage}-{bucket}.arrow"


class _Bucket:
    """The work on one bucket of a stage."""

    def __init__(self, job: Job, spec: StageSpec, store: Store, turn: Turn, bucket: int) -> None:
        self._job, self._spec, self._store, self._turn, self._bucket = job, spec, store, turn, bucket
        self._prepared: Prepared = prepared(job, spec)
        self._conflicts = 0
        self._changes: list[pa.Table] = [CHANGES.empty_table()]
        self._event_changes: list[pa.Table] = [EVENT_CHANGES.empty_table()]
        self._unmatched: list[pa.Table] = [UNMATCHED.empty_table()]
        self._owner = Owner(job, spec, bucket, self._prepared.dictionary)
        self._out = Output(job, spec, bucket)
        self._out._owner = self._owner
        self._read()

    def _read(self) -> None:
        turn = self._turn
        rows = []
        if turn.states is None:
            self._state, self._shown = State.beginning(turn.origin), SHOWN.empty_table()
            self._happened = HAPPENED.empty_table()
        else:
            file = unpacked(self._store.read(state_file(turn.states, self._spec.number, self._bucket)))
            self._state, self._shown = saved.from_table(file[0], self._prepared), file[1]
            self._happened = file[3]
            rows.append(file[2])
        for batch, buckets in sorted(turn.rows.items()):
            if self._bucket in buckets:
                rows.append(self._mine(read_rows(self._store, batch, self._bucket)))
        schema = row_schema(self._job.wire, retracting=turn.retracting).append(pa.field("batch", pa.int64()))
        table = pa.concat_tables(rows) if rows else schema.empty_table()
        is_due = pc.less_equal(table["arrival"], turn.until)
        self._rest = table.filter(pc.invert(is_due))
        self._arrived = table if not len(self._rest) else table.filter(is_due)

    def _mine(self, table: pa.Table) -> pa.Table:
        return table.filter(pc.equal(table["stage"], self._spec.number)) if self._job.wire.staged else table

    # Query times

    def sent(self, given: pa.Table) -> Iterator[pa.Table]:
        """Ask every query time; what later stages need to know."""
        dictionary = self._prepared.dictionary
        tables = [GivenTable.of(tag, rows, dictionary) for tag, rows in self._by_tag(given)]
        windows = self._turn.windows
        for query, arrived in self._queries():
            given = [table.at(query) for table in tables]
            size, step = windows.size, windows.step
            owns = self._out.owner(dictionary).owns
            evaluation, self._state = advance(
                self._prepared, self._state, arrived, query, size=size, step=step, given=given, owns=owns
            )
            self._conflicts += evaluation.conflicts
            self._report(evaluation)
            share = Share(query, evaluation.moment.low, int(FOREVER))
            for way in self._spec.exits:
                yield from (pa.Table.from_batches([batch]) for batch in self._out.leaving(way, evaluation, share))

    def _by_tag(self, rows: pa.Table) -> Iterator[tuple[Tag, pa.Table]]:
        if not len(rows):
            return
        tags = rows["tag"].to_numpy()
        for number in np.unique(tags).tolist():
            if number in self._spec.tags:
                yield self._spec.tags[number], rows.take(pa.array(np.flatnonzero(tags == number)))

    def _queries(self) -> Iterator[tuple[int, Stream]]:
        """Query times, and what arrived for each."""
        queries = self._turn.plan.query_times.tolist()
        if not self._turn.retracting:
            batches = Batches(self._arrivals(self._arrived).stream, self._turn.plan)
            for place, query in enumerate(queries):
                yield query, batches.of(place)
            return
        flag = self._arrived["retracted"].fill_null(0)
        plain = self._arrivals(self._arrived.filter(pc.equal(flag, 0)))
        back = self._arrivals(self._arrived.filter(pc.greater(flag, 0)))
        for query in queries:
            after, low = query - self._turn.windows.step, query - self._turn.windows.size
            after = max(after, low)
            arrived, lost = plain.part(after, query), back.part(after, query)
            if not has_rows(lost.stream):
                yield query, arrived.stream
                continue
            self._state, stream, unmatched = take_back(self._state, arrived, lost, low, self._prepared.dictionary)
            if has_rows(unmatched):
                self._unmatched.append(self._unmatched_rows(unmatched, query))
            yield query, stream

    def _arrivals(self, table: pa.Table) -> Arrived:
        """Rows as a stream."""
        builder, made = Builder(), Arrived()
        batch: dict[Any, list[Any]] = {}
        flags: dict[Any, list[Any]] = {}
        for tag, rows in self._by_tag(table):
            if tag.kind is Kind.INPUT:
                builder.add(piece_of(tag, rows.combine_chunks()))
                batch.setdefault(tag.symbol, []).append(rows["batch"].to_numpy())
                if self._turn.retracting:
                    is_first = rows["retracted"].fill_null(0).to_numpy() == BACK
                    flags.setdefault(tag.symbol, []).append(is_first)
        made.stream = builder.finish(self._prepared.dictionary).stream
        made.batch = {symbol: np.concatenate(parts) for symbol, parts in batch.items()}
        made.is_first = {symbol: np.concatenate(parts) for symbol, parts in flags.items()}
        return made

    # What is found

    def _report(self, evaluation: Evaluation) -> None:
        moment = evaluation.moment
        found = [_found(s, table, self._owner) for s, table in self._in_sight(evaluation) if len(table)]
        table = pa.concat_tables([_NOTHING, *found])
        before = moment.now - self._turn.windows.step
        changes, self._shown = compare(self._shown, table, moment.now, moment.low, before)
        self._changes.append(changes)
        if self._job.derived_events:
            happened = pa.concat_tables([HAPPENED.empty_table(), *self._derived(evaluation)])
            self._event_changes.append(compare_events(self._happened, happened, moment.now, moment.low))
            self._happened = happened

    def _derived(self, evaluation: Evaluation) -> Iterator[pa.Table]:
        """The derived events of this bucket that the window sees."""
        for symbol in self._spec.members:
            if symbol.kind is EntityKind.EVENT:
                events = evaluation.derived[symbol]
                args = [codes_of(column, self._prepared.dictionary) for column in events.args]
                owned = self._owner.owns(symbol, args, len(events))
                rows = np.flatnonzero((events.time > evaluation.moment.low) & owned)
                terms = self._owner.texts.terms(symbol, [column[rows] for column in args], len(rows))
                yield pa.table([terms, pa.array(events.time[rows])], schema=HAPPENED)

    def _in_sight(self, evaluation: Evaluation) -> Iterator[tuple[Symbol, Intervals]]:
        """The intervals of this bucket, with those that ended since the border: they may have been shown as open."""
        after = min(evaluation.moment.low + 1, evaluation.moment.border)
        for symbol in self._spec.members:
            wanted = self._job.fluents is None or symbol.name in self._job.fluents
            if symbol.kind is not EntityKind.EVENT and wanted:
                table = evaluation.fluents[symbol]
                owned = self._owner.owns(symbol, list(table.args), len(table))
                yield symbol, table.take(np.flatnonzero((table.end > after) & owned))

    def _unmatched_rows(self, stream: Stream, query: int) -> pa.Table:
        texts = self._owner.texts
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

    def finish(self) -> dict[str, int]:
        """Write everything, and say what there is."""
        place, found = f"{self._spec.number}-{self._bucket}.parquet", {}
        kinds = {"changes": self._changes, "events": self._event_changes, "unmatched": self._unmatched}
        for kind, tables in kinds.items():
            table = pa.concat_tables(tables)
            found[kind] = len(table)
            if len(table):
                self._store.write(f"{self._turn.batch}/{kind}/{place}", as_parquet(table))
        state = saved.to_table(self._state, self._prepared)
        data = packed([state, self._shown, self._rest, self._happened], "zstd")
        self._store.write(state_file(self._turn.batch, self._spec.number, self._bucket), data)
        return {
            "changes": found["changes"],
            "event_changes": found["events"],
            "conflicts": self._conflicts,
            "unmatched": found["unmatched"],
            "intervals": len(self._shown),
            "state_rows": len(state) + len(self._rest),
            "state_bytes": data.size,
        }


def _found(symbol: Symbol, table: Intervals, owner: Owner) -> pa.Table:
    """Intervals as text."""
    columns = {
        "fluent": owner.texts.terms(symbol, table.args, len(table)),
        "value": owner.texts.values(table.value),
        "start": pa.array(table.start, mask=table.start <= -FOREVER),
        "end": pa.array(table.end, mask=table.end >= FOREVER),
    }
    return pa.table(columns)


def notes_of(rows: Iterable[str]) -> list[dict[str, Any]]:
    """What the workers told."""
    return [json.loads(row) for row in rows]
