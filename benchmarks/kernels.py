"""The interval kernels on random data, in nanoseconds per input row.

python benchmarks/kernels.py [rows] [groups]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from holdsfor.engine.allen import allen
from holdsfor.engine.inertia import make_intervals
from holdsfor.engine.kernels import Ints, Spans, contains, difference, intersection, sequence, union
from holdsfor.ir import AllenMode, AllenRelation

TIME_BITS = 20


def random_spans(random: np.random.Generator, rows: int, groups: int) -> Spans:
    """Disjoint intervals of many groups on the packed time-line."""
    group = np.sort(random.integers(0, groups, 2 * rows))
    points = np.unique((group << TIME_BITS) | random.integers(1, (1 << TIME_BITS) - 1, 2 * rows))
    points = points[: len(points) // 2 * 2]
    starts, ends = points[0::2], points[1::2]
    same = np.flatnonzero(starts >> TIME_BITS == ends >> TIME_BITS)
    return starts[same], ends[same]


def nanoseconds(action: Callable[[], object], rows: int, repeat: int = 5) -> float:
    """The least time per row of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        action()
        times.append(time.process_time() - begin)
    return min(times) / rows * 1e9


def points(random: np.random.Generator, rows: int, groups: int, values: int) -> tuple[Ints, Ints, Ints]:
    """Points sorted by group and time, as sorted event tables give them."""
    key = np.sort((random.integers(0, groups, rows) << TIME_BITS) | random.integers(0, 1 << TIME_BITS, rows))
    return key >> TIME_BITS, key & ((1 << TIME_BITS) - 1), random.integers(0, values, rows)


def main() -> None:
    """Measure and print."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    groups = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
    random = np.random.default_rng(1)
    a, b, c = (random_spans(random, rows // 3, groups) for _ in range(3))
    total = len(a[0]) + len(b[0]) + len(c[0])
    unsorted = random.integers(0, 1 << 40, rows)
    starts, ends = points(random, rows // 2, groups, 1), points(random, rows // 2, groups, 1)
    valued = points(random, rows, groups, 3)
    asked = np.sort(random.integers(0, groups << TIME_BITS, rows))
    table = {
        "int64 sort": (lambda: np.sort(unsorted), rows),
        "make intervals, sorted": (lambda: make_intervals([starts], [ends]), rows),
        "three values, sorted": (lambda: make_intervals([valued], []), rows),
        "union of 3": (lambda: union([a, b, c]), total),
        "intersection of 3": (lambda: intersection([a, b, c]), total),
        "complement 1\\2": (lambda: difference(a, [b, c]), total),
        "holdsAt, sorted points": (lambda: contains(a, asked), rows),
        "seq": (lambda: sequence(a, b, TIME_BITS), len(a[0]) + len(b[0])),
        "Allen during": (
            lambda: allen(AllenRelation.DURING, AllenMode.SOURCE, a, b, TIME_BITS),
            len(a[0]) + len(b[0]),
        ),
    }
    for name, (action, count) in table.items():
        print(f"{name:<24} {nanoseconds(action, count):6.1f} ns a row")


if __name__ == "__main__":
    main()
