"""Changes as rows for Python and tables for data tools, each with what caused it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from holdsfor.columns.op import Op
from holdsfor.core.host import FOREVER
from holdsfor.core.vocabulary import WordArray
from holdsfor.session.causes import Cause, CauseKind
from holdsfor.session.texts import Texts, as_strings, as_times
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    # Arrow takes a while to import; changes that are read one by one do without it.
    import pyarrow as pa

_TIMES = ("start", "end", "query_time", "previous_start", "previous_end")
_OPS = tuple(Op)
_KINDS = tuple(kind for kind in CauseKind if kind is not CauseKind.RULE_CHANGED)
"""Operations and kinds of causes in the order of the core's numbers for them."""
MOST_CAUSES = 8
"""So many causes of a change are named, the latest."""


def schema() -> pa.Schema:
    """The columns of changes."""
    import pyarrow as pa

    from holdsfor.columns.changelog import CHANGES

    return CHANGES.append(pa.field("causes", pa.list_(pa.dictionary(pa.int32(), pa.string()))))


def _lists(offsets: Any, places: Any, texts: pa.Array) -> pa.Array:
    """Lists of texts, each of which is there once, however many lists it is in."""
    import pyarrow as pa

    return pa.ListArray.from_arrays(pa.array(offsets), pa.DictionaryArray.from_arrays(pa.array(places), texts))


def fluent_name(fluent: str) -> str:
    """The name of a fluent as changes write it, such as `'in port'(v1)`."""
    if fluent.startswith("'"):
        return fluent[1 : fluent.index("'", 1)]
    return fluent.partition("(")[0]


class Change(NamedTuple):
    """A change of an interval: `open`, `extend`, `close`, `revise` or `retract`.

    An end of None is open, a start of None is before all time; a retracted interval has its former start and end.
    `causes` are the inputs of its rules that arrived, were retracted or corrected for the same key. Without causes, the
    change follows from the passage of time or a background fact.
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


class Changes(Sequence[Change]):
    """The changes: rows for Python, `to_arrow()` and similar methods for data tools."""

    def __init__(
        self,
        found: Any,
        query_time: int,
        texts: Texts,
        tick: int,
        time_scale: TimeScale | None,
        *,
        before: Sequence[Changes] = (),
        cause_of: Callable[[str], Cause] | None = None,
    ) -> None:
        """`before` are changes that come first; `cause_of` the name of a fluent is the cause of all others."""
        self._found, self._texts, self._tick = found, texts, tick
        self.time_scale = time_scale
        self.query_time = query_time * tick
        self._before, self._cause_of = before, cause_of

    def __len__(self) -> int:
        return len(self._found) + sum(map(len, self._before))

    def __getitem__(self, place: Any) -> Any:
        return self._listed[place]

    def __iter__(self) -> Iterator[Change]:
        return iter(self._listed)

    @cached_property
    def _listed(self) -> list[Change]:
        rows: list[Change] = self._texts.speller.objects(
            self._found, Change, Cause, _OPS, _KINDS, self.query_time, self._tick
        )
        if self._cause_of is not None:
            rows = [row._replace(causes=(self._cause_of(fluent_name(row.fluent)),)) for row in rows]
        return [row for some in self._before for row in some] + rows if self._before else rows

    def words(self) -> WordArray:
        """The words of terms that are still to be spelled out."""
        found: WordArray = self._found.words()
        return found

    # Tables

    def to_arrow(self, *, points: bool = False) -> pa.Table:
        """`id, op, fluent, value, start, end, query_time, previous_start, previous_end`, and `causes` as text.

        If the time unit is known, times are timestamps with a zone, or numbers with `points`.
        """
        from holdsfor.io.scaled import with_timestamps

        return with_timestamps(self._table, None if points else self.time_scale, _TIMES)

    @cached_property
    def _table(self) -> pa.Table:
        import pyarrow as pa

        columns = self._texts.speller.columns(self._found, [op.value for op in Op], self._tick)
        texts = {name: as_strings(columns[name]) for name in ("id", "op", "fluent", "value")}
        times = {name: as_times(columns[name]) for name in ("start", "end", "previous_start", "previous_end")}
        times["query_time"] = pa.array(np.full(len(self._found), self.query_time))
        if self._cause_of is not None:
            causes = self._one_cause(self._cause_of, texts["fluent"].to_pylist())
        else:
            causes = self._causes_as_read() if self.time_scale is None else self._causes_on(self.time_scale)
        found = texts | times | {"causes": causes}
        table = pa.Table.from_arrays([found[name] for name in schema().names], schema=schema())
        if not self._before:
            return table
        return pa.concat_tables([*(one._table for one in self._before), table]).unify_dictionaries()  # noqa: SLF001 -- its own class

    def _one_cause(self, cause_of: Callable[[str], Cause], fluents: list[str]) -> pa.Array:
        import pyarrow as pa

        shown = [cause_of(fluent_name(fluent)).shown(self.time_scale) for fluent in fluents]
        texts = pa.array(shown, pa.string()).dictionary_encode()
        return _lists(np.arange(len(shown) + 1, dtype=np.int32), texts.indices, texts.dictionary)

    def _causes_as_read(self) -> pa.Array:
        names = [kind.value for kind in _KINDS]
        offsets, places, texts = self._texts.speller.causes(self._found, names, self._tick)
        return _lists(offsets, places, as_strings(texts))

    def _causes_on(self, scale: TimeScale) -> pa.Array:
        """Causes whose times are written as a scale has them."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from holdsfor.io.scaled import time_texts

        offsets, places, kinds, texts, start, end = self._texts.speller.cause_parts(self._found)
        is_open = end == FOREVER
        starts = time_texts(pa.array(start * self._tick), scale)
        ends = time_texts(pa.array(np.where(is_open, start, end) * self._tick), scale)
        spans = pc.binary_join_element_wise("from", starts, "to", ends, " ")
        when = pc.if_else(pa.array(is_open), pc.binary_join_element_wise("at", starts, " "), spans)
        names = pa.array([kind.value for kind in _KINDS]).take(pa.array(kinds))
        return _lists(offsets, places, pc.binary_join_element_wise(names, as_strings(texts), when, " "))

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
