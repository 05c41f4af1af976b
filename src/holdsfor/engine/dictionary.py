"""The dictionary of a run: every constant gets a small dense code, so that columns are plain integers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.engine.kernels import Ints
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Value: TypeAlias = str | int | float | Compound | ListTerm
Floats: TypeAlias = npt.NDArray[np.float64]


class _Codes(dict[Value, int]):
    """Codes in order of insertion; a value that is asked for gets one."""

    def __missing__(self, value: Value) -> int:
        code = self[value] = len(self)
        return code


class Dictionary:
    """Codes for values. Codes never change, so they can be kept from window to window."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._codes = _Codes()
        self._numbers: npt.NDArray[np.generic] | None = None

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
        integral = distinct.dtype.kind == "i"
        as_values = [int(n) if integral or float(n).is_integer() else float(n) for n in distinct]
        return self.encode(as_values)[inverse]

    def numbers(self) -> npt.NDArray[np.generic]:
        """The number behind each code, NaN where it is none; int64 while all numbers are whole."""
        if self._numbers is None or len(self._numbers) != len(self.values):
            numeric = [value if isinstance(value, int | float) else None for value in self.values]
            if any(value is None or isinstance(value, float) for value in numeric):
                self._numbers = np.array([np.nan if value is None else float(value) for value in numeric], np.float64)
            else:
                self._numbers = np.array(numeric, np.int64)
        return self._numbers

    def term(self, code: int) -> Term:
        """The term behind a code."""
        value = self.values[code]
        return value if isinstance(value, Compound | ListTerm) else Const(value)

    def terms(self, codes: Sequence[int]) -> list[Term]:
        """The terms behind some codes."""
        return [self.term(code) for code in codes]


def value_of(term: Term) -> Value:
    """What a ground term is in the dictionary."""
    if isinstance(term, Const):
        return term.value
    assert isinstance(term, Compound | ListTerm)
    return term
