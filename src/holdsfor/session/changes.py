"""Changes as rows for Python and tables for data tools, each with what caused it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdsfor.core.compiled import compiled_core
from holdsfor.core.host import FOREVER, NEVER
from holdsfor.core.vocabulary import WordArray
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.op import Op
from holdsfor.session.causes import Cause, Inputs
from holdsfor.session.texts import Texts, as_strings
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    # Arrow takes a while to import; changes that are read one by one do without it.
    import pyarrow as pa

_TIMES = ("start", "end", "query_time", "previous_start", "previous_end")
_OPS = tuple(Op)
"""The operations in the order of the core's numbers for them."""
_MOST_SPREAD = 50
MOST_CAUSES = 8
"""So many causes of a change are named, the latest."""


def schema() -> pa.Schema:
    """The columns of changes."""
    import pyarrow as pa

    from holdsfor.engine.changelog import CHANGES

    return CHANGES.append(pa.field("causes", pa.list_(pa.string())))


def _times(ticks: Ints, tick: int, unknown: Bools | None = None) -> pa.Array:
    import pyarrow as pa

    is_null = (ticks == FOREVER) | (ticks == NEVER)
    return pa.array(ticks * tick, mask=is_null if unknown is None else is_null | unknown)


def _distinct(numbers: Ints) -> tuple[Ints, Ints]:
    """Different numbers in order, and where each of the given ones is among them."""
    if not len(numbers):
        return numbers, numbers
    low = int(numbers.min())
    span = int(numbers.max()) - low + 1
    if span > _MOST_SPREAD * len(numbers):
        distinct, place = np.unique(numbers, return_inverse=True)
        return distinct, place
    # They are close to each other: a mark for each does without sorting.
    is_there = np.zeros(span, bool)
    is_there[numbers - low] = True
    places = np.cumsum(is_there) - 1
    return np.flatnonzero(is_there) + low, places[numbers - low]


class Change(NamedTuple):
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
    """What a session knows when changes are asked for: texts of terms, and what came in."""

    texts: Texts
    inputs: Inputs
    tick: int = 1
    time_scale: TimeScale | None = None


class Changes(Sequence[Change]):
    """What has changed. Rows for Python, `to_arrow()` and the like for data tools."""

    def __init__(self, found: Any, query_time: int, context: Context) -> None:
        self._found, self._context = found, context
        self.time_scale = context.time_scale
        self.query_time = query_time * context.tick

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, place: Any) -> Any:
        return self._listed[place]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._listed)

    @cached_property
    def _listed(self) -> list[Change]:
        context = self._context
        numbers = self._found["causes"].tolist()
        known = context.inputs.causes(numbers)
        if context.tick != 1:
            known = {number: cause.in_time(context.tick) for number, cause in known.items()}
        causes = [known[number] for number in numbers]
        rows: list[Change] = context.texts.speller.changes(
            self._found, Change, _OPS, self.query_time, context.tick, causes
        )
        return rows

    def words(self) -> list[WordArray]:
        """The words of terms that are still to be spelled out."""
        return [self._found["columns"], self._found["value"], *self._context.inputs.words()]

    # Tables

    def to_arrow(self, *, points: bool = False) -> pa.Table:
        """`id, op, fluent, value, start, end, query_time, previous_start, previous_end`, and `causes` as text.

        Where the unit of time-points is known, times are timestamps with a zone, unless `points` asks for numbers.
        """
        from holdsfor.io.scaled import with_timestamps

        return with_timestamps(self._table, None if points else self.time_scale, _TIMES)

    @cached_property
    def _table(self) -> pa.Table:
        import pyarrow as pa

        found, context = self._found, self._context
        speller, tick = context.texts.speller, context.tick
        names, values = speller.fluents(found), speller.values(found)
        ids = compiled_core().change_ids(found, names, values, tick)
        op = found["op"]
        ops = pa.array([one.value for one in Op]).take(pa.array(op))
        is_new = op == _OPS.index(Op.OPEN)
        now = [_times(found[name], tick) for name in ("start", "end")]
        before = [_times(found[name], tick, is_new) for name in ("prev_start", "prev_end")]
        query = pa.array(np.full(len(found), self.query_time))
        columns = [as_strings(ids), ops, as_strings(names), as_strings(values), *now, query, *before]
        return pa.Table.from_arrays([*columns, self._shown_causes()], schema=schema())

    def _shown_causes(self) -> pa.Array:
        import pyarrow as pa

        context, numbers = self._context, self._found["causes"]
        distinct, place = _distinct(numbers)
        texts = context.inputs.shown(distinct, context.tick, self.time_scale)
        offsets = pa.array(self._found["cause_offsets"].astype(np.int32))
        return pa.ListArray.from_arrays(offsets, texts.take(pa.array(place)))

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        import pyarrow as pa

        from holdsfor.result_tables import frame_library

        pandas = frame_library("pandas", "to_pandas()")
        return self.to_arrow().to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get)

    def to_polars(self) -> Any:
        """The same as a polars data frame."""
        from holdsfor.result_tables import frame_library

        return frame_library("polars", "to_polars()").from_arrow(self.to_arrow())

    # For people

    def __repr__(self) -> str:
        from holdsfor.result_tables import shown_text

        return shown_text(self._title(), self._shown(), len(self))

    def _repr_html_(self) -> str:
        from holdsfor.result_tables import shown_html

        return shown_html(self._title(), self._shown(), len(self))

    def _title(self) -> str:
        from holdsfor.result_tables import counted

        at = str(self.query_time) if self.time_scale is None else self.time_scale.text(self.query_time)
        return f"{counted(len(self), 'change')} at {at}"

    def _shown(self) -> pa.Table:
        import pyarrow as pa

        from holdsfor.io.scaled import with_texts

        table = with_texts(self._table, self.time_scale, _TIMES)
        causes = pa.array(["; ".join(listed) for listed in table["causes"].to_pylist()], pa.string())
        return table.select(["op", "fluent", "value", "start", "end"]).append_column("causes", causes)
