"""What changes from one query time to the next: intervals open, grow, close, are revised, are taken back.

An interval has an *id* from its first report on. Later it has the id of the earlier report of its fluent and value that
it overlaps: of the first one, if two have grown together; what is left over when one is split is new. To replay a
changelog is to put every row in place of the one with the same id, and to delete those that are taken back. Intervals
that the window has left behind stay as they are: nothing more will be said of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.engine.kernels import Ints
from holdsfor.engine.matching import Spans, both_spans, compared
from holdsfor.engine.op import Op
from holdsfor.engine.tables import FOREVER, times_in

_Words = npt.NDArray[np.uint64]


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
CHANGES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("op", pa.string(), nullable=False),
        pa.field("fluent", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("previous_start", pa.int64()),
        pa.field("previous_end", pa.int64()),
    ]
)
"""A start that is null lies before all time, an end that is null is open; those of a row that takes an interval back
are what it takes back. There is at most one row for an id and a query time."""


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
    start = np.concatenate([times_in(table["start"], -FOREVER) for table in (last, found)])
    end = np.concatenate([times_in(table["end"], FOREVER) for table in (last, found)])
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
    for seed in _SEEDS:
        word = np.full(len(rows), seed)
        for column in (names.fluent, names.value):
            word = _mixed(word ^ _hashed(column, rows, seed))
        for part in moments:
            word = _mixed(word ^ part)
        halves.append(word)
    return _hex(np.stack(halves, axis=1))


_SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def _whole(column: pa.ChunkedArray) -> Any:
    found = column.combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks or [pa.array([], column.type)])


def _hashed(column: _Column, rows: Ints, base: np.uint64) -> _Words:
    """A hash of the text of some rows; every text is looked at once."""
    used, place = np.unique(column.codes[rows], return_inverse=True)
    return _text_hashes(column.texts.take(pa.array(used)), base)[place]


def _text_hashes(texts: Any, base: np.uint64) -> _Words:
    """A hash of each text: its bytes as the digits of a number, all texts at once."""
    if not len(texts):
        return np.empty(0, np.uint64)
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = texts.buffers()[2]
    digits = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data is not None else np.empty(0, np.uint8)
    sizes = np.diff(offsets)
    place = np.arange(len(digits)) - np.repeat(offsets[:-1] - offsets[0], sizes)
    powers = np.cumprod(np.full(int(sizes.max()) + 1, base))
    sums = np.concatenate(
        (np.zeros(1, np.uint64), np.cumsum((digits.astype(np.uint64) + np.uint64(1)) * powers[place]))
    )
    return _mixed(sums[offsets[1:] - offsets[0]] - sums[offsets[:-1] - offsets[0]])


def _mixed(words: _Words) -> _Words:
    """Every bit of a word made to depend on all others."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def _hex(words: _Words) -> Any:
    octets = words.astype(">u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    letters = np.empty((len(words), octets.shape[1] * 2), np.uint8)
    letters[:, 0::2], letters[:, 1::2] = _DIGITS[octets >> 4], _DIGITS[octets & 15]
    offsets = np.arange(len(words) + 1, dtype=np.int32) * letters.shape[1]
    return pa.StringArray.from_buffers(len(words), pa.py_buffer(offsets), pa.py_buffer(letters))


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
    return table.filter(pa.array(times_in(table["end"], FOREVER) > query - window + 1, pa.bool_()))
