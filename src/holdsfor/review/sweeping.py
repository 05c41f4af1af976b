"""Many settings in one engine: a constant that moves inserts or retracts the rows that it passes.

One engine evaluates what no constant reaches. Its results are the input of another one, which goes from setting to setting: only
candidates and filtered intervals whose numbers lie in between come or go, only the keys of these are evaluated, and the engine
reports what changes of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.op import Op
from holdsfor.columns.report import Texts
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.definitions import Node
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.core.rows import EventRows, FluentRows, Rows
from holdsfor.core.vocabulary import Vocabulary, WordArray, values_of_words
from holdsfor.io.builder import Reading
from holdsfor.review.breakpoints import Reals, lengths_found
from holdsfor.review.history import History, history_of_symbol
from holdsfor.review.reached import Moving, Split
from holdsfor.session.swap_plan import node_of

_OPEN, _RETRACT = (list(Op).index(op) for op in (Op.OPEN, Op.RETRACT))


@dataclass(frozen=True)
class Moves:
    """Intervals of one fluent that some settings add or remove. Settings are numbered from 0."""

    found: History
    setting: Ints
    comes: Bools


class _Passing:
    """The rows that a comparison with a constant decides about, in the order of their numbers."""

    def __init__(self, moving: Moving, rows: Rows, numbers: Reals) -> None:
        self.parameter, self._operator = moving.parameter, moving.operator
        order = np.argsort(numbers, kind="stable")
        # What has no number is at the end, and holds for none.
        self._numbers = numbers[order][: int(np.count_nonzero(~np.isnan(numbers)))]
        self._rows = rows.take(order[: len(self._numbers)])
        self._place = 0 if moving.operator in ("<", "=<") else len(self._numbers)

    def to(self, constant: Fraction) -> tuple[Rows | None, Rows | None]:
        """The rows for which it begins to hold, and those for which it ceases to."""
        side: Literal["left", "right"] = "left" if self._operator in ("<", ">=") else "right"
        now, before = int(np.searchsorted(self._numbers, float(constant), side)), self._place
        self._place = now
        if now == before:
            return None, None
        between = self._rows.take(slice(min(now, before), max(now, before)))
        # Those below the constant, or those above it.
        comes = (now > before) == (self._operator in ("<", "=<"))
        return (between, None) if comes else (None, between)


class Sweep:
    """Two engines: one for what is evaluated once, one that goes from setting to setting."""

    def __init__(self, parts: Split, plans: tuple[Plan, Plan], reading: Reading, threads: int | None) -> None:
        fixed, reached = plans
        self._query = int(reading.stream.moments()[1])
        self._first = Engine(fixed, threads=threads)
        self._vocabulary = Vocabulary(reading.dictionary, self._first.words)
        self._texts = Texts(reading.dictionary)
        for rows, _ in self._first.rows_of(reading.stream, self._vocabulary):
            self._first.push(rows)
        self._first.advance(self._query, is_last=True)
        self._engine = Engine(reached, threads=threads, changes=True, like=self._first)
        for rows, _ in self._engine.rows_of(reading.stream, self._vocabulary):
            self._engine.push(rows, is_cause=False)
        for node in parts.given:
            for rows in self._results(node):
                self._engine.push(rows, is_cause=False)
        self._passing = [
            _Passing(moving, rows, self._numbers(moving, rows))
            for moving in parts.moving
            for rows in self._results(moving.node)
        ]
        self._shown = parts.shown
        wanted = {node_of(symbol) for symbol in self._engine.symbols} & parts.varied
        self._engine.core.report_only([node_of(symbol) in wanted for symbol in self._engine.symbols])

    def _results(self, node: Node) -> Iterator[Rows]:
        """The results of the first engine, as input of the second one."""
        for table, symbol in enumerate(self._first.symbols):
            target = self._engine.tables.get(Symbol(symbol.kind, symbol.name, symbol.arity))
            if node_of(symbol) != node or target is None:
                continue
            found = self._first.core.answers(table, self._first.threads)
            if symbol.kind is EntityKind.EVENT:
                time, words = found
                yield EventRows(target, time, words.reshape(len(time), symbol.width))
            else:
                start, end, value, words = found
                start = np.maximum(start, -FOREVER)
                is_point = np.zeros(len(start), np.bool_)
                yield FluentRows(target, start, end, value, words.reshape(len(start), symbol.width), is_point)

    def _numbers(self, moving: Moving, rows: Rows) -> Reals:
        if isinstance(rows, FluentRows):
            return lengths_found(rows.start, rows.end, self._query).astype(np.float64)
        assert moving.place is not None
        words, place = np.unique(rows.words[:, moving.place], return_inverse=True)
        values = values_of_words(words, self._first.words)
        is_number = [isinstance(one, int | float) and not isinstance(one, bool) for one in values]
        pairs = zip(values, is_number, strict=True)
        return np.array([float(one) if good else math.nan for one, good in pairs], np.float64)[place]  # type: ignore[arg-type]

    def beginning(self) -> Iterator[Moves]:
        """The intervals of the first setting that hold in all settings."""
        for table, symbol in enumerate(self._first.symbols):
            if node_of(symbol) in self._shown:
                start, end, value, words = self._first.core.answers(table, self._first.threads)
                found = self._history(symbol, value, words, (start, end))
                yield Moves(found, np.zeros(len(found), np.int64), np.ones(len(found), np.bool_))

    def over(self, settings: Sequence[Sequence[Fraction]], most: int) -> Iterator[tuple[int, list[Moves]]]:
        """Go through settings in groups: the intervals that a group adds and removes, and the size of the group."""
        pieces: list[dict[str, Any]] = []
        rows = 0
        for setting in settings:
            pieces.append(self._to(setting))
            rows += len(pieces[-1]["op"])
            if rows >= most:
                yield len(pieces), list(self._moves(pieces))
                pieces, rows = [], 0
        yield len(pieces), list(self._moves(pieces))

    def _to(self, setting: Sequence[Fraction]) -> dict[str, Any]:
        for passing in self._passing:
            comes, goes = passing.to(setting[passing.parameter])
            if comes is not None:
                self._engine.push(comes, is_cause=False)
            if goes is not None:
                self._engine.retract(goes)
        self._engine.advance(self._query)
        found: dict[str, Any] = self._engine.changes(0).columns()
        return found

    def _moves(self, pieces: Sequence[dict[str, Any]]) -> Iterator[Moves]:
        if not pieces:
            return
        names = ("table", "op", "value", "start", "end", "prev_start", "prev_end", "columns")
        table, op, value, start, end, old_start, old_end, words = (
            np.concatenate([piece[name] for piece in pieces]) for name in names
        )
        setting = np.repeat(np.arange(len(pieces)), [len(piece["op"]) for piece in pieces])
        sizes = np.concatenate([np.diff(piece["offsets"]) for piece in pieces])
        first = sizes.cumsum() - sizes
        for number in np.unique(table).tolist():
            symbol = self._engine.symbols[number]
            mine = np.flatnonzero(table == number)
            goes, comes = mine[op[mine] != _OPEN], mine[op[mine] != _RETRACT]
            rows = np.concatenate((goes, comes))
            is_old = np.zeros(len(rows), np.bool_)
            is_old[: len(goes)] = op[goes] != _RETRACT
            spans = np.where(is_old, old_start[rows], start[rows]), np.where(is_old, old_end[rows], end[rows])
            args = words[(first[rows][:, None] + np.arange(symbol.width)).reshape(-1)]
            found = self._history(symbol, value[rows], args, spans)
            yield Moves(found, setting[rows], np.arange(len(rows)) >= len(goes))

    def _history(self, symbol: Symbol, value: WordArray, words: WordArray, spans: tuple[Ints, Ints]) -> History:
        columns = self._vocabulary.columns(np.ascontiguousarray(words), symbol.width)
        start, end = np.maximum(spans[0], -FOREVER), np.minimum(spans[1], FOREVER)
        codes = self._vocabulary.codes(np.ascontiguousarray(value))
        return history_of_symbol(symbol, columns, codes, (start, end), self._texts)
