"""Joins of frames: rows that agree on the variables both have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, Column, Frame, Lists, combined_keys, is_in, match, ranges
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
from holdsfor.engine.patterns import comparable, equal, relation

__all__ = ["Lookup", "aligned", "anti_join", "equal", "join", "join_keys", "matching", "relation"]

_FEW = 1 << 12
"""Up to so many rows, the number of calls is what costs."""
_SPARE = 1 << 16
"""Places of a table that need not be filled."""


def join(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """All pairs of rows that agree on the variables both have."""
    mine, theirs = frame.columns, other.columns
    if not mine and frame.rows == 1:
        return other
    if not frame.rows or not other.rows:
        return Frame(0, {**_none_of(theirs), **_none_of(mine)})
    shared = [name for name in theirs if name in mine]
    if len(shared) == len(theirs):
        # Without variables, what is asked is whether there is any row.
        return frame.where(is_in(*join_keys(frame, other, shared, dictionary))) if shared else frame
    left, right = _pairs(frame, other, shared, dictionary)
    return frame.take(left).with_columns(_fresh(frame, other, right))


def matching(frame: Frame, other: Frame, dictionary: Dictionary) -> tuple[Ints, Ints]:
    """The rows of two frames that agree on the variables both have, in order of the first."""
    if not frame.rows or not other.rows:
        return EMPTY, EMPTY
    return _pairs(frame, other, [name for name in other.columns if name in frame.columns], dictionary)


def _pairs(frame: Frame, other: Frame, shared: Sequence[str], dictionary: Dictionary) -> tuple[Ints, Ints]:
    if shared:
        return match(*join_keys(frame, other, shared, dictionary))
    return np.repeat(np.arange(frame.rows), other.rows), np.tile(np.arange(other.rows), frame.rows)


def _none_of(columns: Mapping[str, Column]) -> dict[str, Column]:
    return {name: column.take(EMPTY) for name, column in columns.items()}


def _fresh(frame: Frame, other: Frame, rows: Ints) -> Mapping[str, Column]:
    """Some rows of the columns that only the second frame has."""
    mine = frame.columns
    return Frame(other.rows, {name: c for name, c in other.columns.items() if name not in mine}).take(rows).columns


def anti_join(frame: Frame, other: Frame, dictionary: Dictionary) -> Frame:
    """The rows that agree with no row of the other frame on the variables both have."""
    shared = [name for name in other.columns if name in frame.columns]
    if not shared:
        return frame if other.rows == 0 else frame.take(np.empty(0, np.int64))
    return frame.where(~is_in(*join_keys(frame, other, shared, dictionary)))


def join_keys(frame: Frame, other: Frame, shared: Sequence[str], dictionary: Dictionary) -> tuple[Ints, Ints]:
    """One comparable integer per row for the shared variables."""
    pairs = [comparable(frame.columns[name], other.columns[name], dictionary) for name in shared]
    if len(pairs) > 1 and frame.rows + other.rows <= _FEW:
        pairs = _packed(pairs, [_are_codes(frame.columns[name], other.columns[name]) for name in shared], dictionary)
    return combined_keys([left for left, _ in pairs], [right for _, right in pairs])


def _are_codes(*columns: Column) -> bool:
    return all(isinstance(column, Codes) for column in columns)


def _packed(
    pairs: list[tuple[Ints, Ints]], are_codes: Sequence[bool], dictionary: Dictionary
) -> list[tuple[Ints, Ints]]:
    """Columns of codes side by side: how many bits each needs is known without looking at them."""
    bits = len(dictionary).bit_length()
    codes = [pair for pair, is_code in zip(pairs, are_codes, strict=True) if is_code]
    if len(codes) < 2 or len(codes) * bits > 62:
        return pairs
    left, right = codes[0]
    for one, other in codes[1:]:
        left, right = (left << bits) | one, (right << bits) | other
    return [(left, right), *(pair for pair, is_code in zip(pairs, are_codes, strict=True) if not is_code)]


class Lookup:
    """Rows that stay the same from window to window, such as facts: what a join sorts and counts is done once."""

    def __init__(self, rows: Frame, dictionary: Dictionary) -> None:
        self._frame = rows
        self._dictionary = dictionary
        self._places: dict[str, _Places | None] = {}

    def join(self, frame: Frame) -> Frame:
        """All pairs of rows that agree on the variables both have."""
        mine = frame.columns
        shared = [name for name in self._frame.columns if name in mine]
        asked = mine[shared[0]] if len(shared) == 1 and frame.rows else None
        places = self._places_of(shared[0]) if isinstance(asked, Codes) else None
        if places is None or not isinstance(asked, Codes):
            return join(frame, self._frame, self._dictionary)
        at = places.first.take(asked.data, mode="clip")
        if places.count is None:
            rows = true_rows(at >= 0)
            if len(rows) == frame.rows:
                return frame.with_columns(_fresh(frame, self._frame, at))
            at = at[rows]
        else:
            count = places.count.take(asked.data, mode="clip")
            rows, at = np.repeat(np.arange(frame.rows), count), places.order[ranges(at, count)]
        return frame.take(rows).with_columns(_fresh(frame, self._frame, at))

    def _places_of(self, name: str) -> _Places | None:
        if name not in self._places:
            column = self._frame.columns[name]
            self._places[name] = _places(column.data) if isinstance(column, Codes) else None
        return self._places[name]


@dataclass(frozen=True)
class _Places:
    """The row of each code, or -1. If some have several: where they begin in `order`, and how many there are.

    The last place is for all codes beyond.
    """

    first: Ints
    count: Ints | None
    order: Ints


def _places(codes: Ints) -> _Places | None:
    """Where codes are, unless they lie too far apart for a table."""
    if not len(codes) or int(codes.max()) > 8 * len(codes) + _SPARE:
        return None
    count = np.bincount(codes, minlength=int(codes.max()) + 2)
    if count.max() > 1:
        return _Places(np.cumsum(count) - count, count, np.argsort(codes, kind="stable"))
    row_of = np.full(len(count), -1)
    row_of[codes] = np.arange(len(codes))
    return _Places(row_of, None, EMPTY)


def aligned(frames: Sequence[Frame], dictionary: Dictionary) -> list[Frame]:
    """Frames whose columns of one name are all of one kind, so that they can be stacked."""
    mixed = {
        name
        for name in frames[0].columns
        if len({type(frame.columns[name]) for frame in frames if name in frame.columns}) > 1
    }
    return [
        frame.with_columns(
            {
                name: Codes(codes_of(frame.columns[name], dictionary))
                for name in mixed
                if name in frame.columns and not isinstance(frame.columns[name], Lists)
            }
        )
        for frame in frames
    ]
