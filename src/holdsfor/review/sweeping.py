"""Many settings of thresholds in one engine: a threshold that moves inserts or retracts the rows that it passes.

A comparison of a number of an event with the constant is replaced by a second event with the same arguments, which happens
where the comparison holds. From one setting to the next, only rows whose numbers lie in between come or go; the engine evaluates the keys of
these rows, and reports what changes of them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import Engine, EventRows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.engine.op import Op
from holdsfor.io.builder import Reading
from holdsfor.ir import Happens, Program
from holdsfor.review.breakpoints import RowTest, Uses, column_numbers
from holdsfor.session.texts import Texts, as_strings, as_times
from holdsfor.syntax.printer import print_constant
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


class Sweep:
    """One engine that goes from setting to setting."""

    def __init__(self, plan: Plan, reading: Reading, flags: Sequence[Flag], threads: int | None) -> None:
        self._engine = Engine(plan, threads=threads, changes=True)
        self._texts = Texts(self._engine.words, self._engine.symbols)
        self._query = int(reading.stream.moments()[1])
        vocabulary = Vocabulary(reading.dictionary, self._engine.words)
        for rows, _ in self._engine.rows_of(reading.stream, vocabulary):
            self._engine.push(rows)
        self._moving: list[tuple[Flag, EventRows, npt.NDArray[np.float64], npt.NDArray[np.bool_]]] = []
        for flag in flags:
            columns = reading.stream.events.get(flag.test.symbol)
            table = self._engine.tables.get(flag.symbol)
            if columns is None or table is None:
                continue
            # A rule with a flag reads the event as well, so that the engine has rows of it.
            given = self._engine.rows(flag.test.symbol, columns, vocabulary)
            assert isinstance(given, EventRows)
            numbers = column_numbers(columns, flag.test.argument, reading)
            moved = EventRows(table, given.time, given.words)
            self._moving.append((flag, moved, numbers, np.zeros(len(numbers), np.bool_)))

    def to(self, setting: Sequence[Fraction], names: Collection[str]) -> list[Moved]:
        """Go to a setting: what becomes of the intervals of some fluents."""
        for place, (flag, rows, numbers, holds) in enumerate(self._moving):
            now = _compared(numbers, flag.test.operator, setting[flag.parameter])
            for wanted, act in ((now & ~holds, self._engine.push), (holds & ~now, self._engine.retract)):
                moved = np.flatnonzero(wanted)
                if len(moved):
                    act(rows.take(moved).kept())
            self._moving[place] = (flag, rows, numbers, now)
        self._engine.advance(self._query)
        columns = self._texts.speller.columns(self._engine.changes(0), _OPERATIONS, 1)
        found = {name: as_strings(columns[name]) for name in ("op", "fluent", "value")}
        found |= {name: as_times(columns[name]) for name in _TIMES}
        chosen = _named(found["fluent"], names)
        listed = [found[name].filter(chosen).to_pylist() for name in ("op", "fluent", "value", *_TIMES)]
        return list(zip(*listed, strict=True))


_TIMES = ("start", "end", "previous_start", "previous_end")
_OPERATIONS = [op.value for op in Op]
Moved: TypeAlias = tuple[str, str, str, int | None, int | None, int | None, int | None]
"""The operation, fluent and value, start and end, and what those were."""


def _named(fluents: Any, names: Collection[str]) -> Any:
    """Which fluents have one of some names."""
    found = pa.array(np.zeros(len(fluents), np.bool_))
    for name in sorted(names):
        shown = print_constant(name)
        mine = pc.or_(pc.starts_with(fluents, f"{shown}("), pc.equal(fluents, shown))
        found = pc.or_(found, mine)
    return found


def _compared(numbers: npt.NDArray[np.float64], operator: str, constant: Fraction) -> npt.NDArray[np.bool_]:
    value = float(constant)
    match operator:
        case "<":
            return numbers < value
        case ">":
            return numbers > value
        case "=<":
            return numbers <= value
        case _:
            return numbers >= value
