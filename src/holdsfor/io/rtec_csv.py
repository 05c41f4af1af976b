"""Reads RTEC's stream format, `name|arrival|occurrence|arg…` and its forms for input fluents, many rows at a time.

Rows of different names have different widths. A piece of the file becomes one column of all its fields; rows are
sorted by name and width, and each such group is cut out of it column by column.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analyse import Analysis
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.io.builder import Builder, Piece, Reading
from holdsfor.io.columns import Cells, Times, text_cells, text_ends, text_times
from holdsfor.io.layouts import Form, Layout, Layouts
from holdsfor.io.rejects import Rejects, refused
from holdsfor.io.sources import blocks, shown_name

_NEWLINE, _BAR = b"\n|"


class Fields:
    """The fields of a piece of text, one behind the other, and where each row begins among them."""

    def __init__(self, block: bytes) -> None:
        self._block = block
        text = np.frombuffer(block, np.uint8)
        self._marks = np.flatnonzero((text == _NEWLINE) | (text == _BAR))
        last = np.flatnonzero(text[self._marks] == _NEWLINE)
        self.first = np.concatenate(([0], last[:-1] + 1))
        self.width = last - self.first + 1
        self._line_ends = self._marks[last]
        # Without its separators the text is the character buffer of a string column.
        offsets = np.zeros(len(self._marks) + 1, np.int32)
        offsets[1:] = self._marks - np.arange(len(self._marks))
        characters = block.translate(None, b"|\n")
        self._column = pa.StringArray.from_buffers(len(self._marks), pa.py_buffer(offsets), pa.py_buffer(characters))
        self.has_hexadecimals = b"|0x" in block or b"|0X" in block

    def column(self, rows: Ints, place: int) -> Any:
        """One field of some rows; all of them must have it."""
        return self._column.take(pa.array(self.first[rows] + place))

    def lines(self, rows: Ints) -> Any:
        """Some rows as they stand in the file."""
        return pc.utf8_rtrim(self._lines.take(pa.array(rows)), "\n")

    @cached_property
    def _lines(self) -> Any:
        offsets = np.concatenate(([0], self._line_ends + 1)).astype(np.int32)
        return pa.StringArray.from_buffers(len(self._line_ends), pa.py_buffer(offsets), pa.py_buffer(self._block))

    def groups(self) -> Iterator[tuple[str, int, Ints]]:
        """Name, width and rows of each kind of row, the rows in order."""
        names = self.column(np.arange(len(self.first)), 0).dictionary_encode()
        widest = int(self.width.max()) + 1
        key = names.indices.to_numpy().astype(np.int64) * widest + self.width
        # Small keys are sorted by counting, in linear time.
        order = np.argsort(key.astype(np.uint16) if key.max() < 1 << 16 else key, kind="stable")
        ordered = key[order]
        cuts = np.concatenate(([0], np.flatnonzero(np.diff(ordered)) + 1, [len(order)])).tolist()
        for begin, stop in zip(cuts, cuts[1:], strict=False):
            name, width = divmod(int(ordered[begin]), widest)
            yield names.dictionary[name].as_py(), width, order[begin:stop]


@dataclass
class Parsed:
    """What a piece of a file gave."""

    lines: int
    blank: int = 0
    pieces: list[Piece] = field(default_factory=list)
    unknown: list[tuple[str, int]] = field(default_factory=list)
    refused: list[pa.Table] = field(default_factory=list)


@dataclass(frozen=True)
class BlockParser:
    """Turns pieces of text into pieces of columns; has no state, so several can be at work."""

    layouts: Layouts

    def parse(self, block: bytes) -> Parsed:
        """The rows of a piece, by layout."""
        fields = Fields(block)
        parsed = Parsed(len(fields.first))
        for name, width, rows in fields.groups():
            layout = self.layouts.of_row(name, width)
            if isinstance(layout, Layout):
                self._take(fields, layout, rows, parsed)
            elif width == 1 and not name.strip():
                parsed.blank += len(rows)
            elif layout is None:
                parsed.unknown.append((name, len(rows)))
            else:
                parsed.refused.append(refused(name, rows, fields.lines(rows), layout))
        return parsed

    def _take(self, fields: Fields, layout: Layout, rows: Ints, parsed: Parsed) -> None:
        """Read a group; rows with wrong times are put aside and the others read again."""
        times = _read_times(fields, layout.form, rows)
        wrong = np.zeros(len(rows), np.bool_)
        for mask, reasons in _complaints(fields, rows, times):
            new = mask & ~wrong
            if new.any():
                chosen = np.flatnonzero(new)
                parsed.refused.append(
                    refused(layout.symbol.name, rows[chosen], fields.lines(rows[chosen]), reasons(rows[chosen]))
                )
                wrong |= new
        if wrong.any():
            rows = rows[~wrong]
            if len(rows):
                self._take(fields, layout, rows, parsed)
            return
        parsed.pieces.append(_piece(fields, layout, rows, times))


_TIMES = {
    Form.EVENT: ("arrival", "occurrence"),
    Form.INTERVAL: ("arrival", "start", "end"),
    Form.POINT: ("arrival", "time"),
}
