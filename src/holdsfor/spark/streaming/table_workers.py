"""Workers of a stream whose state is in tables: they open no files, and exchange states as rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import reduce
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from holdsfor.core.shares import KeyPart
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.driver import Checkpoint, Seen
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.row_state import Held, reached_by
from holdsfor.spark.streaming.row_tasks import (
    ARRIVED,
    DELIVERY,
    OUT,
    SECTIONS,
    EvaluateRows,
    KeepAsRows,
    in_schema,
    unpacked_rows,
)
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.small import worked_here
from holdsfor.spark.streaming.store import spark_path
from holdsfor.spark.streaming.swapping import RuleSwap, Swapped
from holdsfor.spark.streaming.table_swapping import swap_in_tables
from holdsfor.spark.streaming.tables import Memory, Reached, TableCheckpoint, Tables, merged
from holdsfor.spark.streaming.tasks import of_stage
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.streaming.workers import SparkWorkers, on_buckets
from holdsfor.spark.timestamps import with_timestamps
from holdsfor.spark.wire import ddl, sql_types, table_of

_SMALL = 4_000_000
"""A smaller state is read whole, because finding the needed parts would cost more."""
_MOST_RANGES = 200


class TableWorkers(SparkWorkers):
    """Workers that open no files, and exchange states as rows."""

    def __init__(self, work: Work, tables: Tables) -> None:
        super().__init__(work, tables.spark)
        self._tables = tables
        self._made: list[pa.Table] = []
        """The output of the stages of a small batch."""
        self._has_evaluated = False
        self._added: dict[str, pa.Table] = {}
        """Rows of changelogs that come from no bucket."""

    @property
    def _before(self) -> Commit:
        assert self._tables.memory.before is not None
        return self._tables.memory.before

    @property
    def _slot(self) -> int:
        return self._tables.memory.slot

    # Inspection of input

    def look(self, rows: DataFrame, latest: int | None = None) -> Seen:
        """The input of a batch, and the affected parts of states."""
        seen = super().look(rows, latest)
        self._tables.memory.reached = self._reached()
        return seen

    def _reached(self) -> Reached:
        """The parts that rows affect; all of them if there are many rows, or if the states are small."""
        stages, buckets = self.work.stages.stages, range(self._buckets)
        found: Reached = {f"{stage.number}-{bucket}": None for stage in stages for bucket in buckets}
        is_small = sum(place.sizes["bytes"] for place in self._before.places.values()) < _SMALL
        if self._fetched is None or is_small or self._buckets != self.work.job.buckets:
            return found
        rows, job = self._fetched.travelling(), self.work.job
        for bucket in buckets:
            mine = rows.filter(pc.equal(rows["bucket"], bucket))
            for number in self._has_parts:
                numbers = reached_by(job, number, bucket, [of_stage(mine, job, number)], ())
                found[f"{number}-{bucket}"] = None if numbers is None else set(numbers)
        return found

    @property
    def _buckets(self) -> int:
        return int(self._before.settings["buckets"])

    # Evaluation

    def keep(self, rows: DataFrame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Stores the rows of a batch for later."""
        self.admission = admission
        task = KeepAsRows(self.work.job, admission, self._tables.owner)
        self._tables.memory.has_written = True
        folder = self._tables.folder(self._slot, 0)
        if self._fetched is not None and buckets == self.work.job.buckets:
            return self._tables.put(worked_here(self._fetched.travelling(), buckets, task, OUT), folder)
        frame = on_buckets(self._travelling(rows, buckets), buckets, task, ddl(OUT))
        return self._tables.written(frame, folder)

    def evaluate(self, rows: DataFrame, evaluation: Evaluation) -> list[dict[str, Any]]:
        """Evaluates the due query times in every bucket, stage by stage."""
        self.admission, self._has_evaluated = evaluation.admission, True
        memory, notes = self._tables.memory, list[dict[str, Any]]()
        memory.has_written = True
        reached = merged(self._before.reached, memory.reached)
        moved = self._tables.worst()
        is_regrouped = evaluation.buckets != self.work.job.buckets
        small = self._small(evaluation)
        for number in range(1, self.work.job.last + 1):
            task, wanted = self._stage(evaluation, number, reached, moved, is_regrouped=is_regrouped)
            states = self._states(evaluation, task, wanted, is_regrouped=is_regrouped)
            batch_notes = self._run(rows, task, states) if small is None else self._run_here(small, task, states)
            for note in batch_notes:
                reached = merged(reached, note.get("sent", {}))
            notes += batch_notes
        if is_regrouped:
            memory.held = {}
        for note in notes:
            self._tables.apply(note)
        needed = {batch for held in memory.held.values() for batch in held.place().batches}
        memory.written = {batch: size for batch, size in memory.written.items() if batch in needed}
        return [
            note | {"place": asdict(memory.held[note["name"]].place())} if "parts" in note else note for note in notes
        ]

    def _run(self, rows: DataFrame, task: EvaluateRows, states: Sequence[DataFrame]) -> list[dict[str, Any]]:
        """Runs a stage and writes its output; returns the notes of its buckets."""
        job, number = self.work.job, task.number
        own = self._travelling(rows, job.buckets)
        if job.wire.staged:
            own = own.where(f"stage = {number}")
        kinds = sql_types(in_schema(job))
        none = [f"cast(null as {kinds[name]}) as `{name}`" for name in SECTIONS.names]
        found = [own.selectExpr("*", *none), *states]
        sent = [self._tables.folder(self._slot, stage) for stage in range(1, number)]
        if sent:
            deliveries = self._tables.read(sent).where(f"kind = '{DELIVERY}' and stage = {number}")
            found.append(_as_input(deliveries, kinds))
        made = on_buckets(reduce(DataFrame.unionAll, found), job.buckets, task, ddl(OUT))
        return self._tables.written(made, self._tables.folder(self._slot, number))

    def _run_here(self, rows: pa.Table, task: EvaluateRows, states: Sequence[DataFrame]) -> list[dict[str, Any]]:
        """Runs a stage of a small batch and writes its output; returns the notes of its buckets."""
        job, schema = self.work.job, in_schema(self.work.job)
        own = of_stage(rows, job, task.number)
        tables = [table_of(schema, len(own), dict(zip(own.column_names, own.columns, strict=True)))]
        tables += [frame.toArrow().cast(schema) for frame in states]
        for earlier in self._made:
            is_for_it = pc.and_(pc.equal(earlier["kind"], DELIVERY), pc.equal(earlier["stage"], task.number))
            sent = earlier.filter(is_for_it)
            columns = {name: sent[name] for name in (*SECTIONS.names, "bucket") if name != "origin"}
            tables.append(table_of(schema, len(sent), columns | {"origin": sent["bucket"]}))
        made = worked_here(pa.concat_tables(tables), job.buckets, task, OUT)
        self._made.append(made)
        return self._tables.put(made, self._tables.folder(self._slot, task.number))

    def _stage(
        self, evaluation: Evaluation, number: int, reached: Reached, moved: int | None, *, is_regrouped: bool
    ) -> tuple[EvaluateRows, dict[int, set[KeyPart]]]:
        """A stage to be run, and the parts that each bucket needs."""
        held = {one.bucket: one for one in self._tables.memory.held.values() if one.stage == number}
        wanted: dict[int, set[KeyPart]] = {}
        copied: dict[int, list[KeyPart]] = {}
        idle, carried = set(), set()
        for bucket, one in held.items():
            numbers: Any = reached.get(f"{number}-{bucket}", set())
            is_anew = is_regrouped or one.plan != evaluation.plan or evaluation.unreported_swap is not None
            if is_anew or numbers is None or one.reached is None:
                wanted[bucket] = set(one.parts)
            elif numbers or one.place().wake <= evaluation.until or evaluation.batches(bucket):
                wanted[bucket] = one.covering([*numbers, *one.reached]) | one.due(evaluation.until)
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
        task = EvaluateRows(
            self.work.job, number, self._tables.owner, evaluation, shipped, frozenset(idle), copied, frozenset(carried)
        )
        return task, wanted

    def _states(
        self, evaluation: Evaluation, task: EvaluateRows, wanted: Mapping[int, set[KeyPart]], *, is_regrouped: bool
    ) -> list[DataFrame]:
        """The state sections and waiting rows that a stage needs."""
        job, slots, found = self.work.job, self._before.slots, list[DataFrame]()
        files = {one.file for held in task.held.values() for one in held.parts.values()}
        batches = sorted({*map(int, files), *(held.batch for held in task.held.values())})
        if batches:
            folders = [self._tables.folder(slots[batch], task.number) for batch in batches]
            found.append(self._tables.read(folders).where(_condition(wanted, task.held)))
        if evaluation.rows:
            folders = [self._tables.folder(slots[batch], 0) for batch in sorted(evaluation.rows)]
            found.append(self._tables.read(folders).where(f"kind = '{ARRIVED}'"))
        kinds = sql_types(in_schema(job))
        named = [_as_input(sections, kinds) for sections in found]
        if is_regrouped:
            # Every new bucket takes what it needs from all old buckets.
            buckets = self.spark.range(job.buckets).selectExpr("cast(id as int) as bucket")
            named = [one.drop("bucket").crossJoin(buckets).select(*kinds) for one in named]
        return named

    # Swap of rules

    def swap(self, how: RuleSwap, before: Commit, batch: int, settings: Mapping[str, Any]) -> Swapped:
        """Changes the rules; the new states have a slot of their own."""
        self.swapped = batch
        return swap_in_tables(how, before, batch, settings, self._tables)

    def add(self, kind: str, rows: pa.Table, batch: int) -> None:  # noqa: ARG002 -- there is one batch
        """Adds rows to a changelog of the batch."""
        self._added[kind] = with_timestamps(rows, self.work.job.time_scale)

    # Results

    def found(self, kind: str) -> DataFrame:
        """The results of the last batch."""
        added = self._added.get(kind)
        if self._made or not self._has_evaluated:
            rows = pa.concat_tables([OUT.empty_table(), *self._made]).select(["kind", "data"])
            mine = rows.filter(pc.equal(rows["kind"], kind)).select(["data"])
            batches = [*unpacked_rows(mine.to_batches()), *([] if added is None else added.to_batches())]
            return self.spark.createDataFrame(pa.Table.from_batches(batches))
        folders = [self._tables.folder(self._slot, stage) for stage in range(1, self.work.job.last + 1)]
        found = self._tables.read(folders).where(f"kind = '{kind}'").select("data")
        changes = found.mapInArrow(unpacked_rows, self._columns(kind))
        return changes if added is None else changes.unionByName(self.spark.createDataFrame(added))


def _as_input(sections: DataFrame, kinds: Mapping[str, str]) -> DataFrame:
    """Sections with the input columns of a stage."""
    known = {name: name for name in (*SECTIONS.names, "bucket")} | {"origin": "bucket"}
    return sections.selectExpr(
        *(f"cast({_quoted(known.get(name))} as {kind}) as `{name}`" for name, kind in kinds.items())
    )


def _quoted(name: str | None) -> str:
    return "null" if name is None else f"`{name}`"


def _condition(wanted: Mapping[int, set[KeyPart]], held: Mapping[int, Held]) -> str:
    """A condition for the needed sections of some buckets, by number; it may select a few more."""
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
    """A few ranges that cover all numbers.

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
        # Closes the smaller half of the gaps.
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
    """A checkpoint that only Spark opens."""

    checkpoint: str
    owner: str = ""
    memory: Memory = field(default_factory=Memory)

    def __getstate__(self) -> dict[str, Any]:
        return {"checkpoint": self.checkpoint, "owner": self.owner}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.checkpoint, self.owner, self.memory = state["checkpoint"], state["owner"], Memory()

    def owned(self, owner: str) -> TableHome:
        """The same checkpoint for a run."""
        return TableHome(self.checkpoint, owner)

    def ledger(self, spark: SparkSession) -> Tables:
        """The storage of commits."""
        return Tables(spark, f"{spark_path(self.checkpoint).rstrip('/')}/holdsfor", self.owner, self.memory)

    def opened(self, spark: SparkSession, work: Work) -> tuple[Checkpoint, SparkWorkers]:
        """The checkpoint and the workers of a session."""
        tables = self.ledger(spark)
        return TableCheckpoint(tables), TableWorkers(work, tables)
