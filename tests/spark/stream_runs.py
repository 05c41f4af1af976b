"""Micro-batches in this process, one bucket after the other: what a streaming run does, without Spark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.fingerprint import fingerprint
from holdsfor.columns.report import event_rows, interval_rows
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.program import encoded
from holdsfor.core.run import RecordedRun
from holdsfor.core.shares import identity_of
from holdsfor.io.ahead import quantile
from holdsfor.loading import Reasoner
from holdsfor.physical.exactness import SwapPlan
from holdsfor.reference import EventRow, IntervalRow, Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark.job import Job, Rows, SourceRows, Span, make_job, plan_rows
from holdsfor.spark.stages import StagePlan, bucket_count, physical_stages
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.commits import Commit, last_commit
from holdsfor.spark.streaming.driver import Driver, Report, Seen
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.results import CAUSED, EVENT_CHANGES, UNMATCHED
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, ROW, ROW_COPY, Admission, KeepRows, travelling_schema
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.swapping import RuleSwap, Swapped
from holdsfor.spark.streaming.tasks import EvaluateStage, FileStates, add_rows, notes_of
from holdsfor.spark.streaming.workers import FileCheckpoint
from holdsfor.syntax.numbers import number_text
from tests.spark.simulated import _cells, _sources, _targets
from tests.strategies.changelog import snapshot


@dataclass(frozen=True)
class Sent:
    """A record on its way, or its retraction, and its source if there are several."""

    record: Record
    retracted: bool = False
    source: str = ""


def clock_time(record: Record, *, by_event: bool) -> int:
    if not by_event:
        return record.arrival
    return record.time if isinstance(record, Occurrence) else record.start


def load_query(arrival: int, clock: Clock, windows: Windows) -> int:
    """The query time at which a row is first seen."""
    assert clock.query is not None
    return arrival + (clock.query - arrival) % windows.step


def is_late(record: Record, arrival: int, clock: Clock, windows: Windows) -> bool:
    low = load_query(arrival, clock, windows) - windows.size
    if arrival <= low:
        return True
    if isinstance(record, Occurrence):
        return record.time <= low
    return record.start <= low if record.is_point else record.end <= low + 1


@dataclass
class SimulatedWorkers:
    """Buckets in this process."""

    job: Job
    stages: StagePlan
    rows: Rows
    sources: list[SourceRows]
    store: Store
    windows: Windows
    reasoner: Reasoner
    retracting: bool
    used: list[tuple[Sent, int, int]] = field(default_factory=list)
    """Rows that were taken in, the arrival they were given, and their batch."""
    now: int | None = None
    """The processing time of the next batch."""

    def look(self, rows: Sequence[Sent], latest: int | None = None) -> Seen:
        known = [(sent, time) for sent, time in self._known(rows) if latest is None or time <= latest]
        if not known:
            return Seen(now=self.now)
        times = [time for _, time in known]
        several = self.windows.lateness_of
        last_of = {one: max(time for sent, time in known if sent.source == one) for one in {s.source for s, _ in known}}
        return Seen(len(times), 0, min(times), max(times), self.now, last_of if several else {})

    def middle(self, rows: Sequence[Sent]) -> tuple[int, int]:
        times = np.array([time for _, time in self._known(rows)], np.int64)
        return quantile(times, 1, 4), quantile(times, 1, 2)

    def _known(self, rows: Sequence[Sent]) -> list[tuple[Sent, int]]:
        """Rows that some stage reads, and the time that the clock goes by."""
        read = {self.sources[place] for _, place in self.rows.inputs}
        known = [sent for sent in rows if read.intersection(_sources([sent.record], self.reasoner)[0])]
        return [(sent, clock_time(sent.record, by_event=self.windows.by_event)) for sent in known]

    def _noted(self, known: list[tuple[Sent, int]], admission: Admission) -> tuple[int, int]:
        """Remember which rows count; how many are late, and too far ahead."""
        late = ahead = 0
        clock, batch = admission.clock, admission.batch
        self.used[:] = [found for found in self.used if found[2] != batch]
        for sent, time in known:
            arrival = time if clock.query is None else max(time, clock.query + 1)
            if admission.latest is not None and time > admission.latest:
                ahead += 1
            elif clock.start is not None and (
                time <= clock.start or is_late(sent.record, arrival, clock, self.windows)
            ):
                late += 1
            else:
                self.used.append((sent, arrival, batch))
        return late, ahead

    def keep(self, rows: Sequence[Sent], admission: Admission, buckets: int) -> list[dict[str, Any]]:
        known = self._known(rows)
        task = KeepRows(self.job, admission, self.store)
        partitions = self.divided(buckets)._partitions(known)
        notes = [note for bucket, found in enumerate(partitions) for note in _notes(task(bucket, found.to_batches()))]
        self._check(notes, known, admission)
        return notes

    def _check(self, notes: list[dict[str, Any]], known: list[tuple[Sent, int]], admission: Admission) -> None:
        counted = tuple(sum(note.get(name, 0) for note in notes) for name in ("late", "ahead"))
        assert counted == self._noted(known, admission)

    def divided(self, buckets: int) -> SimulatedWorkers:
        """The same with another number of buckets."""
        stages = physical_stages(self.reasoner.plan, buckets, tied=False)
        sides = tuple(stage.sides for stage in stages.stages)
        return replace(self, job=replace(self.job, buckets=buckets, sides=sides), stages=stages)

    def travelling(self, rows: Sequence[Sent]) -> pa.Table:
        """Rows on their way to all buckets."""
        return pa.concat_tables(self._partitions(self._known(rows)))

    def _partitions(self, known: list[tuple[Sent, int]]) -> list[pa.Table]:
        """Rows on their way, by the buckets that they go to."""
        made: list[dict[str, Any]] = []
        for one, time in known:
            sources, values = _sources([one.record], self.reasoner)
            made += self._copies(sources[0], *values[0][0], one, time)
        table = pa.Table.from_pylist(made, schema=travelling_schema(self.job.wire))
        bucket = table["bucket"].to_numpy()
        return [table.filter(pa.array(bucket == place)) for place in range(self.job.buckets)]

    def _copies(
        self, source: SourceRows, times: dict[str, Any], args: list[Value], sent: Sent, arrival: int
    ) -> Iterable[dict[str, Any]]:
        place, is_first = self.sources.index(source), True
        for (number, where), (tag_number, tag) in self.rows.inputs.items():
            if where != place:
                continue
            stage = self.stages.stages[number - 1]
            delivery = next(one for one in stage.deliveries if one.symbol == source.symbol)
            slots = [*tag.args, *([tag.value] if tag.value else [])]
            # Numbers that Spark has no type for are text.
            texts = [
                number_text(arg) if slot[0] == "u" and isinstance(arg, int) else arg
                for slot, arg in zip(slots, args, strict=True)
            ]
            row = times | dict(zip(slots, texts, strict=True)) | {"arrival": arrival}
            targets = _targets(delivery.spreading, args, self.job, number)
            if stage.sides:
                targets = _cells(delivery, args, stage.sides)
            for bucket in targets:
                marks = (BACK, BACK_COPY) if sent.retracted else (ROW, ROW_COPY)
                mark = marks[0 if is_first else 1]
                is_first = False
                yield row | {"tag": tag_number, "stage": number, "bucket": bucket, "retracted": mark}

    def swap(self, how: RuleSwap, before: Commit, batch: int, settings: Any) -> Swapped:
        return how.carry_out(before, settings, FileStates(self.store, how.earlier, before, batch))

    def add(self, kind: str, rows: pa.Table, batch: int) -> None:
        add_rows(self.store, kind, rows, batch, None)

    def evaluate(self, rows: Sequence[Sent], evaluation: Evaluation) -> list[dict[str, Any]]:
        known = self._known(rows)
        found = self._partitions(known)
        for number in range(1, self.job.last + 1):
            task = EvaluateStage(self.job, number, self.store, evaluation)
            out = [
                pa.Table.from_batches([batch])
                for bucket, one in enumerate(found)
                for batch in task(bucket, one.to_batches(max_chunksize=5))
            ]
            table = pa.concat_tables([task.out_schema.empty_table(), *out])
            if not task.is_last:
                place = table["bucket"].to_numpy()
                found = [table.filter(pa.array(place == bucket)) for bucket in range(self.job.buckets)]
        notes = notes_of(table["note"].to_pylist())
        self._check(notes, known, evaluation.admission)
        return notes


def _notes(batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [note for batch in batches for note in notes_of(batch.column(0).to_pylist())]


_MOST_LISTED = 10**6


class SimulatedStream:
    """A streaming run whose batches are given one by one."""

    def __init__(
        self,
        reasoner: Reasoner,
        sent: Sequence[Sent],
        windows: Windows,
        folder: Path,
        *,
        start: int | None = None,
        buckets: int = 3,
        store: Store | None = None,
        max_ahead: float | None = math.inf,
    ) -> None:
        buckets = bucket_count(reasoner.plan, buckets)
        self.store = store or Store.below(str(folder))
        self.windows = windows
        self.workers = self._workers(reasoner, sent, buckets)
        plan = identity_of(encoded(reasoner.plan))
        known = start, self.workers.retracting, max_ahead, plan
        settings = self._settings(reasoner, buckets)
        self.driver = Driver(FileCheckpoint(self.store), settings, windows, self.workers, *known)
        self.delivered: dict[int, pa.Table] = {}
        self.delivered_events: dict[int, pa.Table] = {}
        self.delivered_unmatched: dict[int, pa.Table] = {}
        """Kept as a sink gets them, because later batches delete the files."""
        self.reports: list[Report] = []
        self.asked: list[int] = []

    def _workers(self, reasoner: Reasoner, sent: Sequence[Sent], buckets: int) -> SimulatedWorkers:
        stages = physical_stages(reasoner.plan, buckets, tied=False)
        sources, _ = _sources([one.record for one in sent], reasoner)
        rows = plan_rows(stages, sources, arrivals=True)
        job = make_job(stages, rows, buckets=buckets, span=Span(), derived_events=True)
        retracting = any(one.retracted for one in sent)
        return SimulatedWorkers(job, stages, rows, sources, self.store, self.windows, reasoner, retracting)

    @staticmethod
    def _settings(reasoner: Reasoner, buckets: int) -> dict[str, Any]:
        return {"rules": fingerprint(reasoner.plan), "buckets": buckets}

    def regroup(self, buckets: int) -> None:
        """Go on with another number of buckets."""
        reasoner = self.workers.reasoner
        self.workers = self.workers.divided(bucket_count(reasoner.plan, buckets))
        settings = self._settings(reasoner, self.workers.job.buckets)
        self.driver = replace(self.driver, settings=settings, workers=self.workers)

    def swap(
        self, reasoner: Reasoner, sent: Sequence[Sent], buckets: int, history: Sequence[Sent] | None = None
    ) -> SwapPlan:
        """Go on with other rules from the next batch on, perhaps with a backfill; says what that means."""
        earlier, buckets = self.workers, bucket_count(reasoner.plan, buckets)
        before = self._last()
        job = earlier.divided(before.settings["buckets"]).job
        self.workers = self._workers(reasoner, sent, buckets)
        how = RuleSwap(
            job,
            self.workers.job,
            fingerprint(earlier.reasoner.plan),
            self.windows,
            self.workers.retracting,
            None if history is None else self.workers.divided(1).travelling(history),
        )
        self.driver = replace(
            self.driver,
            settings=self._settings(reasoner, buckets),
            workers=self.workers,
            plan=identity_of(encoded(reasoner.plan)),
            swap=how,
        )
        return how.plan(before)

    def run(self, rows: Sequence[Sent], batch: int, until: int | None = None) -> Report:
        report = self._run(rows, batch, until)
        self.reports.append(report)
        if report.query_time is not None and report.queries < _MOST_LISTED:
            step = self.windows.step
            self.asked += [report.query_time - step * place for place in reversed(range(report.queries))]
        return report

    def _run(self, rows: Sequence[Sent], batch: int, until: int | None) -> Report:
        return self.driver.run(rows, batch, self._deliver, until)

    def _deliver(self, report: Report) -> None:
        self.delivered[report.batch] = self._written(report.batch, "changes", CAUSED)
        self.delivered_events[report.batch] = self._written(report.batch, "events", EVENT_CHANGES)
        self.delivered_unmatched[report.batch] = self._written(report.batch, "unmatched", UNMATCHED)

    def _written(self, batch: int, kind: str, schema: pa.Schema) -> pa.Table:
        files = sorted(Path(self.store.path(f"{batch}/{kind}")).glob("*.parquet"))
        return pa.concat_tables([schema.empty_table(), *(pq.read_table(file) for file in files)])

    def unmatched(self, batch: int) -> list[dict[str, Any]]:
        found = self.delivered_unmatched[batch].to_pylist()
        assert len(found) == self.reports[batch].unmatched
        return found

    @property
    def changes(self) -> pa.Table:
        return pa.concat_tables([CAUSED.empty_table(), *(self.delivered[batch] for batch in sorted(self.delivered))])

    def snapshots(self) -> list[IntervalRow]:
        """What replaying the changelog gives at every query time."""
        return sorted(row for query in self.asked for row in shown_at(self.changes, query, self.windows.size))

    @property
    def event_changes(self) -> pa.Table:
        delivered = self.delivered_events
        return pa.concat_tables([EVENT_CHANGES.empty_table(), *(delivered[batch] for batch in sorted(delivered))])

    def event_snapshots(self) -> list[EventRow]:
        """What replaying the changelog of derived events gives at every query time."""
        return sorted(row for query in self.asked for row in happened_at(self.event_changes, query, self.windows.size))

    def _last(self) -> Commit:
        return last_commit(self.store, {})

    def wanted(self) -> tuple[list[IntervalRow], list[EventRow]]:
        """What the engine reports when it gets everything at once, with the arrivals that the stream gave it."""
        clock = self._last().clock
        if not self.asked or clock.start is None:
            return [], []
        reasoner, dictionary = self.workers.reasoner, Dictionary()
        records = [replace(sent.record, arrival=arrival) for sent, arrival, _ in self.workers.used]
        stream = from_records(records, reasoner.analysis.entities, dictionary)
        plan = WindowPlan(self.windows.size, self.windows.step, clock.start, self.asked[-1])
        answers = list(RecordedRun(reasoner.plan, dictionary, stream, plan, origin=clock.origin(self.windows)))
        return interval_rows(answers, dictionary), event_rows(answers, dictionary)


def shown_at(changes: pa.Table, query: int, size: int) -> list[IntervalRow]:
    found = []
    for row in snapshot(changes, query, size).to_pylist():
        start = -math.inf if row["start"] is None else row["start"]
        end = math.inf if row["end"] is None else row["end"]
        found.append(IntervalRow(query, row["fluent"], row["value"], start, end))
    return found


def happened_at(changes: pa.Table, query: int, size: int) -> list[EventRow]:
    known: dict[str, dict[str, Any]] = {}
    for row in sorted(changes.to_pylist(), key=lambda row: row["query_time"]):
        if row["query_time"] <= query:
            before = known.get(row["id"])
            assert (before is not None and before["op"] == "happen") == (row["op"] == "retract")
            known[row["id"]] = row
    rows = [row for row in known.values() if row["op"] == "happen" and row["time"] > query - size]
    return [EventRow(query, row["event"], row["time"]) for row in rows]
