"""Runs a micro-batch of facts: intake, advance of time, delivery of changes, commit.

A repeated batch starts at the end of the batch before it and gives the same results: nothing is lost or duplicated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from holdsfor.io.metric_scaled import moment_text
from holdsfor.spark.metric.tasks import BatchAssignment
from holdsfor.spark.streaming.chain import Link
from holdsfor.spark.streaming.commits import last_of, write_commit
from holdsfor.spark.streaming.driver import size_text
from holdsfor.spark.streaming.shared import require_files, require_rows
from holdsfor.spark.streaming.store import Store
from holdsfor.times import TimeScale

Frame = TypeVar("Frame", contravariant=True)  # noqa: PLC0105 -- also the variable of a class


@dataclass(frozen=True)
class MetricCommit:
    """A completed batch: the reached time, the latest time read, and the places of states and waiting rows."""

    batch: int
    settings: Mapping[str, Any]
    reached: str | None = None
    latest: str | None = None
    states: int | None = None
    rows: Mapping[int, list[int]] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    attempts: Mapping[str, str] = field(default_factory=dict)
    """The valid state files, by stage and bucket."""
    link: Link | None = None
    """The position in the chain; None if there is no commit yet."""

    def data(self) -> dict[str, Any]:
        """The serialised commit."""
        return asdict(replace(self, link=None))

    @classmethod
    def of(cls, link: Link) -> MetricCommit:
        """Reads a commit."""
        rows = {int(batch): buckets for batch, buckets in link.content["rows"].items()}
        return cls(**{**link.content, "rows": rows, "link": link})

    @property
    def needed(self) -> set[int]:
        """The batches whose files the commit needs."""
        return {self.batch, *self.rows, *([] if self.states is None else [self.states])}


def last_commit(store: Store, settings: Mapping[str, Any], below: int | None = None) -> MetricCommit:
    """The last completed batch, or the last one before `below`; an empty commit if there is none."""
    return last_of(MetricCommit, store, settings, below)


@dataclass(frozen=True)
class MetricReport:
    """The report of a micro-batch.

    Results are final up to `until`. `late` facts began before it; their part after it counts. `ahead` facts began too
    far beyond the others. `open` intervals have no end yet. `kept` is the number of facts in the state.
    """

    batch: int
    until: Fraction | None
    facts: int = 0
    late: int = 0
    malformed: int = 0
    unknown: int = 0
    ahead: int = 0
    changes: int = 0
    open: int = 0
    kept: int = 0
    state_bytes: int = 0
    milliseconds: int = 0
    time_scale: TimeScale | None = None

    def __str__(self) -> str:
        until = "-" if self.until is None else moment_text(self.until, self.time_scale)
        refused = f", {self.malformed} malformed" if self.malformed else ""
        refused += f", {self.ahead} too far ahead" if self.ahead else ""
        unknown = f", {self.unknown} unused" if self.unknown else ""
        return (
            f"batch {self.batch}: up to {until}, {self.facts} facts, {self.late} late{refused}{unknown}, "
            f"{self.changes} changes, {self.open} open, {self.kept} facts kept, state {size_text(self.state_bytes)}, "
            f"{self.milliseconds} ms"
        )


class MetricWorkers(Protocol[Frame]):
    """The interface to the workers of the buckets."""

    def store_facts(
        self, rows: Frame, batch: int, reached: Fraction | None, latest: Fraction | None = None
    ) -> list[dict[str, Any]]:
        """Writes the facts of a batch to the files of their buckets, except facts that begin after `latest`; returns
        the notes of the buckets.
        """

    def advance(self, turn: BatchAssignment) -> list[dict[str, Any]]:
        """Advances all buckets in time; returns their notes."""


@dataclass(frozen=True)
class MicroBatches(Generic[Frame]):
    """Runs micro-batches. Time advances to the latest time that was read, minus the lateness."""

    store: Store
    settings: Mapping[str, Any]
    workers: MetricWorkers[Frame]
    lateness: Fraction = Fraction(0)
    max_ahead: Fraction | None = None

    def run(self, rows: Frame, batch: int, deliver: Callable[[MetricReport, bool], None]) -> MetricReport:
        """Runs a batch. `deliver` is called after the evaluation and before the commit, with the report and whether
        rows were set aside.
        """
        begin = time.perf_counter()
        before = last_commit(self.store, self.settings, below=batch)
        self.store.drop([found for found in self.store.batches() if found == batch])
        reached = None if before.reached is None else Fraction(before.reached)
        notes = self.workers.store_facts(rows, batch, reached)
        limit = self._limit(notes)
        if limit is not None:
            # This is rare, so the facts are read again.
            self.store.drop([found for found in self.store.batches() if found == batch])
            notes = self.workers.store_facts(rows, batch, reached, limit)
        seen = [Fraction(text) for text in (before.latest, *(note["latest"] for note in notes)) if text is not None]
        latest = max(seen, default=None)
        filled = sorted(note["bucket"] for note in notes if note["rows"])
        require_files(self.store, f"{batch}/rows", [f"{bucket}.arrow" for bucket in filled])
        waiting = dict(before.rows) | ({batch: filled} if filled else {})
        counted = {name: sum(note[name] for note in notes) for name in ("late", "malformed", "unknown", "ahead")}
        facts = sum(note["read"] for note in notes) - counted["late"] - counted["ahead"]
        report = MetricReport(batch, reached, facts, **counted, **_sizes(before))
        after = replace(
            before, batch=batch, settings=self.settings, latest=None if latest is None else str(latest), rows=waiting
        )
        until = None if latest is None else latest - self.lateness
        if until is not None and (reached is None or until > reached):
            advanced = self.workers.advance(BatchAssignment(batch, before.states, waiting, until, before.attempts))
            attempts = {f"{note['stage']}-{note['bucket']}": str(note["attempt"]) for note in advanced}
            require_files(self.store, f"{batch}/state", [f"{name}-{one}.arrow" for name, one in attempts.items()])
            sums = {name: sum(note[name] for note in advanced) for name in ("changes", *_SIZES)}
            report = replace(report, until=until, **sums)
            sizes = {name: sums[name] for name in _SIZES}
            after = replace(after, reached=str(until), states=batch, rows={}, sizes=sizes, attempts=attempts)
        aside = sum(note["aside"] for note in notes)
        for folder, count, what in (("changes", report.changes, "changes"), ("aside", aside, "rows to set aside")):
            if count:
                require_rows(self.store.path(f"{batch}/{folder}"), count, what, "checkpoint")
        deliver(report, aside > 0)
        write_commit(self.store, after, before)
        return replace(report, milliseconds=round((time.perf_counter() - begin) * 1e3))

    def _limit(self, notes: Iterable[Mapping[str, Any]]) -> Fraction | None:
        """The latest start that is not too far ahead, if there are later ones."""
        starts = sorted((Fraction(begin), weight) for note in notes for begin, weight in note.get("begins", ()))
        if self.max_ahead is None or not starts:
            return None
        reached, half = 0, sum(weight for _, weight in starts)
        for begin, weight in starts:
            reached += weight
            if 2 * reached >= half:
                limit = begin + self.max_ahead
                return limit if starts[-1][0] > limit else None
        return None


def _sizes(commit: MetricCommit) -> dict[str, Any]:
    return dict(commit.sizes)


_SIZES = ("open", "kept", "state_bytes")
