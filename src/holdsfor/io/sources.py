"""Input as bytes: files, standard input, compressed or not, in pieces of whole lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from holdsfor.diagnostics import HoldsforError

STANDARD_INPUT = "-"
BLOCK = 4 << 20
"""Bytes in a piece: few enough for its columns to stay in a processor's cache."""
_GZIP = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def shown_name(path: str | Path) -> str:
    """What messages call an input."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """An input to read bytes from, unpacked if it is compressed; trouble is a HoldsforError that says what it is."""
    try:
        if str(path) == STANDARD_INPUT:
            yield _unpacked(_standard_input())
        else:
            with Path(path).open("rb") as file:
                yield _unpacked(file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise HoldsforError(f"{shown_name(path)} is a damaged gzip file: {problem}") from problem
    except OSError as problem:
        raise HoldsforError(f"cannot read {shown_name(path)}: {problem.strerror or problem}") from problem


def _standard_input() -> io.BufferedReader:
    stream = sys.stdin.buffer
    # Whoever has put something else in its place may not be able to look ahead.
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(io.BytesIO(stream.read()))


def _unpacked(file: io.BufferedReader) -> IO[bytes]:
    # The first bytes decide, not the name: standard input has none.
    return cast("IO[bytes]", gzip.open(file)) if file.peek(2)[:2] == _GZIP else file


def blocks(path: str | Path, size: int = BLOCK) -> Iterator[bytes]:
    """The lines of an input as pieces of valid UTF-8, each ending in a line break."""
    with opened(path) as file:
        is_first = True
        while block := file.read(size):
            if not block.endswith(b"\n"):
                block += file.readline()
            if not block.endswith(b"\n"):
                block += b"\n"
            yield _clean(block.removeprefix(_BYTE_ORDER_MARK) if is_first else block)
            is_first = False


def _clean(block: bytes) -> bytes:
    """Unix line breaks, and marks in place of bytes that are no text."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode(errors="replace").encode()
    return block
