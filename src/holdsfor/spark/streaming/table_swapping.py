"""Changes the rules of a stream whose state is in tables: the driver fetches all sections, and writes new ones.

The new states are the output of a batch of their own number, below those of all others, in a slot of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from holdsfor.core.shares import ShareEngine
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.regrouping import OldBucket
from holdsfor.spark.streaming.row_state import Held, RowState
from holdsfor.spark.streaming.row_tasks import ARRIVED, OUT, Writing, arrived_rows, state_of
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.swapping import RuleSwap, Swapped
from holdsfor.spark.streaming.tables import Tables

Sections = Sequence[Mapping[str, Any]]


@dataclass
class RowStates:
    """The states of a commit in tables, for a swap of rules."""

    how: RuleSwap
    before: Commit
    owner: str
    held: Mapping[str, Held]
    sections: Mapping[int, Sections]
    """The sections of states, by stage."""
    arrived: Sections
    """The rows that no query time has seen yet."""
    batch: int
    """The number of the batch that the new states belong to."""
    made: dict[int, list[pa.RecordBatch]] = field(default_factory=dict)
    """The rows of the new states, by stage."""

    @property
    def _job(self) -> Job:
        return self.how.earlier

    def earlier(self, stage: int, bucket: int) -> OldBucket:
        """A bucket of the earlier rules."""
        held = self.held.get(f"{stage}-{bucket}")
        state = state_of(self._job, self.owner, stage, bucket, held, self.sections.get(stage, ()))
        batches = sorted(batch for batch, buckets in self.before.rows.items() if bucket in buckets)
        return OldBucket(bucket, state, arrived_rows(self._job, self.owner, stage, bucket, batches, self.arrived))

    def save(self, stage: int, bucket: int, engine: ShareEngine, rows: pa.Table) -> Place:
        """Keeps the state of a bucket of the new rules."""
        state = RowState(self.how.now, self.owner, stage, bucket, None, ())
        note = state.save(engine, self.batch, rows)
        writing, made = Writing(self.batch, stage, bucket), self.made.setdefault(stage, [])
        made += writing.sections(state.written)
        made.append(writing.note(name=f"{stage}-{bucket}", **note))
        return Held.of(note, None).place()


def swap_in_tables(how: RuleSwap, before: Commit, batch: int, settings: Mapping[str, Any], tables: Tables) -> Swapped:
    """Changes the rules at the beginning of a batch."""
    memory = tables.memory
    sections = {stage.number: _sections(tables, before, stage.number) for stage in how.earlier.stages}
    kept = [tables.folder(before.slots[one], 0) for one in sorted(before.rows)]
    arrived = tables.fetched(kept, [ARRIVED])
    states = RowStates(how, before, tables.owner, memory.held, sections, arrived, -2 - batch)
    swapped = how.carry_out(before, settings, states)
    used = {before.slots[one] for one in before.needed if one in before.slots} | {memory.slot}
    slot = next(one for one in range(len(used) + 1) if one not in used)
    # An attempt that fails loads the earlier states again.
    memory.held, memory.written, memory.held_after = {}, {}, None
    for stage, made in states.made.items():
        for note in tables.put(pa.Table.from_batches(made, OUT), tables.folder(slot, stage)):
            tables.apply(note)
    memory.swapped = {states.batch: slot}
    memory.before = replace(swapped.commit, slots=memory.swapped, reached={})
    return swapped._replace(commit=memory.before)


def _sections(tables: Tables, before: Commit, stage: int) -> Sections:
    """All sections of the states of a stage."""
    mine = [held for held in tables.memory.held.values() if held.stage == stage]
    batches = sorted({held.batch for held in mine} | {int(one.file) for held in mine for one in held.parts.values()})
    folders = [tables.folder(before.slots[batch], stage) for batch in batches]
    return tables.fetched(folders, ["rest", "rows", "part"])
