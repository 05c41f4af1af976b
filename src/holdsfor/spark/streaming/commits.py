"""What a batch leaves behind for the next: a small file that says that it is done and where everything is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.clock import Clock
from holdsfor.spark.streaming.pacing import Pace
from holdsfor.spark.streaming.store import COMMIT, Store


@dataclass(frozen=True)
class Commit:
    """A batch that is done.

    `states` is the batch that wrote the states of all buckets, `rows` the batches whose input has not been seen by a
    query time yet, each with the buckets it is for. `sizes` says how large the states are, `files` are the batches that
    parts of them are in.
    """

    batch: int
    settings: Mapping[str, Any]
    clock: Clock = field(default_factory=Clock)
    states: int | None = None
    rows: Mapping[int, list[int]] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    files: Sequence[int] = ()
    waited: int = 0
    """Rows that no query time has seen yet."""

    def text(self) -> str:
        """The commit as JSON."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def of(cls, text: str) -> Commit:
        """The commit that a text says."""
        found = json.loads(text)
        rows = {int(batch): buckets for batch, buckets in found["rows"].items()}
        clock, pace = Clock(**found["clock"]), Pace.of(found["pace"])
        sizes, files = found["sizes"], found["files"]
        return cls(found["batch"], found["settings"], clock, found["states"], rows, sizes, pace, files, found["waited"])

    @property
    def needed(self) -> set[int]:
        """The batches whose files it is about."""
        return {self.batch, *self.rows, *self.files, *([] if self.states is None else [self.states])}


def last_commit(store: Store, settings: Mapping[str, Any], below: int | None = None) -> Commit:
    """The last batch that is done, of those below a number; an empty commit if there is none."""
    for batch in reversed(store.batches()):
        if (below is None or batch < below) and store.exists(f"{batch}/{COMMIT}"):
            found = Commit.of(store.read(f"{batch}/{COMMIT}").to_pybytes().decode())
            _check(found.settings, settings, store)
            return found
    return Commit(-(2**62), settings)


def _check(found: Mapping[str, Any], wanted: Mapping[str, Any], store: Store) -> None:
    place = store.root.removesuffix("/holdsfor")
    rest = "go on with the same, or begin with a new checkpoint"
    for name, value in wanted.items():
        was = found.get(name)
        if was == value:
            continue
        if name == "rules":
            raise HoldsforError(f"the checkpoint at {place} is that of other rules: {rest}")
        raise HoldsforError(
            f"the checkpoint at {place} was made with {name} {_shown(was)}, not {_shown(value)}: {rest}"
        )


def _shown(setting: Any) -> str:
    if isinstance(setting, list):
        return ", ".join(setting) or "none"
    if isinstance(setting, bool):
        return "on" if setting else "off"
    return "not given" if setting is None else str(setting)


def write_commit(store: Store, commit: Commit, before: Commit) -> None:
    """Say that a batch is done, and delete what nobody needs any more.

    It may have to be run again, from the commit before it.
    """
    store.write(f"{commit.batch}/{COMMIT}", commit.text().encode())
    needed = commit.needed | before.needed
    store.drop([batch for batch in store.batches() if batch < commit.batch and batch not in needed])
