"""Spreads the keys of a stage over the buckets of a distributed run.

The bucket of a key is determined by its hash. Rules that read rows by a partial key would need these rows in all
buckets. In that case the buckets are the cells of a grid with one side for each part of the key. A key is in the cell
of its values, and the rows of a value go to the cells of one line. The core (buckets.h) and Spark SQL use the same
arithmetic.
"""

from __future__ import annotations

from holdsfor.physical.model import Stage


def grid_sides(stage: Stage, buckets: int) -> tuple[int, ...]:
    """The sides of the grid, one per part of the key, with a product of at most `buckets`; empty without parts."""
    partial = sorted({part for route in stage.inputs for parts in route.parts for part in parts})
    if not partial:
        return ()
    sides, left = [1] * stage.key, buckets
    for place, part in enumerate(partial):
        sides[part] = _root(left, len(partial) - place)
        left //= sides[part]
    return tuple(sides)


def _root(number: int, degree: int) -> int:
    """The largest integer whose power of this degree is at most a number.

    >>> _root(8, 3), _root(200, 2), _root(7, 1)
    (2, 14, 7)
    """
    found = int(number ** (1 / degree)) + 1
    while found**degree > number:
        found -= 1
    return max(1, found)
