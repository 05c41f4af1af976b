"""Commits as a chain: each says which commit it follows, and all have a checksum.

A batch follows the commit of the batch before it, and no other. Spark numbers batches without gaps, so a commit that is
not there has been deleted, and one that is too new means that Spark's own folders have been.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import uuid4

from holdsfor.spark.streaming.seals import DamagedCheckpoint

_FORMAT, _READ = 4, (3, 4)
"""The format of commits, and those that are read: that of the version before is."""
_OTHER_VERSION = "was written by another version of holdsfor"
_NEW_FOLDER = "begin with a new, empty checkpoint and sink"


class Ledger(Protocol):
    """Where commits are."""

    @property
    def root(self) -> str:
        """The folder of the run, below its checkpoint."""

    @property
    def owner(self) -> str:
        """The run, by its number and its rules; empty if any will do."""

    def committed(self) -> list[int]:
        """The batches that are done and whose commits are still there."""

    def batches(self) -> list[int]:
        """The batches that were begun, as far as can be seen."""

    def commit_path(self, batch: int) -> str:
        """Where the commit of a batch is, for people."""

    def commit_text(self, batch: int) -> bytes:
        """The commit of a batch."""

    def write_commit(self, batch: int, text: bytes) -> None:
        """Write the commit of a batch; it is there as a whole or not at all."""

    def spark_files(self) -> Mapping[str, Any]:
        """What Spark's own files say of what has been read."""

    def check_spark_files(self, told: Mapping[str, Any]) -> None:
        """Refuse to go on if they say something else."""


@dataclass(frozen=True)
class Link:
    """A commit in the chain: its batch, what it says, the run it is of, and its checksum."""

    batch: int
    content: Mapping[str, Any]
    run: str
    checksum: str


def newest_link(ledger: Ledger) -> Link | None:
    """The last commit, if there is any, when a run begins: nothing under way may have been changed since."""
    done = ledger.committed()
    if not done:
        if any(batch > 0 for batch in ledger.batches()):
            raise DamagedCheckpoint(ledger.commit_path(max(ledger.batches()) - 1), "is missing")
        return None
    found, spark = _read(ledger, done[-1])
    ledger.check_spark_files(spark)
    return found


def link_before(ledger: Ledger, batch: int) -> Link | None:
    """The commit that a batch follows; None if it is the first. Anything else is refused."""
    done = ledger.committed()
    if done and done[-1] > batch:
        raise DamagedCheckpoint(
            ledger.commit_path(done[-1]),
            f"says that batch {done[-1]} is done, but Spark goes on with batch {batch}: its own folders beside it "
            "(offsets, commits, sources) were deleted or are older",
        )
    earlier = [found for found in done if found < batch]
    if not earlier and batch <= 0:
        _require_no_half_history(ledger, batch)
        return None
    if not earlier or earlier[-1] != batch - 1:
        raise DamagedCheckpoint(
            ledger.commit_path(batch - 1), f"is missing, the commit of the batch before batch {batch}"
        )
    return _read(ledger, batch - 1)[0]


def add_link(ledger: Ledger, batch: int, content: Mapping[str, Any], before: Link | None) -> None:
    """Say that a batch is done."""
    run = ledger.owner or (before.run if before else "")
    linked = {
        "batch": batch,
        "run": run,
        "before": None if before is None else {"batch": before.batch, "checksum": before.checksum},
        "spark": ledger.spark_files(),
        "commit": content,
    }
    # What is read back: numbers that are keys become text.
    linked = json.loads(json.dumps(linked))
    told = {"format": _FORMAT, "checksum": _checksum(linked), **linked}
    ledger.write_commit(batch, json.dumps(told).encode())


def run_of(link: Link | None, plan: str) -> str:
    """The name of the run that goes on from a commit, or of one that begins with a plan. Its files carry it."""
    return f"{plan[:16]}-{uuid4().hex}" if link is None else link.run


def _require_no_half_history(ledger: Ledger, batch: int) -> None:
    """A stream without the history before it would be a stream with other answers."""
    if batch == 0 and any(found < 0 for found in ledger.batches()):
        raise DamagedCheckpoint(
            ledger.commit_path(-1),
            "is missing: a history was begun here and did not come to its end",
            "give the history again (--history, backfill), or begin with a new, empty checkpoint and sink",
        )


def _read(ledger: Ledger, batch: int) -> tuple[Link, Mapping[str, Any]]:
    """A commit, and what it says of Spark's files. The one before it is looked at too, if it is still there."""
    found, before, spark = _parsed(ledger, batch)
    if before is not None and before["batch"] in ledger.committed():
        earlier = _parsed(ledger, before["batch"])[0]
        if (earlier.checksum, earlier.run) != (before["checksum"], found.run):
            path = ledger.commit_path(batch)
            raise DamagedCheckpoint(path, f"does not follow the commit of batch {earlier.batch} that is there")
    return found, spark


def _parsed(ledger: Ledger, batch: int) -> tuple[Link, Mapping[str, Any] | None, Mapping[str, Any]]:
    path = ledger.commit_path(batch)
    data = ledger.commit_text(batch)
    try:
        found = json.loads(data)
    except ValueError:
        what = "is empty" if not data else "has been cut or overwritten"
        raise DamagedCheckpoint(path, what) from None
    if not isinstance(found, dict) or not {"checksum", "commit"} & found.keys():
        raise DamagedCheckpoint(path, _OTHER_VERSION, _NEW_FOLDER)
    rest = {name: part for name, part in found.items() if name not in ("format", "checksum")}
    if found.get("checksum") != _checksum(rest):
        raise DamagedCheckpoint(path, "has been changed since it was written: its checksum is another")
    if found.get("format") not in _READ:
        raise DamagedCheckpoint(path, _OTHER_VERSION, _NEW_FOLDER)
    if found["batch"] != batch:
        raise DamagedCheckpoint(path, f"is a copy of the commit of batch {found['batch']}")
    if ledger.owner and found["run"] != ledger.owner:
        raise DamagedCheckpoint(path, "is a copy of the commit of another run")
    return Link(batch, found["commit"], found["run"], found["checksum"]), found["before"], found["spark"]


def _checksum(linked: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(linked, sort_keys=True).encode()).hexdigest()[:32]
