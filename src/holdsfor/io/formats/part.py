"""Represents some rows of a table, from any file format."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from holdsfor.columns.kernels import Ints
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.nested import absent, with_paths
from holdsfor.io.typed import plain


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table.

    `lines` are their line numbers, or only the first one if the lines are consecutive. `text` shows some rows.
    `refused` rows are malformed. `untyped` columns contain text in which numbers are text too.
    """

    table: pa.Table
    lines: Ints | int
    text: Callable[[Ints], Any]
    untyped: frozenset[str] = frozenset()
    refused: tuple[pa.Table, ...] = ()
    _columns: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def line(self, rows: Ints) -> Ints:
        """The line numbers of some rows."""
        return rows + self.lines if isinstance(self.lines, int) else self.lines[rows]

    def column(self, name: str) -> Any:
        """A column in one piece."""
        if name not in self._columns:
            self._columns[name] = plain(self.table[name])
        return self._columns[name]

    def with_paths(self, paths: Sequence[str], source: str | None = None) -> TablePart:
        """The same rows with a column per path. A missing path is an error, or null without a `source`."""
        if all(path in self.table.column_names for path in paths):
            return self
        return replace(self, table=with_paths(self.table, paths, source))


def table_part(table: pa.Table, before: int = 0) -> TablePart:
    """A table as a part; rows are counted from 1."""

    def show(rows: Ints) -> Any:
        found = table.take(pa.array(rows)).to_pylist()
        return pa.array([json.dumps(row, default=str, ensure_ascii=False) for row in found], pa.string())

    return TablePart(table, before + 1, show)


def require_columns(wanted: Sequence[str], there: Sequence[str], source: str) -> None:
    """Reports the first column that a table does not have."""
    for column in wanted:
        if column not in there:
            raise HoldsforError(absent(source, column, there))
