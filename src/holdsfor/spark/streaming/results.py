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
"""The changelog of a stream: changes, and the late or retracted input that caused each of them."""

EVENT_CHANGES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("op", pa.string(), nullable=False),
        pa.field("event", pa.string(), nullable=False),
        pa.field("time", pa.int64(), nullable=False),
        pa.field("query_time", pa.int64(), nullable=False),
    ]
)
"""There is at most one row per id and query time."""

UNMATCHED = pa.schema(
    [
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("what", pa.string(), nullable=False),
        pa.field("value", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
"""Retractions of unknown rows."""


@dataclass
class Results:
    """Tables that are written after all query times have been evaluated."""

    changes: list[pa.Table] = field(default_factory=lambda: [CAUSED.empty_table()])
    events: list[pa.Table] = field(default_factory=lambda: [EVENT_CHANGES.empty_table()])
    unmatched: list[pa.Table] = field(default_factory=lambda: [UNMATCHED.empty_table()])

    def tables(self, scale: TimeScale | None) -> dict[str, pa.Table]:
        """The non-empty tables by kind, with timestamps if the time unit is known."""
        kinds = {"changes": self.changes, "events": self.events, "unmatched": self.unmatched}
        tables = {kind: pa.concat_tables(found) for kind, found in kinds.items()}
        return {
            kind: table if kind == "unmatched" else with_timestamps(table, scale)
            for kind, table in tables.items()
            if len(table)
        }

    def counts(self) -> dict[str, int]:
        """The number of rows of each kind."""
        kinds = {"changes": self.changes, "event_changes": self.events, "unmatched": self.unmatched}
        return {kind: sum(map(len, found)) for kind, found in kinds.items()}


def without_value(failures: Failures, plan: Plan) -> dict[str, Any]:
    """The number of rows for which conditions had no value, and the first of them in words."""
    if not len(failures):
        return {}
    return {"without_value": len(failures), "first_without_value": str(unvalued(failures, plan)[0])}


class EventOp(StrEnum):
    """The kind of change of an event."""

    HAPPEN = "happen"
    RETRACT = "retract"


def happened(events: Any, time: Ints, is_gone: Bools, query: int) -> pa.Table:
    """The changes of derived events, some of which are retracted.

    An event has no history: it happened at a time-point or not. So its id depends only on the event and its time, not
    on the report.
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
