"""Which intervals contain which time-points: the join of a fluent with open arguments and a column of times.

Joining on the bound arguments alone and filtering by time looks at the whole history of a group for every time-point.
Here intervals are sorted into classes by length, powers of two: those of one class that contain a time-point start
within one length before it, so that what is looked at is a small multiple of what is found.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.frames import order_of, ranges
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
from holdsfor.engine.tables import FOREVER


def containing(groups: tuple[Ints, Ints], times: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """All (point, interval) with the interval's group equal to the point's and the point in the interval.

    `groups` are those of the points and of the intervals. Points come out in order.

    >>> group = np.zeros(2, np.int64)
    >>> points, found = containing((group, group), np.array([5, 9]), np.array([0, 8]), np.array([6, 10]))
    >>> points.tolist(), found.tolist()
    ([0, 1], [0, 1])
    """
    if not len(times) or not len(start):
        return EMPTY, EMPTY
    times, start, end = finite(times, start, end)
    base = int(min(times.min(), start[start > -(1 << 61)].min(initial=0)))
    span = int(max(times.max(), base) - base) + 2
    # Times before all others and after all others are moved to the rim; only what lies in between is asked for.
    first, last = np.clip(start - base, 0, span), np.clip(end - base, 0, span)
    ask = times - base
    bits = span.bit_length()
    of_points, of_intervals = _small(*groups, 62 - bits)
    length_class = np.frexp((last - first).astype(np.float64))[1]
    points, found = [EMPTY], [EMPTY]
    length_class[last <= first] = 0
    for size in true_rows(np.bincount(length_class)[1:]) + 1:
        rows = true_rows(length_class == size)
        keys = (of_intervals[rows] << bits) | first[rows]
        order = order_of(keys)
        keys, rows = keys[order], rows[order]
        point = (of_points << bits) | ask
        low = np.searchsorted(keys, (of_points << bits) | np.maximum(ask - (1 << size), 0), side="left")
        counts = np.searchsorted(keys, point, side="right") - low
        candidate = rows[ranges(low, counts)]
        asking = np.repeat(np.arange(len(ask)), counts)
        inside = true_rows(ask[asking] < last[candidate])
        points.append(asking[inside])
        found.append(candidate[inside])
    point, interval = np.concatenate(points), np.concatenate(found)
    order = order_of(point)
    return point[order], interval[order]


def finite(*columns: Ints) -> list[Ints]:
    """Times with what is infinite moved to right outside all others."""
    if all(not len(column) or max(-int(column.min()), int(column.max())) < FOREVER for column in columns):
        return list(columns)
    known = [column[np.abs(column) < FOREVER] for column in columns]
    low = min((int(column.min()) for column in known if len(column)), default=0) - 1
    high = max((int(column.max()) for column in known if len(column)), default=0) + 1
    return [np.clip(column, low, high) for column in columns]


def _small(one: Ints, other: Ints, bits: int) -> tuple[Ints, Ints]:
    """Groups as numbers from zero of at most so many bits, numbered anew if need be."""
    low = min(int(one.min()), int(other.min()))
    if (max(int(one.max()), int(other.max())) - low).bit_length() <= bits:
        return one - low, other - low
    _, number = np.unique(np.concatenate((one, other)), return_inverse=True)
    return number[: len(one)], number[len(one) :]
