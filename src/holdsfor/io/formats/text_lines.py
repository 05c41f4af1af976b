"""Represents the lines of a piece of a text file, with their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints


class TextLines:
    """The lines of a piece of a file, with the number of lines before it or the number of each line."""

    def __init__(self, block: bytes, before: int, numbers: Ints | None = None) -> None:
        self.block, self._before, self._numbers = block, before, numbers
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
        offsets = np.concatenate(([0], ends + 1)).astype(np.int32)
        self._column = pa.StringArray.from_buffers(len(ends), pa.py_buffer(offsets), pa.py_buffer(block))

    def __len__(self) -> int:
        return len(self._column)

    def is_blank(self) -> Bools:
        """Which lines are blank."""
        blank: Bools = np.asarray(pc.equal(pc.utf8_trim_whitespace(self._column), "")).astype(np.bool_)
        return blank

    def quotes(self) -> Ints:
        """The number of quotes in each line."""
        counted: Ints = pc.count_substring(self._column, '"').to_numpy()
        return counted

    def joined(self, rows: Ints) -> bytes:
        """Some lines as text."""
        if len(rows) == len(self):
            return self.block
        characters = self._column.take(pa.array(rows)).buffers()[2]
        return b"" if characters is None else bytes(characters)

    def number(self, rows: Ints) -> Ints:
        """Line numbers in the file."""
        return rows + self._before + 1 if self._numbers is None else self._numbers[rows]

    def text(self, rows: Ints) -> Any:
        """The lines as written."""
        return pc.utf8_rtrim(self._column.take(pa.array(rows)), "\n")
