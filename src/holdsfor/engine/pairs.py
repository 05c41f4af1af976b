"""What can hold or happen inside a component, as columns: instances ("slots", numbered through the whole component)
and, of fluents, the values that each of them may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.frames import combined_keys
from holdsfor.engine.kernels import EMPTY, Ints


@dataclass
class Known:
    """What is known of one symbol: the arguments of its slots, and its pairs as (slot, value code)."""

    args: list[Ints]
    slot: Ints
    pair_slot: Ints
    pair_value: Ints
    version: int = 0
    """Grows with every new slot or pair, so that what was worked out from an older state can be told."""

    def pair_columns(self, places: Ints) -> list[Ints]:
        """The arguments and values of all pairs, given the row of each slot."""
        rows = places[self.pair_slot]
        return [*(column[rows] for column in self.args), self.pair_value]


class Possible:
    """The slots and pairs of a component."""

    def __init__(self) -> None:
        self.known: dict[Symbol, Known] = {}
        self.slots = 0
        self._places: Ints = EMPTY

    def declare(self, symbol: Symbol, width: int) -> None:
        """Make room for a symbol with so many arguments."""
        if symbol not in self.known:
            self.known[symbol] = Known([EMPTY] * width, EMPTY, EMPTY, EMPTY)

    def version(self, symbols: Sequence[Symbol]) -> tuple[int, ...]:
        """How much is known of some symbols."""
        return tuple(self.known[symbol].version for symbol in symbols)

    def places(self) -> Ints:
        """For every slot, its row among the slots of its own symbol."""
        if len(self._places) != self.slots:
            self._places = np.empty(self.slots, np.int64)
            for known in self.known.values():
                self._places[known.slot] = np.arange(len(known.slot))
        return self._places

    def add_slots(self, symbol: Symbol, args: Sequence[Ints], rows: int) -> Ints:
        """The slots of some instances, new ones where need be."""
        known = self.known[symbol]
        if not rows:
            return EMPTY
        if not args:
            if not len(known.slot):
                self._append(known, [], 1)
            return np.full(rows, known.slot[0])
        mine, theirs = combined_keys(known.args, list(args))
        keys, first, inverse = np.unique(theirs, return_index=True, return_inverse=True)
        found = _lookup(mine, known.slot, keys)
        fresh = np.flatnonzero(found < 0)
        if len(fresh):
            found[fresh] = self._append(known, [column[first[fresh]] for column in args], len(fresh))
        return found[inverse]

    def _append(self, known: Known, args: list[Ints], rows: int) -> Ints:
        numbers = np.arange(self.slots, self.slots + rows)
        known.args = [np.concatenate((old, new)) for old, new in zip(known.args, args, strict=True)]
        known.slot = np.concatenate((known.slot, numbers))
        known.version += 1
        self.slots += rows
        return numbers

    def find_slots(self, symbol: Symbol, args: Sequence[Ints], rows: int) -> Ints:
        """The slots of some instances, -1 where there is none."""
        known = self.known[symbol]
        if not args or not rows:
            return np.full(rows, known.slot[0] if len(known.slot) else -1)
        mine, theirs = combined_keys(known.args, list(args))
        return _lookup(mine, known.slot, theirs)

    def add_pairs(self, symbol: Symbol, args: Sequence[Ints], value: Ints) -> Ints:
        """Note that instances may have values; gives their slots."""
        known = self.known[symbol]
        slot = self.add_slots(symbol, args, len(value))
        mine, theirs = combined_keys([known.pair_slot, known.pair_value], [slot, value])
        keys, first = np.unique(theirs, return_index=True)
        fresh = first[_lookup(mine, np.zeros(len(mine), np.int64), keys) < 0]
        if len(fresh):
            known.pair_slot = np.concatenate((known.pair_slot, slot[fresh]))
            known.pair_value = np.concatenate((known.pair_value, value[fresh]))
            known.version += 1
        return slot


def _lookup(keys: Ints, numbers: Ints, wanted: Ints) -> Ints:
    """The number that goes with each wanted key, -1 where the key is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys)
    ordered = keys[order]
    at = np.minimum(np.searchsorted(ordered, wanted), len(keys) - 1)
    return np.where(ordered[at] == wanted, numbers[order[at]], -1)
