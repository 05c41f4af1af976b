"""Spark's own files in a checkpoint: how far it has read its sources. Another offset would be other rows, or rows twice.

Spark looks at them only as far as it needs them, and has checksums for them only on some file systems. So a commit says
which were there when its batch was done, and the next run begins only if they still are.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from pyarrow import fs

from holdsfor.spark.streaming.seals import DamagedCheckpoint

_ENTRY = re.compile(r"(\d+)(\.compact)?")


def spark_files(system: Any, checkpoint: str) -> dict[str, int]:
    """The newest entry of each of Spark's logs of what has been read, with its checksum."""
    found = {}
    for folder in _logs(system, checkpoint):
        entries = _entries(system, f"{checkpoint}/{folder}")
        if entries:
            name = f"{folder}/{entries[max(entries)]}"
            found[name] = _checksum(system, f"{checkpoint}/{name}")
    return found


def check_spark_files(system: Any, checkpoint: str, told: Mapping[str, Any]) -> None:
    """Refuse to go on if one of the files of a commit is gone or another."""
    for name, checksum in told.items():
        folder, _, entry = name.rpartition("/")
        path, number = f"{checkpoint}/{name}", _number(entry)
        there = _entries(system, f"{checkpoint}/{folder}")
        if there.get(number) != entry:
            # Old entries of a source are put together in one file, and deleted.
            if not any(later > number and text.endswith(".compact") for later, text in there.items()):
                raise DamagedCheckpoint(path, "is missing, which says how far Spark has read")
        elif _checksum(system, path) != checksum:
            raise DamagedCheckpoint(path, "has been changed since it was written: its checksum is another")


def _logs(system: Any, checkpoint: str) -> Iterator[str]:
    yield "offsets"
    for info in system.get_file_info(fs.FileSelector(f"{checkpoint}/sources", allow_not_found=True)):
        if info.type == fs.FileType.Directory:
            yield f"sources/{info.base_name}"


def _entries(system: Any, folder: str) -> dict[int, str]:
    """The entries of a log by their numbers; an entry that is put together with others counts as the later of two."""
    listed = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    names = sorted(info.base_name for info in listed if info.is_file and _ENTRY.fullmatch(info.base_name))
    return {_number(name): name for name in names}


def _number(entry: str) -> int:
    return int(entry.partition(".")[0])


def _checksum(system: Any, path: str) -> int:
    with system.open_input_file(path) as file:
        return zlib.crc32(file.read_buffer())
