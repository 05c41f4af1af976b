"""Compressed files, known by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from typing import IO, cast

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")
"""How the names of compressed files end."""
MARK_SIZE = 10
"""Bytes that tell how something is compressed."""
_MARKS = {
    "gzip": rb"\x1f\x8b",
    # Three letters are too few to tell it from text; a block, or the end of an empty file, begins behind them.
    "bzip2": rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
    "xz": rb"\xfd7zXZ\x00",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "lz4": rb"\x04\x22\x4d\x18",
}


def packing_of(head: bytes) -> str | None:
    """How something is compressed that begins so; None if it is not.

    >>> packing_of(b"BZh91AY&SY"), packing_of(b"time,user")
    ('bzip2', None)
    """
    return next((packing for packing, mark in _MARKS.items() if re.match(mark, head)), None)


def unpacked(file: io.BufferedReader, packing: str) -> IO[bytes]:
    """What is in a compressed file."""
    match packing:
        case "gzip":
            return cast("IO[bytes]", gzip.open(file))
        case "bzip2":
            return bz2.open(file)
        case "xz":
            return lzma.open(file)
        case _:
            # Imported here: few files are compressed so, and Arrow takes its time.
            import pyarrow as pa

            stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), packing)
            return io.BufferedReader(cast("io.RawIOBase", stream))


def damages() -> tuple[type[Exception], ...]:
    """What is raised where a file cannot be read, or is not what its first bytes say."""
    return (EOFError, OSError, zlib.error, lzma.LZMAError)
