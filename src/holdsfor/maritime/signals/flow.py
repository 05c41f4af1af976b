"""Stage 1 over a stream: micro-batches go through the tasks of a batch, and what has to be remembered is in files.

Time has come as far as the latest report, less the lateness. Reports up to there are final: each vessel's are put in
order and worked on once and for all. Later ones wait.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from holdsfor.maritime.signals.work import Meet, Merge, Note, Setting, Turn, Vessels, Workers, total
from holdsfor.spark.streaming.commits import _check
from holdsfor.spark.streaming.store import COMMIT, Store


@dataclass(frozen=True)
class Progress:
    """How far a stream has come with a batch."""

    batch: int
    latest: int
    until: int


@dataclass(frozen=True)
class Flow:
    """A stream of reports on its way through stage 1."""

    setting: Setting
    workers: Workers
    lateness: int

    def take(self, batch: int, arrived: Callable[[Setting, int | None], Sequence[Note]]) -> Note:
        """A micro-batch: `arrived` takes its rows in, given the time up to which they come too late.

        A batch that is run again starts from the one before it, and gives the same.
        """
        before = self.progress(batch)
        setting = replace(self.setting, batch=batch)
        notes = list(arrived(setting, None if before is None else before.until))
        latest = total(notes).get("latest")
        if latest is None:
            # No report that counts: time stands still.
            return total(notes)
        if before is not None:
            latest = max(latest, before.latest)
        until = latest - self.lateness
        return self._go_on(setting, notes, before, Progress(batch, latest, until))

    def finish(self) -> Note:
        """The stream is over: what waits is worked on too."""
        before = self.progress()
        if before is None:
            return {}
        setting = replace(self.setting, batch=before.batch + 1)
        return self._go_on(setting, [], before, Progress(setting.batch, before.latest, before.latest))

    def _go_on(self, setting: Setting, notes: list[Note], before: Progress | None, after: Progress) -> Note:
        last = None if before is None else before.batch
        parts = tuple(note["part"] for note in notes)
        turn = Turn(parts, after.until, after.until, last, remembering=True)
        for task in (Vessels(setting, turn), Meet(setting, turn), Merge(setting)):
            notes += self.workers.run(task, setting.buckets)
        store = setting.store
        commit = {"settings": self._settings, "progress": asdict(after)}
        store.write(f"{after.batch}/{COMMIT}", json.dumps(commit, indent=1).encode())
        store.drop([batch for batch in store.batches() if batch < after.batch and batch != last])
        return total(notes)

    @property
    def _settings(self) -> dict[str, Any]:
        """What cannot change while a stream goes on."""
        areas = list(self.setting.index.areas.names)
        return {"buckets": self.setting.buckets, "thresholds": asdict(self.setting.limits), "areas": areas}

    def progress(self, below: int | None = None) -> Progress | None:
        """The last batch that is done, of those below a number."""
        store: Store = self.setting.store
        for batch in reversed(store.batches()):
            if (below is None or batch < below) and store.exists(f"{batch}/{COMMIT}"):
                found = json.loads(store.read(f"{batch}/{COMMIT}").to_pybytes())
                _check(found["settings"], self._settings, store)
                return Progress(**found["progress"])
        return None
