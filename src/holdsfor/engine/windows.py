"""Query times and what each of them sees of a stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import Bools, Ints, union
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.tables import FOREVER, Events, Intervals, Space


@dataclass(frozen=True)
class WindowPlan:
    """Query times `start + step, …` up to the first at or after `end`, each seeing `size` time-points.

    Without a size there is one query that sees everything.
    """

    size: int | None
    step: int
    start: int
    end: int

    @property
    def query_times(self) -> Ints:
        """All query times."""
        count = max(1, -(-(self.end - self.start) // self.step))
        return self.start + self.step * np.arange(1, count + 1)

    def border(self, query: int) -> int:
        """The last time-point before the window of a query."""
        return -int(FOREVER) if self.size is None else query - self.size

    def loaded_at(self, arrival: Ints) -> Ints:
        """The query time at which each arrival is first seen; FOREVER if never."""
        queries = self.query_times
        if self.size is None:
            return np.full(len(arrival), queries[-1])
        at = np.searchsorted(queries, arrival)
        found = np.where(at < len(queries), queries[np.minimum(at, len(queries) - 1)], FOREVER)
        lost = (arrival <= self.start) | (arrival > self.end) | (arrival <= found - self.size)
        return np.where(lost, FOREVER, found)

    def counted_at(self, arrival: Ints, time: Ints) -> Ints:
        """The first query time at which each occurrence counts: it has arrived and lies in the window."""
        queries = self.query_times
        seen = np.maximum(self.loaded_at(arrival), time)
        at = np.searchsorted(queries, seen)
        found = np.where(at < len(queries), queries[np.minimum(at, len(queries) - 1)], FOREVER)
        if self.size is None:
            return found
        return np.where(found - self.size < time, found, FOREVER)


def visible_events(columns: EventColumns, counted: Ints, low: int, query: int) -> Events:
    """Occurrences after `low` that count at a query."""
    rows = np.flatnonzero((counted <= query) & (columns.time > low))
    return Events(tuple(Codes(column[rows]) for column in columns.args), columns.time[rows])


def visible_intervals(
    columns: FluentColumns, loaded: Ints, plan: WindowPlan, query: int, codes: int
) -> tuple[Intervals, Bools]:
    """The maximal intervals of an input fluent known at a query, and which of them were cut when they arrived."""
    rows = np.flatnonzero(loaded <= query)
    border = loaded[rows] - plan.size if plan.size is not None else np.full(len(rows), -FOREVER)
    start, end, point = columns.start[rows], columns.end[rows], columns.is_point[rows]
    kept = np.flatnonzero((end > border + 1) & (~point | (start > border)))
    rows, border, start, end, point = rows[kept], border[kept], start[kept], end[kept], point[kept]
    cut_start = np.where(start <= border, border + 1, start)
    end = np.where(point & (start == query), FOREVER, end)
    args = [column[rows] for column in columns.args]
    return _maximal(args, columns.value[rows], cut_start, end, start < cut_start, codes)


def _maximal(
    args: list[Ints], value: Ints, start: Ints, end: Ints, is_cut: Bools, codes: int
) -> tuple[Intervals, Bools]:
    if not len(start):
        return Intervals(tuple(args), value, start, end, single_valued=False), is_cut
    closed = end[end < FOREVER]
    space = Space.over(codes, int(start.min()), int(max(start.max(), closed.max() if len(closed) else start.max())))
    group, _ = space.groups([*args, value], [*args, value], (len(start), len(start)))
    distinct, first = np.unique(group, return_index=True)
    number = np.searchsorted(distinct, group)
    packed, ends = space.pack(number, start), space.pack(number, end)
    starts, stops = union([(np.sort(packed), np.sort(ends))])
    row = first[starts >> space.time_bits]
    columns = [column[row] for column in (*args, value)]
    order = np.lexsort((starts, *reversed(columns)))
    # An interval is cut if the piece that begins it was, and no whole piece begins there too.
    begins_whole = np.isin(starts, packed[~is_cut])
    table = Intervals(
        tuple(column[order] for column in columns[:-1]),
        columns[-1][order],
        space.plain(starts)[order],
        space.plain(stops)[order],
        single_valued=False,
    )
    return table, ~begins_whole[order]


def first_moment(stream: Stream, plan: WindowPlan) -> int:
    """The beginning of time: 0, or earlier if the stream speaks of it."""
    return min(0, plan.start + 1, stream.moments()[0])
