"""What changes from one query time to the next: intervals open, grow, close, are revised, are taken back.

An interval has an *id* from its first report on. Later it has the id of the earlier report of its fluent and value that
it overlaps: of the first one, if two have grown together; what is left over when one is split is new. To replay a
changelog is to put every row in place of the one with the same id, and to delete those that are taken back. Intervals
that the window has left behind stay as they are: nothing more will be said of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.tables import FOREVER, times_in

_Words = npt.NDArray[np.uint64]


class Op(StrEnum):
    """What happened to an interval. `OPEN` is its first report, even if its end is known by then."""

    OPEN = "open"
    EXTEND = "extend"
    CLOSE = "close"
    REVISE = "revise"
    RETRACT = "retract"


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
    in_sight = new.end > low + 1
    earlier = _matched(old, new)
    matched = np.flatnonzero(earlier >= 0)
    partner = earlier[matched]
    was_in_sight = old.end > low + 1

    same_start = old.start[partner] == new.start[matched]
    ends = old.end[partner], new.end[matched]
    # What was left behind by the window, and is, stays as it was.
    differs = (~same_start | (ends[0] != ends[1])) & (in_sight[matched] | was_in_sight[partner])
    op = np.full(len(matched), Op.REVISE.value, dtype="<U7")
    op[same_start & (ends[1] > ends[0])] = Op.EXTEND
    op[same_start & (ends[1] < ends[0]) & (ends[0] >= FOREVER) & (ends[1] > before)] = Op.CLOSE

    is_taken = np.zeros(len(last), np.bool_)
    is_taken[partner] = True
    gone = np.flatnonzero(~is_taken & (was_in_sight | _overlaps(old, new, in_sight)))
    opened = np.flatnonzero((earlier < 0) & in_sight)

    ids = _Ids(_whole(last["id"]), _fresh(names, len(last) + opened, new.start[opened], query))
    changed = np.flatnonzero(differs)
    parts = [
        _changes(found, new, opened, ids.fresh, np.full(len(opened), Op.OPEN.value), query),
        _changes(
            found, new, matched[changed], ids.kept(partner[changed]), op[changed], query, old.take(partner[changed])
        ),
        _changes(last, old, gone, ids.kept(gone), np.full(len(gone), Op.RETRACT.value), query, old.take(gone)),
    ]
    return pa.concat_tables(parts), _shown(found, np.flatnonzero(in_sight), earlier, ids)


@dataclass(frozen=True)
class _Spans:
    """Intervals: their times, and the same on one line for all pairs, on which they are disjoint. `order` sorts them."""

    start: Ints
    end: Ints
    left: Ints
    right: Ints
    order: Ints

    def take(self, rows: Ints) -> tuple[Ints, Ints]:
        """The times of some intervals."""
        return self.start[rows], self.end[rows]


def _both(last: pa.Table, found: pa.Table, names: _Names) -> tuple[_Spans, _Spans]:
    start = np.concatenate([times_in(table["start"], -FOREVER) for table in (last, found)])
    end = np.concatenate([times_in(table["end"], FOREVER) for table in (last, found)])
    pair = names.fluent.codes * len(names.value.texts) + names.value.codes
    left, right = _on_a_line(pair, start, end)
    made = []
    for rows in (slice(0, len(last)), slice(len(last), None)):
        made.append(_Spans(start[rows], end[rows], left[rows], right[rows], np.argsort(left[rows], kind="stable")))
    return made[0], made[1]


def _on_a_line(pair: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Times made small and put behind the number of their pair."""
    finite = [times[np.abs(times) < FOREVER] for times in (start, end)]
    low = min((int(times.min()) for times in finite if len(times)), default=0)
    high = max((int(times.max()) for times in finite if len(times)), default=0)
    bits = (high - low + 2).bit_length()
    if bits + int(pair.max(initial=0)).bit_length() > 62:
        # Few times far apart: their order is all that matters.
        times = np.unique(np.concatenate((start, end)))
        start, end = np.searchsorted(times, start), np.searchsorted(times, end)
        bits = len(times).bit_length()
    else:
        start, end = (np.clip(times, low - 1, high + 1) - (low - 1) for times in (start, end))
    return (pair << bits) | start, (pair << bits) | end


@dataclass(frozen=True)
class _Column:
    """A column of text as distinct texts and the number of the text in each row."""

    texts: Any
    codes: Ints

    @classmethod
    def of(cls, last: pa.Table, found: pa.Table, name: str) -> _Column:
        """A column of two tables, one below the other."""
        whole = pa.chunked_array([*last[name].chunks, *found[name].chunks], pa.string())
        encoded = _whole(whole).dictionary_encode()
        return cls(encoded.dictionary, encoded.indices.to_numpy().astype(np.int64))


@dataclass(frozen=True)
class _Names:
    fluent: _Column
    value: _Column


_PAIR = ("fluent", "value")


def _matched(old: _Spans, new: _Spans) -> Ints:
    """For each new interval the old one whose id it has, or -1."""
    found = np.full(len(new.start), -1)
    if not len(old.start) or not len(new.start):
        return found
    lefts, rights = new.left[new.order], new.right[new.order]
    first = np.searchsorted(old.right[old.order], lefts, side="right")
    count = np.searchsorted(old.left[old.order], rights, side="left") - first
    # The old one may have been taken by a new one before this; the next cannot.
    taker = np.searchsorted(rights, old.left[old.order], side="right")
    is_free = taker[np.minimum(first, len(old.start) - 1)] == np.arange(len(lefts))
    place = np.where(is_free, first, first + 1)
    rows = np.flatnonzero(count > place - first)
    found[new.order[rows]] = old.order[place[rows]]
    return found


def _overlaps(old: _Spans, new: _Spans, in_sight: Bools) -> Bools:
    """Which old intervals overlap a new one in sight."""
    order = new.order[in_sight[new.order]]
    first = np.searchsorted(new.right[order], old.left, side="right")
    last = np.searchsorted(new.left[order], old.right, side="left")
    found: Bools = last > first
    return found


def _changes(
    table: pa.Table,
    spans: _Spans,
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


def _fresh(names: _Names, rows: Ints, start: Ints, query: int) -> Any:
    """Ids for new intervals: a hash of fluent, value, start, and the query time at which they are first seen."""
    moments = start.view(np.uint64), np.full(len(rows), query).view(np.uint64)
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
