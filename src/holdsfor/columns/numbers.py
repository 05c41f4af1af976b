"""Columns of numbers: int64, float64, or Python numbers if neither represents all of them exactly.

In a float column NaN means no value, and an integral float below 2^53 is the equal integer. In an object column None
means no value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.syntax.numbers import EXACT, Number, plain_number

Array: TypeAlias = npt.NDArray[Any]


def size(integers: Array) -> int:
    """The greatest absolute value of some integers."""
    if not integers.size:
        return 0
    return max(int(integers.max()), -int(integers.min()))


def python_numbers(values: Array) -> list[Number | None]:
    """A column as Python numbers, None for no value."""
    listed: list[Any] = values.tolist()
    if values.dtype.kind == "i":
        return listed
    return [
        None if value is None or (value.__class__ is float and math.isnan(value)) else plain_number(value)
        for value in listed
    ]


def as_objects(numbers: Sequence[Number | None]) -> Array:
    """Numbers as an object column."""
    column = np.empty(len(numbers), object)
    column[:] = numbers
    return column


def are_alike(one: Array, other: Array) -> bool:
    """Whether NumPy compares two columns exactly, without converting an integer to an inexact float."""
    kinds = {one.dtype.kind, other.dtype.kind}
    if "O" in kinds:
        return False
    return len(kinds) == 1 or all(column.dtype.kind == "f" or size(column) < EXACT for column in (one, other))


def numbered(one: Array, other: Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
    """Columns of any kind as small integers, equal for equal values, with the number of bits."""
    number: dict[object, int] = {}
    found = [
        np.array([number.setdefault(_key(value), len(number)) for value in python_numbers(column)], np.int64)
        for column in (one, other)
    ]
    return found[0], found[1], max(1, (len(number) - 1).bit_length())


def _key(value: Number | None) -> object:
    is_large = isinstance(value, float) and not -EXACT < value < EXACT
    return (value,) if is_large else value
