"""The dictionary of a run: every constant gets a small dense code, so that columns are plain integers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.columns.kernels import EMPTY, Bools, Ints
from holdsfor.columns.numbers import as_objects
from holdsfor.logic.arithmetic import CONSTANTS, NoValue, Number, evaluate, number_term
from holdsfor.logic.failures import Failures
from holdsfor.logic.order import order_key
from holdsfor.syntax.numbers import EXACT, number_text, plain_number
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Value: TypeAlias = str | int | float | Compound | ListTerm
Floats: TypeAlias = npt.NDArray[np.float64]
_FITS = 1 << 63
_LEAST_ROWS = 1 << 12
"""Shorter columns of numbers are encoded one number at a time."""
_WIDE, _EXPRESSION = 1, 2
"""Kinds of values: integers that no float represents, and non-numeric terms with a numeric value."""
_CLOSE = 4
"""Numbers are close together if a table needs at most this many entries per number."""


class _LargeFloat(tuple[float]):
    """The key of a float from 2^53 on: it is not the integer that Python considers equal."""

    __slots__ = ()


_Key: TypeAlias = Value | _LargeFloat


class _Codes(dict[_Key, int]):
    """Codes in insertion order; a lookup of a new value inserts it."""

    def __missing__(self, value: _Key) -> int:
        code = self[value] = len(self)
        return code


def _key(value: Value) -> _Key:
    if isinstance(value, float):
        return plain_number(value) if -EXACT < value < EXACT else _LargeFloat((value,))
    return value


def _have_keys_of_their_own(values: list[Value]) -> bool:
    """Whether some values differ from their keys: large floats, and floats with an integer value."""
    floats = np.array([value for value in values if value.__class__ is float], np.float64)
    return bool(len(floats)) and bool(((np.trunc(floats) == floats) | ~(np.abs(floats) < EXACT)).any())


def _value(key: _Key) -> Value:
    return key[0] if isinstance(key, _LargeFloat) else key


class _Ranked:
    """The codes that have been compared so far, in the standard order of terms."""

    def __init__(self) -> None:
        self.ranks: Ints = EMPTY
        """The rank of each code, -1 for those without one."""
        self._codes: Ints = EMPTY
        self._keys: list[tuple[Any, ...]] = []

    def add(self, codes: Ints, keys: list[tuple[Any, ...]]) -> None:
        """Inserts codes with these keys."""
        order = sorted(range(len(keys)), key=keys.__getitem__)
        places = [bisect_left(self._keys, keys[one]) for one in order]
        self._codes = np.insert(self._codes, places, codes[order])
        # Two concatenated sorted lists, which the sort merges.
        self._keys = sorted([*self._keys, *(keys[one] for one in order)])
        self.ranks[self._codes] = np.arange(len(self._codes))


class _Wholes:
    """Integers from columns; their codes are found without Python objects."""

    def __init__(self) -> None:
        self._numbers: Ints = EMPTY
        """Sorted numbers with their codes."""
        self._codes: Ints = EMPTY
        self._of_code: tuple[Ints, Bools] | None = None

    def codes(self, numbers: Ints) -> Ints:
        """The codes of numbers in ascending order, -1 for unknown ones."""
        if not len(self._numbers):
            return np.full(len(numbers), -1)
        places = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        return np.where(self._numbers[places] == numbers, self._codes[places], -1)

    def add(self, numbers: Ints, codes: Ints) -> None:
        """Adds new numbers in ascending order."""
        self._of_code = None
        if not len(self._numbers) or numbers[0] > self._numbers[-1]:
            self._numbers = np.concatenate((self._numbers, numbers))
            self._codes = np.concatenate((self._codes, codes))
            return
        places = np.searchsorted(self._numbers, numbers)
        self._numbers, self._codes = np.insert(self._numbers, places, numbers), np.insert(self._codes, places, codes)

    def of_codes(self, codes: Ints) -> Ints | None:
        """The numbers of some codes, if all of them are integers from columns."""
        if not len(self._codes) or not len(codes):
            return None
        if self._of_code is None:
            most = int(self._codes.max())
            number, is_there = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.bool_)
            number[self._codes], is_there[self._codes] = self._numbers, True
            self._of_code = number, is_there
        number, is_there = self._of_code
        if int(codes.max()) >= len(number) or not is_there[codes].all():
            return None
        return number[codes]


class Dictionary:
    """Codes for values. Codes never change, so they remain valid between windows.

    Columns of integers are encoded as columns. Python objects for them are only created for a lookup by value, or for
    the code of a value that is not a word.
    """

    def __init__(self) -> None:
        self._values: list[Value] = []
        self._codes = _Codes()
        self._floats: Floats = np.empty(0)
        self._kinds: npt.NDArray[np.int8] = np.empty(0, np.int8)
        self._has_kinds = False
        self.failures = Failures()
        """Conditions that failed because an expression has no value."""
        self._ranked = _Ranked()
        self._wholes = _Wholes()
        self._unspelled: list[tuple[int, Ints]] = []
        """First codes and numbers of columns that have no entries in `_values` and `_codes` yet."""
        self._sorted_out = 0
        """Up to this code, individually encoded integers are also indexed among those from columns."""

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> list[Value]:
        """The value of each code."""
        if self._unspelled:
            self._spell()
        return self._values

    def values_of(self, codes: Ints) -> list[Value]:
        """The values of some codes."""
        if any(((codes >= first) & (codes < first + len(numbers))).any() for first, numbers in self._unspelled):
            self._spell()
        return [self._values[code] for code in codes.tolist()]

    def code(self, value: Value) -> int:
        """The code of a value; a new value gets a new code."""
        found = self.find(value)
        if found < 0:
            key = _key(value)
            found = self._codes[key] = len(self._values)
            self._values.append(_value(key))
        return found

    def find(self, value: Value) -> int:
        """The code of a value, or -1 if it has none."""
        if self._unspelled and not isinstance(value, str):
            self._spell()
        return self._codes.get(_key(value), -1)

    def _spell(self) -> None:
        """Creates entries for columns of numbers among values and codes."""
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
        needs_keys = _have_keys_of_their_own(listed)
        keys: list[Any] = list(map(_key, listed)) if needs_keys else listed
        found = np.fromiter(map(self._codes.__getitem__, keys), np.int64, len(keys))
        if len(self._codes) > len(self._values):
            new = islice(self._codes, len(self._values), None)
            self._values.extend(map(_value, new) if needs_keys else new)  # type: ignore[arg-type]
        return found

    def encode_wholes(self, column: Ints) -> Ints:
        """Codes of a column of integers."""
        if len(column) <= _LEAST_ROWS:
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
            # Codes increase in parallel with the numbers.
            apart = int(codes[-1]) - high
            return column + apart if apart else column
        of_place = np.empty(len(is_there), np.int64)
        of_place[distinct] = codes
        return of_place[places]

    def encode_distinct(self, numbers: Ints) -> Ints:
        """Codes of distinct integers in ascending order."""
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
        """Indexes individually encoded integers among those from columns."""
        begin, self._sorted_out = self._sorted_out, len(self._values)
        loose = sorted(
            (value, code)
            for code, value in enumerate(islice(self._values, begin, None), begin)
            if isinstance(value, int) and -_FITS <= value < _FITS
        )
        if loose:
            numbers, codes = np.array(loose, np.int64).T
            self._wholes.add(numbers, codes)

    def wholes_of(self, codes: Ints) -> Ints | None:
        """The numbers of codes that all come from columns of integers; None if some may not."""
        return self._wholes.of_codes(codes)

    def encode_numbers(self, numbers: npt.NDArray[Any]) -> Ints:
        """Codes of a column of numbers without missing values."""
        if numbers.dtype == np.int64 and len(numbers) > _LEAST_ROWS:
            return self.encode_wholes(numbers.astype(np.int64, copy=False))
        if numbers.dtype.kind == "O":
            return self.encode([value_of(number_term(number)) for number in numbers.tolist()])
        distinct, inverse = np.unique(numbers, return_inverse=True)
        return self.encode(values_of_numbers(distinct))[inverse]

    def numbers(self, codes: Ints) -> npt.NDArray[Any]:
        """The numbers of codes: floats, with NaN for none; Python numbers if a float cannot represent an integer."""
        known = len(self._floats)
        if known != len(self._values):
            parts, kinds = [self._floats], [self._kinds]
            for first, numbers in [*self._unspelled, (len(self._values), EMPTY)]:
                if first >= known:
                    loose = self._values[known:first]
                    floats = [value if value.__class__ is float else _as_float(_number(value)) for value in loose]
                    parts += [np.array(floats, np.float64), numbers.astype(np.float64)]
                    are_wide = (numbers >= EXACT) | (numbers <= -EXACT)
                    kinds += [
                        np.array([0 if value.__class__ is float else _kind(value) for value in loose], np.int8),
                        are_wide.astype(np.int8) * _WIDE,
                    ]
                    known = first + len(numbers)
            self._floats, self._kinds = np.concatenate(parts), np.concatenate(kinds)
            self._has_kinds = bool(self._kinds.any())
        if self._has_kinds and (self._kinds[codes] == _WIDE).any():
            return as_objects([_number(value) for value in self.values_of(codes)])
        return self._floats[codes]

    def since(self, known: int) -> Iterator[list[Value] | Ints]:
        """The values from a code on, in code order: lists, and columns of integers."""
        for first, numbers in [*self._unspelled, (len(self._values), EMPTY)]:
            if first + len(numbers) > known:
                yield self._values[known:first]
                yield numbers[max(known - first, 0) :]
                known = first + len(numbers)
        yield self._values[known:]

    def ranks(self, *columns: Ints) -> Ints:
        """An array with the ranks of codes in the standard order of terms, for the codes in these columns."""
        ranks = self._ranked.ranks
        if len(ranks) != len(self._values):
            ranks = self._ranked.ranks = np.append(ranks, np.full(len(self._values) - len(ranks), -1))
        new = np.unique(np.concatenate([column[ranks[column] < 0] for column in columns]))
        if len(new):
            self._ranked.add(new, [order_key(self.term(code)) for code in new.tolist()])
        return self._ranked.ranks

    def term(self, code: int) -> Term:
        """The term of a code."""
        value = self.values[code]
        return value if isinstance(value, Compound | ListTerm) else Const(value)

    def terms(self, codes: Sequence[int]) -> list[Term]:
        """The terms of some codes."""
        return [self.term(code) for code in codes]


def _number(value: Value) -> Number | None:
    """The numeric value of a constant in arithmetic, if any. As in Prolog, `pi` and `2 + 3` are numbers there."""
    # Comparing classes by identity is far faster than an instance test with a union.
    if value.__class__ is int or value.__class__ is float:
        return value
    if value.__class__ is str:
        return CONSTANTS.get(value)
    try:
        return evaluate(value, {})  # type: ignore[arg-type]
    except NoValue:
        return None


def _kind(value: Value) -> int:
    number = _number(value)
    if _is_wide(number):
        return _WIDE
    return _EXPRESSION if number is not None and not isinstance(value, int | float) else 0


def _is_wide(number: Number | None) -> bool:
    return number.__class__ is int and not -EXACT < number < EXACT


def _as_float(number: Number | None) -> float:
    if number is None:
        return np.nan
    return 0.0 if _is_wide(number) else float(number)


def values_of_numbers(numbers: npt.NDArray[Any]) -> list[Value]:
    """Numbers as values; those without a fraction are integers."""
    listed: list[Value] = numbers.tolist()
    if numbers.dtype.kind == "f":
        is_small = np.abs(numbers) < EXACT
        whole = np.flatnonzero(is_small & (np.trunc(numbers) == numbers))
        for place, value in zip(whole.tolist(), numbers[whole].astype(np.int64).tolist(), strict=True):
            listed[place] = value
        for place in np.flatnonzero(~is_small).tolist():
            listed[place] = value_of(number_term(float(numbers[place])))
    return listed


def lie_close(numbers: Ints) -> bool:
    """Whether integers are close enough together for a lookup table over their range."""
    return not len(numbers) or int(numbers.max()) - int(numbers.min()) < _CLOSE * len(numbers)


def plain_text(value: Value) -> str:
    """A value as people write it, text without quotes.

    >>> plain_text("two words"), plain_text(1e17), plain_text(Compound("pos", (Const(1), Const("A"))))
    ('two words', '1.0e+17', "pos(1,'A')")
    """
    if isinstance(value, str):
        return value
    return print_term(value) if isinstance(value, Compound | ListTerm) else number_text(value)


def value_of(term: Term) -> Value:
    """The dictionary value of a ground term."""
    if isinstance(term, Const):
        return term.value
    assert isinstance(term, Compound | ListTerm)
    return term
