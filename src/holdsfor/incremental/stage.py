"""One stage through the panes of a window: states at their borders, input and results in each.

A key is worked out again from the first pane in which something changed for it, and only for as long as what it hands
to the next pane differs from what was there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Method
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment, width
from holdsfor.engine.frames import is_in
from holdsfor.engine.inputs import seen_intervals
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Reports
from holdsfor.engine.step import evaluate
from holdsfor.engine.tables import FOREVER, no_intervals
from holdsfor.incremental.ahead import Ahead
from holdsfor.incremental.deadlines import Deadlines, fixed_delays
from holdsfor.incremental.heap import FIRST, KEY, Heap, Rows, changed_keys, difference, different, stacked
from holdsfor.incremental.links import Links
from holdsfor.incremental.reports import reports_of
from holdsfor.incremental.sections import EVERYWHERE, FINAL, NEW, Sections
from holdsfor.spreading.stages import Stage

if TYPE_CHECKING:
    from holdsfor.engine.metric.carried import Carried


@dataclass
class Pane:
    """A stretch of time from `begin` on: the state at its beginning, the input in it, and what was worked out of it."""

    begin: int
    state: Heap
    input: Heap
    given: Heap
    results: Heap
    metric: dict[Symbol, list[Carried]] = field(default_factory=dict)
    dirty: list[Ints] = field(default_factory=list)
    """Keys for which something in this pane has changed."""
    is_all_dirty: bool = False


@dataclass(frozen=True)
class Change:
    """What a stage says of a pane that it did not say before, and the other way round."""

    pane: int
    removed: Rows
    added: Rows


@dataclass(frozen=True)
class Clock:
    """The time of a query: its panes begin at `begins`; it is asked at `now` about what is after `low`."""

    origin: int
    begins: tuple[int, ...]
    now: int
    low: int

    def end(self, pane: int) -> int:
        """The last time-point that a pane sees: the first of the next one too."""
        return self.begins[pane + 1] if pane + 1 < len(self.begins) else self.now


class StageRun:
    """A stage and its panes."""

    def __init__(self, stage: Stage, prepared: Prepared) -> None:
        self.stage = stage
        self.prepared = prepared
        self.members = tuple(symbol for symbol, _ in stage.members)
        spreading = {delivery.symbol: delivery.spreading for delivery in stage.deliveries}
        spreading |= {symbol: (places,) for symbol, places in stage.members}
        self.links = Links(stage, prepared.kept)
        self.sections = Sections(prepared, spreading, parts=self.links.places)
        self.reads = {delivery.symbol: delivery for delivery in stage.deliveries}
        self.reports = Heap(self.sections.width)
        self.ahead = Ahead()
        self.panes: list[Pane] = []
        self.tip = Heap(self.sections.width)
        self._tip_metric: dict[Symbol, list[Carried]] = {}
        self._touched: list[Ints] | None = []
        self._forgotten: list[Pane] = []
        kept, mine = prepared.kept, set(self.members)
        methods = {stratum.method for stratum in stage.strata}
        self._has_metric = Method.METRIC in methods
        # Time alone may change what they say: intervals become long enough, delayed effects come about. Of the latter it
        # is known when, unless rules work out the delay.
        delays = fixed_delays(stage.strata)
        self._is_restless = bool(mine & (kept.unsettled | kept.derivable)) or self._has_metric or delays is None
        self.needs_look_ahead = bool(mine & kept.derivable)
        """Whether what is said of times to come does not show as a change when it comes about."""
        self._deadlines = Deadlines(self.sections, delays) if delays and not self._is_restless else None
        self._marked: list[Ints] = []
        self.worked_on = 0

    def begin(self, begin: int) -> None:
        """A first pane, in which everything is new."""
        self.panes = [self._new_pane(begin)]
        self.panes[0].is_all_dirty = True

    def _new_pane(self, begin: int) -> Pane:
        state, given_input, given, results = (Heap(self.sections.width) for _ in range(4))
        return Pane(begin, state, given_input, given, results)

    def replan(self, stage: Stage, prepared: Prepared) -> None:
        """Go on with the same rules over other background facts: all of it is worked out again."""
        self.stage = stage
        self.prepared = self.sections.prepared = prepared
        for pane in self.panes:
            pane.is_all_dirty = True

    # Changes

    def finish(self) -> None:
        """Have all that was touched in the last pane worked out once more, up to the query time: the pane ends there."""
        if self._touched is None:
            self.panes[-1].is_all_dirty = True
        else:
            self.panes[-1].dirty += self._touched
            self._touched = []

    def mark(self, pane: int, keys: Ints) -> None:
        """Say that something changed for some keys in a pane."""
        if self.links.places:
            keys = different(self.links.reached(keys)[1])
        if (keys == EVERYWHERE).any() or self._has_metric:
            self.panes[pane].is_all_dirty = True
        else:
            self.panes[pane].dirty.append(keys)
            if self._deadlines is not None:
                self._marked.append(keys)

    def wake(self, now: int) -> None:
        """Have those keys worked out for which time alone may make a difference."""
        known = self.ahead.due(now)
        if len(known):
            self.mark(len(self.panes) - 1, different(known))
        if self._deadlines is not None:
            due = self._deadlines.due(now)
            if len(due):
                self.panes[-1].dirty.append(different(due))

    @property
    def is_due(self) -> bool:
        """Whether there is anything to work out."""
        return self._is_restless or any(pane.dirty or pane.is_all_dirty for pane in self.panes)

    def run(self, clock: Clock) -> Iterator[Change]:
        """Work out all that changed, pane by pane; what was given to panes must be up to date."""
        active: Ints | None = EMPTY
        for number, pane in enumerate(self.panes):
            is_last = number + 1 == len(self.panes)
            if pane.is_all_dirty or (is_last and self._is_restless):
                active = None
            elif pane.dirty:
                active = None if active is None else different(np.concatenate((active, *pane.dirty)))
            pane.dirty, pane.is_all_dirty = [], False
            if active is not None and not len(active):
                continue
            evaluation = self._evaluation(number, active, clock)
            change = self._results(number, active, evaluation)
            if is_last and self._deadlines is not None:
                self._deadlines.plan(evaluation.next_border, clock.now, self._moved(number, active, change))
            yield change
            active = self._hand_on(number, active, evaluation)

    def _moved(self, number: int, active: Ints | None, change: Change) -> Ints:
        """The keys of a pane to which something happened, or may have."""
        marked, self._marked = self._marked, []
        if active is None:
            return np.unique(self.panes[number].results.all()[:, KEY])
        return different(np.concatenate((*marked, change.removed[:, KEY], change.added[:, KEY])))

    def _results(self, number: int, active: Ints | None, evaluation: Evaluation) -> Change:
        pane = self.panes[number]
        new = _owned(self.sections.of_results(evaluation, self.members), active)
        removed, added = difference(pane.results.of(active), new)
        pane.results.put(active, new)
        return Change(number, removed, added)

    def _hand_on(self, number: int, active: Ints | None, evaluation: Evaluation) -> Ints | None:
        """Give the state after a pane to the next; the keys for which it is another one."""
        new = _owned(self.sections.of_state(evaluation.next_border), active)
        if number + 1 == len(self.panes):
            self.tip.put(active, new)
            self._tip_metric = evaluation.next_border.metric
            if active is None:
                self._touched = None
            elif self._touched is not None:
                self._touched.append(active)
            return EMPTY
        following = self.panes[number + 1]
        changed = changed_keys(following.state.of(active), new)
        following.state.put(active, new)
        following.metric = evaluation.next_border.metric
        return None if self._has_metric or (changed == EVERYWHERE).any() else changed

    # One pane

    def _evaluation(self, number: int, active: Ints | None, clock: Clock) -> Evaluation:
        pane = self.panes[number]
        keys = None if active is None else self._seen_by(active)
        state = self.sections.state(pane.state.of(keys))
        state.metric = pane.metric
        now = clock.end(number)
        moment = Moment(pane.begin - 1, now, clock.origin, now - 1, clock.low)
        inputs = self._inputs(number, keys, moment)
        evaluation = Evaluation(self.prepared, moment, inputs, state)
        self._fill(evaluation, pane.given.of(keys))
        evaluate(evaluation)
        self.worked_on += sum(len(table) for table in inputs.events.values())
        return evaluation

    def _seen_by(self, active: Ints) -> Ints:
        """The keys of all rows that some keys read."""
        if self.links.places:
            parts = self.links.parts(active)
            return np.concatenate((parts, [EVERYWHERE], active) if self.sections.has_shared else (parts, active))
        return np.concatenate(([EVERYWHERE], active)) if self.sections.has_shared else active

    def _inputs(self, number: int, keys: Ints | None, moment: Moment) -> Inputs:
        inputs = Inputs()
        reach = self.prepared.kept.reach
        furthest = max((far for symbol, far in reach.items() if symbol in self.reads), default=0)
        seen = [self.panes[number].input.of(keys)]
        for earlier in reversed([*self._forgotten, *self.panes[:number]]):
            if furthest and earlier.begin <= moment.border:
                rows = earlier.input.of(keys)
                seen.append(rows)
        for section, rows in self.sections.tables(stacked(seen, self.sections.width)):
            events = self.sections.events(section.symbol, rows)
            far = reach.get(section.symbol, 0)
            wanted = np.flatnonzero((events.time > moment.border - far) & (events.time <= moment.now))
            inputs.events[section.symbol] = replace(
                events, args=tuple(column.take(wanted) for column in events.args), time=events.time[wanted]
            )
        is_last = number + 1 == len(self.panes)
        for section, rows in self.sections.tables(self.reports.of(keys)):
            reports = self._known_reports(section.symbol, rows, moment, is_last=is_last)
            if len(reports):
                table, is_cut, _ = seen_intervals(reports, moment.now, len(self.prepared.dictionary))
                inputs.intervals[section.symbol], inputs.is_cut[section.symbol] = table, is_cut
        return inputs

    def _known_reports(self, symbol: Symbol, rows: Rows, moment: Moment, *, is_last: bool) -> Reports:
        """The pieces of an input fluent that a pane sees: what begins after it is seen in the last one only."""
        reports = reports_of(rows[:, FIRST : FIRST + width(symbol) + 4].T)
        needed = np.ones(len(rows), np.bool_) if is_last else reports.start <= moment.now
        if not self.prepared.kept.keeps_past(symbol):
            needed &= reports.end > moment.border
        return reports.take(np.flatnonzero(needed))

    def _fill(self, evaluation: Evaluation, given: Rows) -> None:
        """Publish what earlier stages have worked out, as if they had just done so."""
        fluents, settled = {}, {}
        for section, rows in self.sections.tables(given):
            symbol = section.symbol
            match section.kind:
                case "table":
                    fluents[symbol] = self.sections.intervals(symbol, rows)
                case "unsettled":
                    settled[symbol] = self.sections.unsettled(symbol, rows)
                case "effects":
                    assert section.effect is not None
                    evaluation.set_points(symbol, section.effect, self.sections.points(symbol, rows))
                case "happened":
                    evaluation.derived[symbol] = self.sections.events(symbol, rows)
        for symbol, delivery in self.reads.items():
            if delivery.made_in is None or delivery.made_in == self.stage.number:
                continue
            if symbol.kind is EntityKind.FLUENT:
                single = self.sections.is_simple(symbol)
                table = fluents.get(symbol) or no_intervals(width(symbol), single_valued=single)
                evaluation.give_fluent(symbol, table, settled.get(symbol))

    # The next pane

    def roll(self, begin: int) -> None:
        """Begin a new pane. All that was touched in the last one must have been worked out up to there."""
        last = self.panes[-1]
        pane = self._new_pane(begin)
        touched = None if self._touched is None else np.unique(np.concatenate([EMPTY, *self._touched]))
        if touched is None:
            pane.state = self.tip
        else:
            pane.state = last.state.copy()
            pane.state.put(touched, self.tip.of(touched))
        pane.metric = self._tip_metric
        pane.results.put(None, self._going_on(last, touched, begin))
        again = last.input.all()
        again = again[self._time(again) >= begin]
        pane.input.put(None, again)
        self.panes.append(pane)
        if len(again):
            self.mark(len(self.panes) - 1, np.unique(again[:, KEY]))
        unsure = self._unsure(pane.results.all(), begin)
        if len(unsure):
            self.mark(len(self.panes) - 1, unsure)
        self.tip, self._touched = Heap(self.sections.width), []

    def _time(self, rows: Rows) -> Ints:
        """The times of input rows: their last column, wherever that is."""
        times = np.zeros(len(rows), np.int64)
        for section, _ in self.sections.tables(rows):
            mine = rows[:, 1] == self.sections.number(section.kind, section.symbol, section.effect)
            times[mine] = rows[mine, FIRST + width(section.symbol)]
        return times

    def _going_on(self, last: Pane, touched: Ints | None, begin: int) -> Rows:
        """Results of the last pane that go on in the next; what is over for keys that nothing happened to is final."""
        rows = last.results.all().copy()
        kept = []
        for section, _ in list(self.sections.tables(rows)):
            mine = np.flatnonzero(rows[:, 1] == self.sections.number(section.kind, section.symbol, section.effect))
            first = FIRST + width(section.symbol)
            if section.kind == "unsettled":
                kept.append(rows[mine])
                continue
            if section.kind == "effects":
                kept.append(rows[mine[rows[mine, first + 1] >= begin]])
                continue
            # The last column before the flags: when an interval ends, or an event happens.
            is_event = section.kind == "happened"
            flags = first + (1 if is_event else 3)
            if touched is not None and section.symbol not in self.prepared.kept.derivable:
                calm = mine[~is_in(rows[mine, KEY], touched)]
                over = rows[calm, flags - 1] <= (begin - 1 if is_event else begin)
                rows[calm, flags] = (rows[calm, flags] & NEW) | np.where(over, FINAL, 0)
            ongoing = rows[mine][(rows[mine, flags] & FINAL) == 0]
            ongoing[:, flags] = NEW
            kept.append(ongoing)
        last.results.put(None, rows)
        return np.concatenate(kept) if kept else rows[:0]

    def _unsure(self, rows: Rows, begin: int) -> Ints:
        """The keys of which something begins with a pane or later, or ends later: the state before it may not say so."""
        found = [EMPTY]
        for section, table in self.sections.tables(rows):
            if section.kind == "table":
                start = FIRST + width(section.symbol) + 1
                found.append(table[(table[:, start] >= begin) | (table[:, start + 1] < FOREVER), KEY])
        return np.unique(np.concatenate(found))

    def forget(self, pane_begin: int) -> None:
        """Let go of panes before the one that begins at a time-point."""
        reach = self.prepared.kept.reach
        furthest = max((far for symbol, far in reach.items() if symbol in self.reads), default=0)
        while self.panes[0].begin < pane_begin:
            self._forgotten.append(self.panes.pop(0))
        first = self.panes[0].begin
        ends = [pane.begin for pane in (*self._forgotten, self.panes[0])][1:]
        self._forgotten = [
            pane for pane, end in zip(self._forgotten, ends, strict=True) if furthest and end > first - 1 - furthest
        ]

    def answer(self, symbols: Sequence[Symbol]) -> Iterator[tuple[Symbol, Rows]]:
        """Everything that was found in all panes, by event and fluent."""
        wanted = set(symbols)
        parts: dict[Symbol, list[Rows]] = {symbol: [] for symbol in symbols}
        for number, pane in enumerate(self.panes):
            is_last = number + 1 == len(self.panes)
            for section, rows in self.sections.tables(pane.results.all()):
                if section.symbol not in wanted or section.kind not in ("table", "happened"):
                    continue
                flags = rows[:, FIRST + width(section.symbol) + (3 if section.kind == "table" else 1)]
                need = NEW if is_last else NEW | FINAL
                parts[section.symbol].append(rows[(flags & need) == need])
        for symbol, found in parts.items():
            yield symbol, np.concatenate(found) if found else np.empty((0, self.sections.width), np.int64)


def _owned(rows: Rows, active: Ints | None) -> Rows:
    """The rows of keys that were worked on: others may have been seen, but not as a whole."""
    if active is None or not len(rows):
        return rows
    mine = rows[:, KEY] == active[0] if len(active) == 1 else is_in(rows[:, KEY], active)
    return rows if mine.all() else rows[mine]
