"""Derived events from one query time to the next: which have happened that were not known, which never did.

An event has no history of its own: it happened at a time-point or it did not. So its id is that of the event and its
time, whenever it is reported; one that is taken back and happens after all has the same id again.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.engine.ids import SEEDS, hex_digits, mixed, text_hashes
from holdsfor.engine.kernels import Bools, Ints


class EventOp(StrEnum):
    """What is said of an event."""

    HAPPEN = "happen"
    RETRACT = "retract"


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


def happened(events: Any, time: Ints, is_gone: Bools, query: int) -> pa.Table:
    """The changes of some events, of which some have not happened after all."""
    op = np.where(is_gone, EventOp.RETRACT.value, EventOp.HAPPEN.value)
    columns = [_ids(events, time), pa.array(op, pa.string()), events, pa.array(time)]
    return pa.table([*columns, pa.array(np.full(len(time), query))], schema=EVENT_CHANGES)


def _ids(events: Any, time: Ints) -> Any:
    """A hash of event and time."""
    encoded = events.dictionary_encode()
    codes, moments = encoded.indices.to_numpy(), np.ascontiguousarray(time).view(np.uint64)
    halves = [mixed(mixed(seed ^ text_hashes(encoded.dictionary, seed)[codes]) ^ moments) for seed in SEEDS]
    return hex_digits(np.stack(halves, axis=1))
