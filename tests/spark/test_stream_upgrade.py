"""A stream goes on with the checkpoint of the version before: commits without slots, rows without the number of their batch."""

from __future__ import annotations

import json
from pathlib import Path

from holdsfor import loads
from holdsfor.spark.streaming.chain import _checksum
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.seals import seal
from holdsfor.spark.streaming.store import COMMIT, Store, packed, unpacked
from tests.spark.stream_files import RULES, STEP, WINDOW, local_rows, some_rows, stream_rows
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_simulated import occurrence


def set_back(store: Store) -> int:
    """Write a checkpoint as the version before did; how many files of rows there are."""
    before, count = None, 0
    for batch in store.committed():
        path = Path(store.path(f"{batch}/{COMMIT}"))
        told = json.loads(path.read_text())
        rest = {name: part for name, part in told.items() if name not in ("format", "checksum")}
        rest["commit"] = {name: part for name, part in rest["commit"].items() if name not in ("slots", "reached")}
        if before is not None:
            rest["before"] = before
        before = {"batch": batch, "checksum": _checksum(rest)}
        path.write_text(json.dumps({"format": 3, "checksum": _checksum(rest), **rest}))
        for file in Path(store.path(f"{batch}/rows")).glob("*.arrow"):
            name = f"{batch}/rows/{file.name}"
            (table,) = unpacked(store.read_sealed(name))
            content = packed([table.drop_columns(["batch"])])
            file.write_bytes(content.to_pybytes() + seal(content, store.owner, name))
            count += 1
    return count


def test_the_version_before_is_read(tmp_path: Path) -> None:
    rows = some_rows(12, 1, 101)
    sent = [Sent(occurrence(*row)) for row in rows]
    stream = SimulatedStream(loads(RULES), sent, Windows(WINDOW, STEP), tmp_path, start=0, buckets=2)
    # The last batch is too short for a query time: its rows wait.
    for number, (first, last) in enumerate(((0, 90), (90, 150), (150, 162))):
        stream.run(sent[first:last], number)
    assert set_back(stream.store)
    stream.run(sent[162:], 3)
    assert stream_rows(stream.changes, 100) == local_rows(rows, 100)
