"""Workers of a stream whose state is in tables: they open nothing, states come to them and go from them as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from holdsfor.core.shares import KeyPart
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.driver import Checkpoint, Seen
from holdsfor.spark.streaming.frames import reached_parts
from holdsfor.spark.streaming.row_state import MOST_LISTED, Held
from holdsfor.spark.streaming.row_tasks import (
    ARRIVED,
    DELIVERY,
    OUT,
    SECTIONS,
    AskRows,
    KeepAsRows,
    in_schema,
    unpacked_rows,
)
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.store import spark_path
from holdsfor.spark.streaming.tables import Memory, Reached, TableCheckpoint, Tables, free_slot, merged
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.streaming.workers import SparkWorkers, on_buckets
from holdsfor.spark.wire import ddl, sql_types

_SMALL = 4_000_000
"""A state of fewer bytes is read as a whole: to find out which parts are needed would cost more."""
_MOST_RANGES = 200


class TableWorkers(SparkWorkers):
    """Workers that open nothing: states come to them and go from them as rows."""

    def __init__(self, work: Work, tables: Tables) -> None:
        super().__init__(work, tables.spark)
        self._tables = tables
        self._has_parts = {
            stage.number
            for stage in work.stages.stages
            if all(delivery.spreading is not None for delivery in stage.deliveries)
        }

    @property
    def _before(self) -> Commit:
        assert self._tables.memory.before is not None
        return self._tables.memory.before

    @property
    def _slot(self) -> int:
        return free_slot(self._before)

    # Looking

    def look(self, rows: DataFrame, latest: int | None = None) -> Seen:
        """What came in, and which parts of states it reaches."""
        memory = self._tables.memory
        if sum(place.sizes["bytes"] for place in self._before.places.values()) < _SMALL:
            names = [f"{stage.number}-{bucket}" for stage in self.work.stages.stages for bucket in range(self._buckets)]
            memory.reached = dict.fromkeys(names)
            return super().look(rows, latest)
        keep = [f"{one.reached()} as reached" for one in self._divided(self._buckets).sortings]
        seen, found = self._looked_for(rows, latest, keep)
        memory.reached = dict(reached_parts(found))
        for name, numbers in memory.reached.items():
            if numbers is not None and (
                len(numbers) > MOST_LISTED or int(name.partition("-")[0]) not in self._has_parts
            ):
                memory.reached[name] = None
        for stage in self.work.stages.stages:
            if stage.number not in self._has_parts:
                memory.reached |= {f"{stage.number}-{bucket}": None for bucket in range(self._buckets)}
        return seen

    @property
    def _buckets(self) -> int:
        return int(self._before.settings["buckets"])

    # Working

    def keep(self, rows: DataFrame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Write the rows of a batch for later."""
        self.admission = admission
        task = KeepAsRows(self.work.job, admission, self._tables.owner)
        frame = on_buckets(self._travelling(rows, buckets), buckets, task, ddl(OUT))
        self._tables.memory.has_written = True
        return self._tables.written(frame, self._tables.folder(self._slot, 0))

    def ask(self, rows: DataFrame, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn, stage by stage."""
        self.admission = turn.admission
        memory, notes = self._tables.memory, list[dict[str, Any]]()
        memory.has_written = True
        reached = merged(self._before.reached, memory.reached)
        moved = self._tables.worst()
        is_regrouped = turn.buckets != self.work.job.buckets
        for number in range(1, self.work.job.last + 1):
            task, wanted = self._stage(turn, number, reached, moved, is_regrouped=is_regrouped)
            told = self._run(rows, turn, number, task, wanted, is_regrouped=is_regrouped)
            for note in told:
                reached = merged(reached, note.get("sent", {}))
            notes += told
        if is_regrouped:
            memory.held = {}
        for note in notes:
            self._tables.apply(note)
        needed = {batch for held in memory.held.values() for batch in held.place().batches}
        memory.written = {batch: size for batch, size in memory.written.items() if batch in needed}
        return [
            note | {"place": asdict(memory.held[note["name"]].place())} if "parts" in note else note for note in notes
        ]

    def _run(
        self,
        rows: DataFrame,
        turn: Turn,
        number: int,
        task: AskRows,
        wanted: Mapping[int, set[KeyPart]],
        *,
        is_regrouped: bool,
    ) -> list[dict[str, Any]]:
        """Run a stage, and write what it gives out; the notes of its buckets."""
        frame = self._input(rows, turn, number, task, wanted, is_regrouped=is_regrouped)
        made = on_buckets(frame, self.work.job.buckets, task, ddl(OUT))
        return self._tables.written(made, self._tables.folder(self._slot, number))

    def _stage(
        self, turn: Turn, number: int, reached: Reached, moved: int | None, *, is_regrouped: bool
    ) -> tuple[AskRows, dict[int, set[KeyPart]]]:
        """A stage to be worked on, and the parts of each bucket that it needs."""
        held = {one.bucket: one for one in self._tables.memory.held.values() if one.stage == number}
        wanted: dict[int, set[KeyPart]] = {}
        copied: dict[int, list[KeyPart]] = {}
        idle, carried = set(), set()
        for bucket, one in held.items():
            numbers: Any = reached.get(f"{number}-{bucket}", set())
            if is_regrouped or one.plan != turn.plan or numbers is None or one.reached is None:
                wanted[bucket] = set(one.parts)
            elif numbers or one.place().wake <= turn.until or turn.batches(bucket):
                wanted[bucket] = one.covering([*numbers, *one.reached]) | one.due(turn.until)
            else:
                idle.add(bucket)
            if moved is not None and not is_regrouped:
                rest = one.inside(moved) - wanted.get(bucket, set())
                if rest or (one.batch == moved and bucket in idle):
                    copied[bucket] = sorted(rest, key=lambda part: part.number)
                    wanted[bucket] = wanted.get(bucket, set()) | rest
                if one.batch == moved and bucket in idle:
                    carried.add(bucket)
        shipped = {bucket: held[bucket].with_parts(parts) for bucket, parts in wanted.items()}
        told = AskRows(
            self.work.job, number, self._tables.owner, turn, shipped, frozenset(idle), copied, frozenset(carried)
        )
        return told, wanted

    def _input(
        self,
        rows: DataFrame,
        turn: Turn,
        number: int,
        task: AskRows,
        wanted: Mapping[int, set[KeyPart]],
        *,
        is_regrouped: bool,
    ) -> DataFrame:
        """Rows of this batch for a stage, and what it needs of states, of rows that waited and of earlier stages."""
        job = self.work.job
        own = self._travelling(rows, job.buckets)
        if job.wire.staged:
            own = own.where(f"stage = {number}")
        kinds = sql_types(in_schema(job))
        none = [f"cast(null as {kinds[name]}) as `{name}`" for name in SECTIONS.names]
        frame = own.selectExpr("*", *none)
        slots, found = self._before.slots, list[DataFrame]()
        files = {one.file for held in task.held.values() for one in held.parts.values()}
        batches = sorted({*map(int, files), *(held.batch for held in task.held.values())})
        if batches:
            folders = [self._tables.folder(slots[batch], number) for batch in batches]
            found.append(self._tables.read(folders).where(_condition(wanted, task.held)))
        if turn.rows:
            folders = [self._tables.folder(slots[batch], 0) for batch in sorted(turn.rows)]
            found.append(self._tables.read(folders).where(f"kind = '{ARRIVED}'"))
        sent = [self._tables.folder(self._slot, stage) for stage in range(1, number)]
        if sent:
            deliveries = self._tables.read(sent).where(f"kind = '{DELIVERY}' and stage = {number}")
            frame = frame.unionAll(self._as_input(deliveries, kinds))
        for sections in found:
            named = self._as_input(sections, kinds)
            if is_regrouped:
                # Every bucket takes what it needs of those of before.
                named = named.drop("bucket").crossJoin(
                    self.spark.range(job.buckets).selectExpr("cast(id as int) as bucket")
                )
                named = named.select(*kinds)
            frame = frame.unionAll(named)
        return frame

    def _as_input(self, sections: DataFrame, kinds: Mapping[str, str]) -> DataFrame:
        known = {name: name for name in (*SECTIONS.names, "bucket")} | {"origin": "bucket"}
        return sections.selectExpr(
            *(f"cast({_quoted(known.get(name))} as {kind}) as `{name}`" for name, kind in kinds.items())
        )

    # Results

    def found(self, kind: str) -> DataFrame:
        """What the last batch has found."""
        folders = [self._tables.folder(self._slot, stage) for stage in range(1, self.work.job.last + 1)]
        found = self._tables.read(folders).where(f"kind = '{kind}'").select("data")
        return found.mapInArrow(unpacked_rows, self._columns(kind))


def _quoted(name: str | None) -> str:
    return "null" if name is None else f"`{name}`"


def _condition(wanted: Mapping[int, set[KeyPart]], held: Mapping[int, Held]) -> str:
    """Which sections of some buckets are needed, by their numbers: a few too many do no harm."""
    listed = f"bucket in ({', '.join(map(str, sorted(wanted)))})"
    numbers = sorted({part.number for parts in wanted.values() for part in parts})
    everything = sum(len(one.parts) for one in held.values())
    if everything * 64_000 < _SMALL:
        return f"kind in ('rest', 'rows', 'part') and {listed}"
    ranges = " or ".join(
        f"number = {first}" if first == last else f"number between {first} and {last}"
        for first, last in _ranges(numbers)
    )
    return f"kind in ('rest', 'rows', 'part') and {listed} and (number = -1{f' or {ranges}' if ranges else ''})"


def _ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Ranges that have all numbers in them, not many.

    >>> _ranges([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    while len(found) > _MOST_RANGES:
        # The smaller half of the gaps is closed.
        gaps = sorted(after[0] - before[1] for before, after in pairwise(found))
        merged = [found[0]]
        for one in found[1:]:
            if one[0] - merged[-1][1] <= gaps[len(gaps) // 2]:
                merged[-1] = merged[-1][0], one[1]
            else:
                merged.append(one)
        found = merged
    return found


@dataclass
class TableHome:
    """A checkpoint that Spark alone opens."""

    checkpoint: str
    owner: str = ""
    memory: Memory = field(default_factory=Memory)

    def __getstate__(self) -> dict[str, Any]:
        return {"checkpoint": self.checkpoint, "owner": self.owner}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.checkpoint, self.owner, self.memory = state["checkpoint"], state["owner"], Memory()

    def owned(self, owner: str) -> TableHome:
        """The same for a run."""
        return TableHome(self.checkpoint, owner)

    def ledger(self, spark: SparkSession) -> Tables:
        """Where commits are."""
        return Tables(spark, f"{spark_path(self.checkpoint).rstrip('/')}/holdsfor", self.owner, self.memory)

    def opened(self, spark: SparkSession, work: Work) -> tuple[Checkpoint, SparkWorkers]:
        """The checkpoint, and the workers, of a session."""
        tables = self.ledger(spark)
        return TableCheckpoint(tables, work.job.last), TableWorkers(work, tables)
