"""Sorts the rows of a bucket by kind for the engine, and extracts information about the whole stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.core.engine import Engine
from holdsfor.core.rows import Rows as CoreRows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.io.builder import Builder, Piece
from holdsfor.io.layouts import Form, Layout
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.wire import ARRIVALS, BUCKET, LOWEST_TAG, MOMENTS, SECOND, SIZES, TAG_BITS, Tag, cells
from holdsfor.times import LATEST


@dataclass
class WholeStream(Stream):
    """Information about the whole stream for a bucket, which has only a part of it: its time range."""

    reach: tuple[int, int] = (0, 0)
    arrived: tuple[int, int] = (0, 0)

    def moments(self) -> tuple[int, int]:
        """The first and the last time-point of the stream."""
        return self.reach

    def arrivals(self) -> tuple[int, int]:
        """The first and the last arrival."""
        return self.arrived


@dataclass
class BucketRows:
    """The rows of a bucket, sorted by kind."""

    bucket: int = 0
    counts: tuple[int, int] = (0, 0)
    """The number of rows in the whole stream, and the number of malformed rows."""
    whole: WholeStream = field(default_factory=WholeStream)
    own: pa.Table | None = None
    """Rows for this stage."""
    passing: pa.Table | None = None
    """Rows for a later stage, or for the output."""

    def add(self, table: pa.Table, job: Job, spec: StageSpec) -> None:
        """Adds some rows; `own` and `passing` of earlier calls are replaced."""
        table = _unpacked(table)
        self.own, self.passing = table, None
        if job.wire.staged:
            is_mine = pc.equal(table["stage"], spec.number)
            self.own, self.passing = table.filter(is_mine), table.filter(pc.invert(is_mine))
        metadata = self.own.filter(pc.less(self.own["tag"], 0))
        if len(metadata):
            self._read_metadata(metadata)

    def _read_metadata(self, rows: pa.Table) -> None:
        facts = dict(zip(rows["tag"].to_pylist(), rows["t0"].to_pylist(), strict=True))
        if "t1" in rows.column_names:
            second = zip(rows["tag"].to_pylist(), rows["t1"].to_pylist(), strict=True)
            facts |= {tag - SECOND: fact for tag, fact in second}
        pairs = {tag: (facts.get(tag) or 0, facts.get(tag - SECOND) or 0) for tag in facts}
        self.bucket = pairs.get(BUCKET, (self.bucket, 0))[0]
        self.whole.reach = pairs.get(MOMENTS, self.whole.reach)
        self.whole.arrived = pairs.get(ARRIVALS, self.whole.arrived)
        self.counts = pairs.get(SIZES, self.counts)


def _unpacked(table: pa.Table) -> pa.Table:
    """Rows after a shuffle, with separate tags."""
    place = table.column_names.index("tag")
    if table.schema.field(place).type == pa.int16():
        return table
    tags = (table["tag"].to_numpy() & (2**TAG_BITS - 1)) - LOWEST_TAG
    return table.set_column(place, pa.field("tag", pa.int16()), pa.array(tags.astype(np.int16)))


def by_tag(table: pa.Table, spec: StageSpec) -> list[tuple[Tag, pa.Table]]:
    """The rows of each kind, with the columns that they use."""
    # In one piece, because taking rows from many pieces is slow.
    table = table.combine_chunks()
    tags = table["tag"].to_numpy()
    found = []
    for number in np.flatnonzero(np.bincount(tags[tags >= 0])).tolist():
        if number in spec.tags:
            tag = spec.tags[number]
            rows = table.select(_columns_of(tag, table.column_names))
            is_of_tag = tags == number
            found.append((tag, rows if is_of_tag.all() else rows.take(pa.array(np.flatnonzero(is_of_tag)))))
    return found


def _columns_of(tag: Tag, names: Sequence[str]) -> list[str]:
    wanted = {"t0", "arrival", *tag.args, tag.value, "t1" if tag.form is Form.INTERVAL else None}
    return [name for name in names if name in wanted]


def engine_rows(
    engine: Engine, own: list[tuple[Tag, pa.Table]], vocabulary: Vocabulary
) -> Iterator[tuple[CoreRows, Ints]]:
    """Input for the engine, with its arrivals. Python converts values that the core cannot read."""
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


def stream_of(own: Sequence[tuple[Tag, pa.Table]], dictionary: Dictionary) -> Stream:
    """The input among the rows."""
    builder = Builder()
    for tag, rows in own:
        builder.add(piece_of(tag, rows))
    return builder.finish(dictionary).stream


def piece_of(tag: Tag, rows: pa.Table) -> Piece:
    """The input of one kind."""
    start = rows["t0"].to_numpy()
    arrival = rows["arrival"].to_numpy() if "arrival" in rows.column_names else start
    args = tuple(cells(whole_column(rows[slot]), slot) for slot in tag.args)
    end = value = None
    if tag.value is not None:
        if tag.form is Form.INTERVAL:
            end = rows["t1"].fill_null(int(FOREVER)).to_numpy()
        value = cells(whole_column(rows[tag.value]), tag.value)
    return Piece(Layout(tag.symbol, tag.form), arrival, start, args, end, value)


def whole_column(column: pa.ChunkedArray) -> Any:
    """A column in one piece."""
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
