"""A metric program on a stream, its buckets one after the other in this process: what Spark does, without Spark."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import MetricFact
from holdsfor.metric.goals import Goals
from holdsfor.spark.metric.changes import CHANGES, CLOSE, OPEN
from holdsfor.spark.metric.driver import MetricReport, MicroBatches
from holdsfor.spark.metric.job import MetricJob, fingerprint
from holdsfor.spark.metric.reading import FrameKind
from holdsfor.spark.metric.tasks import ASIDE_ROWS, Advance, BatchAssignment, ReadStream, StoreFacts
from holdsfor.spark.metric.wire import wire_schema
from holdsfor.spark.streaming.store import Store
from tests.spark.metric_simulated import Row, as_row, passed


class Killed(Exception):
    """The process is gone before a batch is committed."""


@dataclass
class Simulated:
    """A run on buckets in this process. `kills` says in which batches, when they are run first, it is killed."""

    job: MetricJob
    root: str
    lateness: Fraction = Fraction(0)
    kills: frozenset[int] = frozenset()
    max_ahead: Fraction | None = None
    changes: dict[int, pa.Table] = field(default_factory=dict)
    aside: dict[int, pa.Table] = field(default_factory=dict)
    reports: list[MetricReport] = field(default_factory=list)

    @classmethod
    def of(cls, plan: MetricPlan, buckets: int, root: str, goals: Goals | None = None, **more: Any) -> Simulated:
        """A run of a plan, or of the questions about it."""
        return cls(MetricJob.of(plan, buckets, goals=goals), root, **more)

    def run(self, batches: Sequence[Sequence[MetricFact]]) -> None:
        """Work on all micro-batches; each that is killed is run again."""
        for number, facts in enumerate(batches):
            if number in self.kills:
                with contextlib.suppress(Killed):
                    self._batch(number, facts, killed=True)
            self._batch(number, facts, killed=False)

    def _batch(self, number: int, facts: Sequence[MetricFact], *, killed: bool) -> None:
        store = Store(f"{self.root}/holdsfor")
        settings = {"rules": fingerprint(self.job.plan, self.job.goals), "buckets": self.job.buckets}
        driver = MicroBatches(store, settings, _Workers(self.job, store), self.lateness, self.max_ahead)

        def deliver(report: MetricReport, has_aside: bool) -> None:
            if report.changes:
                self.changes[number] = _parquet(store, f"{number}/changes", CHANGES)
            if has_aside:
                self.aside[number] = _parquet(store, f"{number}/aside", ASIDE_ROWS)
            if killed:
                raise Killed

        lines = pa.table({"value": pa.array([metric_text(fact).strip() for fact in facts], pa.string())})
        self.reports.append(driver.run(lines, number, deliver))

    def intervals(self) -> list[Row]:
        """What the changes leave."""
        tables = [CHANGES.empty_table(), *(self.changes[number] for number in sorted(self.changes))]
        return replayed(pa.concat_tables(tables).to_pylist())


def replayed(changes: Iterable[dict[str, Any]]) -> list[Row]:
    """The intervals that changes leave. Each opens once, and closes once at most."""
    left: dict[str, Row] = {}
    closed: set[str] = set()
    for change in changes:
        name = change["id"]
        if change["op"] == OPEN:
            assert name not in left
        else:
            assert change["op"] == CLOSE and name not in closed and left[name][4] is None
            assert left[name][:4] == as_row(change)[:4]
            closed.add(name)
        left[name] = as_row(change)
    return list(left.values())


def _parquet(store: Store, folder: str, schema: pa.Schema) -> pa.Table:
    return pq.read_table(store.path(folder), schema=schema)


@dataclass(frozen=True)
class _Workers:
    job: MetricJob
    store: Store

    def store_facts(
        self, rows: pa.Table, batch: int, reached: Fraction | None, latest: Fraction | None = None
    ) -> list[dict[str, Any]]:
        read = list(ReadStream(self.job, FrameKind())(rows.to_batches(max_chunksize=3)))
        table = pa.Table.from_batches(read, wire_schema(self.job))
        notes = passed(StoreFacts(self.job, self.store, batch, reached, latest), table, self.job.buckets, _NOTE)
        return _notes(notes)

    def advance(self, turn: BatchAssignment) -> list[dict[str, Any]]:
        count = self.job.buckets
        table = pa.table({"id": range(count), "bucket": range(count)})
        for number in range(1, self.job.last + 1):
            task = Advance(self.job, number, self.store, turn)
            table = passed(task, table, count, task.out_schema)
        return _notes(table)


_NOTE = pa.schema([("note", pa.string())])


def _notes(table: pa.Table) -> list[dict[str, Any]]:
    from holdsfor.spark.streaming.tasks import notes_of

    return notes_of(table["note"].to_pylist())
