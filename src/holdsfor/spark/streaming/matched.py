"""Intervals of some keys at two query times, in columns: the changes, and what is shown of these keys afterwards.

The same as `engine.changelog.compare`, but text is made only of what changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.changelog import _hex, interval_ids
from holdsfor.engine.evaluation import width
from holdsfor.engine.frames import row_keys
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.matching import both_spans, compared
from holdsfor.engine.op import Op
from holdsfor.engine.report import Texts
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.parts import Part
from holdsfor.spark.streaming.results import CAUSED

CausesOf = Callable[[Symbol, Ints], Any]
Found = Mapping[Symbol, Part]
"""Intervals of fluents: arguments, value, start, end. What is shown has an id as well, two numbers."""


@dataclass(frozen=True)
class Times:
    """A query time whose window begins after `low`; the one before it was at `before`."""

    query: int
    low: int
    before: int


def matched(last: Found, found: Found, times: Times, texts: Texts, causes: CausesOf) -> tuple[pa.Table, Found]:
    """The changes at a query time, and what is shown after it."""
    both = _Both(last, found)
    old, new = both_spans(both.pair, both.start, both.end, both.split)
    now = compared(old, new, times.low, times.before)
    opened, changed = now.opened + both.split, now.changed + both.split
    rows = np.concatenate((opened, changed, now.gone))
    fluents, values, why = both.texts(rows, texts, causes)
    count = len(opened)
    fresh = interval_ids(
        fluents.slice(0, count), values.slice(0, count), both.start[opened], np.full(count, times.query)
    )
    partner = np.concatenate((now.earlier[now.changed], now.gone))
    words = _words(fresh)
    op = np.concatenate((np.full(count, Op.OPEN.value), now.op, np.full(len(now.gone), Op.RETRACT.value)))
    nothing = pa.nulls(count, pa.int64())
    columns = [
        pa.concat_arrays([fresh, _hex(both.ids[partner].view(np.uint64))]),
        pa.array(op, pa.string()),
        fluents,
        values,
        _nullable(both.start[rows]),
        _nullable(both.end[rows]),
        pa.array(np.full(len(rows), times.query)),
        pa.concat_arrays([nothing, _nullable(both.start[partner])]),
        pa.concat_arrays([nothing, _nullable(both.end[partner])]),
        why,
    ]
    ids = np.empty((len(new.start), 2), np.int64)
    kept = now.earlier >= 0
    ids[kept] = both.ids[now.earlier[kept]]
    ids[now.opened] = words
    return pa.table(columns, schema=CAUSED), both.shown(now.in_sight, ids)


class _Both:
    """Rows of all fluents, those of the last query time first."""

    def __init__(self, last: Found, found: Found) -> None:
        self._symbols = list(dict.fromkeys((*last, *found)))
        self._parts = [(symbol, last[symbol]) for symbol in last] + [(symbol, found[symbol]) for symbol in found]
        self._first = np.concatenate(([0], np.cumsum([len(part) for _, part in self._parts]))).astype(np.int64)
        self._many = len(last)
        self.split = int(self._first[self._many])
        self.start = self._column(1)
        self.end = self._column(2)
        ids = [np.stack(part.columns[-2:], axis=1) for _, part in self._parts[: self._many]]
        self.ids: Ints = np.concatenate(ids) if ids else np.empty((0, 2), np.int64)
        self.pair = self._pairs()

    def _column(self, place: int) -> Ints:
        return np.concatenate([EMPTY, *(part.columns[width(symbol) + place] for symbol, part in self._parts)])

    def _pairs(self) -> Ints:
        """A number for every fluent and value."""
        pair, used = np.empty(int(self._first[-1]), np.int64), 0
        for symbol in self._symbols:
            mine = [number for number, (one, _) in enumerate(self._parts) if one == symbol]
            parts = [self._parts[number][1] for number in mine]
            columns = [np.concatenate(c) for c in zip(*(p.columns[: width(symbol) + 1] for p in parts), strict=True)]
            distinct, place = np.unique(row_keys(columns), return_inverse=True)
            at = 0
            for number, part in zip(mine, parts, strict=True):
                pair[self._first[number] : self._first[number + 1]] = place[at : at + len(part)] + used
                at += len(part)
            used += len(distinct)
        return pair

    def texts(self, rows: Ints, texts: Texts, causes: CausesOf) -> tuple[Any, Any, Any]:
        """Fluents and values of some rows as text, and what their changes are because of."""
        order = np.argsort(rows, kind="stable")
        listed = rows[order]
        cuts = listed.searchsorted(self._first)
        empty = pa.array([], pa.string())
        fluents, values, why = [empty], [empty], [pa.array([], CAUSED.field("causes").type)]
        for number, (symbol, part) in enumerate(self._parts):
            mine = part.take(listed[cuts[number] : cuts[number + 1]] - self._first[number])
            if len(mine):
                args, value = mine.columns[: width(symbol)], mine.columns[width(symbol)]
                fluents.append(texts.terms(symbol, args, len(mine)))
                values.append(texts.values(value))
                why.append(causes(symbol, mine.key))
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        taken = pa.array(back)
        found = [pa.concat_arrays([_whole(one) for one in listed]).take(taken) for listed in (fluents, values, why)]
        return found[0], found[1], found[2]

    def shown(self, in_sight: npt.NDArray[np.bool_], ids: Ints) -> Found:
        """What is in sight, with ids."""
        made = {}
        for number in range(self._many, len(self._parts)):
            symbol, part = self._parts[number]
            mine = slice(int(self._first[number]) - self.split, int(self._first[number + 1]) - self.split)
            rows = np.flatnonzero(in_sight[mine])
            chosen, own = part.take(rows), ids[mine][rows]
            columns = (
                *chosen.columns[: width(symbol) + 3],
                np.ascontiguousarray(own[:, 0]),
                np.ascontiguousarray(own[:, 1]),
            )
            made[symbol] = Part.of(chosen.key, columns)
        return made


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _nullable(times: Ints) -> Any:
    return pa.array(times, mask=np.abs(times) >= FOREVER)


_PLACES = np.zeros(256, np.uint8)
_PLACES[np.frombuffer(b"0123456789abcdef", np.uint8)] = np.arange(16)


def _words(ids: Any) -> Ints:
    """Ids as two numbers each."""
    if not len(ids):
        return np.empty((0, 2), np.int64)
    letters = np.frombuffer(ids.buffers()[2], np.uint8)[ids.offset * 32 : (ids.offset + len(ids)) * 32]
    digits = _PLACES[letters].reshape(-1, 2)
    octets = (digits[:, 0] << 4 | digits[:, 1]).astype(np.uint8)
    return octets.reshape(-1, 16).view(">u8").astype(np.uint64).view(np.int64)
