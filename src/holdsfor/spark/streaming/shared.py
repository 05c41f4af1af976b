"""Checks that all machines access the same folders: the driver must find what workers have written.

On a cluster a path such as /tmp/checkpoint is another folder on each machine. Whatever an executor writes there is lost
for everyone else, so it is looked at before a run begins, and before each commit.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.session import cores
from holdsfor.spark.streaming.store import Store, place_of

_PAUSE = 0.2
"""The least duration of a probe in seconds, so that no executor can take over the work of others."""
_SHARED = "a folder that every machine of the cluster sees under the same name"


class NotShared(HoldsforError):
    """A folder is not shared by all machines."""


def require_files(store: Store, folder: str, wanted: Iterable[str]) -> None:
    """Reports an error if the driver does not see all files that workers have written to a folder."""
    found = store.sizes(folder)
    listed = sorted(wanted)
    missing = [name for name in listed if name not in found]
    if missing:
        raise NotShared(
            f"{len(missing)} of {len(listed)} files that workers wrote to {store.path(folder)} are not there, the first is "
            f"{missing[0]}: the checkpoint must be in {_SHARED}"
        )


def require_rows(folder: str, wanted: int, what: str, where: str) -> None:
    """Reports an error if the Parquet files of a folder do not have the number of rows that workers have written."""
    found = count_rows(folder)
    if found != wanted:
        raise NotShared(
            f"workers found {wanted} {what}, but {folder} has {found}: the {where} must be in {_SHARED}; nothing of "
            "this batch was committed"
        )


def count_rows(folder: str) -> int:
    """The number of rows in all Parquet files of a folder, from their footers."""
    system, root = place_of(folder)
    found = system.get_file_info(fs.FileSelector(root, allow_not_found=True))
    count = 0
    for info in found:
        if info.is_file and info.base_name.endswith(".parquet"):
            with system.open_input_file(info.path) as file:
                count += pq.read_metadata(file).num_rows
    return count


def probe(spark: Any, store: Store) -> None:
    """Reports an error if an executor does not see the driver's folder, or the driver does not see what an executor
    writes.

    Executors of a local session are on this machine, so nothing is probed.
    """
    master = str(spark.conf.get("spark.master", "local"))
    if master.startswith("local") and not master.startswith("local-cluster"):
        return
    folder, count = f"probe-{uuid4().hex}", _tasks(spark)
    store.write(f"{folder}/driver", folder.encode())
    task = _Probe(store, folder)
    try:
        answers = spark.range(0, count, 1, count).mapInArrow(task, "place string, seen boolean").collect()
        unseen = sorted({row.place for row in answers if not row.seen})
        written = sorted({row.place for row in answers} - set(store.sizes(folder)))
    finally:
        store.remove(folder)
    if unseen or written:
        hosts = ", ".join(sorted({place.rpartition("-")[0] for place in unseen or written}))
        raise NotShared(
            f"the executor on {hosts} does not see the driver's folder {store.root.removesuffix('/holdsfor')}: the "
            f"checkpoint must be in {_SHARED}"
        )


def _tasks(spark: Any) -> int:
    """Enough tasks that each executor gets some."""
    return max(2, 2 * cores(spark))


class _Probe:
    """The probe of a worker, which checks that it sees what the driver has written."""

    def __init__(self, store: Store, folder: str) -> None:
        self.store, self.folder = store, folder

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import socket

        place = f"{socket.gethostname()}-{os.getpid()}"
        for batch in batches:
            if not batch.num_rows:
                continue
            seen = self.store.exists(f"{self.folder}/driver")
            self.store.write(f"{self.folder}/{place}", b"")
            time.sleep(_PAUSE)
            yield pa.record_batch({"place": pa.array([place], pa.string()), "seen": pa.array([seen])})
