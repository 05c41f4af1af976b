"""What can hold or happen inside a component, as columns: instances ("slots", numbered through the whole component)
and, of fluents, the values that each of them may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.frames import combined_keys, numbering, order_of, row_keys
from holdsfor.engine.kernels import EMPTY, Bools, Ints, is_sorted, search, true_rows

_VALUE_BITS = 32
_MOST_BITS = 62


def pair_keys(slot: Ints, value: Ints | int) -> Ints:
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
        at = search(self.keys, wanted, "left")
        np.minimum(at, len(self.keys) - 1, out=at)
        return np.where(self.keys[at] == wanted, self.numbers[at], -1)

    def add(self, keys: Ints, numbers: Ints) -> None:
        """Put in more keys, sorted and new ones."""
        if not len(self.keys):
            self.keys, self.numbers = keys, numbers
            return
        at = np.searchsorted(self.keys, keys)
        self.keys, self.numbers = np.insert(self.keys, at, keys), np.insert(self.numbers, at, numbers)


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
    slots_with: dict[int, Bools] = field(default_factory=dict)
    """For some values, whether each slot is known to have it."""
    coming: list[tuple[Ints, Ints | int]] = field(default_factory=list)
    """Slots and values, or one value of all, that are not among the pairs yet: often nobody asks for the pairs."""

    def settle_pairs(self) -> None:
        """Put what is coming among the pairs. All slots are known by then."""
        if self.coming:
            found = [pair_keys(slot, value) for slot, value in self.coming]
            keys = np.concatenate(found) if len(found) > 1 else found[0].copy()
            keys.sort()
            keys = keys[true_rows(np.append(True, keys[1:] != keys[:-1]))] if len(keys) else keys
            self.pair_slot, self.pair_value = keys >> _VALUE_BITS, (keys & ((1 << _VALUE_BITS) - 1)) - 1
            self.coming.clear()

    def pair_columns(self, places: Ints) -> list[Ints]:
        """The arguments and values of all pairs, given the row of each slot."""
        rows = places[self.pair_slot]
        return [*(column[rows] for column in self.args), self.pair_value]

    def with_value(self, value: int, slots: int) -> Bools:
        """Whether each of so many slots is known to have a value."""
        found = self.slots_with.get(value)
        if found is None or len(found) < slots:
            earlier, found = found, np.zeros(2 * slots, np.bool_)
            if earlier is None:
                found[self.pair_slot[self.pair_value == value]] = True
            else:
                found[: len(earlier)] = earlier
            self.slots_with[value] = found
        return found


@dataclass(frozen=True)
class Stretch:
    """From where to where the places of a symbol go, and their arguments in that order."""

    symbol: Symbol
    first: int
    last: int
    args: Sequence[Ints]


class Possible:
    """The slots and pairs of a component."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.known: dict[Symbol, Known] = {}
        self.slots = 0
        self._dictionary = dictionary
        self.is_in_order = False
        """Whether slots are numbered in order of their arguments, those of a symbol one after the other."""
        self._places: Ints = EMPTY

    def declare(self, symbol: Symbol, width: int) -> None:
        """Make room for a symbol with so many arguments."""
        if symbol not in self.known:
            self.known[symbol] = Known([EMPTY] * width, EMPTY, EMPTY, EMPTY)

    def version(self, symbols: Sequence[Symbol]) -> tuple[int, ...]:
        """How much is known of some symbols."""
        return tuple([self.known[symbol].version for symbol in symbols])

    def layout(self) -> tuple[Ints | None, list[Stretch]]:
        """Slots in order of symbols and arguments: the place of each, None if they are in that order already, and the
        stretch of each symbol.
        """
        found = []
        if self.is_in_order:
            for symbol, known in self.known.items():
                begin = int(known.slot[0]) if len(known.slot) else 0
                found.append(Stretch(symbol, begin, begin + len(known.slot), known.args))
            return None, found
        place, begin = np.empty(self.slots, np.int64), 0
        for symbol, known in self.known.items():
            count = len(known.slot)
            order = order_of(row_keys(known.args)) if known.args and count > 1 else np.arange(count)
            place[known.slot[order]] = np.arange(begin, begin + count)
            found.append(Stretch(symbol, begin, begin + count, [column[order] for column in known.args]))
            begin += count
        return place, found

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
        index, wanted = self._slot_keys(known, args)
        found = index.find(wanted)
        fresh = true_rows(found < 0)
        if len(fresh):
            asked = wanted[fresh] if len(fresh) < rows else wanted
            first, number = numbering(asked)
            numbers = self._append(known, [column[fresh[first]] for column in args], len(first))
            index.add(asked[first], numbers)
            found[fresh] = numbers[number]
        return found

    def add_all(self, symbol: Symbol, parts: Sequence[tuple[Sequence[Ints], int]]) -> list[Ints]:
        """The slots of all instances of a symbol, in order of their arguments: nothing may be known of it before.

        Each part has a column per argument and a number of rows.
        """
        known = self.known[symbol]
        sizes = [rows for _, rows in parts]
        if not sum(sizes):
            return [EMPTY] * len(parts)
        if not known.args:
            self._append(known, [], 1)
            return [np.full(rows, known.slot[0]) for rows in sizes]
        columns = [args for args, rows in parts if rows]
        args = [np.concatenate(column) for column in zip(*columns, strict=True)] if len(columns) > 1 else columns[0]
        bits = self._code_bits()
        is_packed = bits * len(args) <= _MOST_BITS
        keys = _packed(args, bits) if is_packed else row_keys(args)
        first, number = numbering(keys)
        numbers = np.arange(self.slots, self.slots + len(first))
        known.args, known.slot = [column[first] for column in args], numbers
        if is_packed:
            known.slot_index = bits, _Index(keys[first], numbers)
        number += self.slots
        self.slots += len(first)
        found, end = [], 0
        for rows in sizes:
            found.append(number[end : end + rows])
            end += rows
        return found

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
        index, wanted = self._slot_keys(known, args)
        return index.find(wanted)

    def add_pairs(self, symbol: Symbol, args: Sequence[Ints], value: Ints) -> Ints:
        """Note that instances may have values; gives their slots."""
        known = self.known[symbol]
        slot = self.add_slots(symbol, args, len(value))
        if not len(slot):
            return slot
        low = int(value.min())
        if low == int(value.max()):
            self._add_pairs_of(known, slot, low)
            return slot
        wanted = pair_keys(slot, value)
        if known.pair_index is None:
            keys = pair_keys(known.pair_slot, known.pair_value)
            known.pair_index = _Index.of(keys, np.zeros(len(keys), np.int64))
        fresh = true_rows(known.pair_index.find(wanted) < 0)
        if len(fresh):
            fresh = fresh[numbering(wanted[fresh])[0]]
            known.pair_slot = np.concatenate((known.pair_slot, slot[fresh]))
            known.pair_value = np.concatenate((known.pair_value, value[fresh]))
            known.version += 1
            known.pair_index.add(wanted[fresh], np.zeros(len(fresh), np.int64))
            known.slots_with.clear()
        return slot

    def _add_pairs_of(self, known: Known, slot: Ints, value: int) -> None:
        """Note that slots may have one value, as most rules give."""
        has_it = known.with_value(value, self.slots)
        fresh = slot[true_rows(~has_it[slot])]
        if len(fresh):
            fresh = np.sort(fresh) if len(fresh) > 1 and not is_sorted(fresh) else fresh
            fresh = fresh[true_rows(np.append(True, fresh[1:] != fresh[:-1]))]
            has_it[fresh] = True
            known.pair_slot = np.concatenate((known.pair_slot, fresh))
            known.pair_value = np.concatenate((known.pair_value, np.full(len(fresh), value)))
            known.version += 1
            known.pair_index = None

    def _code_bits(self) -> int:
        return max(1, (len(self._dictionary) - 1).bit_length())

    def _slot_keys(self, known: Known, args: Sequence[Ints]) -> tuple[_Index, Ints]:
        """The index of a symbol's slots, and the keys of some arguments in it."""
        bits = self._code_bits()
        if bits * len(args) <= _MOST_BITS:
            if known.slot_index is None or known.slot_index[0] < bits:
                known.slot_index = bits, _Index.of(_packed(known.args, bits), known.slot)
            return known.slot_index[1], _packed(args, known.slot_index[0])
        mine, theirs = combined_keys(known.args, list(args))
        return _Index.of(mine, known.slot), theirs


def _packed(columns: Sequence[Ints], bits: int) -> Ints:
    packed = columns[0]
    for place, column in enumerate(columns[1:]):
        # The first shift makes a column of our own.
        packed = packed << bits if not place else np.left_shift(packed, bits, out=packed)
        packed |= column
    return packed
