"""Long histories: a bucket whose rows come in order of time is worked on piece by piece, with the state in between.

Only a piece of the rows is in memory at a time, and what the engine keeps at a border. The answer is that of one query
over everything: an interval is reported in the piece in which it ends, and in the last one if it is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.engine.run import whole_history
from holdsfor.engine.saved import from_table, to_table
from holdsfor.engine.state import State
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.windows import first_moment
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Job, StageSpec, prepared
from holdsfor.spark.output import Output, Share
from holdsfor.spark.rows import BucketRows, by_tag, stream_of
from holdsfor.spark.steps import advance
from holdsfor.spark.wire import Kind, Tag


class Pieces:
    """The work on one bucket, piece by piece."""

    def __init__(self, job: Job, spec: StageSpec) -> None:
        assert job.rows_at_once is not None
        self._job, self._spec, self._most = job, spec, job.rows_at_once
        self._prepared = prepared(job, spec)
        self._rows = BucketRows()
        self._out: Output | None = None
        self._state: State | None = None
        self._given: dict[Tag, pa.Table] = {}

    def work(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Rows in order of time; what they tell of the whole stream comes first."""
        waiting: list[pa.Table] = []
        for batch in batches:
            self._rows.add(pa.Table.from_batches([batch]), self._job, self._spec)
            yield from self._begun()
            if self._rows.passing is not None:
                assert self._out is not None
                yield from self._out.passed(self._rows.passing)
            assert self._rows.own is not None
            waiting.append(self._rows.own.filter(pc.greater_equal(self._rows.own["tag"], 0)))
            if sum(map(len, waiting)) >= self._most:
                piece, rest, query = _cut(waiting)
                # What begins after the last time-point of the stream belongs to the last piece.
                if len(piece) and query < whole_history(self._rows.whole).end:
                    waiting = [rest]
                    yield from self._step(piece, query)
        if self._out is not None:
            last = whole_history(self._rows.whole).end
            yield from self._step(pa.concat_tables(waiting) if waiting else None, last, is_last=True)

    def _begun(self) -> Iterator[pa.RecordBatch]:
        """Pass on what was told of the whole stream, once."""
        if self._out is None:
            self._out = Output(self._job, self._spec, self._rows.bucket)
            self._state = State.beginning(first_moment(self._rows.whole, whole_history(self._rows.whole)))
            yield from self._out.told(self._rows)

    def _step(self, piece: pa.Table | None, query: int, *, is_last: bool = False) -> Iterator[pa.RecordBatch]:
        assert self._state is not None and self._out is not None
        self._spell_out()
        own = [] if piece is None else by_tag(piece, self._spec)
        before = max(self._state.query, self._state.origin - 1)
        size = max(1, query - before)
        evaluation, self._state = advance(
            self._prepared,
            self._state,
            stream_of(own, self._prepared.dictionary),
            query,
            size=size,
            step=size,
            given=self._known(own, query),
            owns=self._out.owner(self._prepared.dictionary).owns,
        )
        # What starts or ends at the query time is known with the next piece: its interval may begin one later.
        first = -int(FOREVER) if before < self._state.origin else before - 1
        share = Share(whole_history(self._rows.whole).end, first, int(FOREVER) if is_last else query - 1)
        yield from self._out.found(evaluation, share)

    def _spell_out(self) -> None:
        """Begin a new dictionary when the old one has become large: values of long ago are in nobody's way."""
        assert self._state is not None
        if len(self._prepared.dictionary) > 2 * self._most:
            saved = to_table(self._state, self._prepared)
            self._prepared = prepared(self._job, self._spec)
            self._state = from_table(saved, self._prepared)

    def _known(self, own: list[tuple[Tag, pa.Table]], query: int) -> list[GivenTable]:
        """The tables of earlier stages as far as they matter now; what may matter later is kept."""
        assert self._state is not None
        for tag, rows in own:
            if tag.kind is not Kind.INPUT:
                kept = self._given.get(tag)
                self._given[tag] = rows if kept is None else pa.concat_tables([kept, rows])
        found = []
        for tag, rows in self._given.items():
            found.append(GivenTable.of(tag, rows, self._prepared.dictionary).after(self._state.border))
            if not self._prepared.kept.keeps_past(tag.symbol):
                is_span = tag.kind is Kind.TABLE and tag.symbol.kind is EntityKind.FLUENT
                last = rows["t1"].fill_null(int(FOREVER)) if is_span else rows["t0"].fill_null(-int(FOREVER))
                self._given[tag] = rows.take(pa.array(np.flatnonzero(last.to_numpy() >= query)))
        return found


def _cut(waiting: list[pa.Table]) -> tuple[pa.Table, pa.Table, int]:
    """Rows cut before the last time-point, of which more may come; and the time-point before that."""
    table = pa.concat_tables(waiting)
    time = table["t0"].fill_null(-int(FOREVER)).to_numpy()
    last = int(time.max())
    early = time < last
    return (
        table.take(pa.array(np.flatnonzero(early))),
        table.take(pa.array(np.flatnonzero(~early))),
        last - 1,
    )
