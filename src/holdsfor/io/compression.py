"""Detects compressed files by their first bytes, and unpacks them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from typing import IO, cast

COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".lz4")
"""File name endings of compressed files."""
MARK_SIZE = 10
"""The number of bytes that identify a compression."""
_MARKS = {
    "gzip": rb"\x1f\x8b",
    # Three letters do not distinguish it from text. A block, or the end of an empty file, follows them.
    "bzip2": rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)",
    "xz": rb"\xfd7zXZ\x00",
    "zstd": rb"\x28\xb5\x2f\xfd",
    "lz4": rb"\x04\x22\x4d\x18",
}


def packing_of(head: bytes) -> str | None:
    """The compression of content with these first bytes; None if it is not compressed.

    >>> packing_of(b"BZh91AY&SY"), packing_of(b"time,user")
    ('bzip2', None)
    """
    return next((packing for packing, mark in _MARKS.items() if re.match(mark, head)), None)


def unpacked(file: io.BufferedReader, packing: str) -> IO[bytes]:
    """The content of a compressed file."""
    match packing:
        case "gzip":
            return cast("IO[bytes]", gzip.open(file))
        case "bzip2":
            return bz2.open(file)
        case "xz":
            return lzma.open(file)
        case _:
            # Imported here because most files do not need it, and Arrow loads slowly.
            import pyarrow as pa

            stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), packing)
            return io.BufferedReader(cast("io.RawIOBase", stream))


def damages() -> tuple[type[Exception], ...]:
    """The exceptions for files that cannot be read, or whose content contradicts their first bytes."""
    return (EOFError, OSError, zlib.error, lzma.LZMAError)
