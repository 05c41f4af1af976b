"""The interval kernels on random data, and how long prototypes took, in sorts of as many integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.allen import allen
from holdsfor.engine.frames import is_in, match
from holdsfor.engine.inertia import Part, make_intervals
from holdsfor.engine.kernels import Spans, contains, difference, intersection, sequence, union
from holdsfor.ir import AllenMode, AllenRelation

TIME_BITS = 20


@dataclass(frozen=True)
class Kernel:
    """One kernel on one input."""

    name: str
    action: Callable[[], object]
    rows: int
    goal: float


def random_spans(random: np.random.Generator, rows: int, groups: int) -> Spans:
    """Disjoint intervals of many groups on the packed time-line."""
    group = np.sort(random.integers(0, groups, 2 * rows))
    points = np.unique((group << TIME_BITS) | random.integers(1, (1 << TIME_BITS) - 1, 2 * rows))
    points = points[: len(points) // 2 * 2]
    starts, ends = points[0::2], points[1::2]
    same = np.flatnonzero(starts >> TIME_BITS == ends >> TIME_BITS)
    return starts[same], ends[same]


def points(random: np.random.Generator, rows: int, groups: int, values: int) -> Part:
    """Points sorted by group and time, as sorted event tables give them."""
    key = np.sort((random.integers(0, groups, rows) << TIME_BITS) | random.integers(0, 1 << TIME_BITS, rows))
    return key >> TIME_BITS, key & ((1 << TIME_BITS) - 1), random.integers(0, values, rows)


def shuffled(random: np.random.Generator, part: Part) -> Part:
    """The same points in any order."""
    order = random.permutation(len(part[0]))
    group, moment, value = (column[order] for column in part)
    return group, moment, value


def kernels(rows: int, groups: int) -> list[Kernel]:
    """All kernels, on data of one size."""
    random = np.random.default_rng(1)
    a, b, c = (random_spans(random, rows // 3, groups) for _ in range(3))
    of_three, of_two = len(a[0]) + len(b[0]) + len(c[0]), len(a[0]) + len(b[0])
    starts, ends = points(random, rows // 2, groups, 1), points(random, rows // 2, groups, 1)
    any_starts, any_ends = shuffled(random, starts), shuffled(random, ends)
    valued = points(random, rows, groups, 3)
    any_valued = shuffled(random, valued)
    asked = np.sort(random.integers(0, groups << TIME_BITS, rows))
    moments = np.sort(random.integers(0, groups << TIME_BITS, rows))
    few, many = np.sort(random.integers(0, groups, rows // 2)), np.sort(random.integers(0, groups, groups))
    return [
        Kernel("make intervals, unsorted", lambda: make_intervals([any_starts], [any_ends]), rows, 28 / 13),
        Kernel("make intervals, sorted", lambda: make_intervals([starts], [ends]), rows, 15 / 13),
        Kernel("three values, unsorted", lambda: make_intervals([any_valued], []), rows, 53 / 13),
        Kernel("three values, sorted", lambda: make_intervals([valued], []), rows, 48 / 16),
        Kernel("union of 3", lambda: union([a, b, c]), of_three, 17 / 13),
        Kernel("intersection of 3", lambda: intersection([a, b, c]), of_three, 19 / 13),
        Kernel("complement 1\\2", lambda: difference(a, [b, c]), of_three, 18 / 13),
        Kernel("holdsAt, sorted points", lambda: contains(a, asked), rows, 18 / 13),
        Kernel("semi-join, sorted", lambda: is_in(asked, moments), 2 * rows, 12 / 13),
        Kernel("inner join m:n", lambda: match(few, many), len(few) + len(many), 44 / 13),
        Kernel("seq", lambda: sequence(a, b, TIME_BITS), of_two, 17 / 13),
        Kernel("Allen during", lambda: allen(AllenRelation.DURING, AllenMode.SOURCE, a, b, TIME_BITS), of_two, 19 / 13),
    ]
