"""Rows of one table as columns in order of their keys, and layers of such tables of which later ones cover earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from holdsfor.engine.frames import is_in, ranges
from holdsfor.engine.kernels import EMPTY, Bools, Ints, is_sorted
from holdsfor.incremental.sections import EVERYWHERE, Section

SPARSE = 32
"""Keys are looked up one by one if there are this many times as many rows; otherwise rows are gone through."""
_LARGEST = 1 << 24
"""Up to so large a key, there is a table for all of them."""
_MOST_PATCHES = 4
"""So many layers may lie on the lowest one before they become one."""
_THICK = 0.3
"""Patches that cover such a share of the lowest layer become one with it."""


class Keys:
    """A set of keys, in order."""

    def __init__(self, keys: Ints) -> None:
        self.listed = keys

    def __len__(self) -> int:
        return len(self.listed)

    @cached_property
    def _table(self) -> Bools | None:
        """For every key whether it is there, if they are small numbers; that of rows that every key reads is the last."""
        if not len(self.listed) or int(self.listed[-1]) > _LARGEST:
            return None
        there = np.zeros(int(self.listed[-1]) + 3, np.bool_)
        there[self.listed] = True
        return there

    def has(self, keys: Ints) -> Bools:
        """Which keys are there."""
        table = self._table
        if table is None or not len(keys):
            return is_in(keys, self.listed)
        if int(keys.max()) < len(table) - 1:
            return table[keys]
        return table[np.minimum(keys, len(table) - 2)]

    def without(self, others: Keys) -> Keys:
        """The keys that are not among others."""
        return Keys(self.listed[~others.has(self.listed)])

    def and_those(self, *others: Keys) -> Keys:
        """All keys together."""
        found = [keys.listed for keys in (self, *others) if len(keys)]
        return Keys(found[0]) if len(found) == 1 else Keys(in_order(np.concatenate([EMPTY, *found])))

    def and_everywhere(self) -> Keys:
        """The keys, and that of rows that every key reads."""
        return Keys(np.concatenate(([EVERYWHERE], self.listed)))


def in_order(keys: Ints) -> Ints:
    """Keys in order, each once."""
    if not is_sorted(keys):
        keys = np.sort(keys)
    fresh = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys if fresh.all() else keys[fresh]


NO_KEYS = Keys(EMPTY)


@dataclass(frozen=True)
class Part:
    """Columns of a table, in order of the key of each row."""

    key: Ints
    columns: tuple[Ints, ...]

    @classmethod
    def of(cls, key: Ints, columns: tuple[Ints, ...]) -> Part:
        """Columns in any order; rows of a key stay in theirs."""
        if is_sorted(key):
            return cls(key, columns)
        order = np.argsort(key, kind="stable")
        return cls(key[order], tuple(column[order] for column in columns))

    def __len__(self) -> int:
        return len(self.key)

    @property
    def keys(self) -> Keys:
        """The keys of all rows."""
        return Keys(in_order(self.key))

    def take(self, rows: Ints) -> Part:
        """Some rows, in order."""
        return Part(self.key[rows], tuple(column[rows] for column in self.columns))

    def where(self, chosen: Bools) -> Part:
        """Some rows."""
        return self if chosen.all() else self.take(np.flatnonzero(chosen))

    def at(self, keys: Keys) -> Part:
        """The rows of some keys."""
        if len(keys) * SPARSE > len(self):
            return self.where(keys.has(self.key))
        first = np.searchsorted(self.key, keys.listed, side="left")
        return self.take(ranges(first, np.searchsorted(self.key, keys.listed, side="right") - first))

    def without(self, keys: Keys) -> Part:
        """The rows of all other keys."""
        return self.where(~keys.has(self.key)) if len(keys) and len(self) else self


def stacked(parts: Sequence[Part]) -> Part:
    """Rows of one table, one below the other; they need not be in order of their keys any more."""
    filled = [part for part in parts if len(part)] or parts[:1]
    if len(filled) == 1:
        return filled[0]
    columns = zip(*(part.columns for part in filled), strict=True)
    return Part(np.concatenate([part.key for part in filled]), tuple(map(np.concatenate, columns)))


Tables = dict[Section, Part]


@dataclass(frozen=True)
class Layer:
    """What was worked out of some keys, or of all (None): tables of results, and of the state after them."""

    cover: Keys | None
    results: Tables
    after: Tables


Which = Callable[[Layer], Tables]
Wanted = Callable[[Section], bool]


class Beneath(Protocol):
    """What lies under all layers and covers every key."""

    def select(self, which: Which, keys: Keys | None, wanted: Wanted | None) -> Tables:
        """Tables of some keys."""

    def all_of(self, section: Section) -> Part | None:
        """One table of results, of all keys."""


@dataclass
class Layers:
    """Layers one above the other: of a key, the highest one that covers it counts."""

    listed: tuple[Layer, ...] = ()
    beneath: Beneath | None = None

    def lay(self, layer: Layer) -> None:
        """Put a layer on top."""
        if layer.cover is None:
            self.listed, self.beneath = (layer,), None
            return
        self.listed = (*self.listed, layer)
        if len(self.listed) > _MOST_PATCHES:
            lowest, patches = self.listed[0], self.listed[1:]
            covered = _union(patches)
            assert covered is not None
            is_thick = self.beneath is not None or len(covered) > _THICK * keys_in(lowest)
            self.listed = (_flat(self.listed),) if is_thick else (lowest, _flat(patches))

    def results(self, keys: Keys | None = None, wanted: Wanted | None = None) -> Tables:
        """The results of some keys, which are in order and different; None is all."""
        return self.select(results_of, keys, wanted)

    def all_of(self, section: Section) -> Part | None:
        """One table of results, of all keys."""
        found: list[Part] = []
        hidden = NO_KEYS
        for layer in reversed(self.listed):
            if section in layer.results:
                found.append(layer.results[section].without(hidden))
            if layer.cover is not None:
                hidden = hidden.and_those(layer.cover)
        below = None if self.beneath is None else self.beneath.all_of(section)
        if below is not None:
            found.append(below.without(hidden))
        return stacked(found) if found else None

    def after(self, keys: Keys | None = None) -> Tables:
        """The state of some keys afterwards."""
        return self.select(state_of, keys)

    def select(self, which: Which, keys: Keys | None, wanted: Wanted | None = None) -> Tables:
        """Tables of some keys."""
        found: dict[Section, list[Part]] = {}
        hidden = NO_KEYS
        for layer in reversed(self.listed):
            for section, part in which(layer).items():
                if wanted is None or wanted(section):
                    seen = part.without(hidden) if keys is None else part.at(keys)
                    found.setdefault(section, []).append(seen)
            if layer.cover is None:
                break
            if keys is not None:
                keys = keys.without(layer.cover)
            else:
                hidden = hidden.and_those(layer.cover)
        if self.beneath is not None:
            for section, part in self.beneath.select(which, keys, wanted).items():
                found.setdefault(section, []).append(part.without(hidden))
        return {section: stacked(parts) for section, parts in found.items()}


def _flat(layers: tuple[Layer, ...]) -> Layer:
    """Layers as one."""
    made = [_in_order(Layers(layers).select(which, None)) for which in (results_of, state_of)]
    return Layer(_union(layers), *made)


def results_of(layer: Layer) -> Tables:
    """What was worked out."""
    return layer.results


def state_of(layer: Layer) -> Tables:
    """The state afterwards."""
    return layer.after


def _in_order(tables: Tables) -> Tables:
    return {section: Part.of(part.key, part.columns) for section, part in tables.items()}


def _union(layers: Iterable[Layer]) -> Keys | None:
    covers = [layer.cover for layer in layers]
    known = [cover for cover in covers if cover is not None]
    return None if len(known) < len(covers) else NO_KEYS.and_those(*known)


def keys_in(layer: Layer) -> int:
    """About how many keys a layer has."""
    if layer.cover is not None:
        return len(layer.cover)
    longest = max((part.key for part in (*layer.results.values(), *layer.after.values())), key=len, default=EMPTY)
    return int(np.count_nonzero(longest[1:] != longest[:-1])) + 1


def owned(tables: Tables, active: Keys | None) -> Tables:
    """The rows of keys that were worked on: others may have been seen, but not as a whole."""
    return tables if active is None else {section: part.at(active) for section, part in tables.items()}


def changed_keys(old: Tables, new: Tables) -> Keys:
    """The keys whose rows are not the same, whatever their order."""
    keys, weights = [EMPTY], [EMPTY]
    for number, section in enumerate({**old, **new}):
        for tables, sign in ((old, -1), (new, 1)):
            part = tables.get(section)
            if part is not None and len(part):
                keys.append(part.key)
                weights.append(sign * fingerprints(part.columns, number))
    key, weight = np.concatenate(keys), np.concatenate(weights)
    if not len(key):
        return NO_KEYS
    order = np.argsort(key, kind="stable")
    key, weight = key[order], weight[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    return Keys(key[first[np.add.reduceat(weight, first) != 0]])


_MIX = np.uint64(0x9E3779B97F4A7C15)


def fingerprints(columns: Sequence[Ints], seed: int) -> Ints:
    """A number for each row, the same for rows that are the same."""
    found = np.full(len(columns[0]), seed + 1, np.uint64)
    for column in columns:
        found ^= column.view(np.uint64)
        found *= _MIX
        found ^= found >> np.uint64(29)
    return found.view(np.int64)


def distinct_rows(columns: Sequence[Ints]) -> tuple[Ints, ...]:
    """Rows in order of their columns, each once."""
    order = np.lexsort(tuple(reversed(columns)))
    columns = [column[order] for column in columns]
    fresh = np.ones(len(order), np.bool_)
    if len(order) > 1:
        fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return tuple(column[fresh] for column in columns)
