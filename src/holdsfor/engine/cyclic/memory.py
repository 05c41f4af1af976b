"""What the tails of rules give for the values of slots, worked out when the sweep first meets them.

A counter has no end of values, so that what a rule does for each of them cannot be laid out beforehand. The conditions
of such a rule that depend on a value of its own component (its *tail*) are pure: their answers follow from the values
alone. The sweep looks answers up here and stops where one is missing; as values that are close to each other tend to
follow each other, a whole neighbourhood is worked out each time, twice as large as the last.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdsfor.engine.cyclic.sweep_loop import (
    FOLLOWING,
    GIVEN,
    ITEM,
    KEY,
    KEY_STATE,
    KEY_VALUE,
    REST,
    Cells,
    Memo,
    hash_of,
    recall,
)
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints

Tail = Callable[[Ints, list[Ints]], tuple[Ints, Ints]]
"""Given classes of rows and, for each slot read, a value: the rows that succeed, and the value that each gives."""

MOST_READS = 8
"""So many slots can a tail read."""
_LARGEST_STEP = 1 << 12
_LARGEST_BLOCK = 1 << 15


class Memory:
    """A memo that grows as the sweep asks; its columns are lists, or arrays for the compiled loop."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._tails: list[tuple[int, int, Tail]] = []
        self._steps: dict[int, int] = {}
        self._states = self._entries = self._items = 0
        self.memo = Memo([-1] * (16 * KEY), [], [], [0] * MOST_READS)

    def as_arrays(self) -> None:
        """Change to arrays, for the compiled loop."""
        self.memo = Memo(*(np.array(column, np.int64) for column in self.memo))

    def roots(self, classes: int, tail: Tail) -> Ints:
        """New states for the classes of rows of one tail."""
        first = self._states
        self._new_states(classes)
        self._tails.append((first, self._states, tail))
        return np.arange(first, self._states)

    def learn(self, root: int, values: list[int]) -> None:
        """Work out what is missing for a root and the values its slots have, and for what is near."""
        first, last, tail = next(found for found in self._tails if found[0] <= root < found[1])
        final = self._near(first, root, values[-1]) if len(values) == 1 else np.array(values[-1:])
        # What one class of rows needs to know, the others will soon need as well.
        is_block = len(values) == 1 and (last - first) * len(final) <= _LARGEST_BLOCK
        roots = np.arange(first, last) if is_block else np.array([root])
        asked = np.repeat(roots, len(final))
        columns = [*(np.full(len(asked), value) for value in values[:-1]), np.tile(final, len(roots))]
        rows, given = tail(asked - first, columns)
        order = np.argsort(rows, kind="stable")
        answers = given[order].tolist()
        at = np.searchsorted(rows[order], np.arange(len(asked) + 1)).tolist()
        for place, (state, value) in enumerate(zip(asked.tolist(), columns[-1].tolist(), strict=True)):
            before = state
            for earlier in values[:-1]:
                before = self._step(before, earlier)
            if self._find(before, value) < 0:
                self._give(self._step(before, value), answers[at[place] : at[place + 1]])

    def _near(self, first: int, root: int, value: int) -> Ints:
        """The codes of the whole numbers around a number; any other value stands alone."""
        number = self._dictionary.values[value]
        if not isinstance(number, int):
            return np.array([value])
        step = self._steps[first] = min(2 * self._steps.get(first, 1), _LARGEST_STEP)
        near = [self._dictionary.code(other) for other in range(number - step // 4, number + step + 1)]
        return np.array([code for code in near if self._find(root, code) < 0])

    # The hash table

    def _find(self, state: int, value: int) -> int:
        return recall(self.memo.keys, state, value)

    def _step(self, state: int, value: int) -> int:
        """The state that follows a state for a value, a new one if need be."""
        found = self._find(state, value)
        if found >= 0:
            return found
        if 2 * KEY * (self._entries + 1) > len(self.memo.keys):
            self._rehash()
        following = self._states
        self._new_states(1)
        self._put(state, value, following)
        self._entries += 1
        return following

    def _put(self, state: int, value: int, following: int) -> None:
        keys, mask = self.memo.keys, len(self.memo.keys) // KEY - 1
        place = hash_of(state, value) & mask
        while keys[place * KEY + KEY_STATE] >= 0:
            place = (place + 1) & mask
        at = place * KEY
        keys[at + KEY_STATE], keys[at + KEY_VALUE], keys[at + FOLLOWING] = state, value, following

    def _rehash(self) -> None:
        old = self.memo.keys
        self.memo = self.memo._replace(keys=_grown(old[:0], 4 * len(old), -1))
        for at in range(0, len(old), KEY):
            if old[at + KEY_STATE] >= 0:
                self._put(int(old[at + KEY_STATE]), int(old[at + KEY_VALUE]), int(old[at + FOLLOWING]))

    def _new_states(self, count: int) -> None:
        self._states += count
        if self._states > len(self.memo.first):
            self.memo = self.memo._replace(first=_grown(self.memo.first, 2 * self._states, -1))

    def _give(self, state: int, values: list[int]) -> None:
        """Say what the tail gives in a last state."""
        for value in values:
            at = self._items * ITEM
            if at == len(self.memo.items):
                self.memo = self.memo._replace(items=_grown(self.memo.items, 2 * at + 16 * ITEM, 0))
            self.memo.items[at + GIVEN], self.memo.items[at + REST] = value, self.memo.first[state]
            self.memo.first[state] = self._items
            self._items += 1


def _grown(column: Cells, size: int, fill: int) -> Cells:
    """A longer column of the same kind."""
    if isinstance(column, list):
        return column + [fill] * (size - len(column))
    return np.concatenate((column, np.full(size - len(column), fill)))
