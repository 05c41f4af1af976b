"""Windows that overlap: every query works out the newest pane, and of older ones only what late input changes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes
from holdsfor.engine.inputs import Sight, known_reports
from holdsfor.engine.kernels import EMPTY
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.state import Border, Reports, State
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.tables import Events, Intervals
from holdsfor.incremental.announced import Announced
from holdsfor.incremental.assembled import Assembled, AssembledEvents
from holdsfor.incremental.conflicts import Conflicts
from holdsfor.incremental.panes import StagePanes
from holdsfor.incremental.parts import Layer, Layers, Part, distinct_rows, stacked
from holdsfor.incremental.reports import report_columns, reports_of
from holdsfor.incremental.sections import Section
from holdsfor.spreading.stages import stage_plan

PANE_COST = 80_000
"""Working out a pane costs as much as going through so many occurrences, however few there are in it."""


class Windowed:
    """A run over windows of `size` time-points, from a state on."""

    def __init__(
        self, plan: Plan, dictionary: Dictionary, state: State, size: int, profile: Profile | None = None
    ) -> None:
        self._size = size
        self._origin = state.origin
        self.previous = state.query
        self._announced = Announced()
        self._stages: list[StagePanes] = []
        earlier: dict[int, StagePanes] = {}
        for stage in stage_plan(plan, tied=False).stages:
            prepared = Prepared(plan, dictionary)
            prepared.plan = replace(plan, strata=stage.strata)
            earlier[stage.number] = StagePanes(stage, prepared, earlier, profile)
            self._stages.append(earlier[stage.number])
        self._begins = [state.border + 1]
        self._conflicts = Conflicts(state.conflicts)
        self._has_moved = True
        self._is_fresh = True
        for one in self._stages:
            one.roll(state.border + 1)
        self._resume(state)

    def _resume(self, state: State) -> None:
        for stage in self._stages:
            stage.before = Layers((Layer(None, {}, stage.tables(stage.sections.state_columns(state.kept))),))
            for symbol, reports in state.kept.reports.items():
                if symbol in stage.reads:
                    stage.reports[symbol] = stage.part(symbol, report_columns(reports))
        for symbol, events in state.kept.events.items():
            args = tuple(codes_of(column, self._stages[0].prepared.dictionary) for column in events.args)
            self._take_events(symbol, EventColumns(args, events.time, events.time), state.query)

    @property
    def worked_on(self) -> int:
        """How many occurrences of events have been gone through so far, each as often as it was."""
        return sum(stage.worked_on for stage in self._stages)

    @property
    def occurrences(self) -> int:
        """How many occurrences of events are in the window of the last query, about."""
        panes = sum(pane.occurrences for pane in self._stages[0].panes)
        reach = self.previous - self._begins[0]
        return panes if reach <= self._size else panes * self._size // reach

    @property
    def evaluations(self) -> int:
        """How many panes have been worked out so far, of all stages."""
        return sum(stage.evaluations for stage in self._stages)

    def query(self, now: int, arrived: Stream) -> Answer:
        """What is known at a time about the window before it; `arrived` came in since the last query."""
        low = now - self._size
        self._has_moved = now > self.previous
        if self._has_moved and not self._is_fresh:
            self._roll(low)
        self._is_fresh = False
        self._take_in(arrived, Sight(now, low, self.previous))
        for place, stage in enumerate(self._stages):
            for number, news in stage.run(self._begins, now, self._origin, has_moved=self._has_moved):
                for later in self._stages[place + 1 :]:
                    later.take_note(number, news)
        self.previous = now
        return self._answer(now, low)

    def _roll(self, low: int) -> None:
        """Begin a new pane where the last query was, and let go of those that are out of reach."""
        if self.previous > self._begins[-1]:
            self._begins.append(self.previous)
            for stage in self._stages:
                stage.roll(self.previous)
        # One time-point more than the window: what begins right at its border may only now be known.
        while len(self._begins) > 1 and self._begins[1] <= low:
            self._begins.pop(0)
        for stage in self._stages:
            stage.forget(self._begins[0])
        self._merge()

    def _merge(self) -> None:
        """Make old panes larger where that costs less: each costs something by itself, and little changes in old ones.

        By how much is known from the last query: for which share of the keys a pane was worked out again.
        """
        place = len(self._begins) - 3
        while place >= 0:
            if self._begins[place + 2] - self._begins[place] <= self._size:
                more = 0.0
                for stage in self._stages:
                    one, other = stage.panes[place : place + 2]
                    more += one.share * other.occurrences + other.share * one.occurrences
                if more < PANE_COST:
                    del self._begins[place + 1]
                    for stage in self._stages:
                        stage.merge(place)
            place -= 1

    # Input

    def _take_in(self, arrived: Stream, sight: Sight) -> None:
        for symbol, events in self._announced.and_those(arrived, sight.low):
            self._take_events(symbol, events, sight.query)
        for symbol, table in arrived.fluents.items():
            reports = known_reports(None, table, sight)
            if reports is not None and len(reports):
                for stage in self._stages:
                    if symbol in stage.reads:
                        self._take_reports(stage, symbol, reports)

    def _take_events(self, symbol: Symbol, events: EventColumns, now: int) -> None:
        events = self._announced.without_those_ahead(symbol, events, now)
        if len(events.time):
            for stage in self._stages:
                if symbol in stage.reads:
                    self._put_events(stage, symbol, events)

    def _put_events(self, stage: StagePanes, symbol: Symbol, events: EventColumns) -> None:
        """Occurrences into the panes that they are in; every pane that sees them has changed for their keys."""
        last = len(self._begins) - 1
        is_new = events.time > self._begins[last]
        if not is_new.all():
            self._put_late(stage, symbol, events.take(np.flatnonzero(~is_new)))
            events = events.take(np.flatnonzero(is_new))
        if len(events.time):
            part = _event_part(stage, symbol, events)
            stage.put(last, symbol, part)
            if not self._has_moved:
                stage.mark(last, part.keys)

    def _put_late(self, stage: StagePanes, symbol: Symbol, events: EventColumns) -> None:
        begins, times = np.array(self._begins), events.time
        pane_of = np.maximum(np.searchsorted(begins, times, side="right") - 1, 0)
        far = stage.prepared.kept.reach.get(symbol, 0)
        last_of = np.searchsorted(begins, times + far, side="right") - 1 if far else pane_of
        for pane in range(max(0, int(pane_of.min()) - 1), max(int(last_of.max()), int(pane_of.max())) + 1):
            # The first time-point of a pane is the last of the one before.
            after = begins[pane + 1] if pane + 1 < len(begins) else None
            here = (pane_of == pane) | ((pane_of == pane + 1) & (times == after))
            seen = here | ((pane_of < pane) & (last_of >= pane))
            if here.any():
                stage.put(pane, symbol, _event_part(stage, symbol, events.take(np.flatnonzero(here))))
            if seen.any():
                stage.mark(pane, _event_part(stage, symbol, events.take(np.flatnonzero(seen))).keys)

    def _take_reports(self, stage: StagePanes, symbol: Symbol, reports: Reports) -> None:
        part = stage.part(symbol, report_columns(reports))
        there = stage.reports.get(symbol)
        together = part if there is None else stacked([there, part])
        stage.reports[symbol] = Part.of(together.key, together.columns)
        start, end = (part.columns[width(symbol) + place] for place in (1, 2))
        kept = stage.prepared.kept
        is_kept = symbol in kept.whole or symbol in kept.parts
        for pane, begin in enumerate(self._begins[:-1]):
            seen = start <= self._begins[pane + 1]
            if not is_kept:
                seen &= end > begin - 1 - kept.span(symbol)
            if seen.any():
                stage.mark(pane, part.where(seen).keys)
        if len(part):
            stage.mark(len(self._begins) - 1, part.keys)

    # Answers

    def _answer(self, now: int, low: int) -> Answer:
        fluents: dict[Symbol, Intervals] = {}
        events: dict[Symbol, Events] = {}
        broken = [EMPTY]
        for stage in self._stages:
            whole = stage.whole()
            conflicts = [whole.all_of(Section("conflict", symbol)) for symbol in stage.places]
            broken += [part.columns[-1] for part in conflicts if part is not None]
            for symbol in stage.places:
                if symbol.kind is EntityKind.EVENT:
                    events[symbol] = AssembledEvents(whole, symbol, low, now)
                else:
                    fluents[symbol] = Assembled(whole, symbol, low, single_valued=stage.sections.is_simple(symbol))
        found = self._conflicts.new(np.concatenate(broken), max(low, self._begins[0]) - 1)
        return Answer(now, fluents, events, found)

    # State

    def state(self) -> State:
        """Where the run stands: all that another run must know to go on."""
        begin, border = self._begins[0], Border()
        tables: dict[Section, list[Part]] = {}
        for stage in self._stages:
            for section, part in stage.before.after().items():
                tables.setdefault(section, []).append(part)
        for section, parts in tables.items():
            columns = distinct_rows(stacked(parts).columns)
            wide = width(section.symbol)
            self._stages[0].sections.add_to_state(border, section, columns[:wide], columns[wide:])
        for stage in self._stages:
            for symbol, part in stage.known_events(begin).items():
                *args, time = part.columns
                border.events.setdefault(symbol, Events(tuple(map(Codes, args)), time))
            for symbol, part in stage.reports.items():
                columns = distinct_rows(part.columns)
                border.reports.setdefault(symbol, reports_of(columns))
        self._announced.add_to(border, self._stages[0].prepared.dictionary)
        return State(self._origin, begin - 1, self.previous, border, self._conflicts.after(begin - 1))


def _event_part(stage: StagePanes, symbol: Symbol, events: EventColumns) -> Part:
    """Occurrences in order of keys and times."""
    ordered = Events(events.columns, events.time).in_order()
    args = tuple(codes_of(column, stage.prepared.dictionary) for column in ordered.args)
    return stage.part(symbol, (*args, ordered.time))
