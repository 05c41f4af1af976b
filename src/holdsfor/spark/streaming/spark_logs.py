"""Checks Spark's own files in a checkpoint, which record what was read; another offset would lose or repeat rows.

Spark reads these files only as far as it needs them, and has checksums only on some file systems. So a commit records
the files at the end of its batch, and the next run starts only if they are unchanged.
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
    """The newest entry of each of Spark's logs about input, with its checksum."""
    found = {}
    for folder in _logs(system, checkpoint):
        entries = _entries(system, f"{checkpoint}/{folder}")
        if entries:
            name = f"{folder}/{entries[max(entries)]}"
            found[name] = _checksum(system, f"{checkpoint}/{name}")
    return found


def check_spark_files(system: Any, checkpoint: str, checksums: Mapping[str, Any]) -> None:
    """Raises an error if a file recorded in a commit is missing or changed."""
    for name, checksum in checksums.items():
        folder, _, entry = name.rpartition("/")
        path, number = f"{checkpoint}/{name}", _number(entry)
        there = _entries(system, f"{checkpoint}/{folder}")
        if there.get(number) != entry:
            # Old entries of a source are compacted to one file and deleted.
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
    """The entries of a log by number; a compacted entry counts as the later one."""
    listed = system.get_file_info(fs.FileSelector(folder, allow_not_found=True))
    names = sorted(info.base_name for info in listed if info.is_file and _ENTRY.fullmatch(info.base_name))
    return {_number(name): name for name in names}


def _number(entry: str) -> int:
    return int(entry.partition(".")[0])


def _checksum(system: Any, path: str) -> int:
    with system.open_input_file(path) as file:
        return zlib.crc32(file.read_buffer())
