"""Sets aside rows whose times lie too far ahead, before a run; they are counted and reported like malformed rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.report import Texts
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.io.ahead import quantile, too_far_ahead
from holdsfor.io.builder import Reading
from holdsfor.io.rejects import refused
from holdsfor.times import shown_length, shown_time

Table = EventColumns | FluentColumns
T = TypeVar("T", EventColumns, FluentColumns)


def without_far_ahead(reading: Reading, max_ahead: int, source: str) -> Reading:
    """The input without rows that occur or arrive more than `max_ahead` after the median time."""
    times = reading.stream.all_arrivals()
    if not too_far_ahead(times, max_ahead).any():
        return reading
    middle = quantile(times, 1, 2)
    found: list[pa.Table] = []

    def kept(symbol: Symbol, table: T) -> T:
        ahead: Bools = np.maximum(_moments(table), table.arrival) > middle + max_ahead
        if not ahead.any():
            return table
        found.append(_refused(symbol, table.take(np.flatnonzero(ahead)), middle, max_ahead, reading))
        return table.take(np.flatnonzero(~ahead))

    events = {symbol: kept(symbol, table) for symbol, table in reading.stream.events.items()}
    fluents = {symbol: kept(symbol, table) for symbol, table in reading.stream.fluents.items()}
    reading.rejects.add(source, found)
    return replace(reading, stream=Stream(events, fluents))


def _moments(table: Table) -> Ints:
    return table.time if isinstance(table, EventColumns) else table.start


def _refused(symbol: Symbol, table: Table, middle: int, max_ahead: int, reading: Reading) -> pa.Table:
    texts, scale = Texts(reading.dictionary), reading.time_scale
    fields = [table.arrival, _moments(table)]
    cells = [texts.values(column) for column in table.args]
    if isinstance(table, FluentColumns):
        fields.append(table.end)
        cells.insert(0, texts.values(table.value))
    columns = [pa.array(field).cast(pa.string()) for field in fields] + cells
    rows = pc.binary_join_element_wise(symbol.name, *columns, "|")
    reason = f"more than {shown_length(max_ahead, scale)} after the median time, {shown_time(middle, scale)}"
    return refused(symbol.name, np.zeros(len(table.arrival), np.int64), rows, reason)
