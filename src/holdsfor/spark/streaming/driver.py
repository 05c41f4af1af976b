"""Runs a micro-batch: intake, evaluation of query times, delivery of results, commit.

A repeated batch starts at the end of the batch before it and gives the same results: nothing is lost or duplicated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from holdsfor.io.ahead import usual_distance
from holdsfor.spark.streaming.clock import ONE_SOURCE, Windows
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.swapping import RuleSwap, Swapped
from holdsfor.times import TimeScale

Frame = TypeVar("Frame", contravariant=True)  # noqa: PLC0105 -- also the variable of a class


@dataclass(frozen=True)
class Seen:
    """The input of a batch: the numbers of valid and malformed rows, and the first and last time of the valid ones.
    `last_of` is the last time of each source, if there are several. `now` is the processing time.
    """

    good: int = 0
    malformed: int = 0
    first: int | None = None
    last: int | None = None
    now: int | None = None
    last_of: Mapping[str, int] = field(default_factory=dict)

    @property
    def by_source(self) -> Mapping[str, int]:
        """The last time of each source that has sent rows."""
        return self.last_of or ({} if self.last is None else {ONE_SOURCE: self.last})


@dataclass(frozen=True)
class Report:
    """The report of a micro-batch.

    `query_time` is the last evaluated one, `queries` the number that became due in this batch. `changes` and
    `event_changes` count rows of the changelogs of intervals and of derived events. `intervals` counts what keys had in
    their windows when they were last evaluated. `unmatched` counts retractions of unknown rows. `ahead` rows had times
    later than `ahead_of`; the latest of them is `latest_ahead`. For `without_value` rows a condition had no value;
    `first_without_value` describes one of them. `keys_worked` counts evaluated keys over all query times and stages,
    `keys_held` the keys that existed. `waiting_for` is the source that determines the watermark, if there are several;
    None if all are idle. `time_scale` is the time scale, if known.
    """

    batch: int
    query_time: int | None
    queries: int = 0
    events: int = 0
    late: int = 0
    malformed: int = 0
    ahead: int = 0
    latest_ahead: int | None = None
    ahead_of: int | None = None
    unmatched: int = 0
    changes: int = 0
    event_changes: int = 0
    intervals: int = 0
    conflicts: int = 0
    without_value: int = 0
    first_without_value: str | None = None
    state_rows: int = 0
    state_bytes: int = 0
    keys_worked: int = 0
    keys_held: int = 0
    waiting_for: str | None = None
    milliseconds: int = 0
    time_scale: TimeScale | None = None

    def __str__(self) -> str:
        query_time = self._time(self.query_time)
        excluded = f", {self.malformed} malformed" if self.malformed else ""
        if self.ahead:
            latest, limit = self._time(self.latest_ahead), self._time(self.ahead_of)
            excluded += f", {self.ahead} too far ahead (up to {latest}, later than {limit})"
        unmatched = f", {self.unmatched} retractions unmatched" if self.unmatched else ""
        happened = f", {self.event_changes} of events" if self.event_changes else ""
        unvalued = f", {self.without_value} rows without a value" if self.without_value else ""
        waiting = f", waiting for {self.waiting_for}" if self.waiting_for is not None else ""
        return (
            f"batch {self.batch}: query time {query_time} (+{self.queries}), {self.events} events, {self.late} late{excluded}"
            f"{unmatched}, {self.changes} changes{happened}, {self.intervals} intervals{self._worked}{unvalued}"
            f"{waiting}, state {size_text(self.state_bytes)}, {self.milliseconds} ms"
        )

    def _time(self, time: int | None) -> str:
        return "-" if time is None else str(time) if self.time_scale is None else self.time_scale.text(time)

    def data(self) -> dict[str, Any]:
        """The report as JSON data: times are ISO 8601 if the time unit is known."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "time_scale"}
        if self.time_scale is None:
            return found
        times = {name: found[name] for name in ("query_time", "latest_ahead", "ahead_of")}
        return found | {name: None if time is None else self._time(time) for name, time in times.items()}

    @property
    def _worked(self) -> str:
        """The statistics of the evaluation."""
        if not self.queries or not self.keys_held:
            return ""
        return f", {self.keys_worked} of {self.keys_held} keys"


def size_text(count: int) -> str:
    """A number of bytes as text.

    >>> size_text(250), size_text(41_300), size_text(1_400_000)
    ('0.2 kB', '41.3 kB', '1.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


class Workers(Protocol[Frame]):
    """The interface to the workers of the buckets."""

    def look(self, rows: Frame, latest: int | None = None) -> Seen:
        """The input of a batch, without rows with a time after `latest`."""

    def middle(self, rows: Frame) -> tuple[int, int]:
        """The lower quartile and the median of the times of valid rows."""

    def keep(self, rows: Frame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Stores the rows of a batch for a later one, divided among `buckets`; returns the notes of the buckets."""

    def evaluate(self, rows: Frame, evaluation: Evaluation) -> list[dict[str, Any]]:
        """Evaluates the due query times in every bucket; returns the notes and the positions of the states."""

    def swap(self, how: RuleSwap, before: Commit, batch: int, settings: Mapping[str, Any]) -> Swapped:
        """Changes the rules at the beginning of a batch."""

    def add(self, kind: str, rows: pa.Table, batch: int) -> None:
        """Adds rows to the changelog of intervals (`changes`) or of derived events (`events`) of a batch."""


class Checkpoint(Protocol):
    """The storage of commits and states."""

    def before(self, settings: Mapping[str, Any], batch: int, earlier: str | None) -> Commit:
        """The commit before a batch, after clearing the remains of an earlier attempt at the batch; `earlier` as for
        `last_commit`.
        """

    def commit(self, commit: Commit, before: Commit) -> None:
        """Commits a batch."""


@dataclass(frozen=True)
class Driver(Generic[Frame]):
    """Runs micro-batches.

    Rows more than `max_ahead` beyond the median time of their batch are set aside; None is the default limit, infinity
    no limit.
    """

    checkpoint: Checkpoint
    settings: Mapping[str, Any]
    windows: Windows
    workers: Workers[Frame]
    start: int | None = None
    retracting: bool = False
    max_ahead: float | None = None
    plan: str = ""
    """The identity of the plan."""
    swap: RuleSwap | None = None
    """Edited rules, if the last commit may be one of earlier rules."""

    def run(self, rows: Frame, batch: int, deliver: Callable[[Report], None], until: int | None = None) -> Report:
        """Runs a batch. `deliver` is called after the evaluation and before the commit.

        With `until`, all query times up to it are evaluated, regardless of the input.
        """
        begin = time.perf_counter()
        committed = self.checkpoint.before(self.settings, batch, None if self.swap is None else self.swap.rules)
        before, added = committed, dict[str, pa.Table]()
        if self.swap is not None and self.swap.is_due(before, self.settings["rules"]):
            before, added["changes"], added["events"] = self.workers.swap(self.swap, before, batch, self.settings)
        clock = before.clock
        if clock.start is None and self.start is not None:
            clock = clock.beginning(self.start)
        seen = self.workers.look(rows)
        wrong, latest = None, self._latest(rows, seen)
        if latest is not None and seen.last is not None and seen.last > latest:
            # This is rare, so the rows are simply examined again.
            wrong, known = seen.last, seen
            seen = replace(self.workers.look(rows, latest), malformed=known.malformed, now=known.now)
        else:
            latest = None
        admission = Admission(batch, self.retracting, clock, self.windows, latest)
        clock = clock.seen(seen.first, seen.by_source, seen.now, self.windows)
        if until is not None and clock.start is not None:
            clock = clock.reaching(until, self.windows)
        due = clock.due(self.windows)
        # Waiting rows keep the division of earlier waiting rows until an evaluation divides them anew.
        buckets = before.settings["buckets"]
        after = replace(before, batch=batch, settings={**self.settings, "buckets": buckets}, clock=clock)
        notes: list[dict[str, Any]] = []
        if due:
            assert clock.query is not None
            origin = clock.origin(self.windows)
            evaluation = Evaluation(
                admission,
                buckets,
                before.places,
                before.rows,
                clock.query,
                due[-1],
                origin,
                self.plan,
                before.unreported_swap,
            )
            notes = self.workers.evaluate(rows, evaluation)
            kept = before.places if buckets == self.settings["buckets"] else {}
            places = dict(kept) | {note["name"]: Place(**note["place"]) for note in notes if "place" in note}
            after = Commit(batch, self.settings, clock.evaluated(due[-1]), places)
        elif seen.good or wrong is not None:
            notes = self.workers.keep(rows, admission, buckets)
            listed = sorted(note["bucket"] for note in notes if note["rows"])
            after = replace(after, rows=dict(before.rows) | ({batch: listed} if listed else {}))
        for kind, table in added.items():
            if len(table):
                self.workers.add(kind, table, batch)
                notes = [*notes, {COUNTED[kind]: len(table)}]
        counted = _counted(notes)
        good = seen.good - counted["late"]
        report = Report(batch, after.clock.query, len(due), good, malformed=seen.malformed, **counted, **after.sizes)
        report = replace(report, latest_ahead=wrong, ahead_of=latest, waiting_for=clock.slowest(self.windows))
        deliver(report)
        self.checkpoint.commit(after, committed)
        return replace(report, milliseconds=round((time.perf_counter() - begin) * 1e3))

    def _latest(self, rows: Frame, seen: Seen) -> int | None:
        """The latest time that is not too far ahead of the others; None if there is no limit."""
        if seen.first is None or seen.last is None or self.max_ahead == math.inf:
            return None
        least = usual_distance(0, self.windows.size) if self.max_ahead is None else int(self.max_ahead)
        if seen.last - seen.first <= least:
            # No median can be farther away.
            return None
        quartile, median = self.workers.middle(rows)
        return median + (usual_distance(median - quartile, self.windows.size) if self.max_ahead is None else least)


def _counted(notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The counts of all buckets, and one of the conditions without a value, independent of the order of buckets."""
    found: dict[str, Any] = {name: sum(note.get(name, 0) for note in notes) for name in _COUNTED}
    first = min((note["first_without_value"] for note in notes if "first_without_value" in note), default=None)
    return found | {"first_without_value": first}


COUNTED = {"changes": "changes", "events": "event_changes", "unmatched": "unmatched"}
"""The counts of the rows of each kind."""
_COUNTED = ("late", "ahead", "changes", "event_changes", "conflicts", "without_value", "unmatched", "keys_worked")
