"""What can hold or happen inside a component, as columns: instances ("slots", numbered through the whole component)
and, of fluents, the values that each of them may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.frames import combined_keys, order_of
from holdsfor.engine.kernels import EMPTY, Ints

_VALUE_BITS = 32


def pair_keys(slot: Ints, value: Ints) -> Ints:
    """Slots and value codes side by side in one integer; a value may be -1, which stands for any."""
    return (slot << _VALUE_BITS) + value + 1


@dataclass
class _Index:
    """Sorted keys, and the number that goes with each."""

    keys: Ints = field(default_factory=lambda: EMPTY)
    numbers: Ints = field(default_factory=lambda: EMPTY)

    @classmethod
    def of(cls, keys: Ints, numbers: Ints) -> _Index:
        order = order_of(keys)
        return cls(keys[order], numbers[order])

    def find(self, wanted: Ints) -> Ints:
        """The number that goes with each wanted key, -1 where the key is not there."""
        if not len(self.keys):
            return np.full(len(wanted), -1)
        at = np.searchsorted(self.keys, wanted)
        np.minimum(at, len(self.keys) - 1, out=at)
        return np.where(self.keys[at] == wanted, self.numbers[at], -1)


@dataclass
class Known:
    """What is known of one symbol: the arguments of its slots, and its pairs as (slot, value code)."""

    args: list[Ints]
    slot: Ints
    pair_slot: Ints
    pair_value: Ints
    version: int = 0
    """Grows with every new slot or pair, so that what was worked out from an older state can be told."""
    slot_index: tuple[int, _Index] | None = None
    """With the number of bits that each argument has in its keys."""
    pair_index: _Index | None = None

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
        index, wanted = _slot_keys(known, args)
        found = index.find(wanted)
        fresh = np.flatnonzero(found < 0)
        if len(fresh):
            _, first, number = np.unique(wanted[fresh], return_index=True, return_inverse=True)
            found[fresh] = self._append(known, [column[fresh[first]] for column in args], len(first))[number]
        return found

    def _append(self, known: Known, args: list[Ints], rows: int) -> Ints:
        numbers = np.arange(self.slots, self.slots + rows)
        known.args = [np.concatenate((old, new)) for old, new in zip(known.args, args, strict=True)]
        known.slot = np.concatenate((known.slot, numbers))
        known.version += 1
        known.slot_index = None
        self.slots += rows
        return numbers

    def find_slots(self, symbol: Symbol, args: Sequence[Ints], rows: int) -> Ints:
        """The slots of some instances, -1 where there is none."""
        known = self.known[symbol]
        if not args or not rows:
            return np.full(rows, known.slot[0] if len(known.slot) else -1)
        index, wanted = _slot_keys(known, args)
        return index.find(wanted)

    def add_pairs(self, symbol: Symbol, args: Sequence[Ints], value: Ints) -> Ints:
        """Note that instances may have values; gives their slots."""
        known = self.known[symbol]
        slot = self.add_slots(symbol, args, len(value))
        wanted = pair_keys(slot, value)
        if known.pair_index is None:
            keys = pair_keys(known.pair_slot, known.pair_value)
            known.pair_index = _Index.of(keys, np.zeros(len(keys), np.int64))
        fresh = np.flatnonzero(known.pair_index.find(wanted) < 0)
        if len(fresh):
            fresh = fresh[np.unique(wanted[fresh], return_index=True)[1]]
            known.pair_slot = np.concatenate((known.pair_slot, slot[fresh]))
            known.pair_value = np.concatenate((known.pair_value, value[fresh]))
            known.version += 1
            known.pair_index = None
        return slot


def _slot_keys(known: Known, args: Sequence[Ints]) -> tuple[_Index, Ints]:
    """The index of a symbol's slots, and the keys of some arguments in it."""
    largest = _most(args)
    bits = known.slot_index[0] if known.slot_index else max(_most(known.args), largest).bit_length()
    if largest.bit_length() <= bits and bits * len(args) <= 62:
        if known.slot_index is None:
            known.slot_index = bits, _Index.of(_packed(known.args, bits), known.slot)
        return known.slot_index[1], _packed(args, bits)
    mine, theirs = combined_keys(known.args, list(args))
    return _Index.of(mine, known.slot), theirs


def _most(columns: Sequence[Ints]) -> int:
    return max((int(column.max()) for column in columns if len(column)), default=0)


def _packed(columns: Sequence[Ints], bits: int) -> Ints:
    packed = columns[0]
    for column in columns[1:]:
        packed = (packed << bits) | column
    return packed
