"""Counts what a piece of work does, which is the same on every machine and under every load: calls, rows and bytes."""

import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SORTS = ("sort", "argsort")
MANY = 200
"""Arrays of fewer rows than that are not looked at."""


@dataclass(frozen=True)
class Counts:
    """Calls of functions, written in Python or not; sorts of large arrays; the rows of those arrays together."""

    calls: int
    sorts: int
    sorted_rows: int


def counted(work: Callable[[], object]) -> Counts:
    """What a piece of work does, without anything it does only the first time."""
    work()
    calls = sorts = rows = 0

    def see(_frame, event, what):
        nonlocal calls, sorts, rows
        if event == "call":
            calls += 1
        elif event == "c_call":
            calls += 1
            owner = getattr(what, "__self__", None)
            if isinstance(owner, np.ndarray) and owner.size >= MANY and what.__name__ in SORTS:
                sorts += 1
                rows += owner.size

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return Counts(calls, sorts, rows)


def peak_bytes(work: Callable[[], object]) -> int:
    """The most memory that was in use beside what was there before."""
    work()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
