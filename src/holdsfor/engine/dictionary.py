"""The dictionary of a run: every constant gets a small dense code, so that columns are plain integers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.logic.order import order_key
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Value: TypeAlias = str | int | float | Compound | ListTerm
Floats: TypeAlias = npt.NDArray[np.float64]
EXACT = 1 << 53
"""Up to here, every whole number is a float as well."""
_FITS = 1 << 63
_FEW = 1 << 12
"""Columns of so many numbers are coded one number at a time."""
_CLOSE = 4
"""Numbers lie close together if there are at most so many places for each."""


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


class _Wholes:
    """Whole numbers that came as columns: their codes are found without a look at Python objects."""

    def __init__(self) -> None:
        self._numbers: Ints = EMPTY
        """In order, with the code of each."""
        self._codes: Ints = EMPTY
        self._floats: Ints = EMPTY
        self._of_code: tuple[Ints, Bools] | None = None

    def codes(self, numbers: Ints) -> Ints:
        """The codes of numbers in ascending order, -1 for those that have none."""
        if not len(self._numbers):
            return np.full(len(numbers), -1)
        places = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        return np.where(self._numbers[places] == numbers, self._codes[places], -1)

    def add(self, numbers: Ints, codes: Ints, floats: Ints = EMPTY) -> None:
        """Take in numbers in ascending order that are not there yet; `floats` are the codes of those written as such."""
        self._of_code = None
        self._floats = np.concatenate((self._floats, floats))
        if not len(self._numbers) or numbers[0] > self._numbers[-1]:
            self._numbers = np.concatenate((self._numbers, numbers))
            self._codes = np.concatenate((self._codes, codes))
            return
        places = np.searchsorted(self._numbers, numbers)
        self._numbers, self._codes = np.insert(self._numbers, places, numbers), np.insert(self._codes, places, codes)

    def of_codes(self, codes: Ints) -> Ints | None:
        """The numbers behind some codes, if all of them are among these, and whole numbers as they are written."""
        if not len(self._codes) or not len(codes):
            return None
        if self._of_code is None:
            most = int(self._codes.max())
            number, is_there = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.bool_)
            number[self._codes], is_there[self._codes] = self._numbers, True
            is_there[self._floats] = False
            self._of_code = number, is_there
        number, is_there = self._of_code
        if int(codes.max()) >= len(number) or not is_there[codes].all():
            return None
        return number[codes]


class Dictionary:
    """Codes for values. Codes never change, so they can be kept from window to window.

    Columns of whole numbers are coded as columns. Only when somebody asks for one of them as a value, or for the code of
    a value that is no word, are there Python objects for them.
    """

    def __init__(self) -> None:
        self._values: list[Value] = []
        self._codes = _Codes()
        self._numbers: npt.NDArray[Any] = EMPTY
        self._ranked = _Ranked()
        self._wholes = _Wholes()
        self._unspelled: list[tuple[int, Ints]] = []
        """First codes and numbers of columns that have no place in `_values` and `_codes` yet."""
        self._sorted_out = 0
        """Up to this code, whole numbers that were coded one by one are among those of columns."""

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> list[Value]:
        """The value behind each code."""
        if self._unspelled:
            self._spell()
        return self._values

    def values_of(self, codes: Ints) -> list[Value]:
        """The values behind some codes."""
        if any(((codes >= first) & (codes < first + len(numbers))).any() for first, numbers in self._unspelled):
            self._spell()
        return [self._values[code] for code in codes.tolist()]

    def code(self, value: Value) -> int:
        """The code of a value, a new one if need be."""
        found = self.find(value)
        if found < 0:
            found = self._codes[value] = len(self._values)
            self._values.append(value)
        return found

    def find(self, value: Value) -> int:
        """The code of a value, or -1 if it has none."""
        if self._unspelled and not isinstance(value, str):
            self._spell()
        return self._codes.get(value, -1)

    def _spell(self) -> None:
        """Give columns of numbers their places among values and codes."""
        for first, numbers in self._unspelled:
            values: list[Value] = numbers.tolist()
            self._values[first : first + len(values)] = values
            self._codes.update(zip(values, range(first, first + len(values)), strict=True))
        self._unspelled = []

    def encode(self, values: Iterable[Value]) -> Ints:
        """Codes of some values: for small tables and for distinct values."""
        listed: list[Value] = values.tolist() if isinstance(values, np.ndarray) else list(values)
        if self._unspelled:
            self._spell()
        found = np.fromiter(map(self._codes.__getitem__, listed), np.int64, len(listed))
        if len(self._codes) > len(self._values):
            self._values.extend(islice(self._codes, len(self._values), None))
        return found

    def encode_wholes(self, column: Ints) -> Ints:
        """Codes of a column of whole numbers."""
        if len(column) <= _FEW:
            return self.encode(column)
        low, high = int(column.min()), int(column.max())
        if high - low >= _CLOSE * len(column):
            distinct, inverse = np.unique(column, return_inverse=True)
            return self.encode_distinct(distinct)[inverse]
        if 0 <= low <= high - low:
            low = 0
        places = column - low if low else column
        is_there = np.zeros(high - low + 1, np.bool_)
        is_there[places] = True
        distinct = np.flatnonzero(is_there)
        codes = self.encode_distinct(distinct + low)
        if (
            int(codes[-1]) - int(codes[0]) == high - int(distinct[0]) - low
            and (np.diff(codes) == np.diff(distinct)).all()
        ):
            # Codes run side by side with the numbers.
            apart = int(codes[-1]) - high
            return column + apart if apart else column
        of_place = np.empty(len(is_there), np.int64)
        of_place[distinct] = codes
        return of_place[places]

    def encode_distinct(self, numbers: Ints) -> Ints:
        """Codes of whole numbers in ascending order, without repetitions."""
        self._sort_out()
        codes = self._wholes.codes(numbers)
        new = np.flatnonzero(codes < 0)
        if len(new):
            first, added = len(self._values), numbers[new]
            codes[new] = np.arange(first, first + len(new))
            self._wholes.add(added, codes[new])
            self._values.extend([0] * len(new))
            self._unspelled.append((first, added))
            self._sorted_out = len(self._values)
        return codes

    def _sort_out(self) -> None:
        """Let whole numbers that were coded one by one be found among those of columns."""
        begin, self._sorted_out = self._sorted_out, len(self._values)
        loose = sorted(
            (int(value), code, isinstance(value, float))
            for code, value in enumerate(islice(self._values, begin, None), begin)
            if isinstance(value, int | float) and -_FITS <= value < _FITS and value == int(value)
        )
        if loose:
            numbers, codes, is_float = np.array(loose, np.int64).T
            self._wholes.add(numbers, codes, codes[is_float == 1])

    def wholes_of(self, codes: Ints) -> Ints | None:
        """The numbers behind codes that all stem from columns of whole numbers; None if some may not."""
        return self._wholes.of_codes(codes)

    def encode_numbers(self, numbers: npt.NDArray[np.generic]) -> Ints:
        """Codes of a column of numbers."""
        if numbers.dtype == np.int64 and len(numbers) > _FEW:
            return self.encode_wholes(numbers.astype(np.int64, copy=False))
        distinct, inverse = np.unique(numbers, return_inverse=True)
        return self.encode(_whole_if_possible(distinct))[inverse]

    def numbers(self) -> npt.NDArray[Any]:
        """The number behind each code, NaN where it is none; int64 while all numbers are whole."""
        known = len(self._numbers)
        if known != len(self._values):
            parts = [self._numbers]
            for first, numbers in self._unspelled:
                if first >= known:
                    parts += [_numbers(self._values[known:first]), numbers]
                    known = first + len(numbers)
            self._numbers = np.concatenate([*parts, _numbers(self._values[known:])])
        return self._numbers

    def ranks(self, *columns: Ints) -> Ints:
        """An array with the places of codes in the standard order of terms; it is right for the codes of these columns."""
        ranks = self._ranked.ranks
        if len(ranks) != len(self._values):
            ranks = self._ranked.ranks = np.append(ranks, np.full(len(self._values) - len(ranks), -1))
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
    # Classes are compared by identity, which is far faster than to ask whether something is an instance of a union.
    return np.array([value if value.__class__ in (int, float) else np.nan for value in values], np.float64)


def _whole_if_possible(numbers: npt.NDArray[Any]) -> list[Value]:
    """Numbers as values, of which those without a fraction are whole numbers."""
    found = numbers
    if numbers.dtype.kind == "f":
        is_whole, is_exact = np.trunc(numbers) == numbers, np.abs(numbers) <= EXACT
        small = is_whole & is_exact
        if small.all():
            found = numbers.astype(np.int64)
        else:
            found = numbers.astype(object)
            found[small] = numbers[small].astype(np.int64)
            for place in np.flatnonzero(is_whole & ~is_exact & np.isfinite(numbers)).tolist():
                found[place] = int(numbers[place])
    listed: list[Value] = found.tolist()
    return listed


def lie_close(numbers: Ints) -> bool:
    """Whether whole numbers lie close enough together for a table with a place for each in between."""
    return not len(numbers) or int(numbers.max()) - int(numbers.min()) < _CLOSE * len(numbers)


def value_of(term: Term) -> Value:
    """What a ground term is in the dictionary."""
    if isinstance(term, Const):
        return term.value
    assert isinstance(term, Compound | ListTerm)
    return term
