"""Many settings of thresholds in one engine: a threshold that moves inserts or retracts the rows that it passes.

A comparison of a number of an event with the constant is replaced by a second event with the same arguments, which happens
where the comparison holds. From one setting to the next, only rows whose numbers lie in between come or go; the engine evaluates the keys of
these rows, and reports what changes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.columns.op import Op
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine
from holdsfor.core.rows import EventRows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.io.builder import Reading
from holdsfor.ir import Happens, Program
from holdsfor.review.breakpoints import RowTest, Uses, column_numbers
from holdsfor.session.texts import Texts, as_strings, as_times
from holdsfor.syntax.terms import Compound


@dataclass(frozen=True)
class Flag:
    """The event that stands for a comparison with a constant, by the constant's number."""

    parameter: int
    test: RowTest
    symbol: Symbol


def flagged(program: Program, uses: Sequence[Uses]) -> tuple[Program, list[Flag]]:
    """The program with events in the place of comparisons, and what they stand for."""
    flags: list[Flag] = []
    known: dict[tuple[int, Symbol, int, str], Symbol] = {}
    rules = {id(rule): rule for rule in program.rules}
    for number, one in enumerate(uses):
        for test in one.rows:
            key = number, test.symbol, test.argument, test.operator
            if key not in known:
                name = f"{test.symbol.name} {test.operator} constant {number}"
                known[key] = Symbol(EntityKind.EVENT, f"{name} {test.argument}", test.symbol.arity)
                flags.append(Flag(number, test, known[key]))
            assert isinstance(test.event.event, Compound)
            happens = Happens(Compound(known[key].name, test.event.event.args), test.event.time, test.compare.span)
            rule = rules[id(test.rule)]
            body = tuple(
                happens if literal is test.compare else literal for literal in rule.body if literal is not test.call
            )
            rules[id(test.rule)] = replace(rule, body=body)
    return replace(program, rules=tuple(rules[id(rule)] for rule in program.rules)), flags


class _Moving:
    """The rows for which a comparison with a constant may hold, in the order of their numbers."""

    def __init__(self, flag: Flag, rows: EventRows, numbers: npt.NDArray[np.float64]) -> None:
        self.flag = flag
        order = np.argsort(numbers, kind="stable")
        # What has no number is at the end, and holds for none.
        self._numbers = numbers[order][: int(np.count_nonzero(~np.isnan(numbers)))]
        self._rows = rows.take(order[: len(self._numbers)])
        self._place = 0 if flag.test.operator in ("<", "=<") else len(self._numbers)

    def to(self, constant: Fraction) -> tuple[EventRows | None, EventRows | None]:
        """The rows for which it begins to hold, and those for which it ceases to."""
        operator = self.flag.test.operator
        side: Literal["left", "right"] = "left" if operator in ("<", ">=") else "right"
        now, before = int(np.searchsorted(self._numbers, float(constant), side)), self._place
        self._place = now
        if now == before:
            return None, None
        between = self._rows.take(slice(min(now, before), max(now, before))).kept()
        # Those below the constant, or those above it.
        comes = (now > before) == (operator in ("<", "=<"))
        return (between, None) if comes else (None, between)


class Sweep:
    """One engine that goes from setting to setting."""

    def __init__(
        self, plan: Plan, reading: Reading, flags: Sequence[Flag], names: Collection[str], threads: int | None
    ) -> None:
        self._engine = Engine(plan, threads=threads, changes=True)
        self._engine.core.report_only([symbol.name in names for symbol in self._engine.symbols])
        self._texts = Texts(self._engine.words, self._engine.symbols)
        self._query = int(reading.stream.moments()[1])
        vocabulary = Vocabulary(reading.dictionary, self._engine.words)
        for rows, _ in self._engine.rows_of(reading.stream, vocabulary):
            self._engine.push(rows, is_cause=False)
        self._moving: list[_Moving] = []
        for flag in flags:
            columns = reading.stream.events.get(flag.test.symbol)
            table = self._engine.tables.get(flag.symbol)
            if columns is None or table is None:
                continue
            # A rule with a flag reads the event as well, so that the engine has rows of it.
            given = self._engine.rows(flag.test.symbol, columns, vocabulary)
            assert isinstance(given, EventRows)
            numbers = column_numbers(columns, flag.test.argument, reading)
            self._moving.append(_Moving(flag, EventRows(table, given.time, given.words), numbers))

    def to(self, setting: Sequence[Fraction]) -> list[Moved]:
        """Go to a setting: what becomes of the intervals of the fluents that are told of."""
        for moving in self._moving:
            comes, goes = moving.to(setting[moving.flag.parameter])
            if comes is not None:
                self._engine.push(comes, is_cause=False)
            if goes is not None:
                self._engine.retract(goes)
        self._engine.advance(self._query)
        columns = self._texts.speller.columns(self._engine.changes(0), _OPERATIONS, 1)
        found = {name: as_strings(columns[name]) for name in ("op", "fluent", "value")}
        found |= {name: as_times(columns[name]) for name in _TIMES}
        listed = [found[name].to_pylist() for name in ("op", "fluent", "value", *_TIMES)]
        return list(zip(*listed, strict=True))


_TIMES = ("start", "end", "previous_start", "previous_end")
_OPERATIONS = [op.value for op in Op]
Moved: TypeAlias = tuple[str, str, str, int | None, int | None, int | None, int | None]
"""The operation, fluent and value, start and end, and what those were."""
