"""Computes the bucket of a key, with the same arithmetic in NumPy and in Spark SQL.

A value becomes a 64-bit *part*: the floor of a number, or the CRC-32 of the text of a word. The parts of a key are
hashed like in Spark's `hash` (Murmur3). Equal values have equal parts. Different values with the same part merely share
a bucket.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.dictionary import Dictionary, Value
from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.syntax.printer import print_term

_LEAST, _MOST = -(2**63), 2**63 - 1


def part(value: Value) -> int:
    """The part of one value.

    >>> part(7), part(7.0), part(-1.5), part("abc")
    (7, 7, -2, 891568578)
    """
    if isinstance(value, str):
        return zlib.crc32(value.encode())
    if isinstance(value, int):
        return value if _LEAST <= value <= _MOST else (_MOST if value > 0 else _LEAST)
    if isinstance(value, float):
        return max(_LEAST, min(_MOST, math.floor(value))) if math.isfinite(value) else 0
    return zlib.crc32(print_term(value).encode())


def parts(values: Iterable[Value]) -> Ints:
    """The parts of some values."""
    listed = list(values)
    if set(map(type, listed)) == {int} and all(_LEAST <= value <= _MOST for value in (min(listed), max(listed))):  # type: ignore[type-var, operator]
        return np.array(listed, np.int64)
    return np.fromiter(map(part, listed), np.int64, len(listed))


def distinct_codes(codes: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct codes below a size, and the index of each code among them, without sorting.

    >>> [column.tolist() for column in distinct_codes(np.array([5, 2, 5]), 8)]
    [[2, 5], [1, 0, 1]]
    """
    is_there = np.zeros(size, np.bool_)
    is_there[codes] = True
    distinct = np.flatnonzero(is_there)
    place = np.empty(size, np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, place[codes]


class PartsOfCodes:
    """The parts of codes, each computed once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._parts = EMPTY
        self._is_known = np.empty(0, np.bool_)

    def of(self, codes: Ints) -> Ints:
        """The parts of a column of codes."""
        missing = len(self._dictionary) - len(self._parts)
        if missing:
            self._parts = np.concatenate((self._parts, np.zeros(missing, np.int64)))
            self._is_known = np.concatenate((self._is_known, np.zeros(missing, np.bool_)))
        is_requested = np.zeros(len(self._parts), np.bool_)
        is_requested[codes] = True
        new = np.flatnonzero(is_requested & ~self._is_known)
        if len(new):
            self._parts[new] = parts(self._dictionary.values[code] for code in new.tolist())
            self._is_known |= is_requested
        return self._parts[codes]


def buckets(columns: Sequence[Ints], rows: int, count: int) -> Ints:
    """The bucket of each key, from the columns of its parts; a key without columns is in bucket 0.

    >>> buckets([np.array([1, 2, 3])], 3, 8).tolist()
    [5, 0, 3]
    """
    if not columns:
        return np.zeros(rows, np.int64)
    hashed = np.full(rows, 42, np.uint32)
    for column in columns:
        hashed = _hash_long(column, hashed)
    found: Ints = hashed.view(np.int32).astype(np.int64) % count
    return found


@dataclass(frozen=True)
class TiedParts:
    """Parts that are evaluated together: each of `parts`, which is sorted, is replaced by the element of `first` at its
    index.
    """

    parts: Ints
    first: Ints

    def of(self, column: Ints) -> Ints:
        """The replacement of each part."""
        if not len(self.parts):
            return column
        at = np.minimum(np.searchsorted(self.parts, column), len(self.parts) - 1)
        return np.where(self.parts[at] == column, self.first[at], column)


def connected(one: Ints, other: Ints) -> TiedParts:
    """The connected components of pairs of parts, each identified by its least member.

    >>> connected(np.array([5, 9, 7]), np.array([7, 8, 3])).first.tolist()
    [3, 3, 3, 8, 8]
    """
    nodes, places = np.unique(np.concatenate((one, other)), return_inverse=True)
    here, there = places[: len(one)], places[len(one) :]
    label = np.arange(len(nodes))
    while True:
        least = np.minimum(label[here], label[there])
        lower = label.copy()
        # Lowers the labels of both ends, and of the labels that they pointed to.
        for target in (here, there, label[here], label[there]):
            np.minimum.at(lower, target, least)
        lower = lower[lower]
        if (lower == label).all():
            return TiedParts(nodes, nodes[label])
        label = lower


def _hash_long(column: Ints, seed: np.typing.NDArray[np.uint32]) -> np.typing.NDArray[np.uint32]:
    bits = column.astype(np.int64).view(np.uint64)
    low, high = (bits & np.uint64(0xFFFFFFFF)).astype(np.uint32), (bits >> np.uint64(32)).astype(np.uint32)
    mixed = _mix(_mix(seed, low), high) ^ np.uint32(8)
    mixed = (mixed ^ (mixed >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    mixed = (mixed ^ (mixed >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return mixed ^ (mixed >> np.uint32(16))


def _mix(hashed: np.typing.NDArray[np.uint32], word: np.typing.NDArray[np.uint32]) -> np.typing.NDArray[np.uint32]:
    word = _rotated(word * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
    return _rotated(hashed ^ word, 13) * np.uint32(5) + np.uint32(0xE6546B64)


def _rotated(word: np.typing.NDArray[np.uint32], bits: int) -> np.typing.NDArray[np.uint32]:
    return (word << np.uint32(bits)) | (word >> np.uint32(32 - bits))
