"""Up to when keys have been worked out, and from where: entries, each of which goes on from an earlier one of its key.

A key that is worked out again from an earlier time-point goes on from the last entry that is not after it. Entries after
that one are dead. What an entry says counts as long as no other goes on from it, and what is over by then for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.tables import FOREVER

DEAD, FOLLOWED, LAST = 0, 1, 2
"""An entry that no longer counts, one that others go on from, the last one of its key."""
_FEW = 1 << 14
"""So many entries are not worth any thought."""
Status = NDArray[np.int8]


@dataclass(frozen=True)
class Resumed:
    """The entries from which keys are worked out again, -1 for none; and the keys and times of those that are dead now."""

    entries: Ints
    keys: Ints
    times: Ints


@dataclass(frozen=True)
class Unfinished:
    """Keys between whose entries a time-point lies: the entry before it, or -1, and the one after it."""

    keys: Ints
    before: Ints
    after: Ints


class Entries:
    """The entries of all keys, which are small numbers."""

    def __init__(self) -> None:
        self._count = 0
        self.until: Ints = EMPTY
        """The time-point up to which each was worked out; there is room for more."""
        self.status: Status = np.empty(0, np.int8)
        self._before: Ints = EMPTY
        self._latest: Ints = EMPTY

    def __len__(self) -> int:
        return self._count

    def make_room(self, keys: int) -> None:
        """Have room for so many keys."""
        if len(self._latest) < keys:
            more = np.full(keys - len(self._latest), -1)
            self._latest = np.concatenate((self._latest, more))

    def resume(self, keys: Ints, times: Ints) -> Resumed:
        """Have keys worked out again because of what happened to them at a time."""
        found = self._latest[keys]
        late = np.flatnonzero(found >= 0)
        whose, when = [EMPTY], [EMPTY]
        while len(late):
            at = found[late]
            is_after = self.until[at] > times[late]
            late, at = late[is_after], at[is_after]
            self.status[at] = DEAD
            whose.append(late)
            when.append(self.until[at])
            found[late] = self._before[at]
            late = late[found[late] >= 0]
        self.status[found[found >= 0]] = FOLLOWED
        return Resumed(found, keys[np.concatenate(whose)], np.concatenate(when))

    def begins(self, found: Ints, otherwise: int) -> Ints:
        """From when on keys go on that resume at entries."""
        if not len(self):
            return np.full(len(found), otherwise)
        return np.where(found >= 0, self.until[found], otherwise)

    def add(self, keys: Ints, before: Ints, until: int) -> Ints:
        """Keys that have been worked out up to a time-point, from entries on."""
        made = self._append(before, np.full(len(keys), until), LAST)
        self._latest[keys] = made
        return made

    def add_between(self, before: Ints, until: Ints) -> Ints:
        """Entries that others go on from."""
        return self._append(before, until, FOLLOWED)

    def follow(self, entries: Ints, before: Ints) -> None:
        """Have entries go on from others."""
        self._before[entries] = before

    def _append(self, before: Ints, until: Ints, status: int) -> Ints:
        made = np.arange(self._count, self._count + len(before))
        self._count += len(before)
        if self._count > len(self.until):
            room = 2 * self._count
            self.until, self.status, self._before = (_resized(c, room) for c in (self.until, self.status, self._before))
        self.until[made], self.status[made], self._before[made] = until, status, before
        return made

    def unfinished(self, time: int) -> Unfinished:
        """The keys whose state at a time-point no entry has: something happened to them between two of their entries.

        Entries before the last one up to that time are dead from now on.
        """
        keys = np.flatnonzero(self._latest >= 0)
        before, after = self._latest[keys], np.full(len(keys), -1)
        late = np.arange(len(keys))
        while len(late):
            late = late[self.until[before[late]] > time]
            after[late] = before[late]
            before[late] = self._before[before[late]]
            late = late[before[late] >= 0]
        there = before[before >= 0]
        earlier = self._before[there]
        self._before[there] = -1
        while len(earlier := earlier[earlier >= 0]):
            self.status[earlier] = DEAD
            earlier = self._before[earlier]
        is_early = np.ones(len(keys), np.bool_)
        is_early[before >= 0] = self.until[there] < time
        rows = np.flatnonzero(is_early & (after >= 0))
        return Unfinished(keys[rows], before[rows], after[rows])

    def insert(self, found: Unfinished, until: int) -> Ints:
        """Entries between others, in place of those before."""
        self.status[found.before[found.before >= 0]] = DEAD
        made = self.add_between(np.full(len(found.keys), -1), np.full(len(found.keys), until))
        self._before[found.after] = made
        return made

    def at(self, keys: Ints, time: int) -> Ints:
        """The last entries of keys up to a time-point, or -1."""
        found = self._latest[keys]
        late = np.flatnonzero(found >= 0)
        while len(late):
            late = late[self.until[found[late]] > time]
            found[late] = self._before[found[late]]
            late = late[found[late] >= 0]
        return found

    @property
    def known(self) -> Ints:
        """All keys that have entries."""
        return np.flatnonzero(self._latest >= 0)

    @property
    def is_mostly_dead(self) -> bool:
        """Whether it is worth letting go of what is dead."""
        return self._count > _FEW and int(np.count_nonzero(self.status[: self._count])) * 3 < self._count

    def compact(self) -> tuple[Bools, Ints]:
        """Let go of what is dead: which entries stay, and the new number of each."""
        stay = self.status[: self._count] != DEAD
        number = np.append(np.cumsum(stay) - 1, -1)
        number[:-1][~stay] = -1
        rows = np.flatnonzero(stay)
        self._count = len(rows)
        self.until, self.status, self._before = self.until[rows], self.status[rows], number[self._before[rows]]
        self._latest = number[self._latest]
        return stay, number


def _resized(column: NDArray[Any], room: int) -> NDArray[Any]:
    found = np.empty(room, column.dtype)
    found[: len(column)] = column
    return found


class Begins:
    """From when on keys are worked out, by number; all others are not."""

    def __init__(self, keys: Ints, times: Ints, count: int) -> None:
        # The last one is for keys that are not known.
        self._by_key = np.full(count + 1, int(FOREVER))
        self._by_key[keys] = times

    @classmethod
    def least(cls, keys: Ints, times: Ints, count: int) -> Begins:
        """Keys that may be there several times: the earliest counts."""
        made = cls(EMPTY, EMPTY, count)
        np.minimum.at(made._by_key, keys, times)
        return made

    def of(self, keys: Ints) -> Ints:
        """When each key begins; FOREVER for those that do not."""
        return self._by_key[keys]
