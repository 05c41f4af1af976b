"""Tables that earlier stages have worked out, put where the strata of a stage look for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.state import Settled
from holdsfor.engine.tables import FOREVER, Events, Intervals, Points, no_intervals, times_in
from holdsfor.ir import EffectKind
from holdsfor.spark.rows import whole_column
from holdsfor.spark.wire import Kind, Tag, codes_from


@dataclass(frozen=True)
class GivenTable:
    """The rows of one tag, in order of query time."""

    tag: Tag
    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    query: Ints

    @classmethod
    def of(cls, tag: Tag, rows: pa.Table, dictionary: Dictionary) -> GivenTable:
        """The rows of a tag, their terms encoded."""
        query = rows["q"].to_numpy()
        order = pa.array(np.argsort(query, kind="stable"))
        rows = rows.take(order).combine_chunks()
        columns = [codes_from(whole_column(rows[slot]), dictionary) for slot in tag.args]
        value = EMPTY if tag.value is None else codes_from(whole_column(rows[tag.value]), dictionary)
        start, end = (times_in(rows[name], gap) for name, gap in (("t0", -FOREVER), ("t1", FOREVER)))
        return cls(tag, tuple(columns), value, start, end, rows["q"].to_numpy())

    def at(self, query: int) -> GivenTable:
        """The rows of one query time."""
        first, last = np.searchsorted(self.query, [query, query + 1])
        return self._part(slice(first, last))

    def after(self, border: int) -> GivenTable:
        """The rows that matter after a border: all of the intervals, points and events after it."""
        is_span = self.tag.kind is Kind.TABLE and self.tag.symbol.kind is EntityKind.FLUENT
        return self if is_span else self._part(np.flatnonzero(self.start > border))

    def _part(self, part: slice | Ints) -> GivenTable:
        args = tuple(column[part] for column in self.args)
        value = EMPTY if self.tag.value is None else self.value[part]
        return GivenTable(self.tag, args, value, self.start[part], self.end[part], self.query[part])


def fill(evaluation: Evaluation, tables: Iterable[GivenTable]) -> None:
    """Publish the tables of a query time, as if their strata had just been worked out."""
    fluents: dict[Symbol, GivenTable] = {}
    settled: dict[Symbol, Settled] = {}
    for table in tables:
        symbol = table.tag.symbol
        if table.tag.kind is Kind.SETTLED:
            settled[symbol] = Settled(table.args, table.value, table.start)
        elif table.tag.kind is not Kind.TABLE:
            points = Points(table.args, table.value, table.start)
            evaluation.set_points(symbol, EffectKind(table.tag.kind.value), points)
        elif symbol.kind is EntityKind.EVENT:
            evaluation.derived[symbol] = Events(tuple(map(Codes, table.args)), table.start)
        else:
            fluents[symbol] = table
    for symbol, table in fluents.items():
        evaluation.give_fluent(symbol, _intervals(evaluation, symbol, table), settled.get(symbol))
    made = {symbol for stratum in evaluation.plan.strata for symbol in stratum.members}
    for symbol in evaluation.border.past.keys() - made - evaluation.fluents.keys():
        # Nothing new has come of it, but what has been kept of its past still counts.
        evaluation.give_fluent(symbol, no_intervals(width(symbol), single_valued=_is_simple(evaluation, symbol)))


def _intervals(evaluation: Evaluation, symbol: Symbol, table: GivenTable) -> Intervals:
    single = _is_simple(evaluation, symbol)
    keys = [table.start, *reversed(table.args)] if single else [table.start, table.value, *reversed(table.args)]
    order = np.lexsort(keys)
    args = tuple(column[order] for column in table.args)
    return Intervals(args, table.value[order], table.start[order], table.end[order], single_valued=single)


def _is_simple(evaluation: Evaluation, symbol: Symbol) -> bool:
    return evaluation.entities[symbol].role is Role.SIMPLE_FLUENT
