"""Changes as rows for Python and tables for data tools, each with what caused it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.changelog import CHANGES, interval_ids
from holdsfor.engine.evaluation import width
from holdsfor.engine.matching import Op
from holdsfor.incremental.heap import FIRST, SECTION
from holdsfor.incremental.stage import StageRun
from holdsfor.incremental.trace import Trace
from holdsfor.io.scaled import with_texts, with_timestamps
from holdsfor.result_tables import counted, frame_library, shown_html, shown_text
from holdsfor.session.ids import interval_id
from holdsfor.session.inputs import Cause, Inputs
from holdsfor.session.ledger import Entries, Ledger, finite
from holdsfor.session.texts import Words
from holdsfor.times import TimeScale

_FEW = 64
_TIMES = ("start", "end", "query_time", "previous_start", "previous_end")
MOST_CAUSES = 8
"""So many causes of a change are named, the latest."""


@dataclass(frozen=True, slots=True)
class Change:
    """One interval that opened, grew, closed, was revised or taken back.

    An end of None is open, a start of None lies before all time; those of an interval that is taken back are what it
    was. `causes` are the inputs that its rules read and that came, were taken back or corrected for the same key; with
    none, the time that went by or a background fact made the difference.
    """

    id: str
    op: Op
    fluent: str
    value: str
    start: int | None
    end: int | None
    query_time: int
    previous_start: int | None
    previous_end: int | None
    causes: tuple[Cause, ...]


@dataclass(frozen=True)
class Context:
    """What a session knows when changes are asked for: whom each fluent is worked out by, and what came in."""

    ledger: Ledger
    stages: Mapping[Symbol, StageRun]
    dependencies: Mapping[Symbol, frozenset[Symbol]]
    trace: Trace
    inputs: Inputs
    words: Words


class Changes(Sequence[Change]):
    """What has changed. Rows for Python, `to_arrow()` and the like for data tools."""

    def __init__(
        self,
        entries: Entries,
        query_time: int,
        context: Context,
        tick: int = 1,
        time_scale: TimeScale | None = None,
    ) -> None:
        self._entries = entries
        self.time_scale = time_scale
        self._context = context
        self._tick = tick
        self.query_time = query_time * tick

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, place: Any) -> Any:
        return self._listed[place]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._listed)

    @cached_property
    def _listed(self) -> list[Change]:
        ledger, words = self._context.ledger, self._context.words
        found = []
        rows, previous = self._entries.rows, self._entries.previous
        names = [words.term(ledger.symbols[row[SECTION]], row[FIRST : ledger.value]) for row in rows]
        values = [words.value(row[ledger.value]) for row in rows]
        ids = self._ids(names, values)
        for place, op in enumerate(self._entries.op):
            row, before = rows[place], previous[place]
            is_new = op == Op.OPEN
            found.append(
                Change(
                    ids[place],
                    Op(op),
                    names[place],
                    values[place],
                    self._time(row[ledger.start]),
                    self._time(row[ledger.end]),
                    self.query_time,
                    None if is_new else self._time(before[ledger.start]),
                    None if is_new else self._time(before[ledger.end]),
                    self._causes(row),
                )
            )
        return found

    def _time(self, ticks: int) -> int | None:
        found = finite(ticks)
        return None if found is None else found * self._tick

    def _ids(self, names: list[str], values: list[str]) -> list[str]:
        rows, ledger = self._entries.rows, self._context.ledger
        places = ledger.first_start, ledger.first_query
        starts, queries = (
            [row[place] if finite(row[place]) is None else row[place] * self._tick for row in rows] for place in places
        )
        if len(rows) <= _FEW:
            return list(map(interval_id, names, values, starts, queries))
        columns = (pa.array(names, pa.string()), pa.array(values, pa.string()))
        found: list[str] = interval_ids(*columns, np.array(starts), np.array(queries)).to_pylist()
        return found

    def _causes(self, row: Sequence[int]) -> tuple[Cause, ...]:
        known = self._context
        symbol = known.ledger.symbols[row[SECTION]]
        stage = known.stages[symbol]
        numbers = known.trace.of(stage, stage.sections.key(symbol, row[FIRST : FIRST + width(symbol)]))
        read = known.dependencies[symbol]
        wanted = [number for number in numbers if known.inputs.symbol(number) in read]
        return tuple(known.inputs.cause(number, known.words).in_time(self._tick) for number in wanted[-MOST_CAUSES:])

    # Tables

    def to_arrow(self, *, points: bool = False) -> pa.Table:
        """`id, op, fluent, value, start, end, query_time, previous_start, previous_end`, and `causes` as text.

        Where the unit of time-points is known, times are timestamps with a zone, unless `points` asks for numbers.
        """
        return with_timestamps(self._table, None if points else self.time_scale, _TIMES)

    @cached_property
    def _table(self) -> pa.Table:
        columns = [[getattr(change, name) for change in self._listed] for name in CHANGES.names]
        causes = [[cause.shown(self.time_scale) for cause in change.causes] for change in self._listed]
        return pa.table([*columns, causes], schema=CHANGES.append(pa.field("causes", pa.list_(pa.string()))))

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        pandas = frame_library("pandas", "to_pandas()")
        return self.to_arrow().to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)

    def to_polars(self) -> Any:
        """The same as a polars data frame."""
        return frame_library("polars", "to_polars()").from_arrow(self.to_arrow())

    # For people

    def __repr__(self) -> str:
        return shown_text(self._title(), self._shown(), len(self))

    def _repr_html_(self) -> str:
        return shown_html(self._title(), self._shown(), len(self))

    def _title(self) -> str:
        at = str(self.query_time) if self.time_scale is None else self.time_scale.text(self.query_time)
        return f"{counted(len(self), 'change')} at {at}"

    def _shown(self) -> pa.Table:
        table = with_texts(self._table, self.time_scale, _TIMES)
        causes = pa.array(["; ".join(listed) for listed in table["causes"].to_pylist()], pa.string())
        return table.select(["op", "fluent", "value", "start", "end"]).append_column("causes", causes)
