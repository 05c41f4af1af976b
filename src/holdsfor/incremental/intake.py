"""Input comes in and is taken back: rows of panes, and the keys for which that changes something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import width
from holdsfor.engine.inputs import Sight, known_reports
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.retractions import TimePoints
from holdsfor.engine.state import Reports
from holdsfor.engine.stream import EventColumns, FluentColumns
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.heap import FIRST, KEY, Rows, different
from holdsfor.incremental.reports import report_columns, reports_of
from holdsfor.incremental.stage import StageRun


class Intake:
    """The input of one stage. Panes begin at `begins`."""

    def __init__(self, stage: StageRun, begins: Sequence[int]) -> None:
        self._stage = stage
        self._begins = np.array(begins)

    def add_events(self, symbol: Symbol, events: EventColumns) -> None:
        """Occurrences that were not known before."""
        for pane, here, seen in self._panes(symbol, events.time):
            rows = self._event_rows(symbol, events, here)
            if len(rows):
                self._stage.panes[pane].input.add(rows)
            affected = rows if here is seen else self._event_rows(symbol, events, seen)
            self._stage.mark(pane, different(affected[:, KEY]))

    def remove_events(self, symbol: Symbol, events: EventColumns) -> Bools:
        """Occurrences that are taken back; which of them were there."""
        met = np.zeros(len(events.time), np.bool_)
        for pane, here, _ in self._panes(symbol, events.time):
            rows = np.flatnonzero(here)
            known = self._stage.panes[pane].input.has(self._event_rows(symbol, events, here))
            # With keys at several places there is a row for each, one after the other.
            met[rows] |= known.reshape(-1, len(rows)).any(axis=0) if len(rows) else False
        for pane, here, seen in self._panes(symbol, events.time):
            self._stage.panes[pane].input.remove(self._event_rows(symbol, events, here & met))
            keys = different(self._event_rows(symbol, events, seen & met)[:, KEY])
            if len(keys):
                self._stage.mark(pane, keys)
        return met

    def _panes(self, symbol: Symbol, times: Ints) -> Iterator[tuple[int, Bools, Bools]]:
        """The panes that see some times, which of them are in each, and which it sees at all, looking back."""
        begins = self._begins
        if (times > begins[-1]).all():
            everything = np.ones(len(times), np.bool_)
            yield len(begins) - 1, everything, everything
            return
        pane_of = np.maximum(np.searchsorted(begins, times, side="right") - 1, 0)
        last_of = np.searchsorted(begins, times + self._stage.prepared.kept.reach.get(symbol, 0), side="right") - 1
        for pane in range(max(0, int(pane_of.min()) - 1), max(int(last_of.max()), int(pane_of.max())) + 1):
            # The first time-point of a pane is the last of the one before.
            after = begins[pane + 1] if pane + 1 < len(begins) else None
            here = (pane_of == pane) | ((pane_of == pane + 1) & (times == after))
            seen = here | ((pane_of < pane) & (last_of >= pane))
            if seen.any():
                yield pane, here, seen

    def _event_rows(self, symbol: Symbol, events: EventColumns, chosen: Bools) -> Rows:
        columns = (*events.args, events.time)
        if not chosen.all():
            columns = tuple(column[chosen] for column in columns)
        return self._stage.sections.rows("event", symbol, columns)

    def add_reports(self, symbol: Symbol, table: FluentColumns, sight: Sight) -> None:
        """Pieces of an input fluent, cut where the window begins."""
        reports = known_reports(None, table, sight)
        if reports is not None and len(reports):
            rows = self._report_rows(symbol, reports)
            self._stage.reports.add(rows)
            self._mark_reports(symbol, rows)
            self._look_ahead(symbol, rows, sight.query)

    def remove_reports(self, symbol: Symbol, table: FluentColumns, low: int) -> Bools:
        """Time-points of an input fluent that are taken back; which rows found any."""
        taken = TimePoints(table, low)
        gone = Reports(
            table.args, table.value, table.start, table.end, np.zeros(len(table.start), np.bool_), table.is_point
        )
        keys = different(self._report_rows(symbol, gone)[:, KEY])
        there = self._stage.reports.of(keys)
        left = [there[:0]]
        for section, rows in self._stage.sections.tables(there):
            if section.symbol != symbol:
                left.append(rows)
                continue
            known = reports_of(rows[:, FIRST : FIRST + width(symbol) + 4].T)
            stays = self._report_rows(symbol, taken.left_of_known(known))
            left.append(stays)
            self._mark_reports(symbol, np.concatenate((rows, stays)))
        self._stage.reports.put(keys, np.concatenate(left))
        return taken.is_met

    def _report_rows(self, symbol: Symbol, reports: Reports) -> Rows:
        return self._stage.sections.rows("report", symbol, report_columns(reports))

    def _mark_reports(self, symbol: Symbol, rows: Rows) -> None:
        start, end = (rows[:, FIRST + width(symbol) + place] for place in (1, 2))
        kept = self._stage.prepared.kept
        is_kept = symbol in kept.whole or symbol in kept.parts
        for pane, begin in enumerate(self._begins.tolist()):
            last = self._begins[pane + 1] if pane + 1 < len(self._begins) else FOREVER
            seen = start <= last
            if not is_kept:
                seen &= end > begin - 1 - kept.span(symbol)
            if seen.any():
                self._stage.mark(pane, different(rows[seen, KEY]))

    def _look_ahead(self, symbol: Symbol, rows: Rows, now: int) -> None:
        for place in (1, 2):
            times = rows[:, FIRST + width(symbol) + place]
            coming = (times >= now) & (times < FOREVER)
            if coming.any():
                self._stage.ahead.add(times[coming], rows[coming, KEY])
