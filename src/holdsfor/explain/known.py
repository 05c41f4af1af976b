"""Runs an engine with the input of a run up to a query time, and selects the rows that count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.columns.tables import FOREVER, Intervals
from holdsfor.columns.windows import WindowPlan, first_moment, whole_history
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.rows import FluentRows
from holdsfor.core.trace import Traces
from holdsfor.core.vocabulary import Vocabulary, WordArray
from holdsfor.explain.evidence import Evidence, Rows


class _FewWords(Vocabulary):
    """Encodes only the codes that occur, because a question needs few constants of a stream."""

    def words(self, codes: Ints) -> WordArray:
        """The words of some codes."""
        distinct, place = np.unique(codes, return_inverse=True)
        if 4 * len(distinct) > len(self.dictionary):
            return super().words(codes)
        terms = self.dictionary.terms(distinct.tolist())
        return np.array([self._words.word(term) for term in terms], np.uint64)[place]


@dataclass(frozen=True)
class Frame:
    """The query times of a run and its first time-point; both belong to the whole stream."""

    windows: WindowPlan
    origin: int

    @classmethod
    def of(cls, stream: Stream, windows: WindowPlan | None) -> Frame:
        """The frame of a run over a stream."""
        used = windows or whole_history(stream)
        return cls(used, first_moment(stream, used))

    def query_for(self, time: int) -> int:
        """The last query time whose window contains a time-point, or else the first one after it."""
        queries = self.windows.query_times
        size = FOREVER if self.windows.size is None else self.windows.size
        return int(queries[max(0, int(np.searchsorted(queries - size, time)) - 1)])


class Case:
    """The rows that a question needs, as known at a query time, and their results."""

    def __init__(
        self, plan: Plan, stream: Stream, dictionary: Dictionary, frame: Frame, query: int, given: frozenset[Symbol]
    ) -> None:
        self.plan, self.stream, self.dictionary = plan, stream, dictionary
        self.frame, self.query, self._given = frame, query, given
        self.evidence = self.evidence_with(frame.windows)

    def evidence_with(self, windows: WindowPlan) -> Evidence:
        """The results of the rows that count at the query time."""
        engine = Engine(self.plan, windows.size, threads=1, is_traced=True)
        vocabulary = _FewWords(self.dictionary, engine.words)
        rows = counted(self.stream, windows, self.query)
        self._push(engine, rows, windows, vocabulary)
        derived = [_metric_rows(engine, *one, vocabulary) for one in self._metric(rows, windows)]
        for found in derived:
            engine.push(found)
        engine.advance(self.query)
        traces = Traces(engine)
        inputs = self._inputs(engine, traces, rows, windows, vocabulary)
        for found in derived:
            inputs[engine.symbols[found.table]] = Rows((*found.words.T, found.value), found.start, found.end, traces)
        return Evidence(self.plan, engine, inputs, self._given, (self.frame.origin, self.query), traces)

    @staticmethod
    def _push(engine: Engine, rows: Stream, windows: WindowPlan, vocabulary: Vocabulary) -> None:
        """Pushes the rows that count. Only intervals that windows cut must be pushed at their query times."""
        cut = {symbol: one.start < first_seen(windows, one) for symbol, one in rows.fluents.items()}
        loaded = {symbol: windows.loaded_at(one.arrival) for symbol, one in rows.fluents.items()}
        times = sorted({int(time) for symbol, some in loaded.items() for time in np.unique(some[cut[symbol]])})
        for time in times:
            for symbol, fluent in rows.fluents.items():
                _push_some(engine, symbol, fluent, cut[symbol] & (loaded[symbol] == time), vocabulary)
            engine.advance(time)
        engine.see_everything()
        for symbol, fluent in rows.fluents.items():
            _push_some(engine, symbol, fluent, ~cut[symbol], vocabulary)
        for symbol, events in rows.events.items():
            _push_some(engine, symbol, events, np.ones(len(events.time), np.bool_), vocabulary)

    def _metric(self, rows: Stream, windows: WindowPlan) -> Iterator[tuple[Symbol, Intervals]]:
        """The results of metric rules. A trace does not have these rules, but their results as input."""
        if self.plan.has_metric_rules:
            engine = Engine(self.plan, windows.size, origin=self.frame.origin, threads=1)
            vocabulary = Vocabulary(self.dictionary, engine.words)
            self._push(engine, rows, windows, vocabulary)
            engine.advance(self.query)
            found = engine.answer(vocabulary).fluents
            yield from (
                (symbol, found[symbol]) for symbol in sorted(self.plan.analysis.graph.metric) if symbol in found
            )

    def _inputs(
        self, engine: Engine, traces: Traces, rows: Stream, windows: WindowPlan, vocabulary: Vocabulary
    ) -> dict[Symbol, Rows]:
        """Events that count, and input fluents as windows cut them."""
        found = {}
        for symbol, events in rows.events.items():
            pushed = engine.rows(symbol, events, vocabulary)
            if pushed is not None:
                found[symbol] = Rows(tuple(pushed.words.T), events.time, events.time + 1, traces)
        for symbol, fluent in rows.fluents.items():
            pushed = engine.rows(symbol, fluent, vocabulary)
            if isinstance(pushed, FluentRows):
                start = np.maximum(fluent.start, first_seen(windows, fluent))
                # A point at the query time continues until the next time-point is known.
                end = np.where(fluent.is_point & (start == self.query), FOREVER, fluent.end)
                found[symbol] = Rows((*pushed.words.T, pushed.value), start, end, traces)
        return found


def _metric_rows(engine: Engine, symbol: Symbol, found: Intervals, vocabulary: Vocabulary) -> FluentRows:
    end = np.where(found.end >= FOREVER, CORE_FOREVER, found.end)
    words = [vocabulary.words(column) for column in found.args]
    stacked = np.stack(words, axis=1) if words else np.empty((len(end), 0), np.uint64)
    is_point = np.zeros(len(end), np.bool_)
    return FluentRows(engine.tables[symbol], found.start, end, vocabulary.words(found.value), stacked, is_point)


def _push_some(
    engine: Engine, symbol: Symbol, columns: EventColumns | FluentColumns, which: Bools, vocabulary: Vocabulary
) -> None:
    rows = engine.rows(symbol, columns, vocabulary) if which.any() else None
    if rows is not None:
        engine.push(rows.take(np.flatnonzero(which)))


def counted(stream: Stream, windows: WindowPlan, query: int) -> Stream:
    """The rows of a stream that count at a query time, without intervals of input fluents that are cut away
    completely.
    """
    found = Stream()
    for symbol, events in stream.events.items():
        is_counted = windows.counted_at(events.arrival, events.time) <= query
        found.events[symbol] = events.take(np.flatnonzero(is_counted & (events.time <= query)))
    for symbol, fluent in stream.fluents.items():
        loaded = windows.loaded_at(fluent.arrival)
        first = first_seen(windows, fluent)
        keep = (loaded <= query) & (fluent.end > np.maximum(fluent.start, first))
        keep &= ~fluent.is_point | (fluent.start >= first)
        found.fluents[symbol] = fluent.take(np.flatnonzero(keep))
    return found


def first_seen(windows: WindowPlan, fluent: FluentColumns) -> Ints:
    """The first time-point of the window in which each interval arrived."""
    if windows.size is None:
        return np.full(len(fluent.start), -FOREVER)
    loaded = windows.loaded_at(fluent.arrival)
    return np.where(loaded < FOREVER, loaded - windows.size + 1, FOREVER)
