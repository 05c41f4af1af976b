"""What was reported in advance: when something begins or ends that is known before its time."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.kernels import EMPTY, Ints


class Ahead:
    """Time-points to come, in order, and the keys that they concern."""

    __slots__ = ("_asked", "_keys", "_times")

    def __init__(self) -> None:
        self._times, self._keys = EMPTY, EMPTY
        self._asked: int | None = None
        """The query time for which no key is left to tell."""

    def add(self, times: Ints, keys: Ints) -> None:
        """Remember more of them."""
        times, keys = np.concatenate((self._times, times)), np.concatenate((self._keys, keys))
        order = np.argsort(times, kind="stable")
        self._times, self._keys = times[order], keys[order]
        self._asked = None

    def due(self, now: int) -> Ints:
        """The keys of all up to the time-point after a query time; those before the query time are let go of."""
        if not len(self._times) or now == self._asked:
            return EMPTY
        self._asked = now
        due = self._keys[: np.searchsorted(self._times, now + 1, side="right")]
        over = np.searchsorted(self._times, now, side="left")
        self._times, self._keys = self._times[over:], self._keys[over:]
        return due
