"""The window of one stage on one bucket: input goes into its panes and is taken back from them, panes begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import width
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, combined_keys, is_in, ranges
from holdsfor.engine.inputs import Sight, known_reports
from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.retractions import Arrived, take_back
from holdsfor.engine.state import Border, Reports, State
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.tables import Events
from holdsfor.incremental.parts import Keys, Layer, Layers, Part, distinct_rows, stacked
from holdsfor.incremental.reports import report_columns, reports_of
from holdsfor.spark.streaming.stages import StreamStage


class KeyedWindow:
    """Windows of `size` time-points over one stage, from a state on; what was worked out before that is forgotten."""

    def __init__(self, stage: StreamStage, size: int, state: State) -> None:
        self.stage = stage
        self.origin, self.previous = state.origin, state.query
        self.begins = [state.border + 1]
        """Where the panes begin."""
        self.announced: dict[Symbol, EventColumns] = {}
        """Occurrences that are known before their time."""
        self._size = size
        stage.open_pane(state.border + 1)
        stage.panes[0].is_all_dirty = True
        stage.before = Layers((Layer(None, {}, stage.tables(stage.sections.state_columns(state.kept))),))
        for symbol, reports in state.kept.reports.items():
            stage.reports[symbol] = stage.part(symbol, report_columns(reports))
            stage.look_ahead(symbol, stage.reports[symbol], state.query)
        for symbol, events in state.kept.events.items():
            args = tuple(codes_of(column, stage.prepared.dictionary) for column in events.args)
            self._take_events(symbol, EventColumns(args, events.time, events.time), state.query)

    def state(self) -> State:
        """All that must be known to work out everything in the window."""
        stage, begin, border = self.stage, self.begins[0], Border()
        for section, part in stage.before.after().items():
            columns, wide = distinct_rows(part.columns), width(section.symbol)
            stage.sections.add_to_state(border, section, columns[:wide], columns[wide:])
        for symbol, part in stage.known_events(begin).items():
            columns = part.columns
            waiting = self.announced.get(symbol)
            if waiting is not None:
                columns = _below(columns, (*waiting.args, waiting.time))
            border.events[symbol] = Events(tuple(map(Codes, columns[:-1])), columns[-1])
        for symbol, waiting in self.announced.items():
            border.events.setdefault(symbol, Events(waiting.columns, waiting.time))
        for symbol, part in stage.reports.items():
            border.reports[symbol] = reports_of(distinct_rows(part.columns))
        return State(self.origin, begin - 1, self.previous, border)

    def move(self, now: int, *, is_new_pane: bool) -> None:
        """Go on to a query time. All that was said of the last pane is worked out once more when it ends."""
        if is_new_pane:
            self.begins.append(self.previous)
            self.stage.open_pane(self.previous)
            for pane in self.stage.panes[-2:]:
                pane.is_all_dirty = True
        # One time-point more than the window: what begins right at its border may only now be known.
        while len(self.begins) > 1 and self.begins[1] <= now - self._size:
            self.begins.pop(0)
        self.stage.let_go(self.begins[0])

    # What comes in

    def take_in(self, arrived: Stream, now: int) -> None:
        """Input that counts from a query time on; what was announced may be due as well."""
        low = now - self._size
        announced, self.announced = self.announced, {}
        for found in (announced, arrived.events):
            for symbol, events in found.items():
                self._take_events(symbol, events.take(np.flatnonzero(events.time > low)), now)
        for symbol, table in arrived.fluents.items():
            reports = known_reports(None, table, Sight(now, low, self.previous))
            if reports is not None and len(reports) and symbol in self.stage.reads:
                self._take_reports(symbol, reports)

    def _take_events(self, symbol: Symbol, events: EventColumns, now: int) -> None:
        """Occurrences into the panes that they are in; every pane that sees them has changed for their keys."""
        if symbol not in self.stage.reads:
            return
        ahead = events.time > now
        if ahead.any():
            columns = (*events.args, events.time)
            there = self.announced.get(symbol)
            waiting = tuple(column[ahead] for column in columns)
            if there is not None:
                waiting = _below((*there.args, there.time), waiting)
            self.announced[symbol] = EventColumns(waiting[:-1], waiting[-1], waiting[-1])
            events = events.take(np.flatnonzero(~ahead))
        if not len(events.time):
            return
        ordered = Events(events.columns, events.time).in_order()
        args = [codes_of(column, self.stage.prepared.dictionary) for column in ordered.args]
        part = self.stage.part(symbol, (*args, ordered.time))
        for number, here, seen in self._panes(symbol, part.columns[-1]):
            if here.any():
                self.stage.put(number, symbol, part.where(here))
            self.stage.mark(number, part.where(seen).keys)

    def _panes(self, symbol: Symbol, times: Ints) -> Iterator[tuple[int, Bools, Bools]]:
        """The panes that see some times: those that are in each, and all that it sees when its rules look back."""
        far = self.stage.prepared.kept.reach.get(symbol, 0)
        if (times > self.begins[-1]).all():
            everything = np.ones(len(times), np.bool_)
            yield len(self.begins) - 1, everything, everything
            return
        ends = [*self.begins[1:], None]
        for number, (begin, end) in enumerate(zip(self.begins, ends, strict=True)):
            # The first time-point of a pane is the last of the one before.
            until = np.ones(len(times), np.bool_) if end is None else times <= end
            here = until if number == 0 else until & (times >= begin)
            seen = until if number == 0 else until & (times > begin - 1 - far)
            if seen.any():
                yield number, here, seen

    def _take_reports(self, symbol: Symbol, reports: Reports) -> None:
        part = self.stage.part(symbol, report_columns(reports))
        there = self.stage.reports.get(symbol)
        together = part if there is None else stacked([there, part])
        self.stage.reports[symbol] = Part.of(together.key, together.columns)
        self.stage.look_ahead(symbol, part, self.previous)
        self._mark_reports(symbol, part)

    def _mark_reports(self, symbol: Symbol, part: Part) -> None:
        """Say that pieces of an input fluent are new, or gone."""
        start, end = (part.columns[width(symbol) + place] for place in (1, 2))
        kept = self.stage.prepared.kept
        is_kept = symbol in kept.whole or symbol in kept.parts
        last = len(self.begins) - 1
        for number, begin in enumerate(self.begins):
            seen = np.ones(len(part), np.bool_) if number == last else start <= self.begins[number + 1]
            if not is_kept and number < last:
                seen &= end > begin - 1 - kept.span(symbol)
            if seen.any():
                self.stage.mark(number, part.where(seen).keys)

    # What is taken back

    def take_back(self, arrived: Arrived, lost: Arrived, now: int) -> tuple[Stream, Stream, Stream]:
        """Take input back: what is left of new input, the retractions that found nothing, and those that did."""
        stage, low = self.stage, now - self._size
        dictionary = stage.prepared.dictionary
        known = Border()
        for symbol, events in lost.stream.events.items():
            known.events[symbol] = self._known_events(symbol, stage.part(symbol, (*events.args, events.time)).keys)
        keys = {}
        for symbol, table in lost.stream.fluents.items():
            gone = Reports(table.args, table.value, table.start, table.end, table.is_point & False, table.is_point)
            keys[symbol] = stage.part(symbol, report_columns(gone)).keys
            there = stage.reports.get(symbol)
            if there is not None:
                columns = stage.distinct_columns("report", symbol, there.at(keys[symbol]))
                known.reports[symbol] = reports_of(columns)
        state = State(self.origin, self.begins[0] - 1, self.previous, known)
        after, stream, unmatched = take_back(state, arrived, lost, low, dictionary)
        met = Stream()
        for symbol, events in lost.stream.events.items():
            met.events[symbol] = self._without(symbol, events, known.events[symbol], after.kept.events[symbol])
        for symbol, before in known.reports.items():
            self._replace_reports(symbol, keys[symbol], before, after.kept.reports[symbol])
            if not _is_same(before, after.kept.reports[symbol]):
                met.fluents[symbol] = lost.stream.fluents[symbol]
        return stream, unmatched, met

    def _known_events(self, symbol: Symbol, keys: Keys) -> Events:
        """The occurrences of some keys, announced ones too."""
        nothing = Part(EMPTY, (EMPTY,) * (width(symbol) + 1))
        runs = [part.at(keys) for pane in self.stage.panes for part in pane.input.get(symbol, ())]
        columns = list(stacked([nothing, *runs]).columns)
        announced = self.announced.get(symbol)
        if announced is not None:
            columns = list(_below(columns, (*announced.args, announced.time)))
        return Events(EventColumns(tuple(columns[:-1]), columns[-1], columns[-1]).columns, columns[-1])

    def _without(self, symbol: Symbol, lost: EventColumns, before: Events, after: Events) -> EventColumns:
        """Take occurrences out of all panes; those that were there."""
        stage, dictionary = self.stage, self.stage.prepared.dictionary
        codes = [codes_of(column, dictionary) for column in before.args]
        met = lost.take(np.flatnonzero(_is_among((*lost.args, lost.time), (*codes, before.time))))
        if len(before) == len(after) or not len(met.time):
            return met
        gone = stage.part(symbol, (*met.args, met.time))
        for pane in stage.panes:
            for place, part in enumerate(pane.input.get(symbol, ())):
                rows = _rows_at(part, gone.keys)
                rows = rows[_is_among(part.take(rows).columns, gone.columns)]
                if len(rows):
                    stays = np.ones(len(part), np.bool_)
                    stays[rows] = False
                    pane.input[symbol][place] = part.where(stays)
        announced = self.announced.get(symbol)
        if announced is not None:
            stays = ~_is_among((*announced.args, announced.time), gone.columns)
            self.announced[symbol] = announced.take(np.flatnonzero(stays))
        for number, _, seen in self._panes(symbol, gone.columns[-1]):
            stage.mark(number, gone.where(seen).keys)
        return met

    def _replace_reports(self, symbol: Symbol, keys: Keys, before: Reports, after: Reports) -> None:
        stage = self.stage
        part = stage.part(symbol, report_columns(after))
        together = stacked([stage.reports[symbol].without(keys), part])
        stage.reports[symbol] = Part.of(together.key, together.columns)
        stage.look_ahead(symbol, part, self.previous)
        changed = stacked([stage.part(symbol, report_columns(before)), part])
        self._mark_reports(symbol, Part.of(changed.key, changed.columns))


def _below(one: Sequence[Ints], other: Sequence[Ints]) -> tuple[Ints, ...]:
    """Columns one below the other."""
    return tuple(np.concatenate(pair) for pair in zip(one, other, strict=True))


def _is_among(rows: tuple[Ints, ...], others: tuple[Ints, ...]) -> Bools:
    """Which rows are also among others."""
    mine, theirs = combined_keys(rows, others)
    return is_in(mine, theirs)


def _is_same(before: Reports, after: Reports) -> bool:
    """Whether nothing was taken from reports."""
    return len(before) == len(after) and bool((before.start == after.start).all() and (before.end == after.end).all())


def _rows_at(part: Part, keys: Keys) -> Ints:
    """The places of the rows of some keys."""
    first = np.searchsorted(part.key, keys.listed, side="left")
    return ranges(first, np.searchsorted(part.key, keys.listed, side="right") - first)
