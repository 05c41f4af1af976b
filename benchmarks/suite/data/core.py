"""Encoded columns on the core: pushed as the words of their terms, with the answers as columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.suite.data.maritime import Inputs

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import Numbers
from holdsfor.core import _core
from holdsfor.core.host import Host
from holdsfor.core.words import Words
from holdsfor.loading import Reasoner
from holdsfor.physical.encode import Encoder
from holdsfor.physical.lower import lower
from holdsfor.physical.model import Role
from holdsfor.syntax.terms import Const

WordArray = np.typing.NDArray[np.uint64]
Times = np.typing.NDArray[np.int64]
Run = Callable[[], None]


class OnCore:
    """A program with the columns of one window, which ends at `end`."""

    def __init__(self, reasoner: Reasoner, dictionary: Dictionary, inputs: Inputs, end: int) -> None:
        self._lowered = lower(reasoner.plan)
        self._encoder = Encoder()
        self._data = self._encoder.encode(self._lowered.plan)
        self._rules = reasoner.plan.analysis.background.rules
        self._values = dictionary.values
        self._inputs = inputs
        self._end = end
        tables = enumerate(self._lowered.plan.tables)
        inputs_only = (Role.INPUT_EVENT, Role.INPUT_FLUENT)
        self._outputs = [number for number, table in tables if table.role not in inputs_only]

    def whole(self, threads: int) -> Callable[[], Run]:
        """Runs over the whole window, each in an engine of its own."""

        def fresh() -> Run:
            engine = _Loaded(self._new_core(), self)
            return lambda: self._advance(engine, 0, threads, is_last=True)

        return fresh

    def tumbling(self, threads: int) -> Callable[[], Run]:
        """Runs over windows that follow one another in one engine, all with the same events at other times."""
        engine = _Loaded(self._new_core(), self)
        engine.core.set_window(self._end + 1)
        windows = iter(range(1_000_000))

        def fresh() -> Run:
            engine.shift(self._end + 1)
            return lambda: self._advance(engine, next(windows) * (self._end + 1), threads)

        engine.shift(-self._end - 1)
        return fresh

    def intervals(self) -> int:
        """How many rows all answers have."""
        engine = _Loaded(self._new_core(), self)
        self._advance(engine, 0, 1)
        return sum(len(engine.core.answers(table)[0]) for table in self._outputs)

    def _advance(self, engine: _Loaded, start: int, threads: int, *, is_last: bool = False) -> None:
        engine.push()
        engine.core.advance(start + self._end, threads, is_last)
        for table in self._outputs:
            engine.core.answers(table)

    def _new_core(self) -> tuple[Any, Words, Any]:
        host = Host(self._lowered.goals, self._encoder.sites, self._rules)
        core = _core.Core(self._data, host)
        return core, host.connect(core), host

    @property
    def symbols(self) -> dict[Any, int]:
        """The tables of symbols."""
        return {symbol: number for number, symbol in enumerate(self._lowered.symbols)}

    @property
    def content(self) -> tuple[Any, Inputs]:
        """The terms by code, and the columns."""
        return self._values, self._inputs


class _Loaded:
    """An engine with the words of the columns."""

    def __init__(self, made: tuple[Any, Words, Any], program: OnCore) -> None:
        self.core, words, self._host = made
        values, inputs = program.content
        tables = program.symbols
        by_code = np.array([words.word(Const(value)) for value in values], np.uint64)
        self._events: list[tuple[int, Times, WordArray]] = []
        for symbol, table in inputs.events.items():
            columns = [
                _numbers(words, arg.data) if isinstance(arg, Numbers) else by_code[arg.data] for arg in table.args
            ]
            self._events.append((tables[symbol], table.time.astype(np.int64), np.stack(columns, 1).reshape(-1)))
        self._intervals: list[tuple[int, Times, Times, WordArray, WordArray, Any]] = []
        for symbol, given in inputs.intervals.items():
            rows = np.stack([by_code[codes] for codes in given.args], 1).reshape(-1)
            start, end = given.start.astype(np.int64), given.end.astype(np.int64)
            is_point = np.zeros(len(start), bool)
            self._intervals.append((tables[symbol], start, end, by_code[given.value], rows, is_point))

    def shift(self, by: int) -> None:
        """Move all columns in time."""
        times = [time for _, time, _ in self._events]
        times += (time for _, start, end, *_ in self._intervals for time in (start, end))
        for column in times:
            np.add(column, by, out=column)

    def push(self) -> None:
        """Give the core all columns."""
        for table, time, words in self._events:
            self.core.insert_events(table, time, words)
        for table, start, end, value, words, is_point in self._intervals:
            self.core.insert_intervals(table, start, end, value, words, is_point)


def _numbers(words: Words, column: np.typing.NDArray[Any]) -> WordArray:
    values, places = np.unique(column, return_inverse=True)
    found: WordArray = np.array([words.number(_plain(value)) for value in values.tolist()], np.uint64)[places]
    return found


def _plain(value: float) -> int | float:
    return int(value) if value == int(value) else value
