"""A micro-batch from beginning to end: intake, evaluation of query times, delivery of results, commit.

A batch that is run again begins where the one before it ended, and gives the same: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, Protocol, TypeVar

from holdsfor.io.ahead import usual_distance
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.turns import Turn
from holdsfor.times import TimeScale

Frame = TypeVar("Frame", contravariant=True)  # noqa: PLC0105 -- also the variable of a class


@dataclass(frozen=True)
class Seen:
    """What came in: good rows and those that cannot be read, and the first and last time of the good ones. `now` is the
    processing time.
    """

    good: int = 0
    malformed: int = 0
    first: int | None = None
    last: int | None = None
    now: int | None = None


@dataclass(frozen=True)
class Report:
    """How a micro-batch went.

    `query_time` is the last one asked so far, `queries` how many came due in this batch, `changes` the rows of the
    changelog, `event_changes` those of derived events, `intervals` what keys had in sight when they were last evaluated, `unmatched` the retractions of
    what was never seen. `ahead` rows had times later than `ahead_of`, too far beyond the others, the latest of them
    `latest_ahead`. For `without_value` rows a condition had no value; `first_without_value` is one of them, in words.
    `keys_worked` is how many keys were worked out, at all query times and in all stages, and
    `keys_held` how many there were. Where it is known what one time-point
    is, `time_scale` says it.
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
    milliseconds: int = 0
    time_scale: TimeScale | None = None

    def __str__(self) -> str:
        asked = self._time(self.query_time)
        spoilt = f", {self.malformed} malformed" if self.malformed else ""
        if self.ahead:
            latest, limit = self._time(self.latest_ahead), self._time(self.ahead_of)
            spoilt += f", {self.ahead} too far ahead (up to {latest}, later than {limit})"
        unmatched = f", {self.unmatched} retractions unmatched" if self.unmatched else ""
        happened = f", {self.event_changes} of events" if self.event_changes else ""
        unvalued = f", {self.without_value} rows without a value" if self.without_value else ""
        return (
            f"batch {self.batch}: query time {asked} (+{self.queries}), {self.events} events, {self.late} late{spoilt}"
            f"{unmatched}, {self.changes} changes{happened}, {self.intervals} intervals{self._worked}{unvalued}, "
            f"state {size_text(self.state_bytes)}, {self.milliseconds} ms"
        )

    def _time(self, time: int | None) -> str:
        return "-" if time is None else str(time) if self.time_scale is None else self.time_scale.text(time)

    def data(self) -> dict[str, Any]:
        """The report as JSON has it: times are ISO 8601 where it is known what one time-point is."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "time_scale"}
        if self.time_scale is None:
            return found
        times = {name: found[name] for name in ("query_time", "latest_ahead", "ahead_of")}
        return found | {name: None if time is None else self._time(time) for name, time in times.items()}

    @property
    def _worked(self) -> str:
        """How it was worked out."""
        if not self.queries or not self.keys_held:
            return ""
        return f", {self.keys_worked} of {self.keys_held} keys"


def size_text(count: int) -> str:
    """A number of bytes as people say it.

    >>> size_text(250), size_text(41_300), size_text(1_400_000)
    ('0.2 kB', '41.3 kB', '1.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


class Workers(Protocol[Frame]):
    """Those who do the work on the buckets."""

    def look(self, rows: Frame, latest: int | None = None) -> Seen:
        """What came in, but for rows with a time after `latest`."""

    def middle(self, rows: Frame) -> tuple[int, int]:
        """The times that a quarter and a half of the good rows do not exceed."""

    def keep(self, rows: Frame, admission: Admission, buckets: int) -> list[dict[str, Any]]:
        """Keep the rows of a batch for a later one, divided among so many buckets; what each has to say of it."""

    def ask(self, rows: Frame, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn; what each has to say of it, and where its state is."""


class Checkpoint(Protocol):
    """Where commits and states are."""

    def before(self, settings: Mapping[str, Any], batch: int) -> Commit:
        """The commit of the batch before one, of which an earlier attempt may have left something: that is cleared."""

    def commit(self, commit: Commit, before: Commit) -> None:
        """Say that a batch is done."""


@dataclass(frozen=True)
class Driver(Generic[Frame]):
    """Runs micro-batches. `patience` is how long the clock waits for a source that says nothing.

    Rows more than `max_ahead` beyond the median time of their batch are put aside; None is what is usual, infinity none.
    """

    checkpoint: Checkpoint
    settings: Mapping[str, Any]
    windows: Windows
    workers: Workers[Frame]
    start: int | None = None
    patience: int | None = None
    retracting: bool = False
    max_ahead: float | None = None
    plan: str = ""
    """The identity of the plan."""

    def run(self, rows: Frame, batch: int, deliver: Callable[[Report], None], until: int | None = None) -> Report:
        """Run a batch. `deliver` is called when everything has been worked out and before it is committed.

        With `until`, all query times up to there are asked, whatever has come in.
        """
        begin = time.perf_counter()
        before = self.checkpoint.before(self.settings, batch)
        clock = before.clock
        if clock.start is None and self.start is not None:
            clock = clock.beginning(self.start)
        seen = self.workers.look(rows)
        wrong, latest = None, self._latest(rows, seen)
        if latest is not None and seen.last is not None and seen.last > latest:
            # Rare enough that the rows may be looked at once more.
            wrong, known = seen.last, seen
            seen = replace(self.workers.look(rows, latest), malformed=known.malformed, now=known.now)
        else:
            latest = None
        admission = Admission(batch, self.retracting, clock, self.windows, latest)
        clock = clock.seen(seen.first, seen.last).waited(seen.now, seen.good, self.patience)
        if until is not None and clock.start is not None:
            clock = clock.seen(until + self.windows.lateness, until + self.windows.lateness)
        due = clock.due(self.windows)
        # Rows that wait are divided like those that wait already, until a turn divides them anew.
        buckets = before.settings["buckets"]
        after = replace(before, batch=batch, settings={**self.settings, "buckets": buckets}, clock=clock)
        notes: list[dict[str, Any]] = []
        if due:
            assert clock.query is not None
            origin = clock.origin(self.windows)
            turn = Turn(admission, buckets, before.places, before.rows, clock.query, due[-1], origin, self.plan)
            notes = self.workers.ask(rows, turn)
            kept = before.places if buckets == self.settings["buckets"] else {}
            places = dict(kept) | {note["name"]: Place(**note["place"]) for note in notes if "place" in note}
            after = Commit(batch, self.settings, clock.asked(due[-1]), places)
        elif seen.good or wrong is not None:
            notes = self.workers.keep(rows, admission, buckets)
            listed = sorted(note["bucket"] for note in notes if note["rows"])
            after = replace(after, rows=dict(before.rows) | ({batch: listed} if listed else {}))
        counted = _counted(notes)
        good = seen.good - counted["late"]
        report = Report(batch, after.clock.query, len(due), good, malformed=seen.malformed, **counted, **after.sizes)
        report = replace(report, latest_ahead=wrong, ahead_of=latest)
        deliver(report)
        self.checkpoint.commit(after, before)
        return replace(report, milliseconds=round((time.perf_counter() - begin) * 1e3))

    def _latest(self, rows: Frame, seen: Seen) -> int | None:
        """The latest time that is not too far ahead of the others; None if any will do."""
        if seen.first is None or seen.last is None or self.max_ahead == math.inf:
            return None
        least = usual_distance(0, self.windows.size) if self.max_ahead is None else int(self.max_ahead)
        if seen.last - seen.first <= least:
            # Wherever the median is, it is not further away.
            return None
        quartile, median = self.workers.middle(rows)
        return median + (usual_distance(median - quartile, self.windows.size) if self.max_ahead is None else least)


def _counted(notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all buckets found, and one of the conditions without a value: the same whichever bucket comes first."""
    found: dict[str, Any] = {name: sum(note.get(name, 0) for note in notes) for name in _COUNTED}
    first = min((note["first_without_value"] for note in notes if "first_without_value" in note), default=None)
    return found | {"first_without_value": first}


_COUNTED = ("late", "ahead", "changes", "event_changes", "conflicts", "without_value", "unmatched", "keys_worked")
