"""What stages of a session have changed, as the changes that users see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.compiled import compiled_core
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.op import Op
from holdsfor.engine.report import ground_term
from holdsfor.incremental.heap import FIRST, SECTION
from holdsfor.incremental.stage import StageRun
from holdsfor.incremental.trace import Trace
from holdsfor.session.causes import Cause
from holdsfor.session.changes import MOST_CAUSES, Change, Changes, schema
from holdsfor.session.mixed.inputs import Inputs
from holdsfor.session.mixed.ledger import Entries, Ledger, finite
from holdsfor.syntax.printer import print_term
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Known:
    """What a session knows when changes are asked for: whom each fluent is worked out by, and what came in."""

    ledger: Ledger
    stages: Mapping[Symbol, StageRun]
    reads: Mapping[Symbol, frozenset[int]]
    """The tables that the rules of a fluent read, directly or not."""
    trace: Trace
    inputs: Inputs
    dictionary: Dictionary
    tick: int = 1


class MixedChanges(Changes):
    """Changes from the rows of a ledger."""

    def __init__(self, entries: Entries, query_time: int, known: Known, time_scale: TimeScale | None) -> None:
        self._entries, self._known = entries, known
        self.time_scale = time_scale
        self.query_time = query_time * known.tick

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def _listed(self) -> list[Change]:
        ledger, rows = self._known.ledger, self._entries.rows
        names = [self._name(row) for row in rows]
        values = [print_term(self._known.dictionary.term(row[ledger.value])) for row in rows]
        first = (
            np.array([row[place] if finite(row[place]) is None else row[place] * self._known.tick for row in rows], int)
            for place in (ledger.first_start, ledger.first_query)
        )
        ids = compiled_core().interval_ids(names, values, *first, 1)
        found = []
        for place, op in enumerate(map(Op, self._entries.op)):
            row, before = rows[place], self._entries.previous[place]
            now = (self._time(row[ledger.start]), self._time(row[ledger.end]))
            was = (None, None) if op is Op.OPEN else (self._time(before[ledger.start]), self._time(before[ledger.end]))
            shown = ids[place], op, names[place], values[place]
            found.append(Change(*shown, *now, self.query_time, *was, self._causes_of(row)))
        return found

    @cached_property
    def _table(self) -> pa.Table:
        import pyarrow as pa

        columns = [[getattr(change, name) for change in self._listed] for name in schema().names[:-1]]
        causes = [[cause.shown(self.time_scale) for cause in change.causes] for change in self._listed]
        return pa.table([*columns, causes], schema=schema())

    def _name(self, row: Sequence[int]) -> str:
        ledger = self._known.ledger
        symbol = ledger.symbols[row[SECTION]]
        args = row[FIRST : FIRST + width(symbol)]
        return print_term(ground_term(symbol, self._known.dictionary.terms(args)))

    def _time(self, ticks: int) -> int | None:
        found = finite(ticks)
        return None if found is None else found * self._known.tick

    def _causes_of(self, row: Sequence[int]) -> tuple[Cause, ...]:
        known = self._known
        symbol = known.ledger.symbols[row[SECTION]]
        stage = known.stages[symbol]
        numbers = known.trace.of(stage, stage.sections.key(symbol, row[FIRST : FIRST + width(symbol)]))
        wanted = [number for number in numbers if known.inputs.table(number) in known.reads[symbol]]
        return tuple(known.inputs.cause(number, known.tick) for number in wanted[-MOST_CAUSES:])
