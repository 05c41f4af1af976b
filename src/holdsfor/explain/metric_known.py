"""The results and the input of metric rules in mixed programs at one query time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import codes_of
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import Facts, no_facts
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER, Intervals
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import TRUE


class MetricKnown:
    """The answer of the engine, and the rows that count; `first` is where windows cut input fluents, if they do."""

    def __init__(self, dictionary: Dictionary, answer: Answer, rows: Stream, first: Mapping[Symbol, Ints]) -> None:
        self.dictionary = dictionary
        self._answer, self._rows, self._first = answer, rows, first

    def intervals(self, symbol: Symbol) -> Intervals | None:
        """The intervals found for a fluent."""
        return self._answer.fluents.get(symbol)

    def facts(self, symbol: Symbol) -> Facts:
        """An event or fluent in the form that metric rules read."""
        return self._events(symbol) if symbol.kind is EntityKind.EVENT else self._fluent(symbol)

    def _events(self, symbol: Symbol) -> Facts:
        if symbol in self._rows.events:
            given = self._rows.events[symbol]
            args, time = given.columns, given.time
        elif symbol in self._answer.events:
            found = self._answer.events[symbol]
            args, time = found.args, found.time
        else:
            return no_facts(symbol.arity)
        return Facts(tuple(codes_of(column, self.dictionary) for column in args), 2 * time, 2 * time + 1)

    def _fluent(self, symbol: Symbol) -> Facts:
        if symbol in self._rows.fluents:
            given = self._rows.fluents[symbol]
            start = np.maximum(given.start, self._first[symbol])
            args, value, end = given.args, given.value, np.where(given.is_point, given.start + 1, given.end)
        elif symbol in self._answer.fluents:
            found = self._answer.fluents[symbol]
            args, value, start, end = found.args, found.value, found.start, found.end
        else:
            return no_facts(symbol.arity)
        rows = np.flatnonzero((value == self.dictionary.code(TRUE.value)) & (start < end))
        return Facts(tuple(column[rows] for column in args), _doubled(start[rows]), _doubled(end[rows]))


def _doubled(times: Ints) -> Ints:
    """The cell right after the previous time-point, where anything that holds from a time-point on begins."""
    far = np.abs(times) >= FOREVER
    return np.where(far, np.sign(times) * FOREVER, 2 * np.where(far, 0, times) - 1)
