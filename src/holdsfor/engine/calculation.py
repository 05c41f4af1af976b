"""Functions and comparisons of numbers, a column at a time where that is exact, else row by row.

A column of numbers is int64, float64 or Python objects. In a column of floats NaN is no value, and a whole number below
2^53 is the integer that it is equal to; in a column of objects None is no value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdsfor.engine.kernels import Bools
from holdsfor.engine.numbers import Array, no_value, packed, python_numbers, size
from holdsfor.logic.arithmetic import FUNCTIONS, NoValue, Number, apply, compare_numbers
from holdsfor.syntax.numbers import EXACT

Name = tuple[str, int]
_SAFE = 1 << 62
"""Integers up to here can be added, subtracted and negated without leaving 64 bits."""
_FITS = 1 << 63


def _truncated(left: Array, right: Array) -> Array:
    quotient = np.abs(left) // np.abs(right)
    return np.where((left >= 0) == (right >= 0), quotient, -quotient)


def _nearest(values: Array) -> Array:
    whole = np.trunc(values)
    return np.where(np.abs(values - whole) >= 0.5, whole + np.sign(values), whole)


_OF_BOTH: dict[Name, Callable[..., Any]] = {
    ("+", 2): np.add,
    ("-", 2): np.subtract,
    ("*", 2): np.multiply,
    ("//", 2): _truncated,
    ("div", 2): np.floor_divide,
    ("mod", 2): np.mod,
    ("rem", 2): np.fmod,
    ("min", 2): np.minimum,
    ("max", 2): np.maximum,
    ("-", 1): np.negative,
    ("+", 1): np.positive,
    ("abs", 1): np.abs,
    ("sign", 1): np.sign,
}
"""Functions that give integers for integers."""
_OF_INTEGERS: dict[Name, Callable[..., Any]] = {
    **_OF_BOTH,
    **{(name, 1): np.positive for name in ("floor", "ceiling", "round", "integer", "truncate")},
}
_OF_FLOATS: dict[Name, Callable[..., Any]] = {
    **_OF_BOTH,
    ("/", 2): np.true_divide,
    ("floor", 1): np.floor,
    ("ceiling", 1): np.ceil,
    ("truncate", 1): np.trunc,
    ("round", 1): _nearest,
    ("integer", 1): _nearest,
    ("float", 1): np.positive,
    ("sqrt", 1): np.sqrt,
}
_DIVISIONS = frozenset({("/", 2), ("//", 2), ("div", 2), ("mod", 2), ("rem", 2)})
_MATHS = frozenset((name, 1) for name in ("exp", "log", "log2", "sin", "cos", "tan", "asin", "acos", "atan"))
"""Functions of which NumPy's results may differ from those of Python's `math` in the last digit."""


def calculated(name: Name, values: list[Array]) -> Array:
    """A function of columns; single numbers stand for columns of them."""
    if all(one.dtype == np.int64 for one in values) and name in _OF_INTEGERS and _fits(name, values):
        return np.asarray(_OF_INTEGERS[name](*values))
    floats = _as_floats(values)
    if floats is not None and name in _MATHS:
        found = _by_math(name, floats[0])
        if found is not None:
            return found
    if floats is not None and name in _OF_FLOATS:
        with np.errstate(all="ignore"):
            result = np.asarray(_OF_FLOATS[name](*floats))
            if name in _DIVISIONS and (floats[1] == 0).any():
                result = np.where(floats[1] == 0, np.nan, result)
            if _is_exact(result):
                return result
    return _by_row(name, values)


def _fits(name: Name, values: list[Array]) -> bool:
    """Whether a function of 64-bit integers gives 64-bit integers, for all of them."""
    sizes = [size(one) for one in values]
    if name == ("*", 2):
        return sizes[0] * sizes[1] < _FITS
    if name in _DIVISIONS and (values[1] == 0).any():
        return False
    return max(sizes) < _SAFE


def _as_floats(values: list[Array]) -> list[Array] | None:
    """Columns as floats, if that rounds none of their integers."""
    if any(one.dtype.kind == "O" or (one.dtype.kind == "i" and size(one) >= EXACT) for one in values):
        return None
    return [one.astype(np.float64, copy=False) for one in values]


def _by_math(name: Name, values: Array) -> Array | None:
    function = FUNCTIONS[name]
    try:
        # There is no negative zero among the numbers of rules.
        found = [function(value) for value in (values + 0.0).reshape(-1).tolist()]
    except (ArithmeticError, ValueError):
        return None
    result = np.array(found, np.float64).reshape(values.shape)
    return result if _is_exact(result) else None


def _is_exact(floats: Array) -> bool:
    """Whether all floats are so small that the whole ones among them are exact integers."""
    if not floats.size:
        return True
    low, high = floats.min(), floats.max()
    if np.isnan(low):
        low, high = np.fmin.reduce(floats, axis=None), np.fmax.reduce(floats, axis=None)
    return not (low <= -EXACT or high >= EXACT)


def _by_row(name: Name, values: list[Array]) -> Array:
    shape = np.broadcast_shapes(*(one.shape for one in values))
    rows = zip(*(python_numbers(np.broadcast_to(one, shape).reshape(-1)) for one in values), strict=True)
    return packed([_applied(name, row) for row in rows]).reshape(shape)


def _applied(name: Name, row: tuple[Number | None, ...]) -> Number | None:
    known = [value for value in row if value is not None]
    if len(known) < len(row):
        return None
    try:
        return apply(name, known)
    except NoValue:
        return None


_COMPARE: dict[str, Callable[[Array, Array], Any]] = {
    "<": np.less,
    "=<": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=:=": np.equal,
    "=\\=": np.not_equal,
}


def compared(name: str, one: Array, other: Array) -> Bools:
    """Which rows of two columns satisfy a comparison; without a value none does."""
    kinds = {one.dtype.kind, other.dtype.kind}
    if kinds == {"i"} or _as_floats([one, other]) is not None:
        with np.errstate(invalid="ignore"):
            holds: Bools = np.asarray(_COMPARE[name](one, other))
        if name == "=\\=":
            # NaN differs from everything; all other comparisons with it are false by themselves.
            holds = holds & ~(no_value(one) | no_value(other))
        return holds
    shape = np.broadcast_shapes(one.shape, other.shape)
    sides = (python_numbers(np.broadcast_to(side, shape).reshape(-1)) for side in (one, other))
    found = [
        left is not None and right is not None and compare_numbers(name, left, right)
        for left, right in zip(*sides, strict=True)
    ]
    return np.array(found, np.bool_).reshape(shape)
