"""Chains commits: each names its predecessor and has a checksum.

A batch must follow the commit of the batch before it. Spark numbers batches without gaps. So a missing commit has been
deleted, and a commit that is too new means that Spark's own folders have been deleted.
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
"""The format of commits, and the readable formats, which include that of the previous version."""
_OTHER_VERSION = "was written by another version of holdsfor"
_NEW_FOLDER = "begin with a new, empty checkpoint and sink"


class Ledger(Protocol):
    """The storage of commits."""

    @property
    def root(self) -> str:
        """The folder of the run, below its checkpoint."""

    @property
    def owner(self) -> str:
        """The identity of the run: its number and its rules; empty accepts any."""

    def committed(self) -> list[int]:
        """The completed batches whose commits still exist."""

    def batches(self) -> list[int]:
        """The batches that were started, as far as visible."""

    def commit_path(self, batch: int) -> str:
        """The path of the commit of a batch, for messages."""

    def commit_text(self, batch: int) -> bytes:
        """The commit of a batch."""

    def write_commit(self, batch: int, text: bytes) -> None:
        """Writes the commit of a batch atomically."""

    def spark_files(self) -> Mapping[str, Any]:
        """The state of Spark's own files about what has been read."""

    def check_spark_files(self, checksums: Mapping[str, Any]) -> None:
        """Raises an error if Spark's own files have another state."""


@dataclass(frozen=True)
class Link:
    """A commit in the chain: its batch, its content, its run, and its checksum."""

    batch: int
    content: Mapping[str, Any]
    run: str
    checksum: str


def newest_link(ledger: Ledger) -> Link | None:
    """The last commit, if any, at the start of a run; its files must be unchanged."""
    done = ledger.committed()
    if not done:
        if any(batch > 0 for batch in ledger.batches()):
            raise DamagedCheckpoint(ledger.commit_path(max(ledger.batches()) - 1), "is missing")
        return None
    found, spark = _read(ledger, done[-1])
    ledger.check_spark_files(spark)
    return found


def link_before(ledger: Ledger, batch: int) -> Link | None:
    """The commit before a batch; None if it is the first. Anything else is an error."""
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
    """Commits a batch."""
    run = ledger.owner or (before.run if before else "")
    linked = {
        "batch": batch,
        "run": run,
        "before": None if before is None else {"batch": before.batch, "checksum": before.checksum},
        "spark": ledger.spark_files(),
        "commit": content,
    }
    # Normalised through JSON: numeric keys become text.
    linked = json.loads(json.dumps(linked))
    content = {"format": _FORMAT, "checksum": _checksum(linked), **linked}
    ledger.write_commit(batch, json.dumps(content).encode())


def run_of(link: Link | None, plan: str) -> str:
    """The name of the run that continues from a commit, or that starts with a plan. Its files contain the name."""
    return f"{plan[:16]}-{uuid4().hex}" if link is None else link.run


def _require_no_half_history(ledger: Ledger, batch: int) -> None:
    """Reports an unfinished history, because a stream without it would have other answers."""
    if batch == 0 and any(found < 0 for found in ledger.batches()):
        raise DamagedCheckpoint(
            ledger.commit_path(-1),
            "is missing: a history was begun here and did not come to its end",
            "give the history again (--history, backfill), or begin with a new, empty checkpoint and sink",
        )


def _read(ledger: Ledger, batch: int) -> tuple[Link, Mapping[str, Any]]:
    """A commit, and its record of Spark's files. The commit before it is checked too, if it still exists."""
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
