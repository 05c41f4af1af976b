"""Evaluates many settings in one engine: a change of a constant inserts or retracts the rows whose comparison changes.

One engine evaluates the part that no constant affects. Its results are the input of a second engine, which goes from setting to
setting. Only candidates and filtered intervals with numbers between the two values are inserted or retracted, only their keys
are evaluated, and the engine reports the changes.
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
class SettingChanges:
    """Intervals of one fluent that some settings add or remove. Settings are numbered from 0."""

    found: History
    setting: Ints
    is_added: Bools


class _ComparedRows:
    """The rows that are compared with a constant, in the order of their numbers."""

    def __init__(self, moving: Moving, rows: Rows, numbers: Reals) -> None:
        self.parameter, self._operator = moving.parameter, moving.operator
        order = np.argsort(numbers, kind="stable")
        # Rows without a number are at the end; their comparison never holds.
        self._numbers = numbers[order][: int(np.count_nonzero(~np.isnan(numbers)))]
        self._rows = rows.take(order[: len(self._numbers)])
        self._place = 0 if moving.operator in ("<", "=<") else len(self._numbers)

    def to(self, constant: Fraction) -> tuple[Rows | None, Rows | None]:
        """Moves to a value of the constant; returns the rows whose comparison now holds, and those whose does not any more."""
        side: Literal["left", "right"] = "left" if self._operator in ("<", ">=") else "right"
        now, before = int(np.searchsorted(self._numbers, float(constant), side)), self._place
        self._place = now
        if now == before:
            return None, None
        between = self._rows.take(slice(min(now, before), max(now, before)))
        # The rows below the constant, or the rows above it.
        is_added = (now > before) == (self._operator in ("<", "=<"))
        return (between, None) if is_added else (None, between)


class SettingRuns:
    """Two engines: one for the part that is evaluated once, one that goes from setting to setting."""

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
        self._compared = [
            _ComparedRows(moving, rows, self._numbers(moving, rows))
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

    def constant_results(self) -> Iterator[SettingChanges]:
        """The intervals of the first setting that hold in all settings."""
        for table, symbol in enumerate(self._first.symbols):
            if node_of(symbol) in self._shown:
                start, end, value, words = self._first.core.answers(table, self._first.threads)
                found = self._history(symbol, value, words, (start, end))
                yield SettingChanges(found, np.zeros(len(found), np.int64), np.ones(len(found), np.bool_))

    def changes(self, settings: Sequence[Sequence[Fraction]], most: int) -> Iterator[tuple[int, list[SettingChanges]]]:
        """Go through settings in groups: the intervals that a group adds and removes, and the size of the group."""
        pieces: list[dict[str, Any]] = []
        rows = 0
        for setting in settings:
            pieces.append(self._apply(setting))
            rows += len(pieces[-1]["op"])
            if rows >= most:
                yield len(pieces), list(self._changes_of(pieces))
                pieces, rows = [], 0
        yield len(pieces), list(self._changes_of(pieces))

    def _apply(self, setting: Sequence[Fraction]) -> dict[str, Any]:
        for compared in self._compared:
            added, removed = compared.to(setting[compared.parameter])
            if added is not None:
                self._engine.push(added, is_cause=False)
            if removed is not None:
                self._engine.retract(removed)
        self._engine.advance(self._query)
        found: dict[str, Any] = self._engine.changes(0).columns()
        return found

    def _changes_of(self, pieces: Sequence[dict[str, Any]]) -> Iterator[SettingChanges]:
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
            removed, added = mine[op[mine] != _OPEN], mine[op[mine] != _RETRACT]
            rows = np.concatenate((removed, added))
            is_old = np.zeros(len(rows), np.bool_)
            is_old[: len(removed)] = op[removed] != _RETRACT
            spans = np.where(is_old, old_start[rows], start[rows]), np.where(is_old, old_end[rows], end[rows])
            args = words[(first[rows][:, None] + np.arange(symbol.width)).reshape(-1)]
            found = self._history(symbol, value[rows], args, spans)
            yield SettingChanges(found, setting[rows], np.arange(len(rows)) >= len(removed))

    def _history(self, symbol: Symbol, value: WordArray, words: WordArray, spans: tuple[Ints, Ints]) -> History:
        columns = self._vocabulary.columns(np.ascontiguousarray(words), symbol.width)
        start, end = np.maximum(spans[0], -FOREVER), np.minimum(spans[1], FOREVER)
        codes = self._vocabulary.codes(np.ascontiguousarray(value))
        return history_of_symbol(symbol, columns, codes, (start, end), self._texts)
