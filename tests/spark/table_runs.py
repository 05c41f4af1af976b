"""Streams with their state in tables, one bucket after the other in this process: what Spark does, without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.shares import KeyPart
from holdsfor.spark.streaming.clock import Clock
from holdsfor.spark.streaming.commits import last_commit
from holdsfor.spark.streaming.driver import Driver, Report, Seen
from holdsfor.spark.streaming.results import CAUSED, EVENT_CHANGES
from holdsfor.spark.streaming.row_state import reached_by
from holdsfor.spark.streaming.row_tasks import (
    ARRIVED,
    DELIVERY,
    NOTE,
    OUT,
    SECTIONS,
    AskRows,
    KeepAsRows,
    in_schema,
    unpacked_rows,
)
from holdsfor.spark.streaming.rows import Admission, with_batch
from holdsfor.spark.streaming.table_workers import TableWorkers
from holdsfor.spark.streaming.tables import Memory, TableCheckpoint, Tables
from holdsfor.spark.streaming.tasks import notes_of, of_stage
from holdsfor.spark.streaming.turns import Turn
from tests.spark.stream_runs import SimulatedStream, SimulatedWorkers


@dataclass
class LocalTables(Tables):
    """Tables in this process."""

    texts: dict[str, bytes] = field(default_factory=dict)
    folders: dict[str, pa.Table] = field(default_factory=dict)

    def _text(self, name: str) -> bytes | None:
        return self.texts.get(name)

    def _write_text(self, name: str, text: bytes) -> None:
        self.texts[name] = text

    def notes(self, folders: Sequence[str]) -> list[tuple[int, str]]:
        rows = [row for name in folders for row in self.folders[name].select(["kind", "batch", "note"]).to_pylist()]
        return [(row["batch"], row["note"]) for row in rows if row["kind"] == NOTE]

    def put(self, folder: str, batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
        table = pa.concat_tables([OUT.empty_table(), *map(_whole, batches)])
        self.folders[folder] = table
        return notes_of(row["note"] for row in table.select(["kind", "note"]).to_pylist() if row["kind"] == NOTE)

    def forgetful(self) -> LocalTables:
        """The same after a restart of the driver."""
        return LocalTables(self.spark, self.root, self.owner, Memory(), self.texts, self.folders)


def _whole(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])


class LocalTableWorkers(TableWorkers):
    """Buckets in this process. Which parts are reached is always found out, as with a large state."""

    def __init__(self, simulated: SimulatedWorkers, tables: LocalTables) -> None:
        super().__init__(SimpleNamespace(job=simulated.job, stages=simulated.stages), tables)  # type: ignore[arg-type]
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
        parts = enumerate(self._simulated.divided(buckets)._partitions(known))
        out = [batch for bucket, table in parts for batch in task(bucket, table.to_batches())]
        self._local.memory.has_written = True
        notes = self._local.put(self._local.folder(self._slot, 0), out)
        self._simulated._check(notes, known, admission)
        return notes

    def ask(self, rows: Any, turn: Turn) -> list[dict[str, Any]]:
        notes = super().ask(rows, turn)
        self._simulated._check(notes, self._simulated._known(rows), turn.admission)
        return notes

    def _run(
        self,
        rows: Any,
        turn: Turn,
        number: int,
        task: AskRows,
        wanted: Mapping[int, set[KeyPart]],
        *,
        is_regrouped: bool,
    ) -> list[dict[str, Any]]:
        slots, job = self._before.slots, self.work.job
        files = {one.file for held in task.held.values() for one in held.parts.values()}
        batches = sorted({*map(int, files), *(held.batch for held in task.held.values())})
        listed = [self._local.folder(slots[batch], number) for batch in batches]
        found = [row for name in listed for row in self._rows(name) if self._is_wanted(row, wanted)]
        kept = [self._local.folder(slots[batch], 0) for batch in turn.rows]
        found += [row for name in kept for row in self._rows(name) if row["kind"] == ARRIVED]
        sent = [self._local.folder(self._slot, stage) for stage in range(1, number)]
        delivered = [
            row for name in sent for row in self._rows(name) if row["kind"] == DELIVERY and row["stage"] == number
        ]
        out: list[pa.RecordBatch] = []
        for bucket, table in enumerate(self._simulated._partitions(self._simulated._known(rows))):
            mine = [row | {"bucket": bucket} for row in found if is_regrouped or row["origin"] == bucket]
            mine += [row for row in delivered if row["bucket"] == bucket]
            sections = pa.Table.from_pylist([{**row, "stage": None} for row in mine], schema=in_schema(job))
            own = of_stage(table, job, number)
            empty = [pa.nulls(len(own), one.type) for one in SECTIONS]
            rest = pa.table([*own.columns, *empty], schema=in_schema(job))
            both = pa.concat_tables([sections, rest])
            out += task(bucket, both.to_batches(max_chunksize=7))
        return self._local.put(self._local.folder(self._slot, number), out)

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
        folders = [self._local.folder(self._slot, stage) for stage in range(1, self.work.job.last + 1)]
        rows = pa.concat_tables([self._local.folders[name] for name in folders])
        mine = rows.filter(pc.equal(rows["kind"], kind)).select(["data"])
        tables = map(_whole, unpacked_rows(mine.to_batches()))
        return pa.concat_tables([_COLUMNS[kind].empty_table(), *(table.cast(_COLUMNS[kind]) for table in tables)])


class SimulatedTables(SimulatedStream):
    """A stream with its state in tables, given batch by batch. The driver forgets everything between any two."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.tables = LocalTables(None, "memory", "run", Memory())  # type: ignore[arg-type]

    def _run(self, rows: Any, batch: int, until: int | None) -> Report:
        self.tables = self.tables.forgetful()
        workers = LocalTableWorkers(self.workers, self.tables)
        driver: Driver[Any] = replace(
            self.driver, checkpoint=TableCheckpoint(self.tables, self.workers.job.last), workers=workers
        )

        def deliver(report: Report) -> None:
            for kind, kept in (("changes", self.delivered), ("events", self.delivered_events)):
                kept[report.batch] = workers.reported(kind) if report.queries else _COLUMNS[kind].empty_table()

        return driver.run(rows, batch, deliver, until)

    def _clock(self) -> Clock:
        return last_commit(self.tables.forgetful(), {}).clock


_COLUMNS = {"changes": CAUSED, "events": EVENT_CHANGES}
