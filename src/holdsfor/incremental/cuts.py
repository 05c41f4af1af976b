"""Time-points at which keys are cut: their state there is known from the intervals that go on over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.frames import ranges
from holdsfor.engine.kernels import Bools, Ints, search


class Cuts:
    """Keys and time-points, in order."""

    def __init__(self, keys: Ints, times: Ints, count: int) -> None:
        order = np.lexsort((times, keys))
        self.keys, self.times, self._count = keys[order], times[order], count
        self._low = int(times.min(initial=0))
        self._high = int(times.max(initial=self._low)) + 1
        self._bits = (self._high - self._low + 1).bit_length()
        self._packed = self._pack(self.keys, self.times)
        self._is_cut = np.zeros(count + 2, np.bool_)
        self._is_cut[self.keys] = True

    def __len__(self) -> int:
        return len(self.keys)

    def _pack(self, keys: Ints, times: Ints) -> Ints:
        return (keys << self._bits) | (np.clip(times, self._low, self._high) - self._low)

    def without(self, places: Ints) -> Cuts:
        """All but some."""
        if not len(places):
            return self
        stays = np.ones(len(self), np.bool_)
        stays[places] = False
        return Cuts(self.keys[stays], self.times[stays], self._count)

    def earlier(self, otherwise: Ints, first: int) -> Ints:
        """For every cut the number of the one before it, if they are numbered from `first` on, or that of its key."""
        found = np.arange(first - 1, first - 1 + len(self))
        is_first = np.ones(len(self), np.bool_)
        is_first[1:] = self.keys[1:] != self.keys[:-1]
        found[is_first] = otherwise[self.keys[is_first]]
        return found

    def inside(self, slots: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
        """Rows, and the cuts of their keys in [start, end), one after the other."""
        rows = (
            np.flatnonzero(self._is_cut[slots] & (start < self._high) & (end > self._low)) if len(self) else slots[:0]
        )
        slots = slots[rows]
        first = search(self._packed, self._pack(slots, start[rows]), "left")
        count = search(self._packed, self._pack(slots, end[rows]), "left") - first
        return np.repeat(rows, count), ranges(first, count)

    def first_from(self, slots: Ints, times: Ints) -> tuple[Ints, Ints]:
        """Rows whose key has a cut at their time or later, and the first such cut."""
        rows = np.flatnonzero(self._is_cut[slots] & (times < self._high)) if len(self) else slots[:0]
        at = search(self._packed, self._pack(slots[rows], times[rows]), "left")
        is_there = self.keys.take(at, mode="clip") == slots[rows] if len(self) else np.zeros(0, np.bool_)
        is_there &= at < len(self)
        return rows[is_there], at[is_there]


@dataclass(frozen=True)
class Made:
    """Entries that were made: the latest of every key, and those at cuts."""

    latest: Ints
    cuts: Cuts
    between: Ints

    def of(self, slots: Ints, ends: Ints) -> tuple[Ints, Bools]:
        """The entries that tell of rows that are over at some time, and whether others go on from there."""
        found, is_cut = self.latest[slots], np.zeros(len(slots), np.bool_)
        rows, at = self.cuts.first_from(slots, ends)
        found[rows] = self.between[at]
        is_cut[rows] = True
        return found, is_cut
