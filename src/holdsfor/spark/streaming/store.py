"""Files of a streaming run, below its checkpoint: every batch has a folder, every file appears whole or not at all.

| file | |
| --- | --- |
| `<batch>/rows/<bucket>.arrow` | input rows that came in |
| `<batch>/state/<stage>-<bucket>.arrow` | what a bucket must know for the next query time |
| `<batch>/changes/<stage>-<bucket>.parquet` | the changelog |
| `<batch>/unmatched/<stage>-<bucket>.parquet` | retractions of what was never seen |
| `<batch>/commit.json` | the batch is done, and where everything is |
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

COMMIT = "commit.json"


def place_of(folder: str) -> tuple[Any, str]:
    """The file system of a folder, and its path there."""
    found: tuple[Any, str] = fs.FileSystem.from_uri(_whole_path(folder))
    return found


def _whole_path(folder: str) -> str:
    is_uri = "://" in folder or folder.startswith("file:")
    return folder if is_uri else os.path.abspath(folder)  # noqa: PTH100 -- a URI is no path


@dataclass(frozen=True)
class Store:
    """The folder of a run, on whatever file system Arrow knows."""

    root: str

    @classmethod
    def below(cls, checkpoint: str) -> Store:
        """The store of a checkpoint."""
        return cls(f"{_whole_path(checkpoint).rstrip('/')}/holdsfor")

    @cached_property
    def _place(self) -> tuple[Any, str]:
        return place_of(self.root)

    def __getstate__(self) -> dict[str, str]:
        return {"root": self.root}

    def __setstate__(self, state: dict[str, str]) -> None:
        object.__setattr__(self, "root", state["root"])

    def path(self, name: str) -> str:
        """A file or folder as Spark calls it."""
        return f"{self.root}/{name}"

    def read(self, name: str) -> Any:
        """The bytes of a file."""
        system, root = self._place
        with system.open_input_file(f"{root}/{name}") as file:
            return file.read_buffer()

    def write(self, name: str, data: Any) -> None:
        """Write a file; who comes later finds all of it or none."""
        system, root = self._place
        path = f"{root}/{name}"
        folder = path.rpartition("/")[0]
        system.create_dir(folder, recursive=True)
        passing = f"{folder}/.{uuid4().hex}"
        with system.open_output_stream(passing) as file:
            file.write(data)
        system.move(passing, path)

    def exists(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        system, root = self._place
        found: bool = system.get_file_info(f"{root}/{name}").type != fs.FileType.NotFound
        return found

    def batches(self) -> list[int]:
        """The batches that have a folder, done or not."""
        system, root = self._place
        found = system.get_file_info(fs.FileSelector(root, allow_not_found=True))
        return sorted(int(info.base_name) for info in found if info.base_name.lstrip("-").isdigit())

    def drop(self, batches: Collection[int]) -> None:
        """Delete the folders of some batches."""
        system, root = self._place
        for batch in batches:
            system.delete_dir(f"{root}/{batch}")


def packed(tables: Sequence[pa.Table], compression: str | None = None) -> Any:
    """Tables one behind the other."""
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
    """A table as a Parquet file, read once and soon."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="lz4", use_dictionary=["op", "value"], write_statistics=False)
    return sink.getvalue()
