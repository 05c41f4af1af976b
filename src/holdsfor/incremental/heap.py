"""Rows of many tables in one place, found by key: what is known of some keys is taken out, changed and put back.

A row is a line of integers: its key, the number of its section (which table it belongs to), and the columns of that
table. Rows lie in layers, each in order of its keys: those of a key are in the last layer that has something to say of
it. A layer that has grown to half of the one below becomes part of it. Keys that were changed lately one by one are in a
dictionary on top. So a change costs what its keys have, and not what there is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdsfor.engine.frames import is_in, ranges
from holdsfor.engine.kernels import Bools, Ints

Rows = npt.NDArray[np.int64]
"""Lines of integers: key, section, columns."""
KEY, SECTION, FIRST = 0, 1, 2
_FEW = 64
"""Up to so many keys are looked up one by one."""
_MOST_LATE = 4096
"""So many keys may have changed one by one before they become a layer."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """All rows of the keys that it covers; they may have none. All are in order."""

    covered: Ints
    keys: Ints
    rows: Rows

    @classmethod
    def of(cls, covered: Ints, rows: Rows) -> _Layer:
        """A layer of rows in any order."""
        ordered = in_order(rows)
        return cls(covered, np.ascontiguousarray(ordered[:, KEY]), ordered)

    def __len__(self) -> int:
        return len(self.covered) + len(self.keys)

    def find(self, keys: Ints) -> Rows:
        """The rows of some keys."""
        first = self.keys.searchsorted(keys, side="left")
        return self.rows[ranges(first, self.keys.searchsorted(keys, side="right") - first)]

    def under(self, other: _Layer, *, is_lowest: bool) -> _Layer:
        """One layer of this and another on top of it. The lowest need not cover keys without rows."""
        rows = np.concatenate((self.rows[~is_in(self.keys, other.covered)], other.rows))
        return _Layer.of(np.unique(rows[:, KEY]) if is_lowest else np.union1d(self.covered, other.covered), rows)


class Heap:
    """Rows of `width` columns, key and section included."""

    __slots__ = ("_late", "_layers", "width")

    def __init__(self, width: int) -> None:
        self.width = width
        self._layers: list[_Layer] = []
        self._late: dict[int, Rows] = {}

    def copy(self) -> Heap:
        """The same rows; later changes of one do not show in the other."""
        made = Heap(self.width)
        made._layers, made._late = list(self._layers), dict(self._late)
        return made

    def __len__(self) -> int:
        return len(self.all())

    def all(self) -> Rows:
        """All rows, in order of their keys."""
        self._settle()
        while len(self._layers) > 1:
            self._join_last()
        return self._layers[0].rows if self._layers else no_rows(self.width)

    def of(self, keys: Ints | None) -> Rows:
        """The rows of some keys, which are in order and different; None is all."""
        if keys is None:
            return self.all()
        if len(keys) <= _FEW:
            return stacked(list(self._few(keys.tolist())), self.width)
        self._settle()
        found = []
        for layer in reversed(self._layers):
            is_covered = is_in(keys, layer.covered)
            found.append(layer.find(keys[is_covered]))
            keys = keys[~is_covered]
        return in_order(stacked(found, self.width))

    def _few(self, keys: list[int]) -> Iterator[Rows]:
        """The rows of each key that has any."""
        for key in keys:
            found = self._late.get(key)
            if found is None:
                found = self._of_one(key)
            if found is not None and len(found):
                yield found

    def _of_one(self, key: int) -> Rows | None:
        for layer in reversed(self._layers):
            at = layer.covered.searchsorted(key)
            if at < len(layer.covered) and layer.covered[at] == key:
                return layer.rows[layer.keys.searchsorted(key, "left") : layer.keys.searchsorted(key, "right")]
        return None

    def put(self, keys: Ints | None, rows: Rows) -> None:
        """Replace all rows of some keys, which are in order and different; None is all."""
        if keys is None:
            layer = _Layer.of(different(rows[:, KEY]), rows)
            self._late, self._layers = {}, [layer] if len(layer) else []
        elif len(keys) <= _FEW:
            for key in keys.tolist():
                # A row that is part of a large table would keep all of it.
                mine = rows[rows[:, KEY] == key] if len(keys) > 1 else rows
                self._late[key] = mine if mine.base is None else mine.copy()
            if len(self._late) > _MOST_LATE:
                self._settle()
        else:
            self._settle()
            self._add_layer(_Layer.of(keys, rows))

    def add(self, rows: Rows) -> None:
        """Put rows beside those that are there, each once."""
        keys = different(rows[:, KEY])
        there = self.of(keys)
        both = np.concatenate((there, rows)) if len(there) else rows
        self.put(keys, both if len(both) < 2 else both[np.unique(fingerprints(both), return_index=True)[1]])

    def remove(self, rows: Rows) -> None:
        """Take rows away."""
        keys = different(rows[:, KEY])
        there = self.of(keys)
        self.put(keys, there[~_is_among(there, rows)])

    def has(self, rows: Rows) -> Bools:
        """Which rows are there."""
        return _is_among(rows, self.of(different(rows[:, KEY])))

    def _settle(self) -> None:
        """Make a layer of what was changed key by key."""
        if self._late:
            keys = np.sort(np.fromiter(self._late, np.int64, len(self._late)))
            rows = stacked(list(self._late.values()), self.width)
            self._late = {}
            self._add_layer(_Layer.of(keys, rows))

    def _add_layer(self, layer: _Layer) -> None:
        self._layers.append(layer)
        while len(self._layers) > 1 and 2 * len(self._layers[-1]) >= len(self._layers[-2]):
            self._join_last()

    def _join_last(self) -> None:
        above, below = self._layers.pop(), self._layers.pop()
        self._layers.append(below.under(above, is_lowest=not self._layers))


def in_order(rows: Rows) -> Rows:
    """Rows in order of their keys; those of a key stay in order."""
    keys = rows[:, KEY]
    return rows if (keys[1:] >= keys[:-1]).all() else rows[np.argsort(keys, kind="stable")]


def no_rows(width: int) -> Rows:
    """No rows."""
    return np.empty((0, width), np.int64)


def padded(columns: tuple[Ints, ...], key: Ints, section: int, width: int) -> Rows:
    """The columns of a table as rows."""
    rows = np.zeros((len(key), width), np.int64)
    rows[:, KEY] = key
    rows[:, SECTION] = section
    for place, column in enumerate(columns, FIRST):
        rows[:, place] = column
    return rows


def changed_keys(old: Rows, new: Rows) -> Ints:
    """The keys whose rows are not the same, whatever their order."""
    both = np.concatenate((old, new))
    if len(both) <= _FEW:
        return np.array(sorted(_few_changed(old, new)), np.int64)
    weight = fingerprints(both)
    weight[: len(old)] = np.negative(weight[: len(old)])
    order = np.argsort(both[:, KEY], kind="stable")
    keys, weight = both[order, KEY], weight[order]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    found: Ints = keys[first[np.add.reduceat(weight, first) != 0]]
    return found


def _few_changed(old: Rows, new: Rows) -> set[int]:
    counts = Counter(map(tuple, new.tolist()))
    counts.subtract(map(tuple, old.tolist()))
    return {row[KEY] for row, count in counts.items() if count}


def difference(old: Rows, new: Rows) -> tuple[Rows, Rows]:
    """The rows that are only in the old, and those that are only in the new, the key left aside."""
    if not len(old) or not len(new):
        return old, new
    return old[~_is_among(old, new, SECTION)], new[~_is_among(new, old, SECTION)]


def _is_among(rows: Rows, others: Rows, first: int = KEY) -> Bools:
    """Which rows are also among others, from some column on."""
    if len(rows) + len(others) <= _FEW:
        there = set(map(tuple, others[:, first:].tolist()))
        return np.array([tuple(row) in there for row in rows[:, first:].tolist()], np.bool_)
    return np.isin(fingerprints(rows[:, first:]), fingerprints(others[:, first:]))


def different(keys: Ints) -> Ints:
    """Keys in order, each once."""
    if len(keys) < 2:
        return keys
    return np.array(sorted(set(keys.tolist())), np.int64) if len(keys) <= _FEW else np.unique(keys)


def stacked(found: Sequence[Rows], width: int) -> Rows:
    """Rows one below the other."""
    if len(found) == 1:
        return found[0]
    return np.concatenate(found) if found else no_rows(width)


_MIXED, _WORD = 0x9E3779B97F4A7C15, 2**64 - 1
_MIX = np.uint64(_MIXED)


def fingerprints(rows: Rows) -> Ints:
    """A number for each row, the same for rows that are the same."""
    found = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        found ^= column.view(np.uint64) if column.flags.c_contiguous else column.astype(np.uint64)
        found *= _MIX
        found ^= found >> np.uint64(29)
    return found.view(np.int64)


def fingerprint(row: Sequence[int]) -> int:
    """The number of a single row.

    >>> fingerprint([3, -1, 2**62]) == int(fingerprints(np.array([[3, -1, 2**62]]))[0])
    True
    """
    found = 0
    for value in row:
        found = (found ^ (value & _WORD)) * _MIXED & _WORD
        found ^= found >> 29
    return found - (1 << 64) if found >> 63 else found
