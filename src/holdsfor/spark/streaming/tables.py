"""Checkpoints that Spark alone reads and writes: on any store that it knows, also where workers may not open paths.

A batch writes what it has found, and the parts of the state that it has changed, in one write for each stage, to the folder
of a *slot*. Slots that no commit needs are overwritten: nothing is ever listed, moved or deleted by itself.

| folder | |
| --- | --- |
| `slot-<n>/<stage>` | sections of states, notes for the driver, bytes for later stages, changes: Parquet, see row_tasks.py |
| `slot-<n>/0` | rows that came in when no query time was due |
| `commit-0`, `commit-1` | the last two commits, by turns: one is whole while the other is written |
| `history` | there if a history was begun before the stream |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.core.shares import KeyPart
from holdsfor.spark.streaming.chain import add_link
from holdsfor.spark.streaming.commits import Commit, last_commit
from holdsfor.spark.streaming.driver import Checkpoint, Seen
from holdsfor.spark.streaming.frames import reached_parts
from holdsfor.spark.streaming.results import UNMATCHED
from holdsfor.spark.streaming.row_state import MOST_LISTED, Held
from holdsfor.spark.streaming.row_tasks import (
    ARRIVED,
    DELIVERY,
    NOTE,
    SECTIONS,
    STATE_SQL,
    AskRows,
    KeepAsRows,
    in_schema,
    out_sql,
)
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.seals import DamagedCheckpoint
from holdsfor.spark.streaming.state import MOST_FILES
from holdsfor.spark.streaming.store import spark_path
from holdsfor.spark.streaming.tasks import notes_of
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.streaming.workers import SparkWorkers, on_buckets
from holdsfor.spark.wire import ddl, sql_types

Reached = dict[str, set[int] | None]
"""Which parts are reached, by stage and bucket; None is all of them."""
_SMALL = 4_000_000
"""A state of fewer bytes is read as a whole: to find out which parts are needed would cost more."""
_MOST_RANGES = 200
_SPARE = 1_000_000
# Small row groups, so that those without a part that is needed are skipped.
_WRITING = {
    "parquet.block.size": "262144",
    "parquet.block.size.row.check.min": "4",
    "parquet.block.size.row.check.max": "64",
}


@dataclass
class _Memory:
    """What the driver knows from one batch to the next; all of it is in the tables, too."""

    commits: dict[int, bytes] | None = None
    held: dict[str, Held] = field(default_factory=dict)
    held_after: int | None = None
    """The batch whose states `held` is about."""
    written: dict[int, int] = field(default_factory=dict)
    """How many bytes of states each batch has written."""
    before: Commit | None = None
    reached: Reached = field(default_factory=dict)
    has_written: bool = False


@dataclass
class Tables:
    """The tables of a run, in a session. It is also where commits are."""

    spark: SparkSession
    root: str
    owner: str
    memory: _Memory

    # Commits

    def committed(self) -> list[int]:
        """The batches whose commits are there."""
        if self.memory.commits is None:
            found = [self._text(f"commit-{place}") for place in (0, 1)]
            self.memory.commits = {
                self._number(place, text): text for place, text in enumerate(found) if text is not None
            }
        return sorted(self.memory.commits)

    def _number(self, place: int, text: bytes) -> int:
        try:
            return int(json.loads(text)["batch"])
        except (ValueError, KeyError, TypeError):
            raise DamagedCheckpoint(f"{self.root}/commit-{place}", "has been cut or overwritten") from None

    def _text(self, name: str) -> bytes | None:
        try:
            rows = self.spark.read.text(f"{self.root}/{name}").collect()
        except AnalysisException as problem:
            if problem.getCondition() == "PATH_NOT_FOUND":
                return None
            raise
        # A write that was stopped leaves a folder without files.
        return "\n".join(row.value for row in rows).encode() if rows else None

    def batches(self) -> list[int]:
        """The batches that were begun, as far as can be seen."""
        found = self.committed()
        return found if found or self._text("history") is None else [-1]

    def commit_path(self, batch: int) -> str:
        """Where the commit of a batch is."""
        return f"{self.root}/commit-{batch % 2}"

    def commit_text(self, batch: int) -> bytes:
        """The commit of a batch."""
        self.committed()
        assert self.memory.commits is not None
        return self.memory.commits[batch]

    def write_commit(self, batch: int, text: bytes) -> None:
        """Write the commit of a batch, in the place of the one before the last."""
        self._write_text(f"commit-{batch % 2}", text)
        self.memory.commits = {known: told for known, told in (self.memory.commits or {}).items() if known == batch - 1}
        self.memory.commits[batch] = text

    def begin_history(self) -> None:
        """Remember that a history has begun, which a stream must not go without."""
        self._write_text("history", b"begun")

    def _write_text(self, name: str, text: bytes) -> None:
        table = pa.table({"value": pa.array([text.decode()])})
        self.spark.createDataFrame(table).coalesce(1).write.mode("overwrite").text(f"{self.root}/{name}")

    def spark_files(self) -> dict[str, Any]:
        """Spark's own files are looked at where they are files."""
        return {}

    def check_spark_files(self, told: Mapping[str, Any]) -> None:
        """There is nothing to compare."""

    # Slots

    def folder(self, slot: int, stage: int) -> str:
        """Where a batch with a slot has written what is of a stage; stage 0 has rows that wait."""
        return f"{self.root}/slot-{slot}/{stage}"

    def read(self, folders: Sequence[str], schema: str = STATE_SQL) -> DataFrame:
        """What is in some folders."""
        try:
            return self.spark.read.schema(schema).parquet(*folders)
        except AnalysisException as problem:
            if problem.getCondition() == "PATH_NOT_FOUND":
                raise DamagedCheckpoint(_named(folders, str(problem)), "is missing") from None
            raise

    def written(self, frame: DataFrame, folder: str) -> list[dict[str, Any]]:
        """Write what a stage gives out; the notes among it."""
        watch = Observation()
        notes = F.collect_list(F.when(F.col("kind") == NOTE, F.col("note"))).alias("notes")
        frame.observe(watch, notes).write.mode("overwrite").options(**_WRITING).parquet(folder)
        return notes_of(watch.get["notes"])

    # Where states are

    def load(self, before: Commit, last: int) -> None:
        """Know where the states of a commit are, by the notes of those who wrote them, of so many stages."""
        memory = self.memory
        if memory.held_after == before.batch:
            return
        memory.held, memory.written = {}, {}
        batches = sorted({batch for place in before.places.values() for batch in place.batches})
        folders = [self.folder(before.slots[batch], stage) for batch in batches for stage in range(1, last + 1)]
        found = self.read(folders).where(f"kind = '{NOTE}'").select("batch", "note").collect() if folders else []
        for _, note in sorted((row.batch, row.note) for row in found):
            self.apply(json.loads(note))
        if memory.held.keys() != before.places.keys():
            missing = sorted(before.places.keys() - memory.held.keys())
            raise DamagedCheckpoint(self.root, f"does not have the state of bucket {', '.join(missing)}")
        memory.held_after = before.batch

    def apply(self, note: Mapping[str, Any]) -> None:
        """Take in what a worker has told of a state."""
        if "parts" not in note:
            return
        held = Held.of(note, self.memory.held.get(note["name"]))
        self.memory.held[note["name"]] = held
        batch = note["written"]
        own = held.size if note["batch"] == batch else 0
        size = own + sum(one[3] for one in note["parts"])
        self.memory.written[batch] = self.memory.written.get(batch, 0) + size

    def worst(self) -> int | None:
        """The batch whose folder has too little of use, if there are many folders or much is of no use."""
        used: dict[int, int] = {}
        for held in self.memory.held.values():
            used[held.batch] = used.get(held.batch, 0) + held.size
            for one in held.parts.values():
                used[int(one.file)] = used.get(int(one.file), 0) + one.size
        waste = sum(max(0, self.memory.written.get(batch, 0) - size) for batch, size in used.items())
        if len(used) <= MOST_FILES and waste <= sum(used.values()) + _SPARE:
            return None
        if len(used) > MOST_FILES:
            return min(used, key=lambda batch: used[batch])
        return min(used, key=lambda batch: used[batch] / max(1, self.memory.written.get(batch, 0)))


def _named(folders: Sequence[str], problem: str) -> str:
    return next((folder for folder in folders if folder in problem), folders[0])


@dataclass(frozen=True)
class TableCheckpoint:
    """Commits and states in tables."""

    tables: Tables
    stages: int

    def before(self, settings: Mapping[str, Any], batch: int) -> Commit:
        """The commit of the batch before one."""
        found = last_commit(self.tables, settings, below=batch)
        if batch < 0:
            self.tables.begin_history()
        memory = self.tables.memory
        self.tables.load(found, self.stages)
        memory.before, memory.reached, memory.has_written = found, {}, False
        return found

    def commit(self, commit: Commit, before: Commit) -> None:
        """Say that a batch is done."""
        memory = self.tables.memory
        slots = dict(before.slots)
        if memory.has_written:
            slots[commit.batch] = free_slot(before)
        reached = _merged(before.reached, memory.reached) if commit.rows else {}
        commit = replace(
            commit,
            slots={batch: slot for batch, slot in slots.items() if batch in commit.needed},
            reached={name: None if one is None else sorted(one) for name, one in reached.items()},
        )
        add_link(self.tables, commit.batch, commit.data(), before.link)
        memory.held_after = commit.batch


def free_slot(before: Commit) -> int:
    """The first slot that a commit does not need."""
    needed = {before.slots[batch] for batch in before.needed if batch in before.slots}
    return next(slot for slot in range(len(needed) + 1) if slot not in needed)


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Reached:
    """Which parts are reached by either."""
    found: Reached = {}
    for name in {*one, *other}:
        sets = [one.get(name, ()), other.get(name, ())]
        found[name] = None if any(part is None for part in sets) else {number for part in sets for number in part}
    return found


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
        scale = self.work.job.time_scale
        frame = on_buckets(self._travelling(rows, buckets), buckets, task, out_sql(scale))
        self._tables.memory.has_written = True
        return self._tables.written(frame, self._tables.folder(self._slot, 0))

    def ask(self, rows: DataFrame, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn, stage by stage."""
        self.admission = turn.admission
        memory, notes = self._tables.memory, list[dict[str, Any]]()
        memory.has_written = True
        reached = _merged(self._before.reached, memory.reached)
        moved = self._tables.worst()
        is_regrouped = turn.buckets != self.work.job.buckets
        for number in range(1, self.work.job.last + 1):
            task, wanted = self._stage(turn, number, reached, moved, is_regrouped=is_regrouped)
            frame = self._input(rows, turn, number, task, wanted, is_regrouped=is_regrouped)
            made = on_buckets(frame, self.work.job.buckets, task, out_sql(self.work.job.time_scale))
            told = self._tables.written(made, self._tables.folder(self._slot, number))
            for note in told:
                reached = _merged(reached, note.get("sent", {}))
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
        rows = self._tables.read(folders, out_sql(self.work.job.time_scale)).where(f"kind = '{kind}'")
        if kind == "unmatched":
            return rows.selectExpr(f"from_json(note, '{ddl(UNMATCHED)}') as found").select("found.*")
        if kind == "events":
            return rows.selectExpr("id", "op", "fluent as event", "start as time", "query_time")
        return rows.drop("kind", "batch", "stage", "bucket", "number", "of", "q", "data", "note")


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
    memory: _Memory = field(default_factory=_Memory)

    def __getstate__(self) -> dict[str, Any]:
        return {"checkpoint": self.checkpoint, "owner": self.owner}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.checkpoint, self.owner, self.memory = state["checkpoint"], state["owner"], _Memory()

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
