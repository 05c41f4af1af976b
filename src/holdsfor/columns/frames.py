"""Columns of codes and of plain numbers, with row selections, and row keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeAlias

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import EMPTY, Ints, is_sorted, true_rows
from holdsfor.columns.numbers import Array, are_alike, numbered


class Selection:
    """Selected rows, shared by several columns; a selection of a selection is computed lazily."""

    __slots__ = ("_earlier", "_rows")

    def __init__(self, rows: Ints, earlier: Selection | None) -> None:
        self._rows = rows
        self._earlier = earlier

    @property
    def rows(self) -> Ints:
        """The rows, as indices into the columns."""
        if self._earlier is not None:
            self._rows = self._earlier.rows[self._rows]
            self._earlier = None
        return self._rows


class _Plain:
    """A column with one array. Rows are selected lazily, because many columns are never read afterwards."""

    __slots__ = ("_data", "_selection")

    def __init__(self, data: Array, selection: Selection | None = None) -> None:
        self._data = data
        self._selection = selection

    @property
    def data(self) -> Array:
        """The values."""
        if self._selection is not None:
            self._data = self._data[self._selection.rows]
            self._selection = None
        return self._data

    @property
    def waiting(self) -> tuple[Array, Selection] | None:
        """The values and the selected rows of a lazy column."""
        return None if self._selection is None else (self._data, self._selection)

    def take(self, rows: Ints) -> Self:
        """The column at some rows."""
        return type(self)(self._data, Selection(rows, self._selection))


class Codes(_Plain):
    """A column of dictionary codes."""

    __slots__ = ()


class Numbers(_Plain):
    """A column of plain numbers: times, and results of arithmetic."""

    __slots__ = ()


Column: TypeAlias = Codes | Numbers


def codes_of(column: Column, dictionary: Dictionary) -> Ints:
    """A column as codes; new numbers get codes."""
    return column.data if isinstance(column, Codes) else dictionary.encode_numbers(column.data)


def combined_keys(left: Sequence[Array], right: Sequence[Array]) -> tuple[Ints, Ints]:
    """Columns packed into one integer per row, consistently for both sides.

    A single column of integers is unchanged. Several are shifted to start at zero and packed while they fit into 62
    bits; beyond that, the packed prefix is renumbered.
    """
    if len(left) == 1 and left[0].dtype == right[0].dtype == np.int64:
        return left[0], right[0]
    a, b = np.zeros(_rows(left), np.int64), np.zeros(_rows(right), np.int64)
    used = 0
    for one, other in zip(left, right, strict=True):
        x, y, width = _shifted(one, other)
        if used + width > 62:
            a, b, used = _renumbered(a, b)
            if used + width > 62:
                x, y, width = _renumbered(x, y)
        if used:
            a <<= width
            b <<= width
            a |= x
            b |= y
        else:
            a, b = x, y
        used += width
    return a, b


def row_keys(columns: Sequence[Array]) -> Ints:
    """Columns packed into one integer per row."""
    return combined_keys(columns, [column[:0] for column in columns])[0]


def _rows(columns: Sequence[Array]) -> int:
    return len(columns[0]) if columns else 0


def _shifted(one: Array, other: Array) -> tuple[Ints, Ints, int]:
    if not are_alike(one, other):
        return numbered(one, other)
    if one.dtype.kind == "f" or other.dtype.kind == "f":
        return _renumbered(one.astype(np.float64), other.astype(np.float64))
    filled = [column for column in (one, other) if len(column)]
    if not filled:
        return one.astype(np.int64), other.astype(np.int64), 1
    low = min([int(np.minimum.reduce(column)) for column in filled])
    high = max([int(np.maximum.reduce(column)) for column in filled])
    width = max(1, (high - low).bit_length())
    if width > 62:
        return _renumbered(one, other)
    return one.astype(np.int64) - low, other.astype(np.int64) - low, width


def _renumbered(one: Array, other: Array) -> tuple[Ints, Ints, int]:
    distinct, inverse = np.unique(np.concatenate((one, other)), return_inverse=True)
    width = max(1, (len(distinct) - 1).bit_length())
    return inverse[: len(one)].astype(np.int64), inverse[len(one) :].astype(np.int64), width


_LEAST_ROWS = 1 << 11
"""Up to this number of rows, the number of calls dominates the cost."""


def _bounds(keys: Ints, rows: int) -> tuple[int, int] | None:
    """The least and greatest key if they are close enough together for a lookup table."""
    if len(keys) + rows <= _LEAST_ROWS or not len(keys):
        return None
    low, high = int(keys.min()), int(keys.max())
    return (low, high) if high - low < 2 * (len(keys) + rows) else None


def order_of(keys: Ints) -> Ints:
    """The stable order of rows by key."""
    if len(keys) <= _LEAST_ROWS:
        return np.argsort(keys, kind="stable")
    low = int(keys.min())
    width, row_bits = (int(keys.max()) - low).bit_length(), len(keys).bit_length()
    if width <= 16:
        # Short integers are sorted with radix sort.
        return np.argsort((keys - low).astype(np.uint16), kind="stable")
    if width + row_bits > 62:
        return np.argsort(keys, kind="stable")
    # The low bits contain the row: sorting plain integers is far faster than sorting indices.
    rows = keys - low
    rows <<= row_bits
    rows |= np.arange(len(keys))
    rows.sort()
    rows &= (1 << row_bits) - 1
    return rows


def numbering(keys: Ints) -> tuple[Ints, Ints]:
    """A row for each distinct key, in key order, and the index of every row's key among them.

    >>> numbering(np.array([7, 3, 7]))
    (array([1, 0]), array([1, 0, 1]))
    """
    if not len(keys):
        return EMPTY, EMPTY
    bounds = _bounds(keys, 0)
    if bounds:
        row = np.full(bounds[1] - bounds[0] + 1, -1)
        places = keys - bounds[0]
        row[places[::-1]] = np.arange(len(keys) - 1, -1, -1)
        there = true_rows(row >= 0)
        first = row[there]
        row[there] = np.arange(len(there))
        return first, row[places]
    order = None if is_sorted(keys) else order_of(keys)
    ordered = keys if order is None else keys[order]
    is_new = np.empty(len(keys), np.bool_)
    is_new[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    counted = np.cumsum(is_new, dtype=np.int64)
    counted -= 1
    rows = true_rows(is_new)
    if order is None:
        return rows, counted
    number = np.empty(len(keys), np.int64)
    number[order] = counted
    return order[rows], number
