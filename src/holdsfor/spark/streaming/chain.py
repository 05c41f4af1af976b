"""Commits as a chain: each says which commit it follows, and all have a checksum.

A batch follows the commit of the batch before it, and no other. Spark numbers batches without gaps, so a commit that is
not there has been deleted, and one that is too new means that Spark's own folders have been.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from holdsfor.spark.streaming.seals import DamagedCheckpoint
from holdsfor.spark.streaming.spark_logs import check_spark_files, spark_files
from holdsfor.spark.streaming.store import COMMIT, Store

_FORMAT = 3
_OTHER_VERSION = "was written by another version of holdsfor"
_NEW_FOLDER = "begin with a new, empty checkpoint and sink"


@dataclass(frozen=True)
class Link:
    """A commit in the chain: its batch, what it says, the run it is of, and its checksum."""

    batch: int
    content: Mapping[str, Any]
    run: str
    checksum: str


def newest_link(store: Store) -> Link | None:
    """The last commit, if there is any, when a run begins: nothing under way may have been changed since."""
    done = store.committed()
    if not done:
        if any(batch > 0 for batch in store.batches()):
            raise DamagedCheckpoint(store.path(f"{max(store.batches()) - 1}/{COMMIT}"), "is missing")
        return None
    found, spark = _read(store, done[-1])
    check_spark_files(store, spark)
    return found


def link_before(store: Store, batch: int) -> Link | None:
    """The commit that a batch follows; None if it is the first. Anything else is refused."""
    done = store.committed()
    if done and done[-1] > batch:
        raise DamagedCheckpoint(
            store.path(f"{done[-1]}/{COMMIT}"),
            f"says that batch {done[-1]} is done, but Spark goes on with batch {batch}: its own folders beside it "
            "(offsets, commits, sources) were deleted or are older",
        )
    earlier = [found for found in done if found < batch]
    if not earlier and batch <= 0:
        _require_no_half_history(store, batch)
        return None
    if not earlier or earlier[-1] != batch - 1:
        raise DamagedCheckpoint(
            store.path(f"{batch - 1}/{COMMIT}"), f"is missing, the commit of the batch before batch {batch}"
        )
    return _read(store, batch - 1)[0]


def add_link(store: Store, batch: int, content: Mapping[str, Any], before: Link | None) -> None:
    """Say that a batch is done."""
    run = store.owner or (before.run if before else "")
    linked = {
        "batch": batch,
        "run": run,
        "before": None if before is None else {"batch": before.batch, "checksum": before.checksum},
        "spark": spark_files(store),
        "commit": content,
    }
    # What is read back: numbers that are keys become text.
    linked = json.loads(json.dumps(linked))
    told = {"format": _FORMAT, "checksum": _checksum(linked), **linked}
    store.write(f"{batch}/{COMMIT}", json.dumps(told, indent=1).encode())


def run_of(link: Link | None, plan: str) -> str:
    """The name of the run that goes on from a commit, or of one that begins with a plan. Its files carry it."""
    return f"{plan[:16]}-{uuid4().hex}" if link is None else link.run


def _require_no_half_history(store: Store, batch: int) -> None:
    """A stream without the history before it would be a stream with other answers."""
    if batch == 0 and any(found < 0 for found in store.batches()):
        raise DamagedCheckpoint(
            store.path(f"-1/{COMMIT}"),
            "is missing: a history was begun here and did not come to its end",
            "give the history again (--history, backfill), or begin with a new, empty checkpoint and sink",
        )


def _read(store: Store, batch: int) -> tuple[Link, Mapping[str, Any]]:
    """A commit, and what it says of Spark's files. The one before it is looked at too, if it is still there."""
    found, before, spark = _parsed(store, batch)
    if before is not None and store.exists(f"{before['batch']}/{COMMIT}"):
        earlier = _parsed(store, before["batch"])[0]
        if (earlier.checksum, earlier.run) != (before["checksum"], found.run):
            path = store.path(f"{batch}/{COMMIT}")
            raise DamagedCheckpoint(path, f"does not follow the commit of batch {earlier.batch} that is there")
    return found, spark


def _parsed(store: Store, batch: int) -> tuple[Link, Mapping[str, Any] | None, Mapping[str, Any]]:
    path = store.path(f"{batch}/{COMMIT}")
    data = store.read(f"{batch}/{COMMIT}").to_pybytes()
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
    if found.get("format") != _FORMAT:
        raise DamagedCheckpoint(path, _OTHER_VERSION, _NEW_FOLDER)
    if found["batch"] != batch:
        raise DamagedCheckpoint(path, f"is a copy of the commit of batch {found['batch']}")
    if store.owner and found["run"] != store.owner:
        raise DamagedCheckpoint(path, "is a copy of the commit of another run")
    return Link(batch, found["commit"], found["run"], found["checksum"]), found["before"], found["spark"]


def _checksum(linked: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(linked, sort_keys=True).encode()).hexdigest()[:32]
