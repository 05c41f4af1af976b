"""Checkpoints that Spark alone reads and writes: on any store that it knows, also where workers may not open paths.

A batch writes what it has found, and the parts of the state that it has changed, in one write for each stage, to the folder
of a *slot*. Slots that no commit needs are overwritten: nothing is ever listed, moved or deleted by itself.

| folder | |
| --- | --- |
| `slot-<n>/<stage>` | sections of states, notes for the driver, bytes for later stages, changes as bytes: Parquet, see row_tasks.py |
| `slot-<n>/0` | rows that came in when no query time was due |
| `commit-0`, `commit-1` | the last two commits, by turns: one is whole while the other is written; beside each a checksum of Spark's offsets of its batch |
| `history` | there if a history was begun before the stream |
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.spark.streaming.chain import add_link
from holdsfor.spark.streaming.commits import Commit, last_commit
from holdsfor.spark.streaming.row_state import Held
from holdsfor.spark.streaming.row_tasks import NOTE, OUT
from holdsfor.spark.streaming.seals import DamagedCheckpoint
from holdsfor.spark.streaming.state import MOST_FILES
from holdsfor.spark.streaming.tasks import notes_of
from holdsfor.spark.wire import ddl

Reached = dict[str, set[int] | None]
"""The affected parts, by stage and bucket; None is all of them."""
OFFSETS, LOG = b"offsets ", b"log "
"""The prefixes of the lines beside a commit: the checksum of Spark's offsets, and of the newest entry of each log of
read files.
"""
_CHECKSUM = f"concat('{OFFSETS.decode()}', sha2(value, 256))"
_LOG_CHECKSUM = f"concat('{LOG.decode()}', regexp_extract(path, 'sources/[0-9]+/[^/]+$', 0), ' ', sha2(content, 256))"
_READ_FILES = re.compile(r'\{"logOffset":(-?\d+)\}')
_BATCH = (
    "the last batch that these tables have; they belong to another query, or to an older or newer state of this one"
)
_SPARE = 1_000_000
# Small row groups, so that row groups without a needed part are skipped.
_WRITING = {
    "parquet.block.size": "262144",
    "parquet.block.size.row.check.min": "4",
    "parquet.block.size.row.check.max": "64",
}


@dataclass
class Memory:
    """The driver's cache between batches; the tables contain the same information."""

    commits: dict[int, bytes] | None = None
    offsets: dict[int, bytes] = field(default_factory=dict)
    """The lines with the checksums of Spark's offsets, for commits that existed at the start of the run."""
    logs: dict[int, frozenset[bytes]] = field(default_factory=dict)
    """In the same way, the lines with those of its logs of read files."""
    has_files: bool = True
    """Whether sources of the stream may be files, of which Spark has logs."""
    held: dict[str, Held] = field(default_factory=dict)
    held_after: int | None = None
    """The batch to which the states in `held` belong."""
    written: dict[int, int] = field(default_factory=dict)
    """The number of state bytes that each batch has written."""
    before: Commit | None = None
    slot: int = 0
    """The slot of this batch."""
    reached: Reached = field(default_factory=dict)
    has_written: bool = False
    swapped: dict[int, int] = field(default_factory=dict)
    """The slot of new states, by the number of their batch, if the rules were changed at the beginning of this batch."""


@dataclass
class Tables:
    """The tables of a run in a session. They also store the commits."""

    spark: SparkSession
    root: str
    owner: str
    memory: Memory

    # Commits

    def committed(self) -> list[int]:
        """The batches with commits."""
        if self.memory.commits is None:
            found = [self._text(f"commit-{place}") for place in (0, 1)]
            self.memory.commits = {}
            for place, text in enumerate(found):
                if text is not None:
                    lines = text.split(b"\n")
                    commits = [line for line in lines if not line.startswith((OFFSETS, LOG))]
                    number = self._number(place, commits[0] if commits else b"")
                    self.memory.commits[number] = commits[0]
                    self.memory.offsets[number] = b"".join(line for line in lines if line.startswith(OFFSETS))
                    self.memory.logs[number] = frozenset(line for line in lines if line.startswith(LOG))
        return sorted(self.memory.commits)

    def _number(self, place: int, text: bytes) -> int:
        try:
            return int(json.loads(text)["batch"])
        except (ValueError, KeyError, TypeError):
            raise DamagedCheckpoint(f"{self.root}/commit-{place}", "has been cut or overwritten") from None

    def _text(self, name: str) -> bytes | None:
        try:
            rows = self.spark.read.text(f"{self.root}/{name}").collect()
        except AnalysisException as problem:
            if problem.getCondition() == "PATH_NOT_FOUND":
                return None
            raise
        # An interrupted write leaves a folder without files.
        return "\n".join(row.value for row in rows).encode() if rows else None

    def batches(self) -> list[int]:
        """The batches that were started, as far as visible."""
        found = self.committed()
        return found if found or self._text("history") is None else [-1]

    def commit_path(self, batch: int) -> str:
        """The path of the commit of a batch."""
        return f"{self.root}/commit-{batch % 2}"

    def commit_text(self, batch: int) -> bytes:
        """The commit of a batch."""
        self.committed()
        assert self.memory.commits is not None
        return self.memory.commits[batch]

    def write_commit(self, batch: int, text: bytes) -> None:
        """Writes the commit of a batch in place of the one before the last."""
        self._write_text(f"commit-{batch % 2}", text, batch)
        self.memory.commits = {
            known: commit for known, commit in (self.memory.commits or {}).items() if known == batch - 1
        }
        self.memory.commits[batch] = text

    def begin_history(self) -> None:
        """Records that a history has begun, which a stream must not skip."""
        self._write_text("history", b"begun")

    def _write_text(self, name: str, text: bytes, batch: int = -1) -> None:
        """Writes a text, with checksums of Spark's own files if the batch came from a stream."""
        frame = self.spark.createDataFrame(pa.table({"value": pa.array([text.decode()])}))
        if batch >= 0:
            # In the same job, so that there is no separate read.
            frame = frame.unionAll(self._offsets(batch).selectExpr(f"{_CHECKSUM} as value"))
            for folder, entry in self._logs(batch):
                frame = frame.unionAll(self._log(folder, f"{entry},{entry}.compact"))
        frame.coalesce(1).write.mode("overwrite").text(f"{self.root}/{name}")

    # Spark's own files

    def spark_files(self) -> dict[str, Any]:
        """The checksum of Spark's offsets is beside the commit."""
        return {"offsets": "beside"}

    def check_spark_files(self, checksums: Mapping[str, Any]) -> None:
        """Raises an error if the offsets of the last commit, or the logs of read files, are missing or changed."""
        batch = self.committed()[-1]
        if not checksums or batch < 0:
            # The previous version did not record them, and a history has none.
            return
        path = f"{self._checkpoint}/offsets/{batch}"
        try:
            (found,) = self._offsets(batch).selectExpr("value", f"{_CHECKSUM} as checksum").collect()
        except AnalysisException as problem:
            if problem.getCondition() != "PATH_NOT_FOUND":
                raise
            raise DamagedCheckpoint(path, f"is missing, which says how far Spark had read in {_BATCH}") from None
        if found.checksum.encode() != self.memory.offsets[batch]:
            raise DamagedCheckpoint(path, f"is not the one that Spark had in {_BATCH}")
        for folder, entry in _logs_in(found.value, self._checkpoint) or ():
            self._require_log(folder, entry, self.memory.logs[batch])

    def _require_log(self, folder: str, entry: int, known: frozenset[bytes]) -> None:
        """Reports an error if a log of read files lacks the expected entry, or has another one."""
        try:
            rows = self._log(folder, f"{entry},*.compact").collect()
        except AnalysisException as problem:
            if problem.getCondition() != "PATH_NOT_FOUND":
                raise
            rows = []
        found = {row.value.split()[1].rpartition("/")[2]: row.value.encode() for row in rows}
        # Old entries are compacted to one file and deleted.
        if not any(int(name.partition(".")[0]) >= entry for name in found):
            raise DamagedCheckpoint(f"{folder}/{entry}", f"is missing, which says what Spark had read in {_BATCH}")
        for name in {str(entry), f"{entry}.compact"} & found.keys() if known else ():
            if found[name] not in known:
                raise DamagedCheckpoint(f"{folder}/{name}", f"is not the one that Spark had in {_BATCH}")

    def _logs(self, batch: int) -> list[tuple[str, int]]:
        """The logs of read files at a batch. Without files among the sources, this is read only once."""
        found = _logs_in(self._offsets(batch).collect()[0].value, self._checkpoint) if self.memory.has_files else []
        self.memory.has_files = self.memory.has_files and found is not None
        return found or []

    def _log(self, folder: str, entries: str) -> DataFrame:
        """The checksums of some entries of a log."""
        listed = self.spark.read.format("binaryFile").load(f"{escaped(folder)}/{{{entries}}}")
        return listed.selectExpr(f"{_LOG_CHECKSUM} as value")

    def _offsets(self, batch: int) -> DataFrame:
        """Spark's offsets of a batch, as one text."""
        return self.spark.read.text(escaped(f"{self._checkpoint}/offsets/{batch}"), wholetext=True)

    @property
    def _checkpoint(self) -> str:
        return self.root.removesuffix("/holdsfor")

    # Slots

    def folder(self, slot: int, stage: int) -> str:
        """The folder for the output of a stage in a slot; stage 0 contains waiting rows."""
        return f"{self.root}/slot-{slot}/{stage}"

    def read(self, folders: Sequence[str]) -> DataFrame:
        """The rows in some folders."""
        try:
            return self.spark.read.schema(ddl(OUT)).parquet(*folders)
        except AnalysisException as problem:
            if problem.getCondition() == "PATH_NOT_FOUND":
                raise DamagedCheckpoint(_named(folders, str(problem)), "is missing") from None
            raise

    def written(self, frame: DataFrame, folder: str) -> list[dict[str, Any]]:
        """Writes the output of a stage; returns its notes."""
        watch = Observation()
        notes = F.collect_list(F.when(F.col("kind") == NOTE, F.col("note"))).alias("notes")
        frame.observe(watch, notes).write.mode("overwrite").options(**_WRITING).parquet(folder)
        return notes_of(watch.get["notes"])

    def put(self, made: pa.Table, folder: str) -> list[dict[str, Any]]:
        """Writes the output of a stage of a small batch; returns its notes."""
        self.spark.createDataFrame(made).coalesce(1).write.mode("overwrite").options(**_WRITING).parquet(folder)
        return notes_of(made["note"].drop_null().to_pylist())

    def notes(self, folders: Sequence[str]) -> list[tuple[int, str]]:
        """The notes in some folders, each with its batch number."""
        found = self.read(folders).where(f"kind = '{NOTE}'").select("batch", "note").collect()
        return [(row.batch, row.note) for row in found]

    # Positions of states

    def fetched(self, folders: Sequence[str], kinds: Sequence[str]) -> list[dict[str, Any]]:
        """The sections of some kinds in some folders, in memory."""
        if not folders:
            return []
        listed = ", ".join(f"'{kind}'" for kind in kinds)
        names = ("kind", "bucket as origin", "batch", "number", "of", "data")
        found: list[dict[str, Any]] = (
            self.read(folders).where(f"kind in ({listed})").selectExpr(*names).toArrow().to_pylist()
        )
        return found

    def load(self, before: Commit) -> None:
        """Loads the positions of the states of a commit from the notes of the writers."""
        memory = self.memory
        if memory.held_after == before.batch:
            return
        memory.held, memory.written = {}, {}
        last = max((int(name.partition("-")[0]) for name in before.places), default=0)
        batches = sorted({batch for place in before.places.values() for batch in place.batches})
        folders = [self.folder(before.slots[batch], stage) for batch in batches for stage in range(1, last + 1)]
        for _, note in sorted(self.notes(folders) if folders else []):
            self.apply(json.loads(note))
        if memory.held.keys() != before.places.keys():
            missing = sorted(before.places.keys() - memory.held.keys())
            raise DamagedCheckpoint(self.root, f"does not have the state of bucket {', '.join(missing)}")
        memory.held_after = before.batch

    def apply(self, note: Mapping[str, Any]) -> None:
        """Applies a worker's note about a state."""
        if "parts" not in note:
            return
        held = Held.of(note, self.memory.held.get(note["name"]))
        self.memory.held[note["name"]] = held
        batch = note["written"]
        own = held.size if note["batch"] == batch else 0
        size = own + sum(one[3] for one in note["parts"])
        self.memory.written[batch] = self.memory.written.get(batch, 0) + size

    def worst(self) -> int | None:
        """The batch whose folder has too little valid data, if there are many folders or much obsolete data."""
        used: dict[int, int] = {}
        for held in self.memory.held.values():
            used[held.batch] = used.get(held.batch, 0) + held.size
            for one in held.parts.values():
                used[int(one.file)] = used.get(int(one.file), 0) + one.size
        waste = sum(max(0, self.memory.written.get(batch, 0) - size) for batch, size in used.items())
        if len(used) <= MOST_FILES and waste <= sum(used.values()) + _SPARE:
            return None
        if len(used) > MOST_FILES:
            return min(used, key=lambda batch: used[batch])
        return min(used, key=lambda batch: used[batch] / max(1, self.memory.written.get(batch, 0)))


def _logs_in(offsets: str, checkpoint: str) -> list[tuple[str, int]] | None:
    """The logs of read files, each with its newest entry, by Spark's offsets of a batch; None if no source has one."""
    # After the version and a line of Spark's metadata, there is one line per source.
    lines = [_READ_FILES.fullmatch(line) for line in offsets.splitlines()[2:]]
    found = [(f"{checkpoint}/sources/{place}", int(one[1])) for place, one in enumerate(lines) if one is not None]
    return [(folder, entry) for folder, entry in found if entry >= 0] if found else None


def escaped(path: str) -> str:
    """Escapes a path where Spark expects a pattern.

    >>> escaped("file:/data/a[1]")
    'file:/data/a\\\\[1\\\\]'
    """
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", path)


def _named(folders: Sequence[str], problem: str) -> str:
    return next((folder for folder in folders if folder in problem), folders[0])


@dataclass(frozen=True)
class TableCheckpoint:
    """Commits and states in tables."""

    tables: Tables

    def before(self, settings: Mapping[str, Any], batch: int, earlier: str | None = None) -> Commit:
        """The commit before a batch."""
        found = last_commit(self.tables, settings, batch, earlier)
        if batch < 0:
            self.tables.begin_history()
        memory = self.tables.memory
        self.tables.load(found)
        memory.before, memory.reached, memory.has_written, memory.swapped = found, {}, False, {}
        memory.slot = free_slot(found)
        return found

    def commit(self, commit: Commit, before: Commit) -> None:
        """Commits a batch."""
        memory = self.tables.memory
        slots = dict(before.slots) | memory.swapped
        if memory.has_written:
            slots[commit.batch] = memory.slot
        assert memory.before is not None
        reached = merged(memory.before.reached, memory.reached) if commit.rows else {}
        commit = replace(
            commit,
            slots={batch: slot for batch, slot in slots.items() if batch in commit.needed},
            reached={name: None if one is None else sorted(one) for name, one in reached.items()},
        )
        add_link(self.tables, commit.batch, commit.data(), before.link)
        memory.held_after = commit.batch


def free_slot(before: Commit) -> int:
    """The first slot that a commit does not need."""
    needed = {before.slots[batch] for batch in before.needed if batch in before.slots}
    return next(slot for slot in range(len(needed) + 1) if slot not in needed)


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> Reached:
    """The union of two sets of affected parts."""
    found: Reached = {}
    for name in {*one, *other}:
        sets = [one.get(name, ()), other.get(name, ())]
        found[name] = None if any(part is None for part in sets) else {number for part in sets for number in part}
    return found
