"""Small numbers for keys, so that what is known of them are columns that they are the rows of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.incremental.keys import keys_of


class Slots:
    """The numbers of the keys of a stage. A key of one argument is the code of that."""

    def __init__(self, dictionary: Dictionary, width: int) -> None:
        self._dictionary = dictionary
        self._is_code = width == 1
        self._known: Ints = EMPTY
        self._numbers: Ints = EMPTY

    def __len__(self) -> int:
        return len(self._dictionary) if self._is_code else len(self._known)

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return len(self._dictionary)

    def of(self, columns: Sequence[Ints], places: Sequence[int], rows: int) -> Ints:
        """The numbers of the keys of rows; -1 for those that have none yet."""
        keys = keys_of(columns, places, rows)
        return keys if self._is_code else self._found(keys)

    def _found(self, keys: Ints) -> Ints:
        if not len(self._known):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self._known, keys), len(self._known) - 1)
        return np.where(self._known[at] == keys, self._numbers[at], -1)

    def given(self, columns: Sequence[Ints], places: Sequence[int], rows: int) -> Ints:
        """The numbers of the keys of rows; new ones for those that have none yet."""
        keys = keys_of(columns, places, rows)
        if self._is_code:
            return keys
        found = self._found(keys)
        new = np.unique(keys[found < 0])
        if not len(new):
            return found
        known = np.concatenate((self._known, new))
        numbers = np.concatenate((self._numbers, np.arange(len(self._known), len(known))))
        order = np.argsort(known, kind="stable")
        self._known, self._numbers = known[order], numbers[order]
        return self._found(keys)
