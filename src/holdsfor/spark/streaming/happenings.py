"""Derived events from one query time to the next: which have happened that were not known, which never did.

An event has no history of its own: it happened at a time-point or it did not. So its id is that of the event and its
time, whenever it is reported; one that is taken back and happens after all has the same id again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.engine.changelog import _SEEDS, _hex, _mixed, _text_hashes
from holdsfor.engine.kernels import Bools, Ints


class EventOp(StrEnum):
    """What is said of an event."""

    HAPPEN = "happen"
    RETRACT = "retract"


HAPPENED = pa.schema([pa.field("event", pa.string(), nullable=False), pa.field("time", pa.int64(), nullable=False)])
"""The events that were reported at the last query time."""
EVENT_CHANGES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("op", pa.string(), nullable=False),
        pa.field("event", pa.string(), nullable=False),
        pa.field("time", pa.int64(), nullable=False),
        pa.field("query_time", pa.int64(), nullable=False),
    ]
)
"""There is at most one row for an id and a query time."""


def compare_events(last: pa.Table, found: pa.Table, query: int, low: int) -> pa.Table:
    """The changes at a query time whose window begins after `low`. Of events before it nothing more is said."""
    both = pa.concat_tables([last, found]).combine_chunks()
    if not len(both):
        return EVENT_CHANGES.empty_table()
    is_new, is_gone = _told_apart(both, len(last))
    time = both["time"].to_numpy()
    is_gone &= time > low
    rows = np.flatnonzero(is_new | is_gone)
    return happened(_whole(both["event"]).take(pa.array(rows)), time[rows], is_gone[rows], query)


def happened(events: Any, time: Ints, is_gone: Bools, query: int) -> pa.Table:
    """The changes of some events, of which some have not happened after all."""
    op = np.where(is_gone, EventOp.RETRACT.value, EventOp.HAPPEN.value)
    columns = [_ids(events, time), pa.array(op, pa.string()), events, pa.array(time)]
    return pa.table([*columns, pa.array(np.full(len(time), query))], schema=EVENT_CHANGES)


def _told_apart(both: pa.Table, first: int) -> tuple[Bools, Bools]:
    """Which rows are only among those from `first` on, and which only among those before."""
    names = _whole(both["event"]).dictionary_encode().indices.to_numpy().astype(np.int64)
    _, moments = np.unique(both["time"].to_numpy(), return_inverse=True)
    keys = names * (int(moments.max()) + 1) + moments
    is_new, is_gone = np.zeros(len(keys), np.bool_), np.zeros(len(keys), np.bool_)
    is_new[first:] = ~np.isin(keys[first:], keys[:first])
    is_gone[:first] = ~np.isin(keys[:first], keys[first:])
    return is_new, is_gone


def _ids(events: Any, time: Ints) -> Any:
    """A hash of event and time."""
    encoded = events.dictionary_encode()
    codes, moments = encoded.indices.to_numpy(), np.ascontiguousarray(time).view(np.uint64)
    halves = [_mixed(_mixed(seed ^ _text_hashes(encoded.dictionary, seed)[codes]) ^ moments) for seed in _SEEDS]
    return _hex(np.stack(halves, axis=1))


def _whole(column: pa.ChunkedArray) -> Any:
    return column.combine_chunks()
