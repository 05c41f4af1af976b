"""Represents a piece of a `|`-separated file as one column of all its fields.

Rows of different names have different widths, so the file is not a table. Rows are grouped by name and width, and the
columns of each group are extracted from the fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Ints

_NEWLINE, _BAR = b"\n|"


class Fields:
    """The fields of a piece of text in sequence, and the index of the first field of each row."""

    def __init__(self, block: bytes) -> None:
        text = np.frombuffer(block, np.uint8)
        marks = np.flatnonzero((text == _NEWLINE) | (text == _BAR))
        last = np.flatnonzero(text[marks] == _NEWLINE)
        self.first = np.concatenate(([0], last[:-1] + 1))
        self.width = last - self.first + 1
        self._block, self._line_ends = block, marks[last]
        # Without its separators, the text is the character buffer of a string column.
        offsets = np.zeros(len(marks) + 1, np.int32)
        offsets[1:] = marks
        offsets[1:] -= np.arange(len(marks), dtype=np.int32)
        self._column = _strings(offsets, block.translate(None, b"|\n"))

    def __len__(self) -> int:
        return len(self.first)

    def column(self, places: Ints) -> Any:
        """The fields at some positions."""
        return self._column.take(pa.array(places))

    def lines(self, rows: Ints) -> Any:
        """Some rows as written in the file."""
        return pc.utf8_rtrim(self._lines.take(pa.array(rows)), "\n")

    @cached_property
    def _lines(self) -> Any:
        return _strings(np.concatenate(([0], self._line_ends + 1)).astype(np.int32), self._block)

    def groups(self) -> Iterator[tuple[str, int, Ints]]:
        """The name, width and rows of each group; the rows of a group stay in order.

        >>> [(name, width, rows.tolist()) for name, width, rows in Fields(b"b|1\\na|1|2\\nb|3\\n").groups()]
        [('b', 2, [0, 2]), ('a', 3, [1])]
        """
        names = self.column(self.first).dictionary_encode()
        widest = int(self.width.max()) + 1
        key = names.indices.to_numpy().astype(np.int64) * widest + self.width
        # Small keys are sorted by counting, in linear time.
        order = np.argsort(key.astype(np.uint16) if key.max() < 1 << 16 else key, kind="stable")
        ordered = key[order]
        cuts = [0, *(np.flatnonzero(np.diff(ordered)) + 1).tolist(), len(order)]
        for begin, stop in pairwise(cuts):
            name, width = divmod(int(ordered[begin]), widest)
            yield names.dictionary[name].as_py(), width, order[begin:stop]


def _strings(offsets: np.typing.NDArray[np.int32], characters: bytes) -> Any:
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(characters))
