"""The intervals of one instance at two query times compared, as `engine.matching` does for many at once."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.engine.op import Op
from holdsfor.engine.tables import FOREVER

Span = Sequence[int]
"""Start, end, and whatever else."""
_FOREVER = int(FOREVER)


def earlier_of(old: Sequence[Span], new: Sequence[Span]) -> list[int]:
    """For each new interval the place of the old one whose id it has, or -1; both are in order."""
    found = []
    for place, (start, end, *_) in enumerate(new):
        first = sum(span[1] <= start for span in old)
        met = sum(span[0] < end for span in old)
        if first < met:
            # The old one may have been taken by a new one before this; the next cannot.
            taker = sum(span[1] <= old[first][0] for span in new)
            first += taker != place
        found.append(first if first < met else -1)
    return found


def became(old: Span, new: Span, low: int, before: int) -> Op | None:
    """What has become of an interval."""
    if (old[0] == new[0] and old[1] == new[1]) or max(old[1], new[1]) <= low + 1:
        return None
    if old[0] == new[0] and new[1] > old[1]:
        return Op.EXTEND
    if old[0] == new[0] and old[1] >= _FOREVER and new[1] > before:
        return Op.CLOSE
    return Op.REVISE


def is_gone(span: Span, new: Sequence[Span], low: int) -> bool:
    """Whether an interval that no new one goes on with is to be taken back."""
    return span[1] > low + 1 or any(one[1] > low + 1 and one[0] < span[1] and span[0] < one[1] for one in new)
