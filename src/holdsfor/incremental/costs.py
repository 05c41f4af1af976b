"""What it costs to work out a window from scratch, and by what changes; counted in occurrences gone through from scratch.

The figures are those of the workloads `overlapping-…` of the benchmarks. How much of the past a late occurrence makes
to be worked out again depends on the program and the stream: that is learned while the run goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.plan import Plan
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.stream import Stream
from holdsfor.incremental.keys import keys_of
from holdsfor.spreading.stages import stage_plan


@dataclass(frozen=True)
class Rates:
    """What going by changes costs: an occurrence, a key that something happens to, one evaluation of one stage; and
    about how many evaluations there are of each stage.
    """

    occurrence: float
    key: float
    evaluation: float
    evaluations: float


IN_PANES = Rates(1.6, 2.5, 15_000, 3)
IN_STRETCHES = Rates(1.15, 6, 40_000, 1)
_SCRATCH = 20_000
"""An evaluation from scratch costs as much as so many occurrences, however few there are."""
_BETTER, _AS_GOOD = 0.8, 0.95
"""Being this much cheaper is worth going by changes, for which the first query costs more, and worth going on with it."""
_MOST_BITS = 20
"""So many bits of keys tell them apart."""


@dataclass(frozen=True)
class _Seen:
    """What is known before a query: occurrences in its window and those that are new; keys in its window, keys to which
    something happened, and those to which something happened before the last query.
    """

    window: int
    new: int
    keys: int
    active: int
    late: int


class Costs:
    """Chooses by what queries cost, or would; windows are so many steps long."""

    def __init__(self, plan: Plan, steps: int, rates: Rates) -> None:
        stages = stage_plan(plan, tied=False).stages
        self._rates, self._steps = rates, steps
        self._spreading = {delivery.symbol: delivery.spreading for stage in stages[:1] for delivery in stage.deliveries}
        self._seen = _Seen(0, 0, 1, 1, 0)
        self._again = 0.7
        """How much of the history of a key with late input is gone through again."""
        self._evaluations = len(stages) * rates.evaluations
        self._queries = 0
        self._last: Ints = np.full(1, -steps)
        """The number of the last query for which something arrived, by the last bits of keys."""

    def is_incremental(self, arrived: Stream, previous: int, kept: int, *, is_now: bool) -> bool:
        """Whether a query should be worked out by what changes."""
        self._see(arrived, previous, kept)
        scratch = self._seen.window + _SCRATCH
        return kept > 0 and self._by_changes() < (_AS_GOOD if is_now else _BETTER) * scratch

    def _see(self, arrived: Stream, previous: int, kept: int) -> None:
        count, new = 0, 0
        late_keys = [EMPTY]
        self._queries += 1
        for symbol, events in arrived.events.items():
            is_late = events.time <= previous
            count += len(is_late)
            new += len(is_late) - int(np.count_nonzero(is_late))
            spreading = self._spreading.get(symbol)
            if spreading:
                keys = self._numbers(keys_of(events.args, spreading[0], len(events.time)))
                self._last[keys] = self._queries
                late_keys.append(keys[is_late])
        active, known = (
            max(1, int(np.count_nonzero(self._last > self._queries - steps))) for steps in (1, self._steps)
        )
        late = np.zeros(len(self._last), np.bool_)
        late[np.concatenate(late_keys)] = True
        self._seen = _Seen(kept + count, new, known, active, int(np.count_nonzero(late)))

    def _numbers(self, keys: Ints) -> Ints:
        """Keys as rows of the table, which has room for them."""
        bits = min(_MOST_BITS, int(keys.max(initial=0)).bit_length())
        if len(self._last) < 1 << bits:
            more = np.full((1 << bits) - len(self._last), -self._steps)
            self._last = np.concatenate((self._last, more))
        return keys & (len(self._last) - 1)

    def learn(self, occurrences: int, evaluations: int) -> None:
        """A query that was worked out by what changed went through so many occurrences, in so many evaluations."""
        past = self._past()
        if past > 0:
            again = max(0, occurrences - self._seen.new) / past
            self._again += (min(2.0, again) - self._again) / 2
        self._evaluations += (evaluations - self._evaluations) / 2

    def _by_changes(self) -> float:
        rates, seen = self._rates, self._seen
        rows = seen.new + self._past() * self._again
        return rates.occurrence * rows + rates.key * seen.active + rates.evaluation * self._evaluations

    def _past(self) -> float:
        """The occurrences before the last query of keys for which something is late."""
        return min(1.0, self._seen.late / self._seen.keys) * (self._seen.window - self._seen.new)
