"""Finds times too far ahead of the others, such as milliseconds among seconds, which would move the watermark.

A time is too far ahead if it lies more than `max_ahead` beyond the median time of its batch. The lower median is used,
so that of two times the earlier one counts as right.
"""

from __future__ import annotations

import numpy as np

from holdsfor.columns.kernels import Bools, Ints

WINDOWS = 10
"""The default of `max_ahead` in windows beyond the median."""
_SPREADS = 10
"""The least default of `max_ahead`, as a multiple of the distance from the lower quartile to the median."""


def too_far_ahead(times: Ints, max_ahead: int | None) -> Bools:
    """Which times lie more than `max_ahead` beyond the median; none if it is None.

    >>> too_far_ahead(np.array([10, 11, 12, 13_000]), 100).tolist()
    [False, False, False, True]
    """
    if max_ahead is None or not len(times):
        return np.zeros(len(times), np.bool_)
    latest = quantile(times, 1, 2) + max_ahead
    # Compared as Python integers, because the sum may exceed 64 bits.
    found: Bools = times > min(latest, 2**63 - 1)
    return found


def usual_distance(spread: int, window: int) -> int:
    """The default of `max_ahead` for times with this distance between the lower quartile and the median."""
    return max(WINDOWS * window, _SPREADS * spread)


def sampled(times: Ints, most: int = 65) -> tuple[Ints, Ints]:
    """A sample of times with the number of times that each represents. It suffices for quantiles, in any order of
    times.

    >>> [part.tolist() for part in sampled(np.arange(10), 2)]
    [[2, 7], [5, 5]]
    """
    ordered = np.sort(times)
    if len(ordered) <= most:
        return ordered, np.ones(len(ordered), np.int64)
    edges = np.linspace(0, len(ordered), most + 1).astype(np.int64)
    weights = np.diff(edges)
    return ordered[edges[:-1] + (weights - 1) // 2], weights


def quantile(times: Ints, part: int, parts: int, weights: Ints | None = None) -> int:
    """The lower quantile: the time that `part` of `parts` of all times do not exceed. `weights` are multiplicities.

    >>> quantile(np.array([4, 1, 2, 3]), 1, 2), quantile(np.array([1, 9]), 1, 2, np.array([1, 3]))
    (2, 9)
    """
    if weights is None:
        place = max(0, -(-len(times) * part // parts) - 1)
        return int(np.partition(times, place)[place])
    order = np.argsort(times, kind="stable")
    reached = np.cumsum(weights[order])
    return int(times[order][np.searchsorted(reached * parts, int(reached[-1]) * part)])
