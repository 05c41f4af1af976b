"""A changelog worked out in columns from what two query times report, to hold against that of the core; and replayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.ids import SEEDS, Words, hex_digits, mixed, text_hashes
from holdsfor.columns.kernels import Ints
from holdsfor.columns.op import Op
from holdsfor.columns.tables import FOREVER
from tests.strategies.interval_matching import Spans, both_spans, compared

SHOWN = pa.schema(
    [
        pa.field("fluent", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("id", pa.string(), nullable=False),
    ]
)
"""What was last said of every interval in sight."""


def _times_in(column: Any, missing: np.int64) -> Ints:
    """The times of an Arrow column, with a number for those that are null."""
    found: Ints = column.fill_null(int(missing)).to_numpy()
    return found


def compare(
    last: pa.Table, found: pa.Table, query: int, low: int, before: int = -int(FOREVER)
) -> tuple[pa.Table, pa.Table]:
    """The changes at a query time whose window begins after `low`, and what is shown after it.

    What was open at the query time `before` and has ended earlier is revised: it should not have been shown as open.
    `found` has fluents, values, starts and ends, with those that ended before the window only as far as they may have
    been shown as holding longer.
    """
    names = _Names(*(_Column.of(last, found, name) for name in _PAIR))
    old, new = _both(last, found, names)
    now = compared(old, new, low, before)
    partner = now.earlier[now.changed]
    fresh = _fresh(names, len(last) + now.opened, new.start[now.opened], np.full(len(now.opened), query))
    ids = _Ids(_whole(last["id"]), fresh)
    retracted = np.full(len(now.gone), Op.RETRACT.value)
    parts = [
        _changes(found, new, now.opened, ids.fresh, np.full(len(now.opened), Op.OPEN.value), query),
        _changes(found, new, now.changed, ids.kept(partner), now.op, query, old.take(partner)),
        _changes(last, old, now.gone, ids.kept(now.gone), retracted, query, old.take(now.gone)),
    ]
    return pa.concat_tables(parts), _shown(found, np.flatnonzero(now.in_sight), now.earlier, ids)


def _both(last: pa.Table, found: pa.Table, names: _Names) -> tuple[Spans, Spans]:
    start = np.concatenate([_times_in(table["start"], -FOREVER) for table in (last, found)])
    end = np.concatenate([_times_in(table["end"], FOREVER) for table in (last, found)])
    pair = names.fluent.codes * len(names.value.texts) + names.value.codes
    return both_spans(pair, start, end, len(last))


@dataclass(frozen=True)
class _Column:
    """A column of text as distinct texts and the number of the text in each row."""

    texts: Any
    codes: Ints

    @classmethod
    def of(cls, last: pa.Table, found: pa.Table, name: str) -> _Column:
        """A column of two tables, one below the other."""
        return cls.encoded(_whole(pa.chunked_array([*last[name].chunks, *found[name].chunks], pa.string())))

    @classmethod
    def encoded(cls, column: Any) -> _Column:
        """A column of text."""
        encoded = column.dictionary_encode()
        return cls(encoded.dictionary, encoded.indices.to_numpy().astype(np.int64))


@dataclass(frozen=True)
class _Names:
    fluent: _Column
    value: _Column


_PAIR = ("fluent", "value")


def _changes(
    table: pa.Table,
    spans: Spans,
    rows: Ints,
    ids: Any,
    op: npt.NDArray[np.str_],
    query: int,
    before: tuple[Ints, Ints] | None = None,
) -> pa.Table:
    start, end = spans.take(rows)
    columns = [ids, pa.array(op, pa.string()), *(table[name].take(pa.array(rows)) for name in _PAIR)]
    columns += [_nullable(start), _nullable(end), pa.array(np.full(len(rows), query))]
    if before is None:
        columns += [pa.nulls(len(rows), pa.int64())] * 2
    else:
        columns += [_nullable(before[0]), _nullable(before[1])]
    return pa.table(columns, schema=CHANGES)


def _nullable(times: Ints) -> Any:
    return pa.array(times, mask=np.abs(times) >= FOREVER)


def _shown(found: pa.Table, rows: Ints, earlier: Ints, ids: _Ids) -> pa.Table:
    """What is in sight, with the ids it has now."""
    is_fresh = earlier[rows] < 0
    kept = np.flatnonzero(~is_fresh)
    both = pa.concat_arrays([ids.fresh, ids.kept(earlier[rows[kept]])])
    place = np.empty(len(rows), np.int64)
    place[np.concatenate((np.flatnonzero(is_fresh), kept))] = np.arange(len(rows))
    columns = [found[name].take(pa.array(rows)) for name in SHOWN.names[:-1]]
    return pa.table([*columns, both.take(pa.array(place))], schema=SHOWN)


# Ids


@dataclass(frozen=True)
class _Ids:
    """Ids that are there, and those of the intervals that are new."""

    old: Any
    fresh: Any

    def kept(self, rows: Ints) -> Any:
        """The ids of old intervals."""
        return self.old.take(pa.array(rows, pa.int64()))


def interval_ids(fluents: Any, values: Any, start: Ints, query: Ints) -> Any:
    """The ids of intervals, from columns of text, where they began and the query times at which they were first seen."""
    names = _Names(*(_Column.encoded(column) for column in (fluents, values)))
    return _fresh(names, np.arange(len(start)), start, query)


def _fresh(names: _Names, rows: Ints, start: Ints, query: Ints) -> Any:
    """Ids for new intervals: a hash of fluent, value, start, and the query time at which they are first seen."""
    moments = start.view(np.uint64), query.view(np.uint64)
    halves = []
    for seed in SEEDS:
        word = np.full(len(rows), seed)
        for column in (names.fluent, names.value):
            word = mixed(word ^ _hashed(column, rows, seed))
        for part in moments:
            word = mixed(word ^ part)
        halves.append(word)
    return hex_digits(np.stack(halves, axis=1))


def _whole(column: pa.ChunkedArray) -> Any:
    found = column.combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks or [pa.array([], column.type)])


def _hashed(column: _Column, rows: Ints, base: np.uint64) -> Words:
    """A hash of the text of some rows; every text is looked at once."""
    used, place = np.unique(column.codes[rows], return_inverse=True)
    return text_hashes(column.texts.take(pa.array(used)), base)[place]


# Replay


def replayed(changes: pa.Table, until: int | None = None) -> pa.Table:
    """The intervals that a changelog leaves, perhaps only up to a query time: `SHOWN` rows, those left behind too."""
    query = changes["query_time"].to_numpy()
    rows = np.arange(len(changes)) if until is None else np.flatnonzero(query <= until)
    codes = _whole(changes["id"]).dictionary_encode().indices.to_numpy()
    rows = rows[np.lexsort((query[rows], codes[rows]))]
    is_last = np.ones(len(rows), np.bool_)
    is_last[:-1] = codes[rows][1:] != codes[rows][:-1]
    rows = rows[is_last]
    table = changes.take(pa.array(rows, pa.int64()))
    stays = table["op"].to_numpy(zero_copy_only=False) != Op.RETRACT
    return table.select(SHOWN.names).filter(pa.array(stays, pa.bool_())).cast(SHOWN)


def snapshot(changes: pa.Table, query: int, window: int) -> pa.Table:
    """What was reported at a query time: the intervals that reach into its window."""
    table = replayed(changes, query)
    return table.filter(pa.array(_times_in(table["end"], FOREVER) > query - window + 1, pa.bool_()))
