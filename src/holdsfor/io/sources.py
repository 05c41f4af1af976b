"""Opens input as bytes: files and standard input, compressed or not, in pieces of whole lines."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.compression import MARK_SIZE, damages, packing_of, unpacked

STANDARD_INPUT = "-"
BLOCK = 4 << 20
"""Bytes per piece: small enough that its columns stay in a processor's cache."""
HEAD = 1 << 16
"""Bytes that are examined to detect the format of an input."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def shown_name(path: str | Path) -> str:
    """The name of an input in messages."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """Opens an input for reading bytes, unpacked if it is compressed; problems are raised as HoldsforError."""
    packing = None
    try:
        with _raw(path) as file:
            # The first bytes decide instead of the name, because standard input has none.
            packing = packing_of(file.peek(MARK_SIZE)[:MARK_SIZE])
            yield file if packing is None else unpacked(file, packing)
    except damages() as problem:
        # Of the errors of compressed files, only those of the system have a number.
        if packing is None or getattr(problem, "errno", None) is not None:
            reason = getattr(problem, "strerror", None) or problem
            raise HoldsforError(f"cannot read {shown_name(path)}: {reason}") from problem
        raise HoldsforError(f"{shown_name(path)} is a damaged {packing} file: {problem}") from problem


@contextmanager
def _raw(path: str | Path) -> Iterator[io.BufferedReader]:
    if str(path) == STANDARD_INPUT:
        yield _standard_input()
        return
    with Path(path).open("rb") as file:
        yield file


def head_of(path: str | Path) -> bytes:
    """The beginning of an input, unpacked."""
    with opened(path) as file:
        return file.read(HEAD).removeprefix(_BYTE_ORDER_MARK)


def _standard_input() -> io.BufferedReader:
    stream = sys.stdin.buffer
    # A replaced standard input may not support peeking.
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(io.BytesIO(stream.read()))


def blocks(path: str | Path, size: int = BLOCK) -> Iterator[bytes]:
    """The lines of an input in pieces of valid UTF-8, each ending in a line break."""
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
    """Normalises line breaks, and replaces bytes that are not valid text."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if block.isascii():
        return block
    try:
        block.decode()
    except UnicodeDecodeError:
        return block.decode(errors="replace").encode()
    return block
