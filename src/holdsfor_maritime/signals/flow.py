"""Stage 1 over a stream: micro-batches go through the tasks of a batch, and the state is in files.

Time has come as far as the latest report, less the lateness. Reports up to there are final: each vessel's are put in
order and worked on once and for all. Later ones wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from holdsfor.spark.streaming.chain import Link, add_link, link_before, newest_link
from holdsfor.spark.streaming.commits import check_settings
from holdsfor_maritime.signals.work import Assignment, Meet, Merge, Note, TaskSetting, TaskWorkers, Vessels, total


@dataclass(frozen=True)
class Progress:
    """The progress of a stream after a batch: the latest report, the time up to which all is final, and the batch that
    wrote down what is remembered. All are None as long as no report counts.
    """

    batch: int
    latest: int | None = None
    until: int | None = None
    memories: int | None = None


@dataclass(frozen=True)
class Flow:
    """A stream of reports on its way through stage 1."""

    setting: TaskSetting
    workers: TaskWorkers
    lateness: int

    def take(self, batch: int, arrived: Callable[[TaskSetting, int | None], Sequence[Note]]) -> Note:
        """A micro-batch: `arrived` stores its rows, given the time up to which rows are late.

        A batch that is run again starts from the one before it, and gives the same.
        """
        link = link_before(self.setting.store, batch)
        before = self._progress(link)
        setting = replace(self.setting, batch=batch)
        notes = list(arrived(setting, before.until))
        latest = total(notes).get("latest")
        if latest is None:
            # No report that counts: time stands still.
            self._commit(replace(before, batch=batch), before, link)
            return total(notes)
        if before.latest is not None:
            latest = max(latest, before.latest)
        after = Progress(batch, latest, latest - self.lateness, batch)
        return self._go_on(setting, notes, before, after, link)

    def finish(self) -> Note:
        """Ends the stream: processes the waiting reports."""
        link = newest_link(self.setting.store)
        before = self._progress(link)
        if before.latest is None:
            return {}
        batch = before.batch + 1
        after = Progress(batch, before.latest, before.latest, batch)
        return self._go_on(replace(self.setting, batch=batch), [], before, after, link)

    def _go_on(
        self, setting: TaskSetting, notes: list[Note], before: Progress, after: Progress, link: Link | None
    ) -> Note:
        parts = tuple(note["part"] for note in notes)
        turn = Assignment(parts, after.until, after.until, before.memories, remembering=True)
        for task in (Vessels(setting, turn), Meet(setting, turn), Merge(setting)):
            notes += self.workers.run(task, setting.buckets)
        self._commit(after, before, link)
        return total(notes)

    def _commit(self, after: Progress, before: Progress, link: Link | None) -> None:
        """Commit a batch, and delete what no rerun of a batch needs."""
        store = self.setting.store
        add_link(store, after.batch, {"settings": self._settings, "progress": asdict(after)}, link)
        needed = {before.batch, before.memories, after.memories}
        store.drop([batch for batch in store.batches() if batch < after.batch and batch not in needed])

    @property
    def _settings(self) -> dict[str, Any]:
        """The settings that must not change during a stream."""
        areas = list(self.setting.index.areas.names)
        return {"buckets": self.setting.buckets, "thresholds": asdict(self.setting.limits), "areas": areas}

    def _progress(self, link: Link | None) -> Progress:
        """The progress of a stream at a commit."""
        if link is None:
            return Progress(-1)
        check_settings(link.content["settings"], self._settings, self.setting.store)
        return Progress(**link.content["progress"])
