"""What the buckets have to do in a micro-batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from holdsfor.engine.kernels import Ints
from holdsfor.engine.windows import WindowPlan
from holdsfor.records import record
from holdsfor.spark.streaming.clock import Windows


@dataclass(frozen=True)
class Turn:
    """Query times to ask: those after `before` up to `until`, or of these only those in `asked`.

    `states` is the batch with the states of the buckets, `rows` are the batches with rows for them. Before the query
    times in `rolls` a new pane begins; if `is_anew`, everything in the window is worked out from its border. `attempts`
    says which files of states count, by stage and bucket.
    """

    batch: int
    states: int | None
    rows: Mapping[int, list[int]]
    before: int
    until: int
    origin: int
    windows: Windows
    retracting: bool = False
    rolls: frozenset[int] = frozenset()
    is_anew: bool = False
    asked: tuple[range, ...] = ()
    attempts: Mapping[str, str] = field(default_factory=dict)

    def attempt(self, stage: int, bucket: int) -> str:
        """The attempt that wrote the state of a bucket."""
        return self.attempts[f"{stage}-{bucket}"]

    @property
    def plan(self) -> WindowPlan:
        """The query times."""
        span = self.windows.size, self.windows.step, self.before, self.until
        return SomeQueries(*span, self.asked) if self.asked else WindowPlan(*span)


@record
class SomeQueries(WindowPlan):
    """Query times of which those are left out at which nothing is due."""

    asked: tuple[range, ...] = ()

    @property
    def query_times(self) -> Ints:
        """The query times that are asked."""
        return np.fromiter(chain.from_iterable(self.asked), np.int64)
