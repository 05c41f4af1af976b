"""Sealed files: the run and the file that they belong to, and a checksum, at their end.

    content | what it is, as JSON | length of that (4 bytes) | CRC-32 of all before (4 bytes) | MARK

The content is at the beginning, so that columns in it lie where they may be mapped into memory.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pyarrow as pa

from holdsfor.diagnostics import HoldsforError

MARK = b"HFsealed"
_NUMBERS = struct.Struct("<II")
_TAIL = _NUMBERS.size + len(MARK)
WAY_OUT = "put the checkpoint folder back from a copy, or begin with a new, empty checkpoint and sink"


class DamagedCheckpoint(HoldsforError):
    """A checkpoint file is missing, changed, or misplaced."""

    def __init__(self, path: str, what: str, way_out: str = WAY_OUT) -> None:
        super().__init__(f"the checkpoint is damaged: {path} {what}; {way_out}")
        self.path, self.what, self.way_out = path, what, way_out

    def __reduce__(self) -> tuple[type[DamagedCheckpoint], tuple[str, str, str]]:
        return DamagedCheckpoint, (self.path, self.what, self.way_out)


def seal(content: Any, owner: str, name: str) -> Any:
    """The seal that follows a content."""
    owner_data = json.dumps({"run": owner, "file": name}).encode()
    length = struct.pack("<I", len(owner_data))
    checksum = zlib.crc32(length, zlib.crc32(owner_data, zlib.crc32(content)))
    return owner_data + length + struct.pack("<I", checksum) + MARK


def unsealed(data: Any, owner: str, name: str, path: str) -> Any:
    """The content of a sealed file or section, after verification of its identity."""
    view = memoryview(data)
    if len(view) < _TAIL or bytes(view[-len(MARK) :]) != MARK:
        raise DamagedCheckpoint(path, "has been cut or overwritten at its end")
    length, checksum = _NUMBERS.unpack(view[-_TAIL : -len(MARK)])
    end = len(view) - _TAIL - length
    is_whole = end >= 0 and zlib.crc32(view[: len(view) - _TAIL + 4]) == checksum
    found = _identity(bytes(view[max(end, 0) : len(view) - _TAIL]))
    if found is not None and found != (owner, name):
        other = found[1] if found[0] == owner else f"{found[1]} of another run"
        raise DamagedCheckpoint(path, f"is a copy of {other}")
    if not is_whole or found is None:
        raise DamagedCheckpoint(path, "has been changed since it was written: its checksum is another")
    return pa.py_buffer(data).slice(0, end)


def _identity(text: bytes) -> tuple[str, str] | None:
    """The run and the file in a seal; None if it is damaged."""
    try:
        found = json.loads(text)
        return found["run"], found["file"]
    except (ValueError, KeyError, TypeError):
        return None
