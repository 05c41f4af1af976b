"""Interval operators on sorted lists of disjoint half-open intervals, written for readability."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from holdsfor.ir import AllenMode, AllenRelation

Interval = tuple[float, float]
"""[start, end); the end is infinite while the situation still holds."""


def maximal(intervals: Iterable[Interval]) -> list[Interval]:
    """Overlapping and touching intervals joined.

    >>> maximal([(5, 7), (1, 3), (3, 4), (6, 9)])
    [(1, 4), (5, 9)]
    """
    joined: list[Interval] = []
    for start, end in sorted(interval for interval in intervals if interval[0] < interval[1]):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def union(lists: Iterable[list[Interval]]) -> list[Interval]:
    """Time-points in at least one list."""
    return maximal(interval for intervals in lists for interval in intervals)


def intersection(lists: Iterable[list[Interval]]) -> list[Interval]:
    """Time-points in every list; of no lists, none.

    >>> intersection([[(1, 5), (7, 9)], [(2, 8)]])
    [(2, 5), (7, 8)]
    """
    result: list[Interval] | None = None
    for intervals in lists:
        result = (
            maximal(intervals)
            if result is None
            else maximal((max(a, c), min(b, d)) for a, b in result for c, d in intervals)
        )
    return result or []


def complement(lists: Iterable[list[Interval]]) -> list[Interval]:
    """Time-points in none of the lists, over the whole time-line."""
    gaps: list[Interval] = []
    start = -math.inf
    for begin, end in union(lists):
        gaps.append((start, begin))
        start = end
    gaps.append((start, math.inf))
    return maximal(gaps)


def relative_complement(base: list[Interval], lists: Iterable[list[Interval]]) -> list[Interval]:
    """Time-points of the base in none of the lists.

    >>> relative_complement([(1, 9)], [[(2, 3)], [(8, 12)]])
    [(1, 2), (3, 8)]
    """
    return intersection([base, complement(lists)])


def sequence(first: list[Interval], second: list[Interval]) -> list[Interval]:
    """Adjacent pairs: one of the first list, then one of the second, with neither list between them.

    Sequences that overlap are joined; those that touch stay apart, for the next sequence or Allen relation.

    >>> sequence([(1, 4), (5, 7)], [(9, 12)])
    [(5, 12)]
    >>> sequence([(1, 3), (5, 6)], [(3, 5), (6, 9)])
    [(1, 5), (5, 9)]
    """
    pairs = [
        (a, b)
        for a in first
        for b in second
        if a[1] <= b[0]
        and not any(a[1] <= c[0] and c[1] <= b[0] for c in second)
        and not any(a[1] <= c[0] and c[1] <= b[0] for c in first)
    ]
    joined: list[Interval] = []
    for start, end in sorted((a[0], b[1]) for a, b in pairs):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def sometime(intervals: list[Interval], low: float, high: float) -> list[Interval]:
    """Time-points with a time-point of the list at a distance of `low` to `high` back.

    >>> sometime([(1, 4)], 2, 5)
    [(3, 9)]
    """
    return maximal((start + low, end + high) for start, end in intervals)


def always(intervals: list[Interval], low: float, high: float) -> list[Interval]:
    """Time-points for which all time-points at a distance of `low` to `high` back are in the list.

    Without a limit (`high` infinite), only intervals that have held since before all time qualify.

    >>> always([(1, 4)], 2, 3)
    [(4, 6)]
    """
    joined = maximal(intervals)
    return maximal((start if start == -math.inf else start + high, end + low) for start, end in joined)


def since(during: list[Interval], intervals: list[Interval], low: float, high: float, tick: int = 1) -> list[Interval]:
    """Time-points with a time-point of the second list at a distance of `low` to `high` back, and with the first list
    at all points strictly between.

    >>> since([(2, 9)], [(1, 2)], 0, 5)
    [(1, 7)]
    >>> since([], [(1, 2)], 0, 5)
    [(1, 3)]
    """
    # No point lies between neighbours, nor between a point and itself.
    found = sometime(intervals, low, min(high, tick)) if low <= tick else []
    for start, end in maximal(during):
        segment = [(start - tick, end + tick)]
        reached = sometime(intersection([intervals, segment]), low, high)
        found += intersection([reached, segment])
    return maximal(found)


def mirrored(intervals: list[Interval], tick: int = 1) -> list[Interval]:
    """The intervals with reversed time.

    >>> mirrored([(1, 4), (6, 7)])
    [(-6, -5), (-3, 0)]
    """
    return sorted((tick - end, tick - start) for start, end in intervals)


def longer(intervals: list[Interval], accept: Callable[[float], bool], now: float, tick: int = 1) -> list[Interval]:
    """Intervals with an accepted length; an open interval counts up to the query time."""
    return [(start, end) for start, end in intervals if accept((now + tick if end == math.inf else end) - start)]


def _last(interval: Interval, tick: int) -> float:
    return interval[1] if interval[1] == math.inf else interval[1] - tick


def related(relation: AllenRelation, source: Interval, target: Interval, tick: int = 1) -> bool:
    """Whether an Allen relation holds between two intervals, by their first and last time-points."""
    s, t = source[0], target[0]
    f, g = _last(source, tick), _last(target, tick)
    match relation:
        case AllenRelation.BEFORE:
            return f < t
        case AllenRelation.MEETS:
            return f == t and s < f
        case AllenRelation.STARTS:
            return s == t and f < g
        case AllenRelation.FINISHES:
            return s > t and f == g
        case AllenRelation.DURING:
            return s > t and f < g
        case AllenRelation.OVERLAPS:
            return s < t < f < g
        case AllenRelation.EQUAL:
            return s == t and f == g


def allen(
    relation: AllenRelation, mode: AllenMode, sources: list[Interval], targets: list[Interval], tick: int = 1
) -> list[Interval]:
    """The intervals that take part in a pair, combined by the mode."""
    chosen_sources = [a for a in sources if any(related(relation, a, b, tick) for b in targets)]
    chosen_targets = [b for b in targets if any(related(relation, a, b, tick) for a in sources)]
    match mode:
        case AllenMode.SOURCE:
            return chosen_sources
        case AllenMode.TARGET:
            return chosen_targets
        case AllenMode.UNION:
            return union([chosen_sources, chosen_targets])
        case AllenMode.INTERSECTION:
            return intersection([chosen_sources, chosen_targets])
        case AllenMode.RELATIVE_COMPLEMENT:
            return relative_complement(chosen_sources, [chosen_targets])
        case AllenMode.RELATIVE_COMPLEMENT_INVERSE:
            return relative_complement(chosen_targets, [chosen_sources])
