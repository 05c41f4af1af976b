"""Input as bytes: files, standard input, compressed or not, in pieces of whole lines."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
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
            yield _unpacked(io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer)))
        else:
            with Path(path).open("rb") as file:
                yield _unpacked(file)
    except (EOFError, gzip.BadGzipFile, zlib.error) as problem:
        raise HoldsforError(f"{shown_name(path)} is a damaged gzip file: {problem}") from problem
    except OSError as problem:
        raise HoldsforError(f"cannot read {shown_name(path)}: {problem.strerror or problem}") from problem


def _unpacked(file: io.BufferedReader) -> IO[bytes]:
    # The first bytes decide, not the name: standard input has none.
    return cast("IO[bytes]", gzip.open(file)) if file.peek(2)[:2] == _GZIP else file


def blocks(path: str | Path, size: int = BLOCK) -> Iterator[bytes]:
    """The lines of an input as pieces of valid UTF-8, each ending in a line break."""
    with opened(path) as file:
        for number, piece in enumerate(_whole_lines(iter(lambda: file.read(size), b""))):
            yield _clean(piece.removeprefix(_BYTE_ORDER_MARK) if number == 0 else piece)


def _whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut behind line breaks; the last line gets one if it has none.

    >>> list(_whole_lines([b"ab", b"c\\nd", b"ef\\ng\\nh"]))
    [b'abc\\n', b'def\\ng\\n', b'h\\n']
    """
    rest: list[bytes] = []
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield b"".join([*rest, piece[:cut]])
            rest = []
        rest.append(piece[cut:])
    last = b"".join(rest)
    if last:
        yield last + b"\n"


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
