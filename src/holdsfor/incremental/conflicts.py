"""Conflicts, each counted at one query time however many windows see it."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.kernels import EMPTY, Ints


class Conflicts:
    """The times of those that the last query saw. `counted` are in the state that a run goes on from."""

    def __init__(self, counted: int) -> None:
        self._times: Ints = EMPTY
        self._counted: int | None = counted

    def new(self, times: Ints, border: int) -> int:
        """How many no earlier query has counted, of those after a border, less those that were undone."""
        if self._counted is not None:
            found, self._counted = len(times) - self._counted, None
        else:
            found = int(np.count_nonzero(times > border)) - self.after(border)
        self._times = times
        return found

    def after(self, border: int) -> int:
        """How many of those that the last query saw are after a border."""
        return int(np.count_nonzero(self._times > border))
