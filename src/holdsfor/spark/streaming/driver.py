"""A micro-batch from beginning to end: rows taken in, query times asked, results delivered, all of it committed.

A batch that is run again begins where the one before it ended, and gives the same: nothing is lost, nothing comes twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.commits import Commit, last_commit, write_commit
from holdsfor.spark.streaming.shared import require_files, require_rows
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn

Frame = TypeVar("Frame", contravariant=True)  # noqa: PLC0105 -- also the variable of a class


@dataclass(frozen=True)
class Taken:
    """What came in: good rows, those that are late and those that cannot be read; the first and last time of the good
    ones, and the buckets they went to. `now` is the processing time.
    """

    events: int
    late: int
    malformed: int
    first: int | None
    last: int | None
    buckets: list[int]
    now: int | None = None


@dataclass(frozen=True)
class Report:
    """How a micro-batch went.

    `query_time` is the last one asked so far, `queries` how many were asked in this batch, `changes` the rows of the
    changelog, `event_changes` those of derived events, `intervals` what is in sight now, `unmatched` the retractions of
    what was never seen. `keys_worked` is how many keys were worked out, at all query times and in all stages, and
    `keys_held` how many there were; `from_scratch` says that the whole window was.
    """

    batch: int
    query_time: int | None
    queries: int = 0
    events: int = 0
    late: int = 0
    malformed: int = 0
    unmatched: int = 0
    changes: int = 0
    event_changes: int = 0
    intervals: int = 0
    conflicts: int = 0
    state_rows: int = 0
    state_bytes: int = 0
    keys_worked: int = 0
    keys_held: int = 0
    from_scratch: bool = False
    milliseconds: int = 0

    def __str__(self) -> str:
        asked = "-" if self.query_time is None else str(self.query_time)
        spoilt = f", {self.malformed} malformed" if self.malformed else ""
        unmatched = f", {self.unmatched} retractions unmatched" if self.unmatched else ""
        happened = f", {self.event_changes} of events" if self.event_changes else ""
        return (
            f"batch {self.batch}: query time {asked} (+{self.queries}), {self.events} events, {self.late} late{spoilt}"
            f"{unmatched}, {self.changes} changes{happened}, {self.intervals} intervals{self._worked}, "
            f"state {_size(self.state_bytes)}, {self.milliseconds} ms"
        )

    @property
    def _worked(self) -> str:
        """How it was worked out."""
        if not self.queries or not self.keys_held:
            return ""
        return ", from scratch" if self.from_scratch else f", {self.keys_worked} of {self.keys_held} keys"


def _size(count: int) -> str:
    """A number of bytes as people say it.

    >>> _size(250), _size(41_300), _size(1_400_000)
    ('0.2 kB', '41.3 kB', '1.4 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


class Workers(Protocol[Frame]):
    """Those who do the work on the buckets."""

    def take_in(self, rows: Frame, batch: int, clock: Clock) -> Taken:
        """Write the rows of a batch to the files of their buckets."""

    def ask(self, turn: Turn) -> list[dict[str, Any]]:
        """Ask every bucket the query times of a turn; what each has to say of it."""


@dataclass(frozen=True)
class Driver(Generic[Frame]):
    """Runs micro-batches. `patience` is how long the clock waits for a source that says nothing."""

    store: Store
    settings: Mapping[str, Any]
    windows: Windows
    workers: Workers[Frame]
    start: int | None = None
    patience: int | None = None
    retracting: bool = False

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
        taken = self.workers.take_in(rows, batch, clock)
        require_files(self.store, f"{batch}/rows", [f"{bucket}.arrow" for bucket in taken.buckets])
        clock = clock.seen(taken.first, taken.last).waited(taken.now, taken.events, self.patience)
        if until is not None and clock.start is not None:
            clock = clock.seen(until + self.windows.lateness, until + self.windows.lateness)
        waiting = dict(before.rows) | ({batch: taken.buckets} if taken.buckets else {})
        due = clock.due(self.windows)
        waited = before.waited + taken.events
        after = replace(before, batch=batch, settings=self.settings, clock=clock, rows=waiting, waited=waited)
        report = Report(batch, clock.query, 0, taken.events, taken.late, taken.malformed, **before.sizes)
        if due:
            assert clock.query is not None
            origin, is_first = clock.origin(self.windows), before.states is None
            is_anew = len(due) == 1 and before.pace.is_anew(waited)
            rolls, pace = before.pace.asked(due, waited, self.windows, origin, is_first=is_first, is_anew=is_anew)
            turn = Turn(
                batch,
                before.states,
                waiting,
                clock.query,
                due[-1],
                origin,
                self.windows,
                self.retracting,
                rolls,
                is_anew,
            )
            notes = self.workers.ask(turn)
            require_files(self.store, f"{batch}/state", [f"{note['stage']}-{note['bucket']}.arrow" for note in notes])
            counted = {name: sum(note.get(name, 0) for note in notes) for name in _COUNTED}
            scratch = is_first or is_anew or not counted["keys_held"]
            report = replace(report, query_time=due[-1], queries=len(due), from_scratch=scratch, **counted)
            is_usual = not is_first and not is_anew and not rolls
            pace = pace.learned(notes, waited, is_anew=is_anew, is_usual=is_usual)
            sizes = {name: counted[name] for name in _SIZES}
            files = sorted({file for note in notes for file in note["files"]})
            after = Commit(batch, self.settings, clock.asked(due[-1]), batch, {}, sizes, pace, files)
        for folder, what in _FOLDERS.items():
            count = getattr(report, what)
            if count:
                require_rows(self.store.path(f"{batch}/{folder}"), count, _NAMED[what], "checkpoint")
        deliver(report)
        write_commit(self.store, after, before)
        return replace(report, milliseconds=round((time.perf_counter() - begin) * 1e3))


_FOLDERS = {"changes": "changes", "events": "event_changes", "unmatched": "unmatched"}
"""What workers write for the sinks, and how it is counted."""
_NAMED = {"changes": "changes", "event_changes": "changes of events", "unmatched": "retractions of nothing"}
_SIZES = ("intervals", "state_rows", "state_bytes")
_COUNTED = ("changes", "event_changes", "conflicts", "unmatched", "keys_worked", "keys_held", *_SIZES)
