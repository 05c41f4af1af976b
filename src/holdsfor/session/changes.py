"""Changes as rows for Python and tables for data tools, each with what caused it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from holdsfor.core.compiled import compiled_core
from holdsfor.core.host import FOREVER, NEVER
from holdsfor.engine.op import Op
from holdsfor.session.causes import Cause, Inputs
from holdsfor.session.texts import Texts
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    # Arrow takes a while to import; changes that are read one by one do without it.
    import pyarrow as pa

_TIMES = ("start", "end", "query_time", "previous_start", "previous_end")
_OPS = tuple(Op)
"""The operations in the order of the core's numbers for them."""
MOST_CAUSES = 8
"""So many causes of a change are named, the latest."""


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

    def __init__(self, columns: Mapping[str, Any], query_time: int, context: Context) -> None:
        self._columns, self._context = columns, context
        self.time_scale = context.time_scale
        self.query_time = query_time * context.tick

    def __len__(self) -> int:
        return len(self._columns["table"])

    def __getitem__(self, place: Any) -> Any:
        return self._listed[place]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._listed)

    @cached_property
    def _listed(self) -> list[Change]:
        columns, texts = self._columns, self._context.texts
        tables, values, words = (columns[name].tolist() for name in ("table", "value", "columns"))
        texts.learn({*values, *words})
        names = texts.terms(tables, columns["offsets"].tolist(), words)
        shown = [texts.values[word] for word in values]
        first = columns["first_start"], columns["first_query"]
        ids = compiled_core().interval_ids(names, shown, *first, self._context.tick)
        ops = [_OPS[op] for op in columns["op"].tolist()]
        is_new = [op is Op.OPEN for op in ops]
        times = [self._times(name) for name in ("start", "end")]
        before = [
            [None if new else time for new, time in zip(is_new, self._times(name), strict=True)]
            for name in ("prev_start", "prev_end")
        ]
        query = [self.query_time] * len(names)
        rows = zip(ids, ops, names, shown, *times, query, *before, self._causes(), strict=True)
        return list(map(Change._make, rows))

    def _times(self, name: str) -> list[int | None]:
        tick = self._context.tick
        return [None if ticks in (FOREVER, NEVER) else ticks * tick for ticks in self._columns[name].tolist()]

    def _causes(self) -> list[tuple[Cause, ...]]:
        inputs, tick = self._context.inputs, self._context.tick
        offsets, numbers = self._columns["cause_offsets"].tolist(), self._columns["causes"].tolist()
        known = {number: inputs.cause(number).in_time(tick) for number in set(numbers)}
        causes = [known[number] for number in numbers]
        return [tuple(causes[begin:end]) for begin, end in pairwise(offsets)]

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

        from holdsfor.engine.changelog import CHANGES

        columns = [[getattr(change, name) for change in self._listed] for name in CHANGES.names]
        causes = [[cause.shown(self.time_scale) for cause in change.causes] for change in self._listed]
        return pa.table([*columns, causes], schema=CHANGES.append(pa.field("causes", pa.list_(pa.string()))))

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
