"""Stage 1 as tasks over files, which any `TaskWorkers` can execute.

    read     pieces of input    →  rows by vessel        (`rows`)
    vessels  a bucket of them   →  events, places        (`samples`, by time)
    meet     a range of time    →  runs of slots         (`runs`, by pair)
    merge    a bucket of pairs  →  proximity

A batch goes through these once. A stream goes through them with every micro-batch, and keeps a state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from holdsfor.spark.streaming.store import Store, as_parquet, packed, unpacked
from holdsfor_maritime.signals import proximity
from holdsfor_maritime.signals.areas import AreaIndex
from holdsfor_maritime.signals.cleaning import ASIDE, LATE, OUT_OF_RANGE, REASONS, ROWS, in_range, set_aside
from holdsfor_maritime.signals.derive import SCHEMAS, TRACK, VesselStates, derive
from holdsfor_maritime.signals.exchange import bucket_of, gathered, split
from holdsfor_maritime.signals.reading import FilePiece, read_piece
from holdsfor_maritime.signals.thresholds import Thresholds

Note: TypeAlias = dict[str, int]
"""The numbers that a task returns, by name. `latest` is its latest time."""
Task: TypeAlias = Callable[[int], Note]

OUTPUTS: dict[str, pa.Schema] = SCHEMAS | {"proximity": proximity.INTERVALS, "tracks": TRACK, "aside": ASIDE}
"""All folders of results and their columns."""
_SLOTS_TOGETHER = 32
"""Slots in a row that one task looks at, so that most meetings are found in one piece."""


class TaskWorkers(Protocol):
    """Executes tasks."""

    def run(self, task: Task, count: int) -> list[Note]:
        """Executes a task for the numbers below `count`, in any order."""
        ...


@dataclass(frozen=True)
class TaskSetting:
    """The settings of all tasks. Intermediate files are below `store`, results below `out`."""

    store: Store
    out: Store
    index: AreaIndex
    limits: Thresholds
    buckets: int
    batch: int = 0

    def give(self, name: str, bucket: int | str, table: pa.Table) -> int:
        """Write a part of the results; a batch that is run again writes the same files."""
        if len(table):
            self.out.write(f"{name}/part-{self.batch:06d}-{bucket}.parquet", as_parquet(table))
        return len(table)

    def names(self, what: str, parts: Sequence[int]) -> list[str]:
        """Files of this batch."""
        return [f"{self.batch}/{what}/{part}.arrow" for part in parts]


def store_rows(setting: TaskSetting, part: int, found: Sequence[tuple[pa.Table, pa.Table]], until: int | None) -> Note:
    """Sets rows aside, and sends the others to the buckets of their vessels."""
    rows = pa.concat_tables((ROWS.empty_table(), *(good for good, _ in found)))
    aside = [bad for _, bad in found]
    good = in_range(rows)
    aside.append(set_aside(rows.filter(pa.array(~good)), OUT_OF_RANGE))
    rows = rows.filter(pa.array(good))
    if until is not None:
        late = rows["time"].to_numpy() <= until
        aside.append(set_aside(rows.filter(pa.array(late)), LATE))
        rows = rows.filter(pa.array(~late))
    bucket = bucket_of(rows["vessel"].to_numpy(), setting.buckets)
    setting.store.write(setting.names("rows", [part])[0], split(rows, bucket, setting.buckets))
    left_out = pa.concat_tables(aside)
    setting.give("aside", f"in{part}", left_out)
    read = sum(len(good) + len(bad) for good, bad in found)
    note = {"part": part, "read": read} | _reasons(left_out)
    return note | ({"latest": int(rows["time"].to_numpy().max())} if len(rows) else {})


def _reasons(aside: pa.Table) -> Note:
    counted = aside["reason"].value_counts().to_pylist()
    return {one["values"]: one["counts"] for one in counted}


@dataclass(frozen=True)
class ReadPiece:
    """The task that reads a piece of a CSV file."""

    setting: TaskSetting
    pieces: tuple[FilePiece, ...]

    def __call__(self, number: int) -> Note:
        """Read a piece."""
        return store_rows(self.setting, number, [read_piece(self.pieces[number])], None)


@dataclass(frozen=True)
class Assignment:
    """The time reached, and the locations of states and new rows."""

    parts: tuple[int, ...]
    until: int | None = None
    now: int | None = None
    before: int | None = None
    """The batch that wrote the memories."""
    remembering: bool = False


@dataclass(frozen=True)
class Vessels:
    """Events of a bucket of vessels."""

    setting: TaskSetting
    turn: Assignment

    def __call__(self, bucket: int) -> Note:
        """Work on a bucket."""
        setting, turn = self.setting, self.turn
        rows = gathered(setting.store, setting.names("rows", turn.parts), bucket, ROWS)
        memory = VesselStates.empty()
        if turn.before is not None:
            memory = VesselStates(*unpacked(setting.store.read_sealed(f"{turn.before}/vessels/{bucket}.arrow")))
        found = derive(rows, memory, setting.index, setting.limits, turn.until, turn.now)
        for name, table in found.events.items():
            setting.give(name, bucket, table)
        setting.give("tracks", bucket, found.tracks)
        setting.give("aside", bucket, found.aside)
        target = found.samples["slot"].to_numpy() // _SLOTS_TOGETHER
        setting.store.write(
            setting.names("samples", [bucket])[0],
            split(found.samples, bucket_of(target, setting.buckets), setting.buckets),
        )
        kept = (found.memory.known, found.memory.within, found.memory.waiting)
        name = f"{setting.batch}/vessels/{bucket}.arrow"
        setting.store.write_sealed(name, packed(kept if turn.remembering else kept[:1]))
        events = {name: len(table) for name, table in found.events.items()}
        return events | _reasons(found.aside) | {"vessels": len(found.memory.known), "waiting": len(kept[2])}


@dataclass(frozen=True)
class Meet:
    """Vessels that are near each other in some ranges of time."""

    setting: TaskSetting
    turn: Assignment

    def __call__(self, bucket: int) -> Note:
        """Work on the slots of a bucket."""
        setting, turn = self.setting, self.turn
        new = gathered(setting.store, setting.names("samples", range(setting.buckets)), bucket, proximity.SAMPLES)
        old = proximity.SAMPLES.empty_table()
        if turn.before is not None:
            (old,) = unpacked(setting.store.read_sealed(f"{turn.before}/places/{bucket}.arrow"))
        both = pa.concat_tables((old, new))
        fresh = np.repeat([0, 1], [len(old), len(new)])
        one, other = proximity.near(both, setting.limits, fresh)
        found = proximity.runs(both, one, other)
        key = found["vessel"].to_numpy() * 1_000_003 + found["other"].to_numpy()
        target = split(found, bucket_of(key, setting.buckets), setting.buckets)
        setting.store.write(setting.names("runs", [bucket])[0], target)
        kept = 0
        if turn.remembering:
            assert turn.until is not None
            # A later report can still say where a vessel was after the last one that counts, if there is no gap.
            open_ = both["slot"].to_numpy() * setting.limits.proximity_slot > turn.until - setting.limits.gap_seconds
            kept = int(open_.sum())
            setting.store.write_sealed(f"{setting.batch}/places/{bucket}.arrow", packed([both.filter(pa.array(open_))]))
        return {"samples": len(new), "places": kept}


@dataclass(frozen=True)
class Merge:
    """Intervals of proximity of a bucket of pairs."""

    setting: TaskSetting

    def __call__(self, bucket: int) -> Note:
        """Work on a bucket."""
        setting = self.setting
        parts = gathered(setting.store, setting.names("runs", range(setting.buckets)), bucket, proximity.RUNS)
        found = proximity.intervals(proximity.merged(parts), setting.limits)
        return {"proximity": setting.give("proximity", bucket, found)}


def total(notes: Sequence[Note]) -> Note:
    """Adds the numbers that tasks return; of times, takes the latest."""
    names = ["read", *REASONS, *(name for note in notes for name in note)]
    found = {name: sum(note.get(name, 0) for note in notes) for name in names if name not in ("latest", "part")}
    latest = [note["latest"] for note in notes if "latest" in note]
    return found | ({"latest": max(latest)} if latest else {})
