"""Windows that overlap, and events that come late: from scratch at every query time, and only what changed.

Both take turns at every query time, and their answers are compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from benchmarks.suite.data.late_streams import Setting, late_stream, rules

from holdsfor import loads
from holdsfor.core.run import Run
from holdsfor.engine.answer import Answer
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.run import Run as StrataRun
from holdsfor.engine.windows import WindowPlan

TIMED = 8
"""So many query times are timed, once the longest window is full."""
WAYS = (StrataRun, Run)
Result = TypeVar("Result")


def clocked(action: Callable[[], Result]) -> tuple[float, Result]:
    """The CPU time of something in ms, and what came of it."""
    begin = time.process_time()
    found = action()
    return (time.process_time() - begin) * 1e3, found


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    for symbol, table in one.fluents.items():
        mine, theirs = (np.array([*t.args, t.value, t.start, t.end]) for t in (table, other.fluents[symbol]))
        if mine.shape != theirs.shape or (mine[:, np.lexsort(mine)] != theirs[:, np.lexsort(theirs)]).any():
            return False
    return one.query_time == other.query_time


@dataclass
class Cell:
    """Times of one window size and share of delayed events, in ms by query time: from scratch, and only what changed."""

    delayed: int
    size: int
    taken: list[tuple[float, float]]

    def least(self) -> tuple[float, float]:
        """The least of each."""
        scratch, changed = (min(column) for column in zip(*self.taken, strict=True))
        return scratch, changed

    def mean_ratio(self) -> float:
        """From scratch to what changed, on average."""
        scratch, changed = (sum(column) for column in zip(*self.taken, strict=True))
        return scratch / changed


def measured(setting: Setting, delayed: int, size: int) -> Cell:
    """Both ways in turn at every query time; answers are compared."""
    plan, dictionary, steps = loads(rules(setting)).plan, Dictionary(), max(setting.sizes) + TIMED
    stream = late_stream(dictionary, setting, steps, delayed / 100)
    span = WindowPlan(size * setting.step, setting.step, 0, steps * setting.step)
    found = Cell(delayed, size, [])
    ways = [iter(way(plan, dictionary, stream, span)) for way in WAYS]
    while True:
        (scratch, answer), (changed, other) = [clocked(partial(next, way, None)) for way in ways]
        if answer is None or other is None:
            break
        assert same(answer, other), answer.query_time
        if answer.query_time > max(setting.sizes) * setting.step:
            found.taken.append((scratch, changed))
    return found
