"""Windows of calm programs that overlap: every query works out the keys to which something happened, and no others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes
from holdsfor.engine.inputs import Sight, events_after, known_reports
from holdsfor.engine.kernels import EMPTY
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.state import Border, State
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.tables import Events, Intervals
from holdsfor.incremental.announced import Announced
from holdsfor.incremental.assembled import Assembled, AssembledEvents
from holdsfor.incremental.chunks import stacked
from holdsfor.incremental.conflicts import Conflicts
from holdsfor.incremental.parts import distinct_rows
from holdsfor.incremental.reports import report_columns, reports_of
from holdsfor.incremental.sections import Section
from holdsfor.incremental.stretches import StageStretches
from holdsfor.incremental.taken import Clock
from holdsfor.spreading.stages import stage_plan

AGE = 2
"""When the oldest state is older than a window by one part in so many of it, a newer one takes its place."""


class Stretched:
    """A run over windows of `size` time-points, from a state on."""

    def __init__(
        self, plan: Plan, dictionary: Dictionary, state: State, size: int, profile: Profile | None = None
    ) -> None:
        self._size = size
        self._origin = state.origin
        self.previous = state.query
        self._floor = state.border + 1
        self._dictionary = dictionary
        self._announced = Announced()
        self._arrived: list[tuple[int, int]] = []
        """Query times that no window has left behind, and how much arrived for each."""
        self._stages: list[StageStretches] = []
        earlier: dict[int, StageStretches] = {}
        for stage in stage_plan(plan, tied=False).stages:
            prepared = Prepared(plan, dictionary)
            prepared.plan = replace(plan, strata=stage.strata)
            earlier[stage.number] = StageStretches(stage, prepared, earlier, profile)
            self._stages.append(earlier[stage.number])
        self._conflicts = Conflicts(state.conflicts)
        self._resume(state)
        known = sum(map(len, state.kept.events.values()))
        if known:
            self._arrived.append((state.query, known))

    def _resume(self, state: State) -> None:
        for stage in self._stages:
            stage.resume(state.kept, self._floor)
            for symbol, reports in state.kept.reports.items():
                if symbol in stage.reads and len(reports):
                    stage.taken.take_reports(symbol, report_columns(reports))
        for symbol, events in state.kept.events.items():
            args = tuple(codes_of(column, self._dictionary) for column in events.args)
            self._take_events(symbol, EventColumns(args, events.time, events.time), state.query)

    @property
    def worked_on(self) -> int:
        """How many occurrences of events have been gone through so far, each as often as it was."""
        return sum(stage.worked_on for stage in self._stages)

    @property
    def occurrences(self) -> int:
        """How many occurrences of events are in the window of the last query, about."""
        return sum(count for query, count in self._arrived if query > self.previous - self._size)

    @property
    def evaluations(self) -> int:
        """How many evaluations there have been so far, of all stages."""
        return sum(stage.evaluations for stage in self._stages)

    def query(self, now: int, arrived: Stream) -> Answer:
        """What is known at a time about the window before it; `arrived` came in since the last query."""
        low = now - self._size
        if low - self._floor > self._size // AGE:
            self._settle(low)
        self._take_in(arrived, Sight(now, low, self.previous))
        clock = Clock(now, self.previous, self._floor, self._origin)
        for place, stage in enumerate(self._stages):
            for news in stage.run(clock):
                for later in self._stages[place + 1 :]:
                    later.take_note(news)
        self.previous = now
        self._arrived.append((now, sum(len(events.time) for events in arrived.events.values())))
        return self._answer(now, low)

    def _settle(self, low: int) -> None:
        """Let go of the time before the last query that no window reaches back behind any more."""
        floor = max((query for query, _ in self._arrived if query <= low), default=self._floor)
        if floor <= self._floor:
            return
        clock = Clock(self.previous, self.previous, self._floor, self._origin)
        # Later stages read what earlier ones have said of the time before.
        for stage in reversed(self._stages):
            stage.settle(clock, floor)
        for stage in self._stages:
            stage.forget(floor)
        self._arrived = [found for found in self._arrived if found[0] > floor]
        self._floor = floor

    # Input

    def _take_in(self, arrived: Stream, sight: Sight) -> None:
        for symbol, events in self._announced.and_those(arrived, sight.low):
            self._take_events(symbol, events, sight.query)
        for symbol, table in arrived.fluents.items():
            reports = known_reports(None, table, sight)
            if reports is not None and len(reports):
                for stage in self._stages:
                    if symbol in stage.reads:
                        stage.taken.take_reports(symbol, report_columns(reports))

    def _take_events(self, symbol: Symbol, events: EventColumns, now: int) -> None:
        events = self._announced.without_those_ahead(symbol, events, now)
        if len(events.time):
            for stage in self._stages:
                if symbol in stage.reads:
                    stage.taken.take_events(symbol, events, now)

    # Answers

    def _answer(self, now: int, low: int) -> Answer:
        fluents: dict[Symbol, Intervals] = {}
        events: dict[Symbol, Events] = {}
        broken = [EMPTY]
        for stage in self._stages:
            told = stage.results.as_told(stage.entries.status)
            conflicts = [told.told(Section("conflict", symbol)) for symbol in stage.places]
            broken += [columns[-1] for columns in conflicts if columns is not None]
            for symbol in stage.places:
                if symbol.kind is EntityKind.EVENT:
                    events[symbol] = AssembledEvents(told, symbol, low, now)
                else:
                    fluents[symbol] = Assembled(told, symbol, low, single_valued=stage.sections.is_simple(symbol))
        found = self._conflicts.new(np.concatenate(broken), max(low, self._floor) - 1)
        return Answer(now, fluents, events, found)

    # State

    def state(self) -> State:
        """Where the run stands: all that another run must know to go on."""
        self._settle(self.previous - self._size)
        border, clock = Border(), Clock(self.previous, self.previous, self._floor, self._origin)
        for stage in self._stages:
            mine = stage.state_at(self._floor, clock)
            border.holding |= mine.holding
            border.attempts |= mine.attempts
            for symbol, runs in stage.taken.events.items():
                *args, time = stacked([(*events.args, events.time) for _, events in runs])
                known = events_after(Events(tuple(map(Codes, args)), time), self._floor - 1)
                border.events.setdefault(symbol, known)
            for symbol, (_, columns) in stage.taken.reports.items():
                border.reports.setdefault(symbol, reports_of(distinct_rows(columns)))
        self._announced.add_to(border, self._dictionary)
        border_time = self._floor - 1
        return State(self._origin, border_time, self.previous, border, self._conflicts.after(border_time))
