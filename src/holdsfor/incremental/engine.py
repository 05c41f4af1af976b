"""An incremental evaluator: it is told what came in and what was taken back, and works out what that changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.answer import Answer
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.frames import combined_keys, is_in
from holdsfor.engine.inputs import Sight
from holdsfor.engine.kernels import Bools
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.retention import retention
from holdsfor.engine.state import NEVER
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.tables import FOREVER, Events, Intervals
from holdsfor.incremental.fine import fine_stages
from holdsfor.incremental.heap import FIRST, KEY, Rows, different
from holdsfor.incremental.intake import Intake
from holdsfor.incremental.stage import Change, Clock, StageRun
from holdsfor.incremental.trace import Trace
from holdsfor.ir import INITIAL
from holdsfor.spreading.stages import Stage, stage_plan

_COLUMNS = {"table": 3, "happened": 1, "effects": 2, "unsettled": 2}
"""How many columns a result has beside the arguments, as far as others read it."""
SHARE, DENSE_SHARE = 3, 8
"""A pane goes on until it has this part of all occurrences there are, so that few panes cover a long time: what comes late
goes through all panes after it. Where keys have many occurrences each, what comes in time goes through many."""
DENSE = 256
"""Keys have many occurrences if there are so many in a pane for each constant that is known."""


Found = tuple[StageRun, Change]
"""What a stage says that it did not say before."""


class Incremental:
    """A program whose input changes. Windows are of `size` time-points; None sees everything. Time begins at `origin`;
    what happens up to `after` does not count.

    A pane goes on from query to query until `least` rows have come in, and a good part of all there are; with zero there
    is one for every query time. Programs with hindsight have one pane only: an earlier one cannot be asked again. `fine` has every stratum worked out by itself: better for small changes, worse for large
    ones. `trace` is told which input reaches which keys.
    """

    def __init__(
        self,
        plan: Plan,
        dictionary: Dictionary,
        origin: int,
        size: int | None,
        *,
        after: int | None = None,
        least: int = 0,
        fine: bool = False,
        trace: Trace | None = None,
    ) -> None:
        self._size = size
        self._hidden = plan.analysis.program.hidden
        self._least, self._fine = least, fine
        self._has_hindsight = bool(retention(plan).back)
        self.trace = trace
        self._counts = [0]
        self._is_full = False
        self._dictionary = dictionary
        self._origin = origin
        self._after = origin - 2 if after is None else after
        self._previous = NEVER
        self._begins = [origin - 1]
        self._announced: dict[Symbol, EventColumns] = {}
        self._stages: list[StageRun] = []
        for cut in self._cut(plan):
            self._stages.append(StageRun(cut, self._prepared(plan, cut)))
            self._stages[-1].begin(origin - 1)
        self._later = [
            [later for later in self._stages[place + 1 :] if _reads(later, stage)]
            for place, stage in enumerate(self._stages)
        ]
        for stage in self._stages:
            stage.sections.asked = {
                (delivery.symbol, effect)
                for later in self._stages
                for delivery in later.stage.deliveries
                if delivery.made_in == stage.stage.number
                for effect in delivery.effects
            }
        self._linked = [stage for stage in self._stages if stage.links.places]
        self.late = 0
        self.unmatched = 0

    @property
    def stages(self) -> Sequence[StageRun]:
        """The stages, in order."""
        return self._stages

    @property
    def oldest(self) -> int:
        """The time from which on everything can still change."""
        return self._begins[0]

    @property
    def clock(self) -> Clock:
        """The time of the last query."""
        return self._clock

    @property
    def worked_on(self) -> int:
        """How many occurrences of events have been gone through so far, each as often as it was."""
        return sum(stage.worked_on for stage in self._stages)

    def _cut(self, plan: Plan) -> Sequence[Stage]:
        stages = stage_plan(plan, tied=False).stages
        return fine_stages(stages, plan) if self._fine else stages

    def _prepared(self, plan: Plan, stage: Stage) -> Prepared:
        prepared = Prepared(plan, self._dictionary)
        prepared.plan = replace(plan, strata=stage.strata)
        return prepared

    def query(self, now: int, arrived: Stream, retracted: Stream | None = None) -> Answer:
        """What is known at a time about the window before it.

        `arrived` came in since the last query; `retracted` was taken back before that.
        """
        self.update(now, [(retracted or Stream(), arrived)])
        return self.answer()

    def update(self, now: int, edits: Iterable[tuple[Stream, Stream]]) -> list[Found]:
        """Go on to a query time; what is said of any pane that was not said before, and the other way round.

        Each edit is what was taken back, and what came in after that.
        """
        low = -int(FOREVER) if self._size is None else now - self._size
        self._roll(low)
        sight = Sight(now, low, self._previous)
        for retracted, arrived in edits:
            self._take_back(retracted, low)
            self._take_in(arrived, sight)
        for stage in self._stages:
            stage.wake(now)
            if self._previous < INITIAL <= now:
                stage.panes[-1].is_all_dirty = True
        self._is_full = self._is_enough(self._counts[-1])
        if self._is_full:
            for stage in self._stages:
                stage.finish()
        self._clock = Clock(self._origin, tuple(self._begins), now, low)
        found = []
        for place, stage in enumerate(self._stages):
            if not stage.is_due:
                continue
            for change in stage.run(self._clock):
                found.append((stage, change))
                for later in self._later[place]:
                    self._give(stage, later, change)
        self._previous = now
        return found

    def _is_enough(self, rows: int) -> bool:
        if self._has_hindsight:
            return False
        share = DENSE_SHARE if rows > DENSE * len(self._dictionary) else SHARE
        return not self._least or rows >= max(self._least, sum(self._counts) // share)

    def replan(self, plan: Plan) -> bool:
        """Go on with other background facts. Everything in reach is worked out again; what is settled stays as it is.

        False if the new plan is not made of the same stages, so that what is known does not fit it.
        """
        stages = self._cut(plan)
        if [_shape(stage) for stage in stages] != [_shape(run.stage) for run in self._stages]:
            return False
        for run, stage in zip(self._stages, stages, strict=True):
            run.replan(stage, self._prepared(plan, stage))
        return True

    def _roll(self, low: int) -> None:
        """Begin a new pane where the last query was, and let go of those that are out of reach."""
        if self._is_full and self._previous > self._begins[-1]:
            self._begins.append(self._previous)
            self._counts.append(0)
            for stage in self._stages:
                stage.roll(self._previous)
            for place, stage in enumerate(self._stages):
                rows = stage.panes[-1].results.all()
                for later in self._later[place]:
                    _spread(stage, later, Change(len(stage.panes) - 1, rows[:0], rows))
        # One time-point more than the window: what begins right at its border may only now be known.
        first = self._begins[0]
        while len(self._begins) > 1 and self._begins[1] <= low:
            self._begins.pop(0)
            self._counts.pop(0)
        if self._begins[0] != first:
            for stage in self._stages:
                stage.forget(self._begins[0])

    # Input

    def _take_in(self, arrived: Stream, sight: Sight) -> None:
        tables: dict[Symbol, EventColumns | FluentColumns] = {**arrived.events, **arrived.fluents}
        for stage in self._linked:
            for symbol, rows in tables.items():
                stage.links.add(symbol, rows.args, len(rows.arrival))
        for symbol in dict.fromkeys((*self._announced, *arrived.events)):
            events = self._due(symbol, arrived.events.get(symbol), sight)
            if len(events.time):
                self._counts[-1] += len(events.time)
                for intake in self._readers(symbol):
                    intake.add_events(symbol, events)
                self._follow(symbol, events)
        for symbol, table in arrived.fluents.items():
            self._counts[-1] += len(table.start)
            for intake in self._readers(symbol):
                intake.add_reports(symbol, table, sight)
            self._follow(symbol, table)

    def _due(self, symbol: Symbol, arrived: EventColumns | None, sight: Sight) -> EventColumns:
        """The occurrences that count now for the first time; those that are announced wait."""
        announced = self._announced.pop(symbol, None)
        first = max(sight.low, self._after)
        if announced is None and arrived is not None and ((arrived.time > first) & (arrived.time <= sight.query)).all():
            return arrived
        found = []
        if announced is not None:
            # What was announced may have come and gone between two windows.
            found.append(announced.take(np.flatnonzero(announced.time > sight.low)))
        if arrived is not None:
            in_time = arrived.time > first
            self.late += int(np.count_nonzero(~in_time))
            found.append(arrived.take(np.flatnonzero(in_time)))
        events = _stacked(found)
        ahead = events.time > sight.query
        if ahead.any():
            self._announced[symbol] = events.take(np.flatnonzero(ahead))
        return events.take(np.flatnonzero(~ahead))

    def _take_back(self, retracted: Stream, low: int) -> None:
        for symbol, table in retracted.events.items():
            # What the window has left behind stays, even where a pane or a rule that looks back still has it.
            events = table.take(np.flatnonzero(table.time > low))
            self.unmatched += len(table.time) - len(events.time)
            met = self._unannounced(symbol, events)
            for intake in self._readers(symbol):
                met |= intake.remove_events(symbol, events)
            self._follow(symbol, events.take(np.flatnonzero(met)))
            self.unmatched += int(np.count_nonzero(~met))
        for symbol, reports in retracted.fluents.items():
            met = np.zeros(len(reports.start), np.bool_)
            for intake in self._readers(symbol):
                met |= intake.remove_reports(symbol, reports, low)
            self._follow(symbol, reports.take(np.flatnonzero(met)))
            self.unmatched += int(np.count_nonzero(~met))

    def _unannounced(self, symbol: Symbol, events: EventColumns) -> Bools:
        """Take occurrences back that have not happened yet; which of them were announced."""
        announced = self._announced.get(symbol)
        if announced is None:
            return np.zeros(len(events.time), np.bool_)
        mine, theirs = combined_keys([*events.args, events.time], [*announced.args, announced.time])
        self._announced[symbol] = announced.take(np.flatnonzero(~is_in(theirs, mine)))
        return is_in(mine, theirs)

    def _readers(self, symbol: Symbol) -> Iterable[Intake]:
        return [Intake(stage, self._begins) for stage in self._stages if symbol in stage.reads]

    def _follow(self, symbol: Symbol, rows: EventColumns | FluentColumns) -> None:
        """Tell the trace which keys some input concerns; its rows are numbered by their arrival."""
        if self.trace is None:
            return
        for stage in self._stages:
            if symbol in stage.reads:
                self.trace.reach(stage, stage.sections.keys(symbol, rows.args, len(rows.arrival)), rows.arrival)

    def _give(self, stage: StageRun, later: StageRun, change: Change) -> None:
        for found, spread in _spread(stage, later, change):
            later.mark(change.pane, different(spread[:, KEY]))
            if stage.needs_look_ahead:
                self._look_ahead(later, spread)
            if self.trace is not None:
                self.trace.follow(stage, later, found[:, KEY], spread[:, KEY])

    def _look_ahead(self, later: StageRun, spread: Rows) -> None:
        """What begins or ends after the query time, because input said so in advance, happens when it is due."""
        for section, rows in later.sections.tables(spread):
            if section.kind == "table":
                first = FIRST + width(section.symbol) + 1
                for times in (rows[:, first], rows[:, first + 1]):
                    coming = (times >= self._clock.now) & (times < FOREVER)
                    if coming.any():
                        later.ahead.add(times[coming], rows[coming, KEY])

    # Answers

    def answer(self) -> Answer:
        """All that is known at the time of the last query."""
        clock = self._clock
        fluents: dict[Symbol, Intervals] = {}
        events: dict[Symbol, Events] = {}
        for stage in self._stages:
            for symbol, rows in stage.answer(stage.members):
                if symbol.kind is EntityKind.EVENT:
                    times = rows[:, FIRST + width(symbol)]
                    events[symbol] = stage.sections.events(symbol, rows[(times > clock.low) & (times <= clock.now)])
                elif symbol.name not in self._hidden:
                    ends = rows[:, FIRST + width(symbol) + 2]
                    fluents[symbol] = stage.sections.intervals(symbol, rows[ends > clock.low + 1])
        return Answer(clock.now, fluents, events, 0)


def _stacked(found: list[EventColumns]) -> EventColumns:
    if len(found) == 1:
        return found[0]
    args = tuple(np.concatenate(columns) for columns in zip(*(events.args for events in found), strict=True))
    times, arrivals = (np.concatenate([getattr(events, name) for events in found]) for name in ("time", "arrival"))
    return EventColumns(args, times, arrivals)


def _reads(later: StageRun, stage: StageRun) -> bool:
    return any(delivery.made_in == stage.stage.number for delivery in later.stage.deliveries)


def _shape(stage: Stage) -> object:
    return stage.members, stage.deliveries


def _spread(stage: StageRun, later: StageRun, change: Change) -> list[tuple[Rows, Rows]]:
    """Tell a later stage what an earlier one has found, as far as it reads it: rows there, and what became of them."""
    told = []
    given = later.panes[change.pane].given
    for rows, apply in ((change.removed, given.remove), (change.added, given.add)):
        for section, found in stage.sections.tables(rows):
            delivery = later.reads.get(section.symbol)
            if delivery is None or delivery.made_in != stage.stage.number:
                continue
            count = width(section.symbol) + _COLUMNS[section.kind]
            columns = tuple(found[:, place] for place in range(FIRST, FIRST + count))
            spread = later.sections.rows(section.kind, section.symbol, columns, section.effect)
            if len(spread):
                apply(spread)
                told.append((found, spread))
    return told
