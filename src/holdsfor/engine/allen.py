"""Allen relations between two lists of intervals, on the packed time-line.

Within one list intervals are disjoint (they may touch), so a source has at most one target for every relation but *before*. A relation
holds between first and last time-points: with half-open ends, `before` is end ≤ start and `meets` end = start + 1.

Law: the sources and targets chosen are those that take part in at least one related pair.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.kernels import Bools, Ints, Spans, difference, intersection, search, union
from holdsfor.ir import AllenMode, AllenRelation


def allen(relation: AllenRelation, mode: AllenMode, sources: Spans, targets: Spans, bits: int) -> Spans:
    """The intervals that take part in a pair, combined as the mode says."""
    if not len(sources[0]) or not len(targets[0]):
        return sources[0][:0], sources[1][:0]
    if relation is AllenRelation.BEFORE:
        chosen_sources, chosen_targets = _before(sources, targets, bits)
    else:
        chosen_sources, chosen_targets = _paired(relation, sources, targets, bits)
    one, other = _pick(sources, chosen_sources), _pick(targets, chosen_targets)
    match mode:
        case AllenMode.SOURCE:
            return one
        case AllenMode.TARGET:
            return other
        case AllenMode.UNION:
            return union([one, other])
        case AllenMode.INTERSECTION:
            return intersection([union([one]), union([other])])
        case AllenMode.RELATIVE_COMPLEMENT:
            return difference(union([one]), [other])
        case AllenMode.RELATIVE_COMPLEMENT_INVERSE:
            return difference(union([other]), [one])


def _pick(spans: Spans, chosen: Bools) -> Spans:
    rows = np.flatnonzero(chosen)
    return spans[0][rows], spans[1][rows]


def _before(sources: Spans, targets: Spans, bits: int) -> tuple[Bools, Bools]:
    """A source needs one target that starts after it ends: the last of its group. A target needs the first source."""
    group = sources[0] >> bits
    last = np.searchsorted(targets[0], (group + 1) << bits) - 1
    found = np.maximum(last, 0)
    chosen_sources = (last >= 0) & (targets[0][found] >> bits == group) & (targets[0][found] >= sources[1])
    group = targets[0] >> bits
    first = np.searchsorted(sources[0], group << bits)
    found = np.minimum(first, len(sources[0]) - 1)
    chosen_targets = (
        (first < len(sources[0])) & (sources[0][found] >> bits == group) & (sources[1][found] <= targets[0])
    )
    return chosen_sources, chosen_targets


def _paired(relation: AllenRelation, sources: Spans, targets: Spans, bits: int) -> tuple[Bools, Bools]:
    starts, ends = sources
    is_open = (ends + 1) & ((1 << bits) - 1) == 0
    last = ends - 1
    match relation:
        case AllenRelation.MEETS:
            partner = _containing(targets, last)
            holds = (targets[0][partner] == last) & (starts < last) & ~is_open
        case AllenRelation.OVERLAPS:
            partner = _containing(targets, last)
            begins = targets[0][partner]
            holds = (starts < begins) & (begins < last) & (ends < targets[1][partner]) & ~is_open
        case AllenRelation.STARTS:
            partner = _containing(targets, starts)
            holds = (targets[0][partner] == starts) & (ends < targets[1][partner])
        case AllenRelation.EQUAL:
            partner = _containing(targets, starts)
            holds = (targets[0][partner] == starts) & (ends == targets[1][partner])
        case AllenRelation.FINISHES:
            partner = _containing(targets, starts)
            holds = (targets[0][partner] < starts) & (ends == targets[1][partner])
        case _:
            partner = _containing(targets, starts)
            holds = (targets[0][partner] < starts) & (ends < targets[1][partner])
    # The partner was found by its start only; it must reach the point, which also keeps groups apart.
    point = last if relation in (AllenRelation.MEETS, AllenRelation.OVERLAPS) else starts
    holds &= (targets[0][partner] <= point) & (point < targets[1][partner])
    chosen = np.zeros(len(targets[0]), np.bool_)
    chosen[partner[holds]] = True
    return holds, chosen


def _containing(targets: Spans, points: Ints) -> Ints:
    """The last target that starts at or before each point."""
    return np.maximum(search(targets[0], points, "right") - 1, 0)
