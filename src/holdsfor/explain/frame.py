"""The query times of an explanation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.windows import WindowPlan, first_moment, whole_history


@dataclass(frozen=True)
class Frame:
    """The query times of a run and its first time-point; both belong to the whole stream."""

    windows: WindowPlan
    origin: int

    @classmethod
    def of(cls, stream: Stream, windows: WindowPlan | None) -> Frame:
        """The frame of a run over a stream."""
        used = windows or whole_history(stream)
        return cls(used, first_moment(stream, used))

    def query_for(self, time: int) -> int:
        """The last query time whose window contains a time-point, or else the first one after it."""
        queries = self.windows.query_times
        size = FOREVER if self.windows.size is None else self.windows.size
        return int(queries[max(0, int(np.searchsorted(queries - size, time)) - 1)])
