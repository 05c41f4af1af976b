"""The dictionary of a run: every constant gets a small dense code, so that columns are plain integers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.logic.order import order_key
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Value: TypeAlias = str | int | float | Compound | ListTerm
Floats: TypeAlias = npt.NDArray[np.float64]
EXACT = 1 << 53
"""Up to here, every whole number is a float as well."""


class _Codes(dict[Value, int]):
    """Codes in order of insertion; a value that is asked for gets one."""

    def __missing__(self, value: Value) -> int:
        code = self[value] = len(self)
        return code


class _Ranked:
    """The codes that have ever been compared, in the standard order of terms."""

    def __init__(self) -> None:
        self.ranks: Ints = EMPTY
        """The place of each code, -1 for those that have none yet."""
        self._codes: Ints = EMPTY
        self._keys: list[tuple[Any, ...]] = []

    def add(self, codes: Ints, keys: list[tuple[Any, ...]]) -> None:
        """Put codes with these keys into their places."""
        order = sorted(range(len(keys)), key=keys.__getitem__)
        places = [bisect_left(self._keys, keys[one]) for one in order]
        self._codes = np.insert(self._codes, places, codes[order])
        # Two sorted lists, one after the other: sorting merges them.
        self._keys = sorted([*self._keys, *(keys[one] for one in order)])
        self.ranks[self._codes] = np.arange(len(self._codes))


class Dictionary:
    """Codes for values. Codes never change, so they can be kept from window to window."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._codes = _Codes()
        self._numbers: npt.NDArray[Any] = EMPTY
        self._ranked = _Ranked()

    def __len__(self) -> int:
        return len(self.values)

    def code(self, value: Value) -> int:
        """The code of a value, a new one if need be."""
        found = self._codes.get(value)
        if found is None:
            found = self._codes[value] = len(self.values)
            self.values.append(value)
        return found

    def find(self, value: Value) -> int:
        """The code of a value, or -1 if it has none."""
        return self._codes.get(value, -1)

    def encode(self, values: Iterable[Value]) -> Ints:
        """Codes of some values: for small tables and for distinct values."""
        listed: list[Value] = values.tolist() if isinstance(values, np.ndarray) else list(values)
        found = np.fromiter(map(self._codes.__getitem__, listed), np.int64, len(listed))
        if len(self._codes) > len(self.values):
            self.values.extend(islice(self._codes, len(self.values), None))
        return found

    def encode_numbers(self, numbers: npt.NDArray[np.generic]) -> Ints:
        """Codes of a column of numbers."""
        distinct, inverse = np.unique(numbers, return_inverse=True)
        return self.encode(_whole_if_possible(distinct))[inverse]

    def numbers(self) -> npt.NDArray[Any]:
        """The number behind each code, NaN where it is none; int64 while all numbers are whole."""
        known = len(self._numbers)
        if known != len(self.values):
            self._numbers = np.concatenate((self._numbers, _numbers(self.values[known:])))
        return self._numbers

    def ranks(self, *columns: Ints) -> Ints:
        """An array with the places of codes in the standard order of terms; it is right for the codes of these columns."""
        ranks = self._ranked.ranks
        if len(ranks) != len(self.values):
            ranks = self._ranked.ranks = np.append(ranks, np.full(len(self.values) - len(ranks), -1))
        new = np.unique(np.concatenate([column[ranks[column] < 0] for column in columns]))
        if len(new):
            self._ranked.add(new, [order_key(self.term(code)) for code in new.tolist()])
        return self._ranked.ranks

    def term(self, code: int) -> Term:
        """The term behind a code."""
        value = self.values[code]
        return value if isinstance(value, Compound | ListTerm) else Const(value)

    def terms(self, codes: Sequence[int]) -> list[Term]:
        """The terms behind some codes."""
        return [self.term(code) for code in codes]


def _numbers(values: list[Value]) -> npt.NDArray[Any]:
    """Values as numbers, NaN where they are none; int64 if all are whole and fit into it."""
    if all(isinstance(value, int) for value in values):
        with suppress(OverflowError):
            return np.array(values, np.int64)
    return np.array([value if isinstance(value, int | float) else np.nan for value in values], np.float64)


def _whole_if_possible(numbers: npt.NDArray[Any]) -> list[Value]:
    """Numbers as values, of which those without a fraction are whole numbers."""
    if numbers.dtype.kind == "f" and (np.abs(numbers) <= EXACT).all() and (np.trunc(numbers) == numbers).all():
        numbers = numbers.astype(np.int64)
    listed: list[Value] = numbers.tolist()
    if numbers.dtype.kind != "f":
        return listed
    return [int(value) if isinstance(value, float) and value.is_integer() else value for value in listed]


def value_of(term: Term) -> Value:
    """What a ground term is in the dictionary."""
    if isinstance(term, Const):
        return term.value
    assert isinstance(term, Compound | ListTerm)
    return term
