"""Windows that overlap, and events that come late: from scratch at every query time, and only what changed.

All ways take turns at every query time, and their answers are compared.
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
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.step import Answer
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental.run import Choice, IncrementalRun

TIMED = 8
"""So many query times are timed, once the longest window is full."""
WAYS = (Choice.NEVER, Choice.ALWAYS, Choice.AUTO)
Result = TypeVar("Result")


def clocked(action: Callable[[], Result]) -> tuple[float, Result]:
    """The CPU time of something in ms, and what came of it."""
    begin = time.process_time()
    found = action()
    return (time.process_time() - begin) * 1e3, found


def put_in_order(answer: Answer) -> None:
    """Have the tables of an answer put together."""
    for table in answer.fluents.values():
        len(table)


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    for symbol, table in one.fluents.items():
        mine, theirs = (np.array([*t.args, t.value, t.start, t.end]) for t in (table, other.fluents[symbol]))
        if mine.shape != theirs.shape or (mine[:, np.lexsort(mine)] != theirs[:, np.lexsort(theirs)]).any():
            return False
    return one.query_time == other.query_time


@dataclass
class Cell:
    """Times of one window size and share of delayed events, in ms by query time: from scratch, by what changed, what it
    takes to put the tables of the latter in order, and as chosen.
    """

    delayed: int
    size: int
    taken: list[tuple[float, float, float, float]]
    from_scratch: int
    """Query times that were chosen to be worked out from scratch, of all there were."""

    def least(self) -> tuple[float, float, float, float]:
        """The least of each."""
        scratch, changed, ordering, auto = (min(column) for column in zip(*self.taken, strict=True))
        return scratch, changed, changed + ordering, auto

    def mean_ratio(self) -> float:
        """From scratch to as chosen, on average."""
        scratch, _, _, auto = (sum(column) for column in zip(*self.taken, strict=True))
        return scratch / auto


def measured(setting: Setting, delayed: int, size: int) -> Cell:
    """All ways in turn at every query time; answers are compared."""
    plan, dictionary, steps = loads(rules(setting)).plan, Dictionary(), max(setting.sizes) + TIMED
    stream = late_stream(dictionary, setting, steps, delayed / 100)
    span = WindowPlan(size * setting.step, setting.step, 0, steps * setting.step)
    runs = [IncrementalRun(plan, dictionary, stream, span, choice=choice) for choice in WAYS]
    found = Cell(delayed, size, [], 0)
    ways = [iter(run) for run in runs]
    while True:
        results = [clocked(partial(next, way, None)) for way in ways]
        (scratch, answer), (changed, other), (auto, chosen) = results
        if answer is None or other is None or chosen is None:
            break
        ordering, _ = clocked(partial(put_in_order, other))
        assert same(answer, other), answer.query_time
        assert same(answer, chosen), answer.query_time
        if answer.query_time > max(setting.sizes) * setting.step:
            found.taken.append((scratch, changed, ordering, auto))
    found.from_scratch = runs[-1].work.from_scratch
    return found
