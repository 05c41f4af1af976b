"""Files of a streaming run, below its checkpoint: every batch has a folder, every file appears whole or not at all.

| file | |
| --- | --- |
| `<batch>/rows/<bucket>.arrow` | input rows that came in |
| `<batch>/state/<stage>-<bucket>-<attempt>` | what a bucket must know for the next query time (state.py); a commit says which attempt counts |
| `<batch>/changes/<stage>-<bucket>.parquet` | the changelog |
| `<batch>/events/<stage>-<bucket>.parquet` | the changelog of derived events |
| `<batch>/unmatched/<stage>-<bucket>.parquet` | retractions of what was never seen |
| `<batch>/changes/swap.parquet`, `<batch>/events/swap.parquet` | rows that a swap of rules adds to them (swapping.py) |
| `<batch>/commit.json` | the batch is done, and where everything is |

Files that a later batch reads are sealed: they say whose they are, and a file that is missing, changed or in the place of
another is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.seals import DamagedCheckpoint, seal, unsealed
from holdsfor.spark.streaming.spark_logs import check_spark_files, spark_files

COMMIT = "commit.json"


def place_of(folder: str) -> tuple[Any, str]:
    """The file system of a folder, and its path there."""
    local = _local_path(folder)
    if local is not None:
        return fs.LocalFileSystem(), local
    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(folder)
    except (OSError, pa.ArrowException) as problem:
        reason = str(problem).partition("\n")[0]
        raise HoldsforError(f"{folder} is on no file system that Arrow can use: {reason}") from problem
    return found


def _local_path(folder: str) -> str | None:
    """The path of a local folder; None for others. A path without a file system is local."""
    scheme = re.match(r"([A-Za-z][\w+.-]*):/", folder)
    if scheme is None:
        return os.path.abspath(folder)  # noqa: PTH100 -- it stays text
    if scheme[1] != "file":
        return None
    # The rest is used literally, as in Spark: no escapes, with or without two slashes.
    return "/" + folder.removeprefix("file:").lstrip("/")


def is_local(folder: str) -> bool:
    """Whether a folder is on this machine, or mounted there."""
    return _local_path(folder) is not None


def spark_path(folder: str) -> str:
    """The URI of a folder for Spark, independent of its working directory and default file system."""
    local = _local_path(folder)
    return folder if local is None else f"file://{local}"


def make_folder(folder: str, what: str) -> None:
    """Creates a folder, or reports why it cannot be created, before a query begins."""
    system, path = place_of(folder)
    try:
        system.create_dir(path, recursive=True)
    except (OSError, pa.ArrowException) as problem:
        raise HoldsforError(f"{folder} cannot be the folder of the {what}: {_plain(problem)}") from problem


def _plain(problem: Exception) -> str:
    """The reason at the end of an Arrow message."""
    return str(problem).rpartition("Detail: ")[2].rpartition("] ")[2]


@dataclass(frozen=True)
class Store:
    """The folder of a run, on any file system that Arrow supports. `owner` is the run: its number and its rules."""

    root: str
    owner: str = ""

    @classmethod
    def below(cls, checkpoint: str) -> Store:
        """The store of a checkpoint."""
        return cls(f"{(_local_path(checkpoint) or checkpoint).rstrip('/')}/holdsfor")

    @cached_property
    def place(self) -> tuple[Any, str]:
        """The file system of Arrow, and the path on it."""
        return place_of(self.root)

    def __getstate__(self) -> dict[str, str]:
        return {"root": self.root, "owner": self.owner}

    def __setstate__(self, state: dict[str, str]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def owned(self, owner: str) -> Store:
        """The same store for a run."""
        return replace(self, owner=owner)

    def path(self, name: str) -> str:
        """The path of a file or folder of the store."""
        return f"{self.root}/{name}"

    def read(self, name: str, offset: int = 0, size: int | None = None) -> Any:
        """The bytes of a file, or some of them."""
        system, root = self.place
        with system.open_input_file(f"{root}/{name}") as file:
            file.seek(min(offset, file.size()))
            return file.read_buffer(size)

    def read_sealed(self, name: str) -> Any:
        """The content of a sealed file; raises an error if it is not the expected one."""
        try:
            return unsealed(self.read(name), self.owner, name, self.path(name))
        except FileNotFoundError:
            raise DamagedCheckpoint(self.path(name), "is missing") from None

    def write_sealed(self, name: str, data: Any) -> None:
        """Writes a file that a later batch reads."""
        self.write(name, data, seal(data, self.owner, name))

    def write(self, name: str, *data: Any) -> None:
        """Writes a file atomically."""
        system, root = self.place
        path = f"{root}/{name}"
        folder = path.rpartition("/")[0]
        system.create_dir(folder, recursive=True)
        passing = f"{folder}/.{uuid4().hex}"
        with system.open_output_stream(passing) as file:
            for part in data:
                file.write(part)
        system.move(passing, path)

    def exists(self, name: str) -> bool:
        """Whether a file or folder exists."""
        system, root = self.place
        found: bool = system.get_file_info(f"{root}/{name}").type != fs.FileType.NotFound
        return found

    def sizes(self, folder: str) -> dict[str, int]:
        """The files of a folder with their sizes; empty if there is no such folder."""
        system, root = self.place
        found = system.get_file_info(fs.FileSelector(f"{root}/{folder}", allow_not_found=True))
        return {info.base_name: info.size for info in found if info.is_file and not info.base_name.startswith(".")}

    def committed(self) -> list[int]:
        """The completed batches."""
        return [batch for batch in self.batches() if self.exists(f"{batch}/{COMMIT}")]

    def commit_path(self, batch: int) -> str:
        """The path of the commit of a batch."""
        return self.path(f"{batch}/{COMMIT}")

    def commit_text(self, batch: int) -> bytes:
        """The commit of a batch."""
        found: bytes = self.read(f"{batch}/{COMMIT}").to_pybytes()
        return found

    def write_commit(self, batch: int, text: bytes) -> None:
        """Write the commit of a batch."""
        self.write(f"{batch}/{COMMIT}", text)

    def spark_files(self) -> dict[str, int]:
        """The newest entry of each of Spark's logs about input, with its checksum."""
        return spark_files(*self._checkpoint)

    def check_spark_files(self, checksums: Mapping[str, Any]) -> None:
        """Raises an error if one of them is missing or changed."""
        check_spark_files(*self._checkpoint, checksums)

    @property
    def _checkpoint(self) -> tuple[Any, str]:
        system, root = self.place
        return system, root.rpartition("/")[0]

    def batches(self) -> list[int]:
        """The batches with a folder, completed or not."""
        system, root = self.place
        found = system.get_file_info(fs.FileSelector(root, allow_not_found=True))
        return sorted(int(info.base_name) for info in found if info.base_name.lstrip("-").isdigit())

    def drop(self, batches: Collection[int]) -> None:
        """Delete the folders of some batches."""
        system, root = self.place
        for batch in batches:
            system.delete_dir(f"{root}/{batch}")

    def remove(self, folder: str) -> None:
        """Delete a folder."""
        system, root = self.place
        system.delete_dir(f"{root}/{folder}")


def state_file(batch: int, stage: int, bucket: int, attempt: str) -> str:
    """The file of an attempt at a task, with its contribution to the state of a bucket."""
    return f"{batch}/state/{stage}-{bucket}-{attempt}.arrow"


def new_attempt() -> str:
    """The name of an attempt. Spark may run a task twice; the second attempt must not replace a committed file."""
    return uuid4().hex[:12]


def packed(tables: Sequence[pa.Table], compression: str | None = None) -> Any:
    """Tables in sequence as bytes."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    for table in tables:
        with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
            writer.write_table(table)
    return sink.getvalue()


def unpacked(data: Any) -> list[pa.Table]:
    """The tables in such a file."""
    source = pa.BufferReader(data)
    tables = []
    while source.tell() < source.size():
        tables.append(pa.ipc.open_stream(source).read_all())
    return tables


def as_parquet(table: pa.Table) -> Any:
    """A table as a Parquet file for a single, early read."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="lz4", use_dictionary=["op", "value"], write_statistics=False)
    return sink.getvalue()
