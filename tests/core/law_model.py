"""A plain model of the driver's store: rows with counts, taken in at each advance. It shows that the law can be kept."""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import dataclass, replace

import pyarrow as pa

from holdsfor.columns.report import interval_rows_table
from holdsfor.columns.tables import FOREVER
from holdsfor.reference import InputInterval, IntervalRow, Occurrence, Record, _event_rows, _interval_rows, evaluate
from holdsfor.reference.history import KnownInput
from holdsfor.reference.intervals import maximal
from tests.core.histories import History
from tests.strategies.batches import NEVER
from tests.strategies.changelog import SHOWN, compare
from tests.strategies.engine_runs import Rows


@dataclass(frozen=True)
class _Piece:
    """What counts of an interval that was pushed."""

    record: InputInterval
    start: float
    end: float
    is_cut: bool


class Model:
    """Rows that count, rows that wait, and what was last shown."""

    def __init__(self, history: History) -> None:
        self._analysis = history.scenario.reasoner.analysis
        self._size = math.inf if history.window is None else history.window
        self._start = -math.inf if history.start is None else history.start
        self._pending: list[tuple[Record, bool]] = []
        self._events: Counter[Occurrence] = Counter()
        self._waiting: Counter[Occurrence] = Counter()
        self._inputs: list[_Piece] = []
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

    def known_at(self, query: int) -> KnownInput:
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
        """The rows that are there."""
        found: list[Record] = list((self._events + self._waiting).elements())
        return found + [replace(one.record, start=int(one.start), end=one.end) for one in self._inputs]

    def _event(self, event: Occurrence, comes: bool, low: float) -> None:
        if comes:
            if event.time <= max(low, self._start):
                self.late += 1
            else:
                self._waiting[event] += 1
            return
        counts = self._events.pop(event, 0) + self._waiting.pop(event, 0) if event.time > low else 0
        self.unmatched += not counts

    def _interval(self, record: InputInterval, comes: bool, low: float) -> None:
        if comes:
            if record.start <= low if record.is_point else record.end <= low + 1:
                self.late += 1
            else:
                self._inputs.append(_Piece(record, max(record.start, low + 1), record.end, record.start <= low))
            return
        first, last = max(record.start, low + 1), record.end
        left: list[_Piece] = []
        for piece in self._inputs:
            known = piece.record
            if (known.fluent, known.value) != (record.fluent, record.value):
                left.append(piece)
                continue
            before = replace(piece, end=min(piece.end, first))
            after = replace(piece, start=max(piece.start, last), is_cut=piece.is_cut and last <= piece.start)
            parts = (before, after) if first < last else (piece,)
            left += [part for part in parts if part.start < part.end]
        self.unmatched += left == self._inputs
        self._inputs = left

    def _known(self) -> KnownInput:
        events: dict[int, list[Occurrence]] = {}
        for event, count in self._events.items():
            if count:
                events.setdefault(event.time, []).append(event)
        pieces: dict[object, list[tuple[float, float]]] = {}
        cuts = set()
        for piece in self._inputs:
            pair = (piece.record.fluent, piece.record.value)
            if piece.is_cut:
                cuts.add((*pair, piece.start))
            is_open = piece.record.is_point and piece.start == self._query
            pieces.setdefault(pair, []).append((piece.start, math.inf if is_open else piece.end))
        inputs = {pair: maximal(found) for pair, found in pieces.items()}
        named = {time: [event.event for event in found] for time, found in events.items()}
        return KnownInput(self._query, named, inputs, cuts)  # type: ignore[arg-type]

    def answers(self) -> Rows:
        """What is shown at the last advance."""
        return self._rows

    def changes(self) -> pa.Table:
        """What has changed since the last call."""
        low = -int(FOREVER) if self._size == math.inf else int(self._query - self._size)
        changes, self._shown = compare(self._shown, self._everything, self._query, low, self._shown_at)
        self._shown_at = self._query
        return changes

    def too_much(self) -> list[str]:
        """It keeps everything."""
        return []

    def reloaded(self) -> Model:
        """The same state in another engine."""
        other = copy.copy(self)
        other._pending, other._events, other._waiting = (
            list(self._pending),
            Counter(self._events),
            Counter(self._waiting),
        )
        other._inputs = list(self._inputs)
        return other

    def split(self, parts: int) -> Model:
        """The state in parts, put together again."""
        assert parts >= 1
        return self.reloaded()


def found_table(rows: tuple[IntervalRow, ...]) -> pa.Table:
    """Intervals as `compare` takes them."""
    return interval_rows_table(rows).select(["fluent", "value", "start", "end"])
