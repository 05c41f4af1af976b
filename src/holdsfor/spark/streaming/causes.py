"""The late and retracted input behind changes: which of it reached which keys, from stage to stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.frames import ranges
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.report import Texts
from holdsfor.engine.stream import EventColumns, FluentColumns
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.sections import EVERYWHERE
from holdsfor.spark.timestamps import time_texts
from holdsfor.times import TimeScale

MOST = 8
"""So many causes of a change are named."""
_TEXTS = pa.list_(pa.string())


class Causes:
    """Pairs of a key and an input; `made_of` says which input a fluent has to do with at all."""

    def __init__(self, made_of: Mapping[Symbol, frozenset[Symbol]]) -> None:
        self._made_of = made_of
        self._numbers = {symbol: n for n, symbol in enumerate(sorted({s for found in made_of.values() for s in found}))}
        self._keys: list[Ints] = []
        self._symbols: list[Ints] = []
        self._texts: list[Any] = []
        self._known: tuple[Ints, Ints, Any] | None = None

    def add(self, symbol: Symbol, keys: Ints, texts: Any) -> None:
        """Input of a symbol that reaches keys; if it has keys at several places, all by the first, then by the next."""
        if symbol in self._numbers and len(texts):
            rows = np.resize(np.arange(len(texts)), len(keys))
            self._put(keys, np.full(len(keys), self._numbers[symbol]), texts.take(pa.array(rows)))

    def add_told(self, keys: Ints, told: Any) -> None:
        """What an earlier stage has told of rows that reach keys, which may be several for each."""
        told = told.take(pa.array(np.resize(np.arange(len(told)), len(keys))))
        rows = np.flatnonzero(pc.is_valid(told).to_numpy(zero_copy_only=False))
        if not len(rows):
            return
        lines = pc.split_pattern(told.take(pa.array(rows)), "\n")
        counts = pc.list_value_length(lines).to_numpy()
        parts = pc.split_pattern(lines.flatten(), "\t", max_splits=1)
        numbers = pc.list_element(parts, 0).cast(pa.int64()).to_numpy()
        self._put(np.repeat(keys[rows], counts), numbers, pc.list_element(parts, 1))

    def _put(self, keys: Ints, symbols: Ints, texts: Any) -> None:
        self._keys.append(keys)
        self._symbols.append(symbols)
        self._texts.append(texts)
        self._known = None

    def __len__(self) -> int:
        return sum(map(len, self._keys))

    def of(self, symbol: Symbol, keys: Ints) -> Any:
        """The causes of changes of a fluent, by the keys of its instances."""
        read = [self._numbers[one] for one in self._made_of[symbol]]
        return self._lists(keys, np.array(read))[0]

    def told(self, keys: Ints) -> Any:
        """The causes of keys as text for another stage; null where there are none. None if there are none at all."""
        if not self._keys:
            return None
        texts, symbols = self._lists(keys, None)
        named = pc.binary_join_element_wise(pa.array(symbols).cast(pa.string()), texts.flatten(), "\t")
        lists = pa.ListArray.from_arrays(texts.offsets, named)
        joined = pc.binary_join(lists, "\n")
        return pc.if_else(pc.equal(joined, ""), pa.scalar(None, pa.string()), joined)

    def _lists(self, keys: Ints, read: Ints | None) -> tuple[Any, Ints]:
        """For each key a list of causes, and the symbols of all of them."""
        known, symbols, texts = self._settled()
        if read is not None:
            rows = np.flatnonzero(np.isin(symbols, read))
            known, symbols, texts = known[rows], symbols[rows], texts.take(pa.array(rows))
        first = known.searchsorted(keys, side="left")
        own = np.minimum(known.searchsorted(keys, side="right") - first, MOST)
        begin, end = known.searchsorted([EVERYWHERE, EVERYWHERE + 1])
        shared = np.minimum(end - begin, MOST - own)
        rows = np.concatenate((ranges(first, own), ranges(np.full(len(keys), begin), shared)))
        numbers = np.arange(len(keys))
        order = np.argsort(np.concatenate((np.repeat(numbers, own), np.repeat(numbers, shared))), kind="stable")
        rows = rows[order]
        offsets = pa.array(np.concatenate(([0], np.cumsum(own + shared))), pa.int32())
        return pa.ListArray.from_arrays(offsets, texts.take(pa.array(rows))).cast(_TEXTS), symbols[rows]

    def _settled(self) -> tuple[Ints, Ints, Any]:
        """Keys, symbols and texts in order of keys, each pair once."""
        if self._known is None:
            if not self._keys:
                return EMPTY, EMPTY, pa.array([], pa.string())
            keys, symbols = np.concatenate(self._keys), np.concatenate(self._symbols)
            encoded = pa.chunked_array(self._texts, pa.string()).combine_chunks().dictionary_encode()
            codes = encoded.indices.to_numpy().astype(np.int64)
            order = np.lexsort((codes, keys))
            keys, codes, symbols = keys[order], codes[order], symbols[order]
            fresh = np.ones(len(keys), np.bool_)
            fresh[1:] = (keys[1:] != keys[:-1]) | (codes[1:] != codes[:-1])
            texts = encoded.dictionary.take(pa.array(codes[fresh]))
            self._known = keys[fresh], symbols[fresh], texts
        return self._known


def event_texts(kind: str, symbol: Symbol, events: EventColumns, texts: Texts, scale: TimeScale | None = None) -> Any:
    """Occurrences as they are named."""
    terms = texts.terms(symbol, events.args, len(events.time))
    times = time_texts(events.time, scale)
    return pc.binary_join_element_wise(f"{kind} ", terms, " at ", times, "")


def report_texts(
    kind: str, symbol: Symbol, reports: FluentColumns, texts: Texts, scale: TimeScale | None = None
) -> Any:
    """Reports of an input fluent as they are named."""
    terms = texts.terms(symbol, reports.args, len(reports.start))
    begin, end = (time_texts(column, scale) for column in (reports.start, reports.end))
    end = pc.if_else(pa.array(reports.end >= FOREVER), "inf", end)
    spans = pc.binary_join_element_wise(" from ", begin, " to ", end, "")
    when = pc.if_else(pa.array(reports.is_point), pc.binary_join_element_wise(" at ", begin, ""), spans)
    return pc.binary_join_element_wise(f"{kind} ", terms, "=", texts.values(reports.value), when, "")
