"""Tables of results: for data libraries, for terminals and notebooks, and the occurrences of one event."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.columns.report import EVENTS
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.scaled import EVENT_TIMES, with_texts, with_timestamps
from holdsfor.io.writers import shown_columns, text_table
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    from holdsfor.reference import EventRow

SHOWN = 10
"""The number of rows that are shown on a terminal; a notebook shows twice as many."""


class EventResult:
    """The occurrences of one derived event inside each window: a table, and a sequence of rows."""

    def __init__(self, table: pa.Table, time_scale: TimeScale | None = None) -> None:
        self._table = table
        self.time_scale = time_scale

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[EventRow]:
        from holdsfor.reference import EventRow

        columns = (self._table[name].to_pylist() for name in EVENTS.names)
        yield from (EventRow(*row) for row in zip(*columns, strict=True))

    def to_arrow(self) -> pa.Table:
        """All of them: `query_time, event, time`, and a column for each argument of the event."""
        return with_timestamps(self._table, self.time_scale, EVENT_TIMES)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return as_pandas(self.to_arrow())

    def to_polars(self) -> Any:
        """The same as a polars data frame."""
        return frame_library("polars", "to_polars()").from_arrow(self.to_arrow())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The same for every library that speaks Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return shown_text(counted(len(self), "occurrence"), self._first(SHOWN), len(self))

    def _repr_html_(self) -> str:
        return shown_html(counted(len(self), "occurrence"), self._first(2 * SHOWN), len(self))

    def _first(self, rows: int) -> pa.Table:
        return with_texts(self._table.select(EVENTS.names).slice(0, rows), self.time_scale, EVENT_TIMES)


def as_pandas(table: pa.Table) -> Any:
    """A table as a data frame in which whole numbers stay whole, also where some are missing."""
    pandas = frame_library("pandas", "to_pandas()")
    return table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)


def frame_library(module: str, what: str) -> Any:
    """A library for data frames; a HoldsforError says how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise HoldsforError(
            f"{what} needs {module}, which is not installed: pip install 'holdsfor[{module}]'"
        ) from None


def shown_text(title: str, table: pa.Table, total: int) -> str:
    """The first rows of a table for a terminal; `total` is how many rows there are."""
    if not total:
        return title
    shown = text_table(table.slice(0, SHOWN)).rstrip("\n")
    return f"{title}\n{shown}" + (f"\n… and {total - SHOWN} more" if total > SHOWN else "")


def shown_html(title: str, table: pa.Table, total: int) -> str:
    """The first rows of a table for a notebook."""
    table = table.slice(0, 2 * SHOWN)
    rows = zip(*(column.to_pylist() for column in shown_columns(table)), strict=True)
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in table.column_names)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    more = f"<p>… and {total - len(table)} more</p>" if total > len(table) else ""
    return f"<div><p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"


def counted(number: int, what: str) -> str:
    """A number with its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
