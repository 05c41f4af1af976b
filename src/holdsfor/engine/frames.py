"""Frames: the bindings of a rule's variables as columns, and the joins between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.engine.kernels import Bools, Ints

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Codes:
    """A column of dictionary codes."""

    data: Ints

    def take(self, rows: Ints) -> Codes:
        """The column at some rows."""
        return Codes(self.data[rows])


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of plain numbers: times, and what arithmetic computes."""

    data: Array

    def take(self, rows: Ints) -> Numbers:
        """The column at some rows."""
        return Numbers(self.data[rows])


@dataclass(frozen=True, slots=True)
class Lists:
    """A column of lists: row i has `items[offsets[i]:offsets[i + 1]]`."""

    offsets: Ints
    items: Codes | Numbers

    def take(self, rows: Ints) -> Lists:
        """The column at some rows."""
        lengths = np.diff(self.offsets)[rows]
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        return Lists(offsets, self.items.take(ranges(self.offsets[:-1][rows], lengths)))


Column: TypeAlias = Codes | Numbers | Lists


@dataclass(frozen=True, slots=True)
class Frame:
    """Rows of bindings. A frame of no columns still has a number of rows."""

    rows: int
    columns: Mapping[str, Column]

    def take(self, rows: Ints) -> Frame:
        """Some rows, in the order given."""
        return Frame(len(rows), {name: column.take(rows) for name, column in self.columns.items()})

    def where(self, keep: Bools) -> Frame:
        """The rows at which a condition is true."""
        return self if keep.all() else self.take(np.flatnonzero(keep))

    def with_columns(self, columns: Mapping[str, Column]) -> Frame:
        """The frame with columns added or replaced."""
        return Frame(self.rows, {**self.columns, **columns})

    def only(self, names: Iterable[str]) -> Frame:
        """The frame with some of its columns."""
        return Frame(self.rows, {name: self.columns[name] for name in names if name in self.columns})


UNIT = Frame(1, {})
"""One row that binds nothing: where every body starts."""


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """The concatenation of `start, start + 1, …` of each length.

    >>> ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    total = int(lengths.sum())
    if not total:
        return np.empty(0, np.int64)
    shift = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    return np.repeat(starts - shift, lengths) + np.arange(total)


def stack(frames: Sequence[Frame], names: Iterable[str]) -> Frame:
    """Frames one below the other, with the columns that all have."""
    kept = [name for name in names if all(name in frame.columns for frame in frames)]
    columns = {name: _stacked([frame.columns[name] for frame in frames]) for name in kept}
    return Frame(sum(frame.rows for frame in frames), columns)


def _stacked(columns: Sequence[Column]) -> Column:
    first = columns[0]
    if isinstance(first, Codes):
        return Codes(np.concatenate([column.data for column in columns if isinstance(column, Codes)]))
    if isinstance(first, Numbers):
        return Numbers(np.concatenate([column.data for column in columns if isinstance(column, Numbers)]))
    lists = [column for column in columns if isinstance(column, Lists)]
    lengths = np.concatenate([np.diff(column.offsets) for column in lists])
    items = _stacked([column.items for column in lists])
    assert not isinstance(items, Lists)
    return Lists(np.concatenate(([0], np.cumsum(lengths))), items)


def combined_keys(left: Sequence[Array], right: Sequence[Array]) -> tuple[Ints, Ints]:
    """Columns packed into one integer per row, the same on both sides.

    Columns are shifted to start at zero and packed side by side while they fit into 63 bits; beyond that, what has
    been packed so far is numbered anew.
    """
    a, b = np.zeros(_rows(left), np.int64), np.zeros(_rows(right), np.int64)
    used = 0
    for one, other in zip(left, right, strict=True):
        x, y, width = _shifted(one, other)
        if used + width > 62:
            a, b, used = _renumbered(a, b)
            if used + width > 62:
                x, y, width = _renumbered(x, y)
        a, b, used = (a << width) | x, (b << width) | y, used + width
    return a, b


def _rows(columns: Sequence[Array]) -> int:
    return len(columns[0]) if columns else 0


def _shifted(one: Array, other: Array) -> tuple[Ints, Ints, int]:
    if one.dtype.kind == "f" or other.dtype.kind == "f":
        return _renumbered(one.astype(np.float64), other.astype(np.float64))
    bounds = [(column.min(), column.max()) for column in (one, other) if len(column)]
    if not bounds:
        return one.astype(np.int64), other.astype(np.int64), 1
    low, high = int(min(b[0] for b in bounds)), int(max(b[1] for b in bounds))
    width = max(1, (high - low).bit_length())
    if width > 62:
        return _renumbered(one, other)
    return one.astype(np.int64) - low, other.astype(np.int64) - low, width


def _renumbered(one: Array, other: Array) -> tuple[Ints, Ints, int]:
    distinct, inverse = np.unique(np.concatenate((one, other)), return_inverse=True)
    width = max(1, (len(distinct) - 1).bit_length())
    return inverse[: len(one)].astype(np.int64), inverse[len(one) :].astype(np.int64), width


def match(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """All pairs of rows with equal keys, in the order of the left rows."""
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    low = np.searchsorted(ordered, left, side="left")
    counts = np.searchsorted(ordered, left, side="right") - low
    return np.repeat(np.arange(len(left)), counts), order[ranges(low, counts)]


def is_in(left: Ints, right: Ints) -> Bools:
    """Whether each left key is among the right ones."""
    if not len(right):
        return np.zeros(len(left), np.bool_)
    ordered = np.unique(right)
    at = np.minimum(np.searchsorted(ordered, left), len(ordered) - 1)
    return np.asarray(ordered[at] == left)


def distinct(frame: Frame) -> Frame:
    """The rows of a frame without repetitions; it must have no lists."""
    if not frame.columns or not frame.rows:
        return frame.take(np.arange(min(1, frame.rows)))
    columns = [column.data for column in frame.columns.values() if not isinstance(column, Lists)]
    keys, _ = combined_keys(columns, [column[:0] for column in columns])
    if len(keys) > 1 and (keys[1:] >= keys[:-1]).all():
        # Rows that come in order need no sort.
        return frame.take(np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))))
    return frame.take(np.unique(keys, return_index=True)[1])
