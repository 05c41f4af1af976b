"""Runs a plan over a recorded stream, one query time after the other, from scratch or by what changes.

Both give the same answers. Which of the two costs less is found out from the stream: how much a window overlaps with the
one before, how much comes late, and for how many keys. A query that goes the other way than the one before takes over
from its state. Query times for which nothing comes late are worked out several at once (`together.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.retention import retention
from holdsfor.engine.run import Batches, whole_history
from holdsfor.engine.state import State
from holdsfor.engine.step import Answer, advance, evaluate
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.windows import WindowPlan, first_moment

if TYPE_CHECKING:
    # Imported where they are used: runs without windows that overlap have no use for them.
    from holdsfor.incremental.costs import Costs
    from holdsfor.incremental.stretched import Stretched
    from holdsfor.incremental.windowed import Windowed


class Choice(StrEnum):
    """How windows that overlap are worked out."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


@dataclass
class Work:
    """What a run has done so far: query times worked out from scratch, of these together with others, and by what
    changed; and of the latter how many occurrences they went through, each as often as it was, and how many evaluations
    of a pane they took.
    """

    from_scratch: int = 0
    together: int = 0
    incremental: int = 0
    occurrences: int = 0
    evaluations: int = 0


class IncrementalRun:
    """A run over a stream. Iterate over it for the answers; `state` is the one after the last answer."""

    def __init__(
        self,
        plan: Plan,
        dictionary: Dictionary,
        stream: Stream,
        windows: WindowPlan | None = None,
        state: State | None = None,
        *,
        choice: Choice = Choice.AUTO,
        profile: Profile | None = None,
    ) -> None:
        self.windows = windows or whole_history(stream)
        self.work = Work()
        self._plan, self._dictionary, self._stream, self._profile = plan, dictionary, stream, profile
        self._state = state or State.beginning(first_moment(stream, self.windows))
        self._prepared = Prepared(plan, dictionary)
        self._engine: Windowed | Stretched | None = None
        self._choice = _possible(plan, self.windows, choice)
        self._costs = self._make_costs()

    @cached_property
    def _is_calm(self) -> bool:
        from holdsfor.incremental.calm import is_calm
        from holdsfor.spreading.stages import stage_plan

        return is_calm(self._plan, stage_plan(self._plan, tied=False).stages)

    def _make_costs(self) -> Costs | None:
        if self._choice is not Choice.AUTO or self.windows.size is None:
            return None
        from holdsfor.incremental.costs import IN_PANES, IN_STRETCHES, Costs

        steps = -(-self.windows.size // self.windows.step)
        return Costs(self._plan, steps, IN_STRETCHES if self._is_calm else IN_PANES)

    def _make_engine(self) -> Windowed | Stretched:
        size = int(FOREVER) if self.windows.size is None else self.windows.size
        if self._is_calm:
            from holdsfor.incremental.stretched import Stretched

            return Stretched(self._plan, self._dictionary, self._state, size, self._profile)
        from holdsfor.incremental.windowed import Windowed

        return Windowed(self._plan, self._dictionary, self._state, size, self._profile)

    @property
    def state(self) -> State:
        """Where the run stands after the last answer."""
        return self._state if self._engine is None else self._engine.state()

    def __iter__(self) -> Iterator[Answer]:
        state = self.state
        queries = self.windows.query_times
        queries = queries[queries > state.query]
        batches = Batches(self._stream, self.windows, queries, state.query)
        place = 0
        while place < len(queries):
            count = self._together(batches, place)
            if count > 1:
                yield from self._several(queries[place : place + count], batches.of(place, count))
            else:
                yield self._one(int(queries[place]), batches.of(place))
            place += count

    def _one(self, query: int, arrived: Stream) -> Answer:
        is_incremental = self._is_incremental(arrived)
        return self._changes(query, arrived) if is_incremental else self._from_scratch(query, arrived)

    def _together(self, batches: Batches, place: int) -> int:
        """How many query times from one on are worked out in one go."""
        size = self.windows.size
        if size is None or size < self.windows.step or self._choice is Choice.ALWAYS or self._engine is not None:
            return 1
        if not self._is_settled or any(map(len, self._state.kept.reports.values())):
            return 1
        from holdsfor.incremental.together import how_many

        return how_many(batches, place)

    @cached_property
    def _is_settled(self) -> bool:
        from holdsfor.incremental.together import is_settled

        return is_settled(self._plan)

    def _several(self, queries: Ints, arrived: Stream) -> Iterator[Answer]:
        from holdsfor.incremental.together import answers

        assert self.windows.size is not None
        previous = self._state.query
        broken: list[Ints] = []

        def work(evaluation: Evaluation) -> None:
            evaluate(evaluation, self._profile)
            broken.extend(evaluation.conflict_times)

        last = self._scratch(int(queries[-1]), arrived, work, first=int(queries[0]))
        self.work.from_scratch += len(queries)
        self.work.together += len(queries)
        yield from answers(last, np.concatenate([EMPTY, *broken]), queries, previous, self.windows.size)

    def _is_incremental(self, arrived: Stream) -> bool:
        if self._costs is None:
            return self._choice is Choice.ALWAYS
        previous = self._state.query if self._engine is None else self._engine.previous
        kept = sum(map(len, self._state.kept.events.values())) if self._engine is None else self._engine.occurrences
        return self._costs.is_incremental(arrived, previous, kept, is_now=self._engine is not None)

    def _changes(self, query: int, arrived: Stream) -> Answer:
        if self._engine is None:
            self._engine = self._make_engine()
        before = self._engine.worked_on, self._engine.evaluations
        answer = self._engine.query(query, arrived)
        occurrences, evaluations = self._engine.worked_on - before[0], self._engine.evaluations - before[1]
        self.work.incremental += 1
        self.work.occurrences += occurrences
        self.work.evaluations += evaluations
        if self._costs is not None and self.work.incremental > 1:
            self._costs.learn(occurrences, evaluations)
        return answer

    def _from_scratch(self, query: int, arrived: Stream) -> Answer:
        if self._engine is not None:
            self._state, self._engine = self._engine.state(), None
        self.work.from_scratch += 1
        return self._scratch(query, arrived, partial(evaluate, profile=self._profile))

    def _scratch(
        self, query: int, arrived: Stream, work: Callable[[Evaluation], None], first: int | None = None
    ) -> Answer:
        size, step = self.windows.size, self.windows.step
        answer, self._state = advance(
            self._prepared, self._state, arrived, query, size=size, step=step, work=work, first=first
        )
        return answer


def _possible(plan: Plan, windows: WindowPlan, choice: Choice) -> Choice:
    """What was chosen, as far as a plan allows it and windows overlap."""
    if choice is Choice.AUTO and (windows.size is None or windows.size <= windows.step):
        return Choice.NEVER
    if plan.has_metric_rules:
        if choice is Choice.ALWAYS:
            raise HoldsforError("windows of programs with metric rules are always worked out from scratch")
        return Choice.NEVER
    if retention(plan).back:
        # A pane cannot be asked again about what lies before it.
        if choice is Choice.ALWAYS:
            why = (
                "read a dynamicDomain"
                if plan.domain_readers
                else "have events and simple fluents that depend on durations, sequences or Allen relations"
            )
            raise HoldsforError(f"windows of programs that {why} are always worked out from scratch")
        return Choice.NEVER
    return choice
