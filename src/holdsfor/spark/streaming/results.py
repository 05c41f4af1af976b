"""The results of a bucket for a micro-batch: the changelogs, and retractions of unknown input."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.ids import SEEDS, hex_digits, mixed, text_hashes
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.unvalued import unvalued
from holdsfor.compiler.plan import Plan
from holdsfor.logic.failures import Failures
from holdsfor.spark.timestamps import with_timestamps
from holdsfor.times import TimeScale

CAUSED = CHANGES.append(pa.field("causes", pa.list_(pa.string())))
"""The changelog of a stream: changes, and the late or retracted input behind each."""

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

UNMATCHED = pa.schema(
    [
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("what", pa.string(), nullable=False),
        pa.field("value", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
"""Retractions of what was never seen."""


@dataclass
class Results:
    """Tables that are written when all query times have been asked."""

    changes: list[pa.Table] = field(default_factory=lambda: [CAUSED.empty_table()])
    events: list[pa.Table] = field(default_factory=lambda: [EVENT_CHANGES.empty_table()])
    unmatched: list[pa.Table] = field(default_factory=lambda: [UNMATCHED.empty_table()])

    def tables(self, scale: TimeScale | None) -> dict[str, pa.Table]:
        """What there is, by kinds, with timestamps if it is known what a time-point is."""
        kinds = {"changes": self.changes, "events": self.events, "unmatched": self.unmatched}
        tables = {kind: pa.concat_tables(found) for kind, found in kinds.items()}
        return {
            kind: table if kind == "unmatched" else with_timestamps(table, scale)
            for kind, table in tables.items()
            if len(table)
        }

    def counts(self) -> dict[str, int]:
        """How many rows there are of each kind."""
        kinds = {"changes": self.changes, "event_changes": self.events, "unmatched": self.unmatched}
        return {kind: sum(map(len, found)) for kind, found in kinds.items()}


def without_value(failures: Failures, plan: Plan) -> dict[str, Any]:
    """For how many rows conditions failed for want of a value, and the first of them in words."""
    if not len(failures):
        return {}
    return {"without_value": len(failures), "first_without_value": str(unvalued(failures, plan)[0])}


class EventOp(StrEnum):
    """What is said of an event."""

    HAPPEN = "happen"
    RETRACT = "retract"


def happened(events: Any, time: Ints, is_gone: Bools, query: int) -> pa.Table:
    """The changes of some derived events, of which some have not happened after all.

    An event has no history of its own: it happened at a time-point or it did not. So its id is that of the event and its
    time, whenever it is reported.
    """
    op = np.where(is_gone, EventOp.RETRACT.value, EventOp.HAPPEN.value)
    columns = [_ids(events, time), pa.array(op, pa.string()), events, pa.array(time)]
    return pa.table([*columns, pa.array(np.full(len(time), query))], schema=EVENT_CHANGES)


def _ids(events: Any, time: Ints) -> Any:
    """A hash of event and time."""
    encoded = events.dictionary_encode()
    codes, moments = encoded.indices.to_numpy(), np.ascontiguousarray(time).view(np.uint64)
    halves = [mixed(mixed(seed ^ text_hashes(encoded.dictionary, seed)[codes]) ^ moments) for seed in SEEDS]
    return hex_digits(np.stack(halves, axis=1))
