"""Which intervals contain which time-points: the join of a fluent with open arguments and a column of times.

Joining on the bound arguments alone and filtering by time looks at the whole history of a group for every time-point.
Where the intervals of a group do not overlap, one search finds the only one that may contain a time-point. Else they are
sorted into classes by length, powers of two: those of one class that contain a time-point start within one length before
it, so that what is looked at is a small multiple of what is found.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.frames import order_of, ranges
from holdsfor.engine.kernels import EMPTY, Ints, find, is_sorted, search, true_rows
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
    base = int(times.min())
    span = int(times.max()) - base + 1
    # What lies before the first or after the last time-point is moved to the rim; nothing is asked of it.
    first, last = np.clip(start - base, 0, span), np.clip(end - base, 0, span)
    ask = times - base
    bits = span.bit_length()
    of_points, of_intervals = _small(*groups, 62 - bits)
    if bits + max(int(of_points.max()), int(of_intervals.max())).bit_length() > 62:
        # Times so far apart that no bits are left for the groups are numbered in their order.
        _, rank = np.unique(np.concatenate((times, start, end)), return_inverse=True)
        return containing(groups, *np.split(rank, (len(times), len(times) + len(start))))
    of_points, of_intervals = of_points << bits, of_intervals << bits
    rows = true_rows(first < last)
    if len(rows) < len(first):
        first, last, of_intervals = first[rows], last[rows], of_intervals[rows]
    starts, ends = of_intervals | first, of_intervals | last
    if not is_sorted(starts):
        order = order_of(starts)
        rows, starts, ends = rows[order], starts[order], ends[order]
    if bool((starts[1:] >= ends[:-1]).all()):
        at = find((starts, ends), of_points | ask)
        point = true_rows(at >= 0)
        return point, rows[at[point]]
    point, place = _by_length(of_points, ask, starts, ends)
    return point, rows[place]


def _by_length(of_points: Ints, ask: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """The same for packed intervals that overlap, sorted by start."""
    asked = of_points | ask
    length_class = np.frexp((ends - starts).astype(np.float64))[1]
    points, found = [EMPTY], [EMPTY]
    for size in true_rows(np.bincount(length_class)):
        rows = true_rows(length_class == size)
        keys = starts[rows]
        low = search(keys, of_points | np.maximum(ask - (1 << int(size)), 0), "left")
        counts = search(keys, asked, "right")
        counts -= low
        candidate = rows[ranges(low, counts)]
        asking = np.repeat(np.arange(len(ask)), counts)
        inside = true_rows(asked[asking] < ends[candidate])
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
