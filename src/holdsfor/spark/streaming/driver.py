"""A micro-batch from beginning to end: rows taken in, query times asked, results delivered, all of it committed.

A batch that is run again begins where the one before it ended, and gives the same: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.io.ahead import quantile, usual_max_ahead
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.commits import Commit, last_commit, write_commit
from holdsfor.spark.streaming.shared import require_files, require_rows, written_states
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn
from holdsfor.times import TimeScale

Frame = TypeVar("Frame", contravariant=True)  # noqa: PLC0105 -- also the variable of a class


@dataclass(frozen=True)
class Taken:
    """What came in: good rows, those that are late, those that cannot be read and those whose time is too far ahead; the
    first and last time of the good ones, and the buckets they went to. `now` is the processing time. `times` are some of
    all times, each of which stands for as many as its weight.
    """

    events: int
    late: int
    malformed: int
    first: int | None
    last: int | None
    buckets: list[int]
    now: int | None = None
    ahead: int = 0
    times: Ints = field(default_factory=lambda: EMPTY)
    weights: Ints = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, notes: Iterable[Mapping[str, Any]], good: int, malformed: int, now: int | None = None) -> Taken:
        """What came in, by what those say who took it in."""
        listed = list(notes)
        told = [note for note in listed if "times" in note]
        late, ahead = (sum(note[name] for note in told) for name in ("late", "ahead"))
        return cls(
            good - late - ahead,
            late,
            malformed,
            min((note["first"] for note in told if note["first"] is not None), default=None),
            max((note["last"] for note in told if note["last"] is not None), default=None),
            sorted(note["bucket"] for note in listed if note["rows"]),
            now,
            ahead,
            np.array([time for note in told for time in note["times"]], np.int64),
            np.array([weight for note in told for weight in note["weights"]], np.int64),
        )


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

    def take_in(self, rows: Frame, batch: int, clock: Clock, buckets: int, latest: int | None = None) -> Taken:
        """Write the rows of a batch to the files of so many buckets, but for those with a time after `latest`."""

    def ask(self, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn; what each has to say of it."""


@dataclass(frozen=True)
class Driver(Generic[Frame]):
    """Runs micro-batches. `patience` is how long the clock waits for a source that says nothing.

    Rows more than `max_ahead` beyond the median time of their batch are put aside; None is what is usual, infinity none.
    """

    store: Store
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
        before = last_commit(self.store, self.settings, below=batch)
        self.store.drop([found for found in self.store.batches() if found == batch])
        clock = before.clock
        if clock.start is None and self.start is not None:
            clock = clock.beginning(self.start)
        # Rows are divided like those that wait, until a turn divides them anew.
        buckets = before.settings["buckets"]
        taken = self.workers.take_in(rows, batch, clock, buckets)
        latest = self._latest(taken)
        if latest is not None and taken.last is not None and taken.last > latest:
            # Rare enough that the rows may be read once more.
            self.store.drop([found for found in self.store.batches() if found == batch])
            wrong = taken.last
            taken = self.workers.take_in(rows, batch, clock, buckets, latest)
        else:
            wrong, latest = None, None
        require_files(self.store, f"{batch}/rows", [f"{bucket}.arrow" for bucket in taken.buckets])
        clock = clock.seen(taken.first, taken.last).waited(taken.now, taken.events, self.patience)
        if until is not None and clock.start is not None:
            clock = clock.seen(until + self.windows.lateness, until + self.windows.lateness)
        waiting = dict(before.rows) | ({batch: taken.buckets} if taken.buckets else {})
        due = clock.due(self.windows)
        settings = {**self.settings, "buckets": buckets}
        after = replace(before, batch=batch, settings=settings, clock=clock, rows=waiting)
        report = Report(
            batch,
            clock.query,
            0,
            taken.events,
            taken.late,
            taken.malformed,
            ahead=taken.ahead,
            latest_ahead=wrong,
            ahead_of=latest,
        )
        if due:
            assert clock.query is not None
            origin = clock.origin(self.windows)
            asked = clock.query, due[-1], origin
            turn = Turn(batch, buckets, before.places, waiting, *asked, self.windows, self.retracting, self.plan)
            notes = self.workers.ask(turn)
            kept = before.places if buckets == self.settings["buckets"] else {}
            places = dict(kept) | written_states(self.store, batch, notes)
            after = Commit(batch, self.settings, clock.asked(due[-1]), places)
            report = replace(report, query_time=due[-1], queries=len(due), **_counted(notes))
        report = replace(report, **after.sizes)
        for folder, what in _FOLDERS.items():
            count = getattr(report, what)
            if count:
                require_rows(self.store.path(f"{batch}/{folder}"), count, _NAMED[what], "checkpoint")
        deliver(report)
        write_commit(self.store, after, before)
        return replace(report, milliseconds=round((time.perf_counter() - begin) * 1e3))

    def _latest(self, taken: Taken) -> int | None:
        """The latest time that is not too far ahead of the others; None if any will do."""
        if not len(taken.times) or self.max_ahead == math.inf:
            return None
        distance = usual_max_ahead(taken.times, self.windows.size, taken.weights)
        if self.max_ahead is not None:
            distance = int(self.max_ahead)
        return quantile(taken.times, 1, 2, taken.weights) + distance


def _counted(notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all buckets found, and one of the conditions without a value: the same whichever bucket comes first."""
    found: dict[str, Any] = {name: sum(note.get(name, 0) for note in notes) for name in _COUNTED}
    first = min((note["first_without_value"] for note in notes if "first_without_value" in note), default=None)
    return found | {"first_without_value": first}


_FOLDERS = {"changes": "changes", "events": "event_changes", "unmatched": "unmatched"}
"""What workers write for the sinks, and how it is counted."""
_NAMED = {"changes": "changes", "event_changes": "changes of events", "unmatched": "retractions of nothing"}
_COUNTED = ("changes", "event_changes", "conflicts", "without_value", "unmatched", "keys_worked")
