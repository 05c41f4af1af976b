"""Query times, and the first one at which each row of a stream counts."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.records import record


@record
class WindowPlan:
    """Query times `start + step, …` up to the first at or after `end`, each with a window of `size` time-points.

    Without a size there is one query over everything.
    """

    size: int | None
    step: int
    start: int
    end: int

    @property
    def count(self) -> int:
        """The number of query times."""
        return max(1, -(-(self.end - self.start) // self.step))

    @property
    def query_times(self) -> Ints:
        """All query times."""
        return self.start + self.step * np.arange(1, self.count + 1)

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


def first_moment(stream: Stream, plan: WindowPlan) -> int:
    """The first time-point: 0, or earlier if the stream contains earlier ones."""
    return min(0, plan.start + 1, stream.moments()[0])


def whole_history(stream: Stream) -> WindowPlan:
    """One query over everything."""
    first, last = stream.moments()
    return WindowPlan(None, max(1, last - first + 1), first - 1, last)
