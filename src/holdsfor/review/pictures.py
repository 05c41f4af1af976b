"""Timelines of two histories: before and after, or labelled and found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.kernels import Spans, difference, intersection, maximal
from holdsfor.review.timeline_scale import FAR, TimeLine
from holdsfor.viz.timeline import Lane, Timeline, timeline

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff

_KIND = "in"
"""The legend says `in = both`."""
Pairs = Sequence[tuple[int, int]]


def diff_timeline(found: Diff, limit: int) -> Timeline:
    """The largest differences: the intervals that both runs have, and those of only one of them."""
    groups: dict[str, tuple[Pairs, Pairs]] = {}
    for one in found:
        if len(groups) == limit:
            break
        if str(one.subject) not in groups:
            groups[str(one.subject)] = found.intervals_of(one)
    title = f"Before and after, {'all' if len(groups) < limit else f'the {limit} most different'}"
    return two_sided(groups, found.line, title=title, names=("old", "new"), kinds=("both", "old", "new"))


def two_sided(
    groups: dict[str, tuple[Pairs, Pairs]],
    line: TimeLine,
    *,
    title: str,
    names: tuple[str, str],
    kinds: tuple[str, str, str],
) -> Timeline:
    """Two lanes for each group; the parts that both have look the same, those of one side have their own colour."""
    lanes = []
    for group, sides in groups.items():
        one, other = (_spans(side) for side in sides)
        common = intersection([one, other]) if len(one[0]) and len(other[0]) else _NONE
        for name, mine, theirs, kind in ((names[0], one, other, kinds[1]), (names[1], other, one, kinds[2])):
            alone = difference(mine, [theirs]) if len(theirs[0]) else mine
            # A group that is the only one has no header.
            shown = name if len(groups) > 1 else f"{group} {name}"
            lanes.append(_lane(shown, group, line, [(common, kinds[0]), (alone, kind)]))
    scale = line.time_scale
    unit, zone = (None, None) if scale is None else (scale.unit, scale.zone)
    return timeline(
        lanes, title=title, unit=unit, zone=zone, kinds=[(_KIND, kind) for kind in kinds], limit=max(1, len(lanes))
    )


_NONE: Spans = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _spans(side: Pairs) -> Spans:
    if not side:
        return _NONE
    starts, ends = np.array(side, np.int64).T
    return maximal(starts, ends)


def _lane(name: str, group: str, line: TimeLine, parts: Sequence[tuple[Spans, str]]) -> Lane:
    start = np.concatenate([spans[0] for spans, _ in parts])
    end = np.concatenate([spans[1] for spans, _ in parts])
    value = [kind for spans, kind in parts for _ in range(len(spans[0]))]
    kind = np.array(value, dtype=str)
    if not line.is_metric:
        starts = [None if one <= -FAR else one for one in start.tolist()]
        ends = [None if one >= FAR else one for one in end.tolist()]
        return Lane(name, _column(starts, low=True), _column(ends, low=False), group, _KIND, kind.tolist())
    low = np.where(start <= -FAR, -np.inf, (start >> 1) / line.scale)
    high = np.where(end >= FAR, np.inf, (end >> 1) / line.scale)
    return Lane(name, low, high, group, _KIND, kind.tolist(), (start & 1).astype(bool), (end & 1) == 0)


def _column(times: Sequence[int | None], *, low: bool) -> list[float | int | None]:
    """Times of a lane; a start that is infinite has to be a number."""
    if low and any(time is None for time in times):
        return [-np.inf if time is None else float(time) for time in times]
    return list(times)
