"""Collects malformed rows: counts all, keeps the first ones, and writes all to a file on request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.lines import csv_lines, csv_text
from holdsfor.records import record

SHOWN = 5
HEADER = b"file,line,reason,row\n"


@record
class Malformed:
    """A malformed row; line 0 means that its line is unknown."""

    file: str
    line: int
    text: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}: {self.text!r}"


def refused(name: str, lines: Ints, rows: Any, reasons: Any) -> pa.Table:
    """Malformed rows of one name, with their line numbers and the reason for each.

    `reasons` is one text for all rows, or a column.
    """
    reason = repeated(reasons, len(lines)) if isinstance(reasons, str) else reasons
    return pa.table({"line": lines, "row": rows, "reason": reason, "name": repeated(name, len(lines))})


def repeated(text: str, rows: int) -> Any:
    """A column with the same text in every row."""
    return pa.array([text], pa.string()).take(pa.array(np.zeros(rows, np.int64)))


@dataclass
class Rejects:
    """All malformed rows. `strict` makes the first of them an error; `file` receives all of them as CSV."""

    strict: bool = False
    file: IO[bytes] | None = None
    count: int = 0
    first: list[Malformed] = field(default_factory=list)
    by_name: dict[str, Malformed] = field(default_factory=dict)

    @classmethod
    def to_file(cls, file: IO[bytes], *, strict: bool = False) -> Rejects:
        """Rejects that are written to a file."""
        file.write(HEADER)
        return cls(strict, file)

    def add(self, source: str, found: Sequence[pa.Table]) -> None:
        """Adds the malformed rows of a piece of input."""
        if not found:
            return
        table = pa.concat_tables(found).sort_by("line")
        self.count += len(table)
        self.first += _shown(source, table.slice(0, SHOWN - len(self.first)))
        for part in found:
            name = part["name"][0].as_py()
            self.by_name.setdefault(name, _shown(source, part.slice(0, 1))[0])
        if self.strict:
            raise HoldsforError(str(self.first[0]))
        if self.file is not None:
            self._write(self.file, source, table.combine_chunks())

    @staticmethod
    def _write(file: IO[bytes], source: str, table: pa.Table) -> None:
        line, row, reason = (table[name].chunk(0) for name in ("line", "row", "reason"))
        for piece in csv_lines(
            [csv_text(repeated(source, len(line))), pc.cast(line, pa.string()), csv_text(reason), csv_text(row)]
        ):
            file.write(piece)


def _shown(source: str, table: pa.Table) -> list[Malformed]:
    return [Malformed(source, row["line"], row["row"], row["reason"]) for row in table.to_pylist()]
