"""What it costs to work out a window from scratch, and by what changes; counted in occurrences gone through from scratch.

The figures are those of `benchmarks/incremental.py`. How much of the past a late occurrence makes to be worked out again
depends on the program and the stream: that is learned while the run goes on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.plan import Plan
from holdsfor.engine.kernels import EMPTY
from holdsfor.engine.stream import Stream
from holdsfor.incremental.keys import keys_of
from holdsfor.incremental.parts import in_order
from holdsfor.spreading.stages import stage_plan

_NEW, _KEY, _AGAIN, _EVALUATION = 1.6, 2.5, 1.6, 15_000.0
"""A new occurrence, a key that has a state, an occurrence that is gone through again, one evaluation of one stage."""
_PANES = 2
"""About so many panes have changed at a query."""
_BETTER = 0.9
"""Being this much cheaper is worth a change of ways: the first query after it costs more."""
_PATIENCE = 8
"""After so many query times keys are counted again."""


@dataclass(frozen=True)
class _Seen:
    """What is known before a query: occurrences in its window, those that are new and late, and keys."""

    window: int
    new: int
    late: int
    keys: int


class Costs:
    """Chooses by what queries cost, or would."""

    def __init__(self, plan: Plan) -> None:
        stages = stage_plan(plan, tied=False).stages
        self._stages = len(stages)
        self._spreading = {delivery.symbol: delivery.spreading for delivery in stages[0].deliveries}
        self._seen = _Seen(0, 0, 0, 1)
        self._again = 0.7
        """How much of the history of a key with late input is gone through again."""
        self._evaluations = float(self._stages * (1 + _PANES))
        self._counted = 0

    def is_incremental(self, arrived: Stream, previous: int, kept: int, *, is_now: bool) -> bool:
        """Whether a query should be worked out by what changes."""
        times = [events.time for events in arrived.events.values()]
        count = sum(map(len, times))
        late = sum(int(np.count_nonzero(column <= previous)) for column in times)
        keys = self._keys(arrived) if self._counted % _PATIENCE == 0 else self._seen.keys
        self._counted += 1
        self._seen = _Seen(kept + count, count - late, late, keys)
        limit = self._seen.window if is_now else _BETTER * self._seen.window
        return kept > 0 and self._by_changes() < limit

    def learn(self, occurrences: int, evaluations: int) -> None:
        """A query that was worked out by what changed went through so many occurrences, in so many evaluations."""
        share = self._share() * (self._seen.window - self._seen.new)
        if share > 0:
            again = max(0, occurrences - self._seen.new) / share
            self._again += (min(2.0, again) - self._again) / 2
        self._evaluations += (evaluations - self._evaluations) / 2

    def _by_changes(self) -> float:
        seen = self._seen
        again = self._share() * (seen.window - seen.new) * self._again
        return _NEW * seen.new + _KEY * seen.keys + _AGAIN * again + _EVALUATION * self._evaluations

    def _share(self) -> float:
        """The share of the keys for which something is late."""
        return 1 - math.exp(-self._seen.late / self._seen.keys)

    def _keys(self, arrived: Stream) -> int:
        """How many keys there are in what arrived."""
        found = [EMPTY]
        for symbol, events in arrived.events.items():
            spreading = self._spreading.get(symbol)
            if spreading:
                found.append(keys_of(events.args, spreading[0], len(events.time)))
        return max(1, len(in_order(np.concatenate(found))))
