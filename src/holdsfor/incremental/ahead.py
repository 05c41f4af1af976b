"""What was reported in advance: when something begins or ends that is known before its time."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.kernels import EMPTY, Ints


class Ahead:
    """Time-points to come, in order, and the keys that they concern."""

    __slots__ = ("_keys", "_times")

    def __init__(self) -> None:
        self._times, self._keys = EMPTY, EMPTY

    def add(self, times: Ints, keys: Ints) -> None:
        """Remember more of them."""
        times, keys = np.concatenate((self._times, times)), np.concatenate((self._keys, keys))
        order = np.argsort(times, kind="stable")
        self._times, self._keys = times[order], keys[order]

    def due(self, now: int) -> Ints:
        """The keys of all up to the time-point after a query time; those before the query time are let go of."""
        if not len(self._times):
            return EMPTY
        due = self._keys[: np.searchsorted(self._times, now + 1, side="right")]
        over = np.searchsorted(self._times, now, side="left")
        self._times, self._keys = self._times[over:], self._keys[over:]
        return due
