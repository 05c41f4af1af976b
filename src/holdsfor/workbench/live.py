"""Follows a stream that runs elsewhere, by what it writes: the folder of its changelog, and the file of its reports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from holdsfor.diagnostics import HoldsforError

_BATCH = re.compile(r"^batch=(\d+)$")
MOST_CHANGES = 2_000
"""Of a batch with more changes, only as many are sent to the page; all are counted."""


@dataclass
class Follower:
    """What has been read so far. `news` reads on from there."""

    changes: Path
    reports: Path | None = None
    _seen: set[int] = field(default_factory=set)
    _read: int = 0

    def __post_init__(self) -> None:
        if not self.changes.is_dir():
            raise HoldsforError(f"cannot follow {self.changes}: there is no such folder; give the --sink of a stream")

    def news(self) -> Iterator[dict[str, Any]]:
        """Batches that are complete and have not been seen, then reports that are new."""
        for batch in sorted(self._batches() - self._seen):
            self._seen.add(batch)
            yield {"kind": "changes", "batch": batch, **_of_batch(self.changes / f"batch={batch}")}
        for report in self._new_reports():
            yield {"kind": "report", **report}

    def _batches(self) -> set[int]:
        found = set()
        for folder in self.changes.iterdir():
            name = _BATCH.match(folder.name)
            # Spark marks a folder that it has finished; one that is being written has no mark.
            if name and (folder / "_SUCCESS").exists():
                found.add(int(name[1]))
        return found

    def _new_reports(self) -> Iterator[dict[str, Any]]:
        if self.reports is None or not self.reports.exists():
            return
        with self.reports.open("rb") as file:
            file.seek(self._read)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._read += len(line)
                try:
                    report = json.loads(line)
                except ValueError:
                    continue
                if isinstance(report, dict):
                    yield report


def _of_batch(folder: Path) -> dict[str, Any]:
    files = [str(path) for path in folder.rglob("*") if path.suffix in {".parquet", ".json"} and path.stat().st_size]
    if not files:
        return {"count": 0, "rows": []}
    style = "parquet" if files[0].endswith(".parquet") else "json"
    try:
        table = ds.dataset(files, format=style).to_table()
    except (pa.ArrowException, OSError) as problem:
        return {"count": 0, "rows": [], "problem": str(problem)}
    order = [(name, "ascending") for name in ("query_time", "fluent", "start") if name in table.column_names]
    shown = table.sort_by(order).slice(0, MOST_CHANGES) if order else table.slice(0, MOST_CHANGES)
    return {"count": len(table), "rows": shown.to_pylist()}
