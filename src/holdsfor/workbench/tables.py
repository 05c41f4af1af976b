"""Pages of the tables of a run, results and input, sorted and filtered over all rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Ints
from holdsfor.diagnostics import HoldsforError

MOST_ROWS = 500
"""Rows of a page."""
MEDIA = {"csv": "text/csv; charset=utf-8", "json": "application/json"}

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class View:
    """The filter and the order of rows: all words of `search` occur in a row; `sort` is a column."""

    search: str = ""
    sort: str = ""
    descending: bool = False


@dataclass(frozen=True)
class Column:
    """A column: its title and its sort key."""

    name: str
    key: npt.NDArray[Any]


@dataclass(frozen=True)
class Grid:
    """A table that is too long to be sent whole. `row` formats rows for the page, `export` for files."""

    columns: Sequence[Column]
    words: Any
    """The text of each row that a search reads."""
    row: Callable[[Ints], list[Row]]
    export: Callable[[Ints], pa.Table]

    def __len__(self) -> int:
        return len(self.words)

    def chosen(self, view: View) -> Ints:
        """The numbers of the rows of a view, in order."""
        keep = np.ones(len(self), np.bool_)
        for word in view.search.split():
            keep &= pc.match_substring(self.words, word, ignore_case=True).to_numpy(zero_copy_only=False)
        rows = np.flatnonzero(keep)
        if not view.sort:
            return rows[::-1] if view.descending else rows
        key = self._column(view.sort).key[rows]
        # Rows that are equal stay in their order, whichever end comes first.
        order = np.argsort(key, kind="stable")
        if view.descending:
            order = len(key) - 1 - np.argsort(key[::-1], kind="stable")[::-1]
        return rows[order]

    def page(self, view: View, offset: int, limit: int) -> dict[str, Any]:
        """Some rows, and the number of all rows of the view."""
        rows = self.chosen(view)
        some = rows[offset : offset + min(limit, MOST_ROWS)]
        return {
            "columns": [column.name for column in self.columns],
            "rows": self.row(some),
            "matching": len(rows),
            "total": len(self),
            "offset": offset,
        }

    def written(self, view: View, style: str) -> str:
        """All rows of a view, as the text of a file."""
        table = self.export(self.chosen(view))
        if style == "csv":
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerow(table.column_names)
            writer.writerows(zip(*(map(_cell, column.to_pylist()) for column in table.columns), strict=True))
            return text.getvalue()
        rows = (json.dumps(row, ensure_ascii=False) for row in table.to_pylist())
        return "[\n" + ",\n".join(rows) + "\n]\n"

    def _column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise HoldsforError(f"there is no column {name!r}; there are {', '.join(one.name for one in self.columns)}")


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def text_key(column: Any) -> npt.NDArray[Any]:
    """The sort key of a text column: its rank among the texts, numbers first and by size."""
    encoded = pc.dictionary_encode(column)
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    words: list[str] = encoded.dictionary.to_pylist()
    order = sorted(range(len(words)), key=lambda at: _by_size(words[at]))
    rank = np.empty(len(words), np.int64)
    rank[order] = np.arange(len(words))
    found: npt.NDArray[Any] = rank[encoded.indices.to_numpy(zero_copy_only=False)]
    return found


def _by_size(text: str) -> tuple[int, float, str]:
    try:
        return 0, float(text), text
    except ValueError:
        return 1, 0.0, text


def exact_key(times: Sequence[Fraction | None], missing: float) -> npt.NDArray[Any]:
    """The sort key of exact times: their rank. Missing times come before or after all others."""
    distinct = sorted({time for time in times if time is not None})
    rank = {time: at for at, time in enumerate(distinct)}
    return np.array([missing if time is None else rank[time] for time in times], np.float64)
