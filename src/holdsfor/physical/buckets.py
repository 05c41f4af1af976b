"""How the keys of a stage are spread over the buckets of a distributed run.

A key is in the bucket of its hash. Where rules read rows by a part of the key, that would send these rows to all buckets.
There, buckets are the cells of a grid with a side for each such part: a key is in the cell of its values, and the rows of
a value go to the cells of one line. The core does the same arithmetic (buckets.h), and so does Spark SQL.
"""

from __future__ import annotations

from holdsfor.physical.model import Stage


def grid_sides(stage: Stage, buckets: int) -> tuple[int, ...]:
    """The side of each part of the key; none if no rows are read by parts. Their product is at most `buckets`."""
    partial = sorted({part for route in stage.inputs for parts in route.parts for part in parts})
    if not partial:
        return ()
    sides, left = [1] * stage.key, buckets
    for place, part in enumerate(partial):
        sides[part] = _root(left, len(partial) - place)
        left //= sides[part]
    return tuple(sides)


def _root(number: int, degree: int) -> int:
    """The largest integer whose power is at most a number.

    >>> _root(8, 3), _root(200, 2), _root(7, 1)
    (2, 14, 7)
    """
    found = int(number ** (1 / degree)) + 1
    while found**degree > number:
        found -= 1
    return max(1, found)
