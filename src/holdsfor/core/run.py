"""Runs the engine over a recorded stream: at each query time, new rows are pushed and the answer is read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import Stream
from holdsfor.columns.windows import WindowPlan, first_moment
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.core.feed import Feed
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.logic.failures import Failures


@dataclass
class RunTimes:
    """The seconds that a run has spent per activity, and how much it keeps."""

    pushing: float = 0.0
    evaluating: float = 0.0
    answering: float = 0.0
    keys: int = 0
    rows: int = 0


class RecordedRun:
    """A run over a stream; iterating yields the answers. Without windows there is one query over everything.

    Time begins at `origin`, or else as stream and windows determine.
    """

    def __init__(
        self,
        plan: Plan,
        dictionary: Dictionary,
        stream: Stream,
        windows: WindowPlan | None = None,
        *,
        origin: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.times = RunTimes()
        self._dictionary, self._stream, self._windows = dictionary, stream, windows
        size = None if windows is None else windows.size
        if origin is None and windows is not None:
            origin = first_moment(stream, windows)
        self._engine = Engine(plan, size, origin=origin, threads=threads)

    @property
    def threads(self) -> int:
        """The number of threads that evaluate keys."""
        return self._engine.threads

    @property
    def failures(self) -> Failures:
        """Conditions that failed because an expression has no value."""
        return self._engine.failures

    def __iter__(self) -> Iterator[Answer]:
        engine, times, clock = self._engine, self.times, time.perf_counter
        begin = clock()
        vocabulary = Vocabulary(self._dictionary, engine.words)
        feed = Feed(engine, engine.rows_of(self._stream, vocabulary), self._windows)
        queries = [self._stream.moments()[1]] if self._windows is None else self._windows.query_times.tolist()
        for place, query in enumerate(queries):
            feed.push(place)
            pushed = clock()
            engine.advance(query, is_last=place == len(queries) - 1)
            advanced = clock()
            answer = engine.answer(vocabulary)
            answered = clock()
            times.pushing += pushed - begin
            times.evaluating += advanced - pushed
            times.answering += answered - advanced
            times.keys, times.rows = engine.keys, engine.kept_rows
            yield answer
            begin = clock()
