"""A plain model of the driver's store: rows with counts, taken in at each advance. It shows that the law can be kept."""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import replace

import pyarrow as pa

from holdsfor.engine.changelog import SHOWN, compare
from holdsfor.engine.report import interval_rows_table
from holdsfor.engine.state import NEVER
from holdsfor.engine.tables import FOREVER
from holdsfor.reference import InputInterval, IntervalRow, Occurrence, Record, _event_rows, _interval_rows, evaluate
from holdsfor.reference.history import Known
from holdsfor.reference.intervals import maximal
from tests.core.histories import History
from tests.strategies.engine_runs import Rows


class Model:
    """Rows that count, rows that wait, and what was last shown."""

    def __init__(self, history: History) -> None:
        self._analysis = history.scenario.reasoner.analysis
        self._size = math.inf if history.window is None else history.window
        self._start = -math.inf if history.start is None else history.start
        self._pending: list[tuple[Record, bool]] = []
        self._events: Counter[Occurrence] = Counter()
        self._waiting: Counter[Occurrence] = Counter()
        self._inputs: dict[InputInterval, list[tuple[float, float, bool]]] = {}
        self._settled: list[tuple[InputInterval, bool]] = []
        self._rows, self._everything = Rows((), ()), SHOWN.empty_table()
        self._shown, self._shown_at, self._query = SHOWN.empty_table(), NEVER, 0
        self.late = self.unmatched = 0

    def push(self, records: list[Record]) -> None:
        """Rows come in at the next advance."""
        self._pending += [(replace(record, arrival=0), True) for record in records]

    def retract(self, records: list[Record]) -> None:
        """Rows are taken back at the next advance."""
        self._pending += [(replace(record, arrival=0), False) for record in records]

    def advance(self, query: int, threads: int) -> None:
        """Take in what has come, and evaluate all of it."""
        assert threads >= 1
        world = evaluate(self._analysis, self.known_at(query), 0)
        self._rows = Rows(
            tuple(sorted(_interval_rows(world, query, self._size))),
            tuple(sorted(_event_rows(world, query, self._size))),
        )
        self._everything = found_table(tuple(_interval_rows(world, query, math.inf)))

    def known_at(self, query: int) -> Known:
        """Take in what has come; all that counts."""
        self._query, low = query, query - self._size
        for record, comes in self._pending:
            if isinstance(record, Occurrence):
                self._event(record, comes, low)
            else:
                self._interval(record, comes, low)
        self._pending = []
        for event in [event for event in self._waiting if event.time <= query]:
            count = self._waiting.pop(event)
            if event.time > low:
                self._events[event] += count
        return self._known()

    def records(self) -> list[Record]:
        """The rows that are there, as they were pushed."""
        found: list[Record] = list((self._events + self._waiting).elements())
        return found + [record for record, copies in self._inputs.items() for _ in copies]

    def _event(self, event: Occurrence, comes: bool, low: float) -> None:
        if comes:
            if event.time <= max(low, self._start):
                self.late += 1
            else:
                self._waiting[event] += 1
            return
        for place in (self._events, self._waiting):
            if event.time > low and place[event]:
                place[event] -= 1
                return
        self.unmatched += 1

    def _interval(self, record: InputInterval, comes: bool, low: float) -> None:
        copies = self._inputs.setdefault(record, [])
        is_behind = record.start <= low if record.is_point else record.end <= low + 1
        if comes:
            if is_behind:
                self.late += 1
            else:
                copies.append((max(record.start, low + 1), record.end, record.start <= low))
        elif is_behind or not copies:
            self.unmatched += 1
        else:
            start, _, is_cut = copies.pop()
            if start <= low:
                self._settled.append((replace(record, start=int(start), end=low + 1), is_cut))

    def _known(self) -> Known:
        events: dict[int, list[Occurrence]] = {}
        for event, count in self._events.items():
            if count:
                events.setdefault(event.time, []).append(event)
        pieces: dict[object, list[tuple[float, float]]] = {}
        cuts = set()
        for record, copies in self._inputs.items():
            pair = (record.fluent, record.value)
            for start, end, is_cut in copies:
                if is_cut:
                    cuts.add((*pair, start))
                is_open = record.is_point and start == self._query
                pieces.setdefault(pair, []).append((start, math.inf if is_open else end))
        for left, is_cut in self._settled:
            pair = (left.fluent, left.value)
            pieces.setdefault(pair, []).append((left.start, left.end))
            if is_cut:
                cuts.add((*pair, left.start))
        inputs = {pair: maximal(found) for pair, found in pieces.items()}
        named = {time: [event.event for event in found] for time, found in events.items()}
        return Known(self._query, named, inputs, cuts)  # type: ignore[arg-type]

    def answers(self) -> Rows:
        """What is shown at the last advance."""
        return self._rows

    def changes(self) -> pa.Table:
        """What has changed since the last call."""
        low = -int(FOREVER) if self._size == math.inf else int(self._query - self._size)
        changes, self._shown = compare(self._shown, self._everything, self._query, low, self._shown_at)
        self._shown_at = self._query
        return changes

    def reloaded(self) -> Model:
        """The same state in another engine."""
        other = copy.copy(self)
        other._pending, other._events, other._waiting = (
            list(self._pending),
            Counter(self._events),
            Counter(self._waiting),
        )
        other._inputs = {record: list(copies) for record, copies in self._inputs.items()}
        other._settled = list(self._settled)
        return other

    def split(self, parts: int) -> Model:
        """The state in parts, put together again."""
        assert parts >= 1
        return self.reloaded()


def found_table(rows: tuple[IntervalRow, ...]) -> pa.Table:
    """Intervals as `compare` takes them."""
    return interval_rows_table(rows).select(["fluent", "value", "start", "end"])
