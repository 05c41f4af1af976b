"""Moves facts in time by some ticks."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import BEYOND, MOST_CELLS, Facts
from holdsfor.columns.tables import FOREVER


def moved(facts: Facts, ticks: int) -> Facts:
    """Moves each interval by some ticks; infinite ends stay infinite.

    Times beyond the distinguishable range become `BEYOND`, so that an interval may become empty.
    """
    cells = 2 * ticks
    first, last = facts.bounds
    if min(first, first + cells) >= -MOST_CELLS and max(last, last + cells) <= MOST_CELLS:
        return Facts(facts.args, facts.start + cells, facts.end + cells, is_maximal=facts.is_maximal)
    return facts.during(_shifted(facts.start, cells), _shifted(facts.end, cells))


def _shifted(times: Ints, cells: int) -> Ints:
    over, under = times > _within(MOST_CELLS - cells), times < _within(-MOST_CELLS - cells)
    # Sums that overflow 64 bits wrap around, and are then replaced.
    later = times + min(max(cells, -2 * BEYOND), 2 * BEYOND)
    later = np.where(over, BEYOND | (times & 1), np.where(under, -BEYOND | (times & 1), later))
    return np.where(np.abs(times) >= FOREVER, times, later)


def _within(cell: int) -> int:
    return min(max(cell, -int(FOREVER)), int(FOREVER))
