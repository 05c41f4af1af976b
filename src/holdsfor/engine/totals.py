"""Sums and extremes of lists of numbers. A sum is of its own list alone, and rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import numbers_of
from holdsfor.engine.frames import Lists
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.numbers import Array, as_objects, lacks_values, packed, python_numbers, size
from holdsfor.logic.arithmetic import NoValue, Number, exact_sum, greatest, least
from holdsfor.syntax.numbers import EXACT

_FITS = 1 << 63
_PORTION = 1 << 21
"""Items of lists that are looked at side by side."""
_EXTREMES: dict[str, tuple[Callable[..., Array], Callable[[Iterable[Number]], Number]]] = {
    "max": (np.maximum.reduceat, greatest),
    "min": (np.minimum.reduceat, least),
}
AGGREGATES = {"sum_list": "sum", "sumlist": "sum", "max_list": "max", "min_list": "min"}
"""Predicates on lists, and what they work out."""


def aggregated(name: str, lists: Lists, dictionary: Dictionary) -> tuple[Array, Bools]:
    """The result for each list, no value where there is none, and which lists are empty. An empty one has a sum."""
    # Rows may share a list: each is gone through once.
    ends = np.stack((lists.starts, lists.lengths))
    (starts, lengths), row = np.unique(ends, axis=1, return_inverse=True)
    used = Lists(starts, lengths, lists.items)
    function = AGGREGATES[name]
    results = _differences(used, dictionary) if function == "sum" else None
    if results is None:
        pieces = [_reduced_lists(function, used.take(rows), dictionary) for rows in portions(lengths)]
        results = packed([number for piece in pieces for number in piece])
    return results[row.reshape(-1)], lists.lengths == 0


def _reduced_lists(function: str, lists: Lists, dictionary: Dictionary) -> list[Number | None]:
    filled = np.flatnonzero(lists.lengths > 0)
    results = as_objects([0 if function == "sum" else None] * len(lists.lengths))
    if len(filled):
        values = numbers_of(lists.flat(), dictionary)
        begins = np.cumsum(lists.lengths) - lists.lengths
        results[filled] = python_numbers(reduced(function, values, begins[filled]))
    listed: list[Number | None] = results.tolist()
    return listed


def portions(lengths: Ints) -> list[Ints]:
    """Lists in portions whose items fit into memory side by side: windows that overlap share items, and have many."""
    portion = np.cumsum(lengths) // _PORTION
    borders = np.flatnonzero(np.diff(portion)) + 1
    return np.split(np.arange(len(lengths)), borders)


def _differences(lists: Lists, dictionary: Dictionary) -> Array | None:
    """Sums of lists that may share items, as differences of running sums; None if these would be rounded."""
    values = numbers_of(lists.items, dictionary)
    if not len(values) or not _sum_exactly(values):
        return None
    running = np.concatenate((np.zeros(1, values.dtype), np.cumsum(values)))
    sums: Array = running[lists.starts + lists.lengths] - running[lists.starts]
    return sums


def reduced(function: str, values: Array, begins: Ints) -> Array:
    """The sum, the least or the greatest of values that lie side by side, from each beginning to the next.

    Where one of them is no number, there is no result.
    """
    if function == "sum":
        return _sums(values, begins)
    reduce, choose = _EXTREMES[function]
    if values.dtype.kind != "O":
        return reduce(values, begins)
    return packed([None if None in one else choose(one) for one in _pieces(values, begins)])  # type: ignore[arg-type]


def _sums(values: Array, begins: Ints) -> Array:
    if _sum_exactly(values):
        return np.add.reduceat(values, begins)
    if values.dtype.kind == "f" and not lacks_values(values):
        found = _float_sums(values, begins)
        if found is not None:
            return found
    return packed([_sum(one) for one in _pieces(values, begins)])


def _sum_exactly(values: Array) -> bool:
    """Whether no sum of some of the values can overflow or be rounded."""
    if values.dtype.kind == "i":
        return size(values) * len(values) < _FITS
    if values.dtype.kind == "O" or lacks_values(values):
        return False
    with np.errstate(all="ignore"):
        return bool(np.abs(values).max() * len(values) < EXACT and (np.trunc(values) == values).all())


def _float_sums(values: Array, begins: Ints) -> Array | None:
    """Sums of floats; None if some are so large that they might have to be integers, or have no value."""
    listed, ends = values.tolist(), [*begins[1:].tolist(), len(values)]
    try:
        found = np.array([math.fsum(listed[a:b]) for a, b in zip(begins.tolist(), ends, strict=True)])
    except (OverflowError, ValueError):
        return None
    return found if (np.abs(found) < EXACT).all() else None


def _sum(numbers: list[Number | None]) -> Number | None:
    if None in numbers:
        return None
    try:
        return exact_sum(numbers)  # type: ignore[arg-type]
    except NoValue:
        return None


def _pieces(values: Array, begins: Ints) -> list[list[Number | None]]:
    listed, ends = python_numbers(values), [*begins[1:].tolist(), len(values)]
    return [listed[begin:end] for begin, end in zip(begins.tolist(), ends, strict=True)]
