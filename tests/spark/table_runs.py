"""Streams with their state in tables, one bucket after the other in this process: what Spark does, without Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.shares import KeyPart
from holdsfor.spark.streaming.commits import Commit, last_commit
from holdsfor.spark.streaming.driver import Driver, Report, Seen
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.results import CAUSED, EVENT_CHANGES
from holdsfor.spark.streaming.row_state import reached_by
from holdsfor.spark.streaming.row_tasks import (
    ARRIVED,
    NOTE,
    OUT,
    EvaluateRows,
    KeepAsRows,
    in_schema,
    unpacked_rows,
)
from holdsfor.spark.streaming.rows import Admission, with_batch
from holdsfor.spark.streaming.small import worked_here
from holdsfor.spark.streaming.table_workers import TableWorkers
from holdsfor.spark.streaming.tables import Memory, TableCheckpoint, Tables
from holdsfor.spark.streaming.tasks import notes_of, of_stage
from tests.spark.stream_runs import SimulatedStream, SimulatedWorkers


@dataclass
class LocalTables(Tables):
    """Tables in this process."""

    texts: dict[str, bytes] = field(default_factory=dict)
    folders: dict[str, pa.Table] = field(default_factory=dict)

    def _text(self, name: str) -> bytes | None:
        return self.texts.get(name)

    def _write_text(self, name: str, text: bytes, batch: int = -1) -> None:  # noqa: ARG002 -- there are no offsets
        self.texts[name] = text

    def spark_files(self) -> dict[str, Any]:
        return {}

    def notes(self, folders: Sequence[str]) -> list[tuple[int, str]]:
        rows = [row for name in folders for row in self.folders[name].select(["kind", "batch", "note"]).to_pylist()]
        return [(row["batch"], row["note"]) for row in rows if row["kind"] == NOTE]

    def fetched(self, folders: Sequence[str], kinds: Sequence[str]) -> list[dict[str, Any]]:
        names = ["kind", "batch", "bucket", "number", "of", "data"]
        rows = [row for name in folders for row in self.folders[name].select(names).to_pylist()]
        return [{**row, "origin": row["bucket"]} for row in rows if row["kind"] in kinds]

    def put(self, made: pa.Table, folder: str) -> list[dict[str, Any]]:
        self.folders[folder] = made
        return notes_of(row["note"] for row in made.select(["kind", "note"]).to_pylist() if row["kind"] == NOTE)

    def forgetful(self) -> LocalTables:
        """The same after a restart of the driver."""
        return LocalTables(self.spark, self.root, self.owner, Memory(), self.texts, self.folders)


def _whole(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])


class LocalTableWorkers(TableWorkers):
    """Buckets in this process. Which parts are reached is always found out, as with a large state."""

    def __init__(self, simulated: SimulatedWorkers, tables: LocalTables) -> None:
        work = SimpleNamespace(job=simulated.job, stages=simulated.stages, windows=simulated.windows)
        super().__init__(work, tables)  # type: ignore[arg-type]
        self._simulated, self._local = simulated, tables

    def look(self, rows: Any, latest: int | None = None) -> Seen:
        divided = self._simulated.divided(self._buckets)
        found: dict[str, Any] = {}
        for bucket, table in enumerate(divided._partitions(self._simulated._known(rows))):
            for stage in range(1, divided.job.last + 1):
                mine = of_stage(table, divided.job, stage)
                found[f"{stage}-{bucket}"] = reached_by(divided.job, stage, bucket, [with_batch(mine, 0)], ())
        self._local.memory.reached = {name: None if one is None else set(one) for name, one in found.items()}
        return self._simulated.look(rows, latest)

    def middle(self, rows: Any) -> tuple[int, int]:
        return self._simulated.middle(rows)

    def keep(self, rows: Any, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        known = self._simulated._known(rows)
        task = KeepAsRows(self.work.job, admission, self._local.owner)
        travelling = pa.concat_tables(self._simulated.divided(buckets)._partitions(known))
        self._local.memory.has_written = True
        notes = self._local.put(worked_here(travelling, buckets, task, OUT), self._local.folder(self._slot, 0))
        self._simulated._check(notes, known, admission)
        return notes

    def evaluate(self, rows: Any, evaluation: Evaluation) -> list[dict[str, Any]]:
        known = self._simulated._known(rows)
        self._travelling_rows = pa.concat_tables(self._simulated._partitions(known))
        notes = super().evaluate(rows, evaluation)
        self._simulated._check(notes, known, evaluation.admission)
        return notes

    def _small(self, evaluation: Evaluation) -> pa.Table:  # noqa: ARG002 -- all batches are
        return self._travelling_rows

    def _states(
        self, evaluation: Evaluation, task: EvaluateRows, wanted: Mapping[int, set[KeyPart]], *, is_regrouped: bool
    ) -> list[Any]:
        slots, job = self._before.slots, self.work.job
        files = {one.file for held in task.held.values() for one in held.parts.values()}
        batches = sorted({*map(int, files), *(held.batch for held in task.held.values())})
        listed = [self._local.folder(slots[batch], task.number) for batch in batches]
        found = [row for name in listed for row in self._rows(name) if self._is_wanted(row, wanted)]
        kept = [self._local.folder(slots[batch], 0) for batch in evaluation.rows]
        found += [row for name in kept for row in self._rows(name) if row["kind"] == ARRIVED]
        targets = range(job.buckets)
        placed = [
            {**row, "stage": None, "bucket": bucket}
            for row in found
            for bucket in (targets if is_regrouped else [row["origin"]])
        ]
        sections = pa.Table.from_pylist(placed, schema=in_schema(job))
        return [SimpleNamespace(toArrow=lambda: sections)]

    def _rows(self, folder: str) -> list[dict[str, Any]]:
        names = ["kind", "batch", "stage", "bucket", "number", "of", "q", "data"]
        return [{**row, "origin": row["bucket"]} for row in self._local.folders[folder].select(names).to_pylist()]

    @staticmethod
    def _is_wanted(row: dict[str, Any], wanted: Mapping[int, set[KeyPart]]) -> bool:
        """Only what was asked for is there."""
        if row["kind"] == "part":
            return KeyPart(row["number"], row["of"]) in wanted.get(row["bucket"], ())
        return row["kind"] in ("rest", "rows") and row["bucket"] in wanted

    def reported(self, kind: str) -> pa.Table:
        """A changelog of the last batch."""
        added = [self._added[kind]] if kind in self._added else []
        if not self._has_evaluated:
            return pa.concat_tables([_COLUMNS[kind].empty_table(), *added])
        folders = [self._local.folder(self._slot, stage) for stage in range(1, self.work.job.last + 1)]
        rows = pa.concat_tables([self._local.folders[name] for name in folders])
        mine = rows.filter(pc.equal(rows["kind"], kind)).select(["data"])
        tables = map(_whole, unpacked_rows(mine.to_batches()))
        listed = (table.cast(_COLUMNS[kind]) for table in tables)
        return pa.concat_tables([_COLUMNS[kind].empty_table(), *listed, *added])


class SimulatedTables(SimulatedStream):
    """A stream with its state in tables, given batch by batch. The driver forgets everything between any two."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.tables = LocalTables(None, "memory", "run", Memory())  # type: ignore[arg-type]

    def _run(self, rows: Any, batch: int, until: int | None) -> Report:
        self.tables = self.tables.forgetful()
        workers = LocalTableWorkers(self.workers, self.tables)
        driver: Driver[Any] = replace(self.driver, checkpoint=TableCheckpoint(self.tables), workers=workers)

        def deliver(report: Report) -> None:
            for kind, kept in (("changes", self.delivered), ("events", self.delivered_events)):
                kept[report.batch] = workers.reported(kind)

        return driver.run(rows, batch, deliver, until)

    def _last(self) -> Commit:
        return last_commit(self.tables.forgetful(), {})


_COLUMNS = {"changes": CAUSED, "events": EVENT_CHANGES}
