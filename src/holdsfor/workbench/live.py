"""Follows a stream in another process by its output: the folder of its changelog, and the file of its reports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import time_point, time_text

_BATCH = re.compile(r"^batch=(\d+)$")
_DATE = re.compile(r"-?\d{4,}-\d\d")
_ENDINGS = {".parquet": "parquet", ".json": "json", ".csv": "csv", ".orc": "orc"}
_AT_ONCE = 400
"""The most batches that are read together, when many are new."""

CHANGES = pa.schema(
    [
        ("batch", pa.int64()),
        ("id", pa.string()),
        ("op", pa.string()),
        ("what", pa.string()),
        ("start", pa.string()),
        ("end", pa.string()),
        ("at", pa.string()),
        ("first", pa.float64()),
        ("last", pa.float64()),
        ("now", pa.float64()),
        ("causes", pa.string()),
    ]
)
"""Changes of programs of either kind: times as text for people, and as numbers to draw them."""


@dataclass
class Follower:
    """A reader that remembers its position. `changes_since` and `reports_since` continue from there."""

    changes: Path
    reports: Path | None = None
    problem: str = ""
    _seen: set[int] = field(default_factory=set)
    _read: int = 0

    def __post_init__(self) -> None:
        # The stream creates the folder with its first batch; a missing folder is no error.
        if self.changes.exists() and not self.changes.is_dir():
            raise HoldsforError(f"cannot follow {self.changes}: it is not a folder; give the --sink of a stream")
        if not self.changes.absolute().parent.is_dir():
            raise HoldsforError(f"cannot follow {self.changes}: there is no folder {self.changes.absolute().parent}")

    @property
    def is_there(self) -> bool:
        """Whether the stream has written anything."""
        return self.changes.is_dir()

    @property
    def batches(self) -> int:
        """The number of batches that have been read."""
        return len(self._seen)

    def begins_again(self) -> bool:
        """Whether the stream was restarted, so that its folder is a new one."""
        there = self._batches()
        if not self._seen or max(there, default=-1) >= max(self._seen):
            return False
        self._seen.clear()
        self.problem = ""
        return True

    def changes_since(self) -> Iterator[pa.Table]:
        """New complete batches, several at a time."""
        new = sorted(self._batches() - self._seen)
        for begin in range(0, len(new), _AT_ONCE):
            some = new[begin : begin + _AT_ONCE]
            self._seen.update(some)
            yield pa.concat_tables([CHANGES.empty_table(), *filter(None, map(self._of_batch, some))])

    def _of_batch(self, batch: int) -> pa.Table | None:
        """The changes of a batch; an unreadable batch is skipped and reported."""
        try:
            return _read(self.changes, batch)
        except HoldsforError as problem:
            self.problem = str(problem)
            return None

    def _batches(self) -> set[int]:
        if not self.is_there:
            return set()
        named = ((folder, _BATCH.match(folder.name)) for folder in self.changes.iterdir())
        found = ((folder, int(name[1])) for folder, name in named if name)
        return {batch for folder, batch in found if batch in self._seen or _is_whole(folder)}

    def reports_since(self) -> Iterator[dict[str, Any]]:
        """New reports; an incomplete last line is left for the next call."""
        if self.reports is None or not self.reports.exists():
            return
        if self.reports.stat().st_size < self._read:
            self._read = 0
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


def _is_whole(folder: Path) -> bool:
    """Whether a batch is complete. Spark marks complete folders; a folder that was moved as a whole has files and no mark."""
    if (folder / "_SUCCESS").exists():
        return True
    return not (folder / "_temporary").exists() and any(_files(folder))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.suffix in _ENDINGS and not path.name.startswith((".", "_")))


def _read(root: Path, batch: int) -> pa.Table:
    files = sorted(path for path in _files(root / f"batch={batch}") if path.stat().st_size)
    if not files:
        return CHANGES.empty_table()
    try:
        table = ds.dataset([str(path) for path in files], format=_ENDINGS[files[0].suffix]).to_table()
        return normal(table, batch)
    except (pa.ArrowException, KeyError, ValueError) as problem:
        raise HoldsforError(f"{root}/batch={batch} is not a changelog: {problem}") from problem


def normal(table: pa.Table, batch: int) -> pa.Table:
    """A changelog with the columns of CHANGES, in the order of arrival."""
    is_metric = "predicate" in table.column_names
    when = "until" if is_metric else "query_time"
    at = _text(table, when)
    what = (
        _facts(table) if is_metric else pc.binary_join_element_wise(_text(table, "fluent"), _text(table, "value"), "=")
    )
    start, end = _text(table, "start"), _text(table, "end")
    ids = _text(table, "id")
    if ids.null_count:
        raise ValueError("it has rows without an id")
    columns = [
        pa.repeat(batch, len(table)),
        ids,
        _text(table, "op"),
        what,
        start,
        end,
        at,
        *(_seconds(table, name, text) for name, text in (("start", start), ("end", end), (when, at))),
        _listed(table, "causes"),
    ]
    found = pa.table([pa.chunked_array([column]) for column in columns], names=CHANGES.names).cast(CHANGES)
    return found.take(pc.sort_indices(found, sort_keys=[("now", "ascending"), ("first", "ascending")]))


def _text(table: pa.Table, name: str) -> pa.Array:
    """A column as text. Spark leaves columns out of JSON that have no values."""
    if name not in table.column_names:
        return pa.nulls(len(table), pa.string())
    if pa.types.is_timestamp(table[name].type):
        # As in other output: as many digits as there are, and none of the zone's name.
        return pa.array([_moment(time) for time in _microseconds(table[name]).to_pylist()], pa.string())
    found = table[name].cast(pa.string()).combine_chunks()
    return pc.if_else(pc.equal(found, ""), None, found)


def _listed(table: pa.Table, name: str) -> pa.Array:
    """A column of lists as text."""
    if name not in table.column_names or not pa.types.is_list(table[name].type):
        return _text(table, name)
    column = table[name].combine_chunks()
    return pc.binary_join(column.cast(pa.list_(pa.string())), "; ")


def _facts(table: pa.Table) -> pa.Array:
    args: Sequence[Any] = table["args"].to_pylist()
    names = table["predicate"].to_pylist()
    texts = [
        f"{name}({arg if isinstance(arg, str) else ','.join(map(str, arg))})" if arg else name
        for name, arg in zip(names, args, strict=True)
    ]
    return pa.array(texts, pa.string())


def _moment(microseconds: int | None) -> str | None:
    return None if microseconds is None else time_text(microseconds, "us")


def _seconds(table: pa.Table, name: str, text: pa.Array) -> pa.Array:
    """Times as numbers: those that are timestamps in seconds since 1970."""
    if name in table.column_names and pa.types.is_timestamp(table[name].type):
        return pc.divide(_microseconds(table[name]).cast(pa.float64()), 1e6)
    return _numbers(text)


def _microseconds(column: Any) -> Any:
    """Timestamps since 1970; files have them in nanoseconds or milliseconds, too."""
    found = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def _numbers(column: pa.Array) -> pa.Array:
    """Times as numbers; metric programs have fractions, and dates are seconds since 1970."""
    try:
        return column.cast(pa.float64())
    except pa.ArrowInvalid:
        return pa.array([None if text is None else number_of(text) for text in column.to_pylist()], pa.float64())


def number_of(time: str) -> float:
    """A time as a number.

    >>> number_of("7"), number_of("1/4"), number_of("1970-01-01T00:01:30.5Z")
    (7.0, 0.25, 90.5)
    """
    return time_point(time, "us") / 1e6 if is_date(time) else float(Fraction(time))


def is_date(time: str) -> bool:
    """Whether a time is a date.

    >>> is_date("2026-03-01T12:00:00Z"), is_date("-12"), is_date("1/3")
    (True, False, False)
    """
    return _DATE.match(time) is not None
