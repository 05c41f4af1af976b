"""The engine as a driver: what the law is checked on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.changelog import CHANGES
from holdsfor.columns.op import Op
from holdsfor.columns.report import ground_term
from holdsfor.columns.tables import FOREVER as END_OF_TIME
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.core.engine import Engine
from holdsfor.core.host import FOREVER, NEVER
from holdsfor.core.rows import EventRows, FluentRows
from holdsfor.core.rows import Rows as EngineRows
from holdsfor.reference import EventRow, IntervalRow, Occurrence, Record
from holdsfor.syntax.printer import print_term
from tests.core.building import built_core
from tests.core.histories import History
from tests.core.keeping import too_much
from tests.strategies.changelog import interval_ids
from tests.strategies.engine_runs import Rows

_OPS = (Op.OPEN, Op.EXTEND, Op.CLOSE, Op.REVISE, Op.RETRACT)


class OnCore:
    """One engine; rows go in and come out as records and text."""

    def __init__(self, history: History) -> None:
        built_core()
        self._history = history
        plan = history.scenario.reasoner.plan
        self._analysis = plan.analysis
        self.engine = Engine(plan, history.window, history.start, threads=1, changes=True)
        self._core, self._words = self.engine.core, self.engine.words
        self._core.checkpoint_cells(history.checkpoint_cells)
        self._query = 0

    # Input

    def push(self, records: list[Record]) -> None:
        """Rows come in, those of a table together where they are neighbours."""
        self._edit(records, self.engine.push)

    def retract(self, records: list[Record]) -> None:
        """Rows are taken back."""
        self._edit(records, self.engine.retract)

    def _edit(self, records: list[Record], edit: Callable[[EngineRows], None]) -> None:
        place = 0
        while place < len(records):
            symbol, end = self._symbol(records[place]), place + 1
            while end < len(records) and self._symbol(records[end]) == symbol:
                end += 1
            edit(self._rows(self.engine.tables[symbol], symbol, records[place:end]))
            place = end

    def _symbol(self, record: Record) -> Symbol:
        entities = self._analysis.entities
        if isinstance(record, Occurrence):
            return entities.event(record.event)
        return entities.pair(record.fluent, record.value)

    def _rows(self, table: int, symbol: Symbol, records: list[Record]) -> EngineRows:
        words: list[list[int]] = []
        times, values, points = [], [], []
        for record in records:
            term = record.event if isinstance(record, Occurrence) else record.fluent
            words.append([self._words.word(arg) for arg in symbol.columns(term)])
            if isinstance(record, Occurrence):
                times.append((record.time, 0))
            else:
                times.append((record.start, FOREVER if record.end == math.inf else int(record.end)))
                values.append(self._words.word(record.value))
                points.append(record.is_point)
        flat = np.array(words, np.uint64).reshape(len(records), -1)
        starts, ends = (np.array(column, np.int64) for column in zip(*times, strict=True))
        if isinstance(records[0], Occurrence):
            return EventRows(table, starts, flat)
        return FluentRows(table, starts, ends, np.array(values, np.uint64), flat, np.array(points, np.bool_))

    def advance(self, query: int, threads: int) -> None:
        """Time goes on."""
        self.engine.threads = threads
        self.engine.advance(query)
        self._query = query

    @property
    def late(self) -> int:
        """Rows that came too late."""
        return int(self._core.late)

    @property
    def unmatched(self) -> int:
        """Retractions of what was not there."""
        return int(self._core.unmatched)

    # Answers

    def answers(self) -> Rows:
        """What is shown at the last advance."""
        intervals: list[IntervalRow] = []
        events: list[EventRow] = []
        for symbol, table in self.engine.tables.items():
            role = self._analysis.entities[symbol].role
            if symbol.name in self._analysis.program.hidden:
                continue
            if role is Role.DERIVED_EVENT:
                times, words = self._core.answers(table)
                for time, text in zip(times.tolist(), self._texts(symbol, words, len(times)), strict=True):
                    events.append(EventRow(self._query, text, time))
            elif role in (Role.SIMPLE_FLUENT, Role.STATIC_FLUENT, Role.METRIC_FLUENT):
                starts, ends, values, words = self._core.answers(table)
                texts = self._texts(symbol, words, len(starts))
                rows = zip(starts.tolist(), ends.tolist(), values.tolist(), texts, strict=True)
                for start, end, value, text in rows:
                    shown = print_term(self._words.term(value))
                    intervals.append(IntervalRow(self._query, text, shown, _time(start), _time(end)))
        return Rows(tuple(sorted(intervals)), tuple(sorted(events)))

    def _texts(self, symbol: Symbol, words: Any, count: int) -> list[str]:
        width = len(words) // count if count else 0
        listed = words.tolist()
        return [self._text(symbol, listed[row * width : (row + 1) * width]) for row in range(count)]

    def _text(self, symbol: Symbol, columns: list[int]) -> str:
        return print_term(ground_term(symbol, [self._words.term(word) for word in columns]))

    def changes(self) -> pa.Table:
        """What has changed since the last call."""
        found = {name: column.tolist() for name, column in self._core.changes().columns().items()}
        fluents, values = [], []
        for row, table in enumerate(found["table"]):
            columns = found["columns"][found["offsets"][row] : found["offsets"][row + 1]]
            fluents.append(self._text(self.engine.symbols[table], columns))
            values.append(print_term(self._words.term(found["value"][row])))
        op = [_OPS[number] for number in found["op"]]
        is_open = [one is Op.OPEN for one in op]
        texts = pa.array(fluents, pa.string()), pa.array(values, pa.string())
        firsts = [np.array(_in_old_time(found[name]), np.int64) for name in ("first_start", "first_query")]
        columns = [
            interval_ids(*texts, *firsts),
            pa.array([one.value for one in op], pa.string()),
            *texts,
            *(pa.array(_nullable(found[name]), pa.int64()) for name in ("start", "end")),
            pa.array([self._query] * len(op), pa.int64()),
            *(
                pa.array(
                    [None if new else time for new, time in zip(is_open, _nullable(found[name]), strict=True)]
                ).cast(pa.int64())
                for name in ("prev_start", "prev_end")
            ),
        ]
        return pa.table(columns, schema=CHANGES)

    # State

    def too_much(self) -> list[str]:
        """What is kept beyond what the plan says."""
        size = self._history.window
        return [] if size is None else list(too_much(self.engine, self._query - size, size))

    def reloaded(self) -> OnCore:
        """Another engine with the saved state of this one."""
        other = self._fresh()
        other.load(self.saved())
        return other

    def saved(self) -> bytes:
        """The state as bytes."""
        return self.engine.save()

    def load(self, state: bytes) -> None:
        """Take up a saved state."""
        self.engine.load(state)

    def split(self, parts: int) -> OnCore:
        """Another engine with the parts of the state of this one, in another order."""
        other = self._fresh()
        found = self.engine.split(parts)
        for part in [*found[parts // 2 :], *found[: parts // 2]]:
            other.engine.merge(part)
        return other

    def _fresh(self) -> OnCore:
        other = OnCore(self._history)
        other._query = self._query
        return other


def _nullable(times: list[int]) -> list[int | None]:
    return [None if time in (FOREVER, NEVER) else time for time in times]


def _in_old_time(times: list[int]) -> list[int]:
    """Times of the core with the ends of time that ids are made with."""
    ends = {FOREVER: int(END_OF_TIME), NEVER: -int(END_OF_TIME)}
    return [ends.get(time, time) for time in times]


def _time(time: int) -> float:
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time
