"""Finds the position of a piece of a rule in the user's Python file."""

from __future__ import annotations

import linecache
import sys
from itertools import accumulate, islice
from types import CodeType, FrameType
from typing import NamedTuple

from holdsfor.diagnostics import NOWHERE, Source, Span

_HERE = __file__.removesuffix("places.py")
_PACKAGE = __name__.rpartition(".")[0]


class _File(NamedTuple):
    lines: list[str]
    starts: list[int]
    source: Source


_files: dict[str, _File] = {}
_known: dict[tuple[int, int], tuple[CodeType, Span]] = {}
"""Spans by code object and instruction. The code object is kept, because its identity is the key."""
_KNOWN_AT_MOST = 10_000


def here() -> Span:
    """The span of the calling expression outside this package; NOWHERE if its text is not available."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    if frame is None:
        return NOWHERE
    key = id(frame.f_code), frame.f_lasti
    found = _known.get(key)
    if found is None:
        if len(_known) >= _KNOWN_AT_MOST:
            _known.clear()
        found = _known[key] = frame.f_code, _span(frame)
    return found[1]


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_code.co_filename
    if name == "<string>":  # the constructors that dataclasses write
        return str(frame.f_globals.get("__name__")).startswith(_PACKAGE)
    return name.startswith(_HERE)


def _span(frame: FrameType) -> Span:
    file = _file(frame)
    line, end_line, column, end_column = next(
        islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4
    )
    # A file that was edited since it was imported may have become shorter.
    if file is None or line is None or max(line, end_line or 0) > len(file.lines):
        return NOWHERE
    if end_line is None or column is None or end_column is None:
        text = file.lines[line - 1]
        start = file.starts[line - 1] + len(text) - len(text.lstrip())
        return Span(file.source, start, file.starts[line - 1] + len(text.rstrip()))
    return Span(file.source, _offset(file, line, column), _offset(file, end_line, end_column))


def _file(frame: FrameType) -> _File | None:
    name = frame.f_code.co_filename
    lines = linecache.getlines(name, frame.f_globals)
    if not lines:
        return None
    known = _files.get(name)
    # linecache hands out the same list until the file changes.
    if known is None or known.lines is not lines:
        starts = [0, *accumulate(len(line) for line in lines)]
        known = _files[name] = _File(lines, starts, Source(name, "".join(lines)))
    return known


def _offset(file: _File, line: int, column: int) -> int:
    """Converts a column in bytes, as in code objects, to an offset in characters."""
    text = file.lines[line - 1]
    characters = column if text.isascii() else len(text.encode()[:column].decode(errors="ignore"))
    return file.starts[line - 1] + characters
