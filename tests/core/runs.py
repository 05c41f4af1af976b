"""Runs of the core over the streams of the reference evaluator, with its rows as results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from holdsfor.columns.report import ground_term
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.core.host import FOREVER, NEVER, Host
from holdsfor.core.words import Words
from holdsfor.loading import Reasoner
from holdsfor.logic.failures import Failures
from holdsfor.physical.encode import Encoder
from holdsfor.physical.lower import lower
from holdsfor.physical.model import PhysicalPlan
from holdsfor.reference import EventRow, IntervalRow, Record, Reference, Windows
from holdsfor.reference.evaluator import domain_facts
from holdsfor.reference.history import KnownInput, Occurrence, known_at, on_ticks, whole_history
from holdsfor.syntax.printer import print_term
from tests.core.building import built_core


def on_core(
    reasoner: Reasoner,
    records: list[Record],
    windows: Windows | None,
    threads: int = 1,
    resume_at: int | None = None,
    change: Callable[[PhysicalPlan], PhysicalPlan] | None = None,
) -> Reference:
    """What the core finds, if the records are pushed as they arrive.

    With `resume_at`, keys stop after that time-point and go on from their checkpoint. `change` makes another plan.
    """
    return CoreRun(reasoner, threads, resume_at, change).over(records, windows)


Row = np.ndarray[tuple[int], np.dtype[np.uint64]]

CONFLICT = 4
"""The kind of results that are initiations without effect."""


class CoreRun:
    """A run of one core."""

    def __init__(
        self,
        reasoner: Reasoner,
        threads: int = 1,
        resume_at: int | None = None,
        change: Callable[[PhysicalPlan], PhysicalPlan] | None = None,
    ) -> None:
        self._analysis = reasoner.plan.analysis
        self._lowered = lower(reasoner.plan)
        encoder = Encoder()
        data = encoder.encode(self._lowered.plan if change is None else change(self._lowered.plan))
        self._host = Host(self._lowered.goals, encoder.sites, self._analysis.background.rules, reasoner.plan.clock_tick)
        self._core = built_core().Core(data, self._host)
        self._core.resume_at(resume_at)
        self._words: Words = self._host.connect(self._core)
        self._tables = {symbol: number for number, symbol in enumerate(self._lowered.symbols)}
        self._threads = threads
        self._tick = reasoner.plan.clock_tick

    @property
    def plan(self) -> PhysicalPlan:
        """The plan that the core was given, but for changes."""
        return self._lowered.plan

    def over(self, records: list[Record], windows: Windows | None) -> Reference:
        """The core counts ticks: what comes in is divided by the tick, what goes out multiplied."""
        tick = self._tick
        used = windows or whole_history([on_ticks(record, tick) for record in records], tick)
        records = [_in_ticks(on_ticks(record, tick), tick) for record in records]
        size = used.size if math.isinf(used.size) else used.size // tick
        used = Windows(size, *(number // tick for number in (used.step, used.start, used.end)))
        windows = windows and used
        self._core.set_window(None if windows is None or windows.size == math.inf else int(windows.size))
        intervals: list[IntervalRow] = []
        events: list[EventRow] = []
        conflicts: set[tuple[int, ...]] = set()
        for query in used.query_times:
            for record in records:
                if windows is None or windows.loaded_at(record.arrival) == query:
                    self._push(record)
            self._fill_domains(known_at(records, used, query, ignore_arrival=windows is None))
            self._advance(query)
            intervals += self._interval_rows(query)
            events += self._event_rows(query)
            conflicts |= set(self._conflicts())
        failures: Failures = self._host.failures
        # Those before the first window are gone when they are asked for; those that a late event undoes are not counted.
        count = max(len(conflicts), self._core.conflicts())
        return Reference(tuple(sorted(intervals)), tuple(sorted(events)), count, failures)

    def _advance(self, query: int) -> None:
        self._core.advance(query, self._threads)

    def _fill_domains(self, known: KnownInput) -> None:
        """Domains that the input fills are background knowledge."""
        if self._analysis.fillings:
            self._host.replace_rules(self._analysis.background.filled(domain_facts(self._analysis, known)).rules)
            self._core.mark_all_dirty()

    def _push(self, record: Record) -> None:
        entities = self._analysis.entities
        if isinstance(record, Occurrence):
            symbol = entities.event(record.event)
            if symbol in self._tables:
                row = _words([self._words.word(arg) for arg in symbol.columns(record.event)])
                if self._takes(self._tables[symbol], row):
                    self._core.insert_events(self._tables[symbol], _times(record.time), row)
            return
        symbol = entities.pair(record.fluent, record.value)
        if symbol in self._tables:
            row = _words([self._words.word(arg) for arg in symbol.columns(record.fluent)])
            value = _words([self._words.word(record.value)])
            start, end = _times(record.start), _times(FOREVER if record.end == math.inf else int(record.end))
            if self._takes(self._tables[symbol], row):
                self._core.insert_intervals(self._tables[symbol], start, end, value, row, np.array([record.is_point]))

    def _takes(self, table: int, row: Row) -> bool:  # noqa: ARG002 -- one with a share of the keys looks at them
        """Whether a row of a table is for this core."""
        return True

    def _symbols(self, *roles: Role) -> Iterator[tuple[Symbol, int]]:
        for symbol, number in self._tables.items():
            if self._analysis.entities[symbol].role in roles and not self.plan.tables[number].is_hidden:
                yield symbol, number

    def _interval_rows(self, query: int) -> Iterator[IntervalRow]:
        for symbol, number in self._symbols(Role.SIMPLE_FLUENT, Role.STATIC_FLUENT, Role.METRIC_FLUENT):
            starts, ends, values, columns = self._core.answers(number)
            rows = columns.reshape(len(starts), self._width(number)).tolist()
            for start, end, value, row in zip(starts.tolist(), ends.tolist(), values.tolist(), rows, strict=True):
                shown = print_term(self._words.term(value))
                since, until = _time(start) * self._tick, _time(end) * self._tick
                yield IntervalRow(query * self._tick, self._text(symbol, row), shown, since, until)

    def _event_rows(self, query: int) -> Iterator[EventRow]:
        for symbol, number in self._symbols(Role.DERIVED_EVENT):
            times, columns = self._core.answers(number)
            rows = columns.reshape(len(times), self._width(number)).tolist()
            for time, row in zip(times.tolist(), rows, strict=True):
                yield EventRow(query * self._tick, self._text(symbol, row), time * self._tick)

    def _conflicts(self) -> Iterator[tuple[int, ...]]:
        for _, number in self._symbols(Role.SIMPLE_FLUENT):
            rows = self._core.result_rows(number, CONFLICT).reshape(-1, self._width(number) + 1)
            yield from ((number, *row) for row in rows.tolist())

    def _width(self, number: int) -> int:
        return self._lowered.plan.tables[number].columns

    def _text(self, symbol: Symbol, columns: list[int]) -> str:
        return print_term(ground_term(symbol, [self._words.term(word) for word in columns]))


def _in_ticks(record: Record, tick: int) -> Record:
    """A record on time-points with numbers of ticks for times."""
    if isinstance(record, Occurrence):
        return replace(record, time=record.time // tick, arrival=record.arrival // tick)
    end = record.end if record.end == math.inf else int(record.end) // tick
    return replace(record, start=record.start // tick, end=end, arrival=record.arrival // tick)


def _time(time: int) -> float:
    return math.inf if time == FOREVER else -math.inf if time == NEVER else time


def _times(time: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([time], np.int64)


def _words(words: list[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(words, np.uint64)
