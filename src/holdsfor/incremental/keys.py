"""The key of a row: the instance that its stage spreads work by, as one integer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.kernels import Ints

FIRST_PART = -2
"""The key of rows that are kept by a part of a key is below this by the code of the part: no other key is negative."""
_MIX = np.uint64(0x9E3779B97F4A7C15)


def keys_of(args: Sequence[Ints], places: Sequence[int], rows: int) -> Ints:
    """The keys of rows. Two keys of several parts may become one by chance, and are then worked on together."""
    if not places:
        return np.zeros(rows, np.int64)
    if len(places) == 1:
        return args[places[0]]
    mixed = np.zeros(rows, np.uint64)
    for place in places:
        mixed ^= args[place].astype(np.uint64)
        mixed *= _MIX
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(1)).view(np.int64)


def part_keys(codes: Ints) -> Ints:
    """The keys of rows that are kept by a part."""
    return FIRST_PART - codes
