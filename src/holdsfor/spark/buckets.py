"""One stage on one bucket: Arrow rows in, Arrow rows out. Runs wherever there are Arrow tables; Spark is one such place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.kernels import Ints
from holdsfor.engine.report import Texts, event_table, interval_table
from holdsfor.engine.run import whole_history
from holdsfor.engine.state import State
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER, Events
from holdsfor.engine.windows import WindowPlan, first_moment
from holdsfor.io.builder import Builder, Piece
from holdsfor.io.layouts import Form, Layout
from holdsfor.ir import EffectKind
from holdsfor.recognition import plan_windows
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Exit, Job, StageSpec, prepared
from holdsfor.spark.keys import buckets, parts_of_codes
from holdsfor.spark.steps import Batches, advance
from holdsfor.spark.wire import (
    ARRIVALS,
    BUCKET,
    COUNTS,
    DERIVED,
    FINAL,
    MOMENTS,
    RESULT,
    RESULT_STAGE,
    Kind,
    Tag,
    TermTexts,
    cells,
    table_of,
)


@dataclass
class WholeStream(Stream):
    """What a bucket is told of the whole stream, of which it has a part: from when to when it reaches."""

    reach: tuple[int, int] = (0, 0)
    arrived: tuple[int, int] = (0, 0)

    def moments(self) -> tuple[int, int]:
        """The first and the last time-point that the stream speaks of."""
        return self.reach

    def arrivals(self) -> tuple[int, int]:
        """The first and the last arrival."""
        return self.arrived


@dataclass
class _Rows:
    """The rows of a bucket, sorted out."""

    bucket: int = 0
    counts: tuple[int, int] = (0, 0)
    """How many rows the whole stream has, and how many that could not be read."""
    whole: WholeStream = field(default_factory=WholeStream)
    own: list[tuple[Tag, pa.Table]] = field(default_factory=list)
    passing: list[pa.Table] = field(default_factory=list)


@dataclass(frozen=True)
class StageTask:
    """A stage, to be called on the rows of each bucket."""

    job: Job
    number: int

    @property
    def spec(self) -> StageSpec:
        """The stage."""
        return self.job.stages[self.number - 1]

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of what comes out."""
        return FINAL if self.number == self.job.last else self.job.wire.out_schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one bucket."""
        listed = list(batches)
        if not listed:
            return
        rows = self._sorted_out(pa.Table.from_batches(listed))
        out = _Out(self.job, self.spec, rows.bucket)
        yield from out.told(rows)
        for table in rows.passing:
            yield from out.passed(table)
        for evaluation in _Bucket(self.job, self.spec, rows).evaluations():
            yield from out.found(evaluation)

    def _sorted_out(self, table: pa.Table) -> _Rows:
        """Rows by what they are."""
        found = _Rows()
        if self.job.wire.staged:
            mine = pc.equal(table["stage"], self.number)
            passing = table.filter(pc.invert(mine))
            found.passing = [passing] if len(passing) else []
            table = table.filter(mine)
        tags = table["tag"].to_numpy()
        for number in np.unique(tags).tolist():
            rows = table if (tags == number).all() else table.take(pa.array(np.flatnonzero(tags == number)))
            if number == BUCKET:
                found.bucket = rows["t0"][0].as_py()
            elif number == MOMENTS:
                found.whole.reach = _reach(rows)
            elif number == ARRIVALS:
                found.whole.arrived = _reach(rows)
            elif number == COUNTS:
                found.counts = _reach(rows)
            elif number in self.spec.tags:
                found.own.append((self.spec.tags[number], rows))
        return found


def _reach(rows: pa.Table) -> tuple[int, int]:
    first, last = rows["t0"][0].as_py(), rows["t1"][0].as_py()
    return (0, 0) if first is None else (first, last)


class _Bucket:
    """The work on one bucket."""

    def __init__(self, job: Job, spec: StageSpec, rows: _Rows) -> None:
        self._rows = rows
        self._span = job.span
        self._prepared = prepared(job, spec)

    def evaluations(self) -> Iterator[Evaluation]:
        """One query time after the other."""
        dictionary = self._prepared.dictionary
        stream = self._stream(dictionary)
        given = [GivenTable.of(tag, rows, dictionary) for tag, rows in self._rows.own if tag.kind is not Kind.INPUT]
        windows = self._windows
        state = State.beginning(first_moment(self._rows.whole, windows))
        batches = Batches(stream, windows)
        for place, query in enumerate(windows.query_times.tolist()):
            evaluation, state = advance(
                self._prepared,
                state,
                batches.of(place),
                query,
                size=windows.size,
                step=windows.step,
                given=[table.at(query) for table in given],
            )
            yield evaluation

    @property
    def _windows(self) -> WindowPlan:
        span, whole = self._span, self._rows.whole
        return plan_windows(whole, span.window, span.step, span.start, span.end) or whole_history(whole)

    def _stream(self, dictionary: Dictionary) -> Stream:
        builder = Builder()
        for tag, rows in self._rows.own:
            if tag.kind is Kind.INPUT:
                builder.add(_piece(tag, rows.combine_chunks()))
        return builder.finish(dictionary).stream


def _piece(tag: Tag, rows: pa.Table) -> Piece:
    assert tag.form is not None
    start = rows["t0"].to_numpy()
    arrival = rows["arrival"].to_numpy() if "arrival" in rows.column_names else start
    args = tuple(cells(_whole(rows[slot]), slot) for slot in tag.args)
    end = value = None
    if tag.value is not None:
        if tag.form is Form.INTERVAL:
            end = rows["t1"].fill_null(int(FOREVER)).to_numpy()
        value = cells(_whole(rows[tag.value]), tag.value)
    return Piece(Layout(tag.symbol, tag.form), arrival, start, args, end, value)


def _whole(column: pa.ChunkedArray) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


class _Out:
    """Makes rows of what was worked out: results, and tables for later stages."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int) -> None:
        self._job, self._spec, self._bucket = job, spec, bucket
        self._is_last = spec.number == job.last
        self._owner: _Owner | None = None

    @cached_property
    def _schema(self) -> pa.Schema:
        return FINAL if self._is_last else self._job.wire.out_schema

    def passed(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Rows on their way to a later stage, or to the end."""
        if self._is_last:
            columns = [rows[name] for name in ("tag", "q", "x0", "x1", "t0", "t1")]
            yield from pa.table(columns, schema=FINAL).to_batches()
        else:
            columns = [*rows.columns, pa.array(np.full(len(rows), self._bucket), pa.int32())]
            yield from pa.table(columns, schema=self._schema).to_batches()

    def told(self, rows: _Rows) -> Iterator[pa.RecordBatch]:
        """What the next stage must know of the whole stream; the first bucket of the first stage reports its size."""
        if not self._is_last:
            for tag, reach in (
                (BUCKET, (rows.bucket, 0)),
                (MOMENTS, rows.whole.reach),
                (ARRIVALS, rows.whole.arrived),
            ):
                columns = {"tag": tag, "t0": reach[0], "t1": reach[1]}
                columns |= {"stage": self._spec.number + 1, "bucket": self._bucket}
                yield from table_of(self._schema, 1, columns).to_batches()
        if self._spec.number == 1 and self._bucket == 0:
            for name, count in zip(("read", "malformed"), rows.counts, strict=True):
                yield from self._count(name, count)

    def _count(self, name: str, count: int) -> Iterator[pa.RecordBatch]:
        columns = {"tag": COUNTS, "fluent": pa.array([name]), "start": count}
        yield from self._row_table(1, columns)

    def found(self, evaluation: Evaluation) -> Iterator[pa.RecordBatch]:
        """What was worked out at a query time."""
        query = evaluation.moment.now
        if self._owner is None:
            self._owner = _Owner(self._job, self._spec, self._bucket, evaluation.dictionary)
        answer = self._owner.answer(evaluation)
        texts = self._owner.texts
        table = interval_table(answer, texts)
        columns = {"fluent": "fluent", "value": "value", "start": "start", "end": "end"}
        yield from self._results(table, RESULT, query, columns)
        if self._job.derived_events:
            yield from self._results(event_table(answer, texts), DERIVED, query, {"fluent": "event", "start": "time"})
        if evaluation.conflicts:
            yield from self._count("conflicts", evaluation.conflicts)
        for way in self._spec.exits:
            yield from self._exit(way, evaluation)

    def _results(self, table: pa.Table, tag: int, query: int, names: dict[str, str]) -> Iterator[pa.RecordBatch]:
        if not len(table):
            return
        columns = {name: _whole(table[source]) for name, source in names.items()}
        yield from self._row_table(len(table), {**columns, "tag": tag, "query_time": query})

    def _row_table(self, rows: int, columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        if not self._is_last:
            renamed = {"query_time": "q", "fluent": "x0", "value": "x1", "start": "t0", "end": "t1"}
            columns = {renamed.get(name, name): column for name, column in columns.items()}
            columns |= {"stage": RESULT_STAGE, "bucket": self._bucket}
        yield from table_of(self._schema, rows, columns).to_batches()

    def _exit(self, way: Exit, evaluation: Evaluation) -> Iterator[pa.RecordBatch]:
        """A table on its way to a later stage."""
        assert self._owner is not None
        columns, value, start, end = _leaving(way, evaluation)
        rows = np.flatnonzero(self._owner.owns(way.symbol, columns, len(start)))
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
        found |= {"tag": way.tag, "stage": way.stage, "q": evaluation.moment.now, "bucket": targets}
        yield from table_of(self._schema, len(rows), found).to_batches()


def _leaving(way: Exit, evaluation: Evaluation) -> tuple[list[Ints], Ints | None, Ints, Ints | None]:
    """The columns of a table that a later stage reads: arguments, value, start, end."""
    symbol = way.symbol
    if way.kind is not Kind.TABLE:
        points = evaluation.points[symbol, EffectKind(way.kind.value)]
        return list(points.args), points.value, points.time, None
    if symbol.kind is EntityKind.EVENT:
        events = evaluation.derived[symbol]
        return [codes_of(column, evaluation.dictionary) for column in events.args], None, events.time, None
    # With all of the past that the plan keeps: the later stage keeps none of its own.
    table = evaluation.fluents[symbol]
    return list(table.args), table.value, table.start, table.end


class _Owner:
    """Tells the instances that belong to a bucket from those that only took part."""

    def __init__(self, job: Job, spec: StageSpec, bucket: int, dictionary: Dictionary) -> None:
        self._job, self._spec, self._bucket, self._dictionary = job, spec, bucket, dictionary
        self.texts = Texts(dictionary)
        self.terms = TermTexts(dictionary)

    def owns(self, symbol: Symbol, columns: list[Ints], rows: int) -> np.typing.NDArray[np.bool_]:
        """Which instances of a fluent or event belong here."""
        key = [columns[place] for place in self._spec.members[symbol]]
        found: np.typing.NDArray[np.bool_] = self._targets(key, rows) == self._bucket
        return found

    def _targets(self, key: list[Ints], rows: int) -> Ints:
        return buckets([parts_of_codes(column, self._dictionary) for column in key], rows, self._job.buckets)

    def targets(self, way: Exit, columns: list[Ints], rows: int) -> tuple[Ints, Ints]:
        """The buckets that rows go to, and the row that each copy is of."""
        count = self._job.buckets
        if way.spreading is None:
            return np.repeat(np.arange(count), rows), np.tile(np.arange(rows), count)
        found = [self._targets([columns[place] for place in places], rows) for places in way.spreading]
        pairs = np.unique(np.stack([np.concatenate(found), np.tile(np.arange(rows), len(found))]), axis=1)
        return pairs[0], pairs[1]

    def answer(self, evaluation: Evaluation) -> Answer:
        """The results of this bucket."""
        low, query = evaluation.moment.low, evaluation.moment.now
        fluents, events = {}, {}
        for symbol in self._spec.members:
            if symbol.kind is EntityKind.EVENT:
                happened = evaluation.derived[symbol]
                columns = [codes_of(column, self._dictionary) for column in happened.args]
                inside = (happened.time > low) & (happened.time <= query)
                rows = np.flatnonzero(inside & self.owns(symbol, columns, len(happened)))
                events[symbol] = Events(tuple(column.take(rows) for column in happened.args), happened.time[rows])
            elif self._job.fluents is None or symbol.name in self._job.fluents:
                table = evaluation.fluents[symbol]
                owned = self.owns(symbol, list(table.args), len(table))
                fluents[symbol] = table.take(np.flatnonzero(owned & (table.end > low + 1)))
        return Answer(query, fluents, events, evaluation.conflicts)
