"""Answers as tables of canonical text: `query_time, fluent, value, start, end` and `query_time, event, time`.

Every constant is printed once per run; the text of a row is assembled from columns of such text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import codes_of
from holdsfor.columns.kernels import EMPTY, Bools, Ints
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.printer import print_constant, print_term
from holdsfor.syntax.terms import Compound, Const, Term

if TYPE_CHECKING:
    # Rows are those of the reference evaluator, which is slow to import.
    from holdsfor.reference import EventRow, IntervalRow

INTERVALS = pa.schema(
    [
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("fluent", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
"""A null start lies before all time; a null end is still open at the query time."""
EVENTS = pa.schema(
    [
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("event", pa.string(), nullable=False),
        pa.field("time", pa.int64(), nullable=False),
    ]
)


class Texts:
    """The canonical text of every reported constant."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._arguments = _Printed(dictionary, ARGUMENT)
        self._values = _Printed(dictionary, CLAUSE)

    def values(self, codes: Ints) -> Any:
        """A column of constants as separate values."""
        return self._values.column(codes)

    def terms(self, symbol: Symbol, columns: Sequence[Ints], rows: int) -> Any:
        """A column of terms of one symbol, from their argument columns."""
        names = {symbol.name, *(name for _, name, _ in symbol.inner)}
        if names & (INFIX.keys() | PREFIX.keys()):
            return self._one_by_one(symbol, columns)
        parts: list[Any] = []
        for text, column in zip(between(symbol), [*columns, None], strict=True):
            parts += [text] if column is None else [text, self._arguments.column(column)]
        if not columns:
            return pa.array(parts).take(pa.array(np.zeros(rows, np.int64)))
        return pc.binary_join_element_wise(*parts, "")

    def _one_by_one(self, symbol: Symbol, columns: Sequence[Ints]) -> Any:
        """Terms with operators, which may need parentheses."""
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return pa.array([print_term(ground_term(symbol, self.dictionary.terms(row))) for row in rows], pa.string())


class _Printed:
    """Constants printed so far, and the index of the text of each code."""

    def __init__(self, dictionary: Dictionary, limit: int) -> None:
        self._dictionary, self._limit = dictionary, limit
        self._place = EMPTY
        self._texts = pa.array([], pa.string())

    def column(self, codes: Ints) -> Any:
        """The text of a column of codes."""
        missing = len(self._dictionary) - len(self._place)
        if missing:
            self._place = np.concatenate((self._place, np.full(missing, -1)))
        new = np.unique(codes[self._place[codes] < 0])
        if len(new):
            self._place[new] = np.arange(len(self._texts), len(self._texts) + len(new))
            texts = [print_term(term, self._limit) for term in self._dictionary.terms(new.tolist())]
            self._texts = pa.concat_arrays([self._texts, pa.array(texts, pa.string())])
        return self._texts.take(pa.array(self._place[codes]))


def between(symbol: Symbol) -> list[str]:
    """The constant text of a term before, between and after its argument columns.

    >>> from holdsfor.compiler.analysis.entities import EntityKind
    >>> between(Symbol(EntityKind.FLUENT, "per", 2, ((0, "vote", 2),)))
    ['per(vote(', ',', '),', ')']
    """
    hole = "\0"
    columns = symbol.arity - len(symbol.inner) + sum(arity for _, _, arity in symbol.inner)
    return _skeleton(symbol, hole).split(hole) if columns else [_skeleton(symbol, hole)]


def _skeleton(symbol: Symbol, hole: str) -> str:
    opened = {position: (name, arity) for position, name, arity in symbol.inner}
    args = []
    for position in range(symbol.arity):
        name, arity = opened.get(position, (hole, 0))
        shown = hole if name == hole else print_constant(name)
        args.append(f"{shown}({','.join([hole] * arity)})" if arity else shown)
    name = print_constant(symbol.name)
    return f"{name}({','.join(args)})" if args else name


def ground_term(symbol: Symbol, columns: list[Term]) -> Term:
    """The term of a symbol from its columns, with inner terms rebuilt."""
    opened = {position: (name, arity) for position, name, arity in symbol.inner}
    rest = iter(columns)
    args: list[Term] = []
    for position in range(symbol.arity):
        if position in opened:
            name, arity = opened[position]
            inner = tuple(next(rest) for _ in range(arity))
            args.append(Compound(name, inner) if arity else Const(name))
        else:
            args.append(next(rest))
    return Compound(symbol.name, tuple(args)) if args else Const(symbol.name)


def interval_table(answer: Answer, texts: Texts) -> pa.Table:
    """The intervals of an answer, sorted."""
    tables = [(symbol, table) for symbol, table in answer.fluents.items() if len(table)]
    if not tables:
        return INTERVALS.empty_table()
    fluent = pa.concat_arrays([texts.terms(symbol, table.args, len(table)) for symbol, table in tables])
    value = pa.concat_arrays([texts.values(table.value) for _, table in tables])
    start = np.concatenate([table.start for _, table in tables])
    end = np.concatenate([table.end for _, table in tables])
    # The intervals of a fluent are in time order, so a stable sort by text suffices.
    ranks = _ranks(value)
    order = pa.array(_stable_order(_ranks(fluent) * (int(ranks.max()) + 1) + ranks))
    columns = [fluent, value, _times(start, start <= -FOREVER), _times(end, end >= FOREVER)]
    return _table(INTERVALS, answer.query_time, [column.take(order) for column in columns])


def event_table(answer: Answer, texts: Texts) -> pa.Table:
    """The derived events of an answer, sorted."""
    tables = [(symbol, events) for symbol, events in answer.events.items() if len(events)]
    if not tables:
        return EVENTS.empty_table()
    event = pa.concat_arrays(
        [
            texts.terms(symbol, [codes_of(column, texts.dictionary) for column in events.args], len(events))
            for symbol, events in tables
        ]
    )
    time = np.concatenate([events.time for _, events in tables])
    order = pa.array(np.lexsort((time, _ranks(event))))
    return _table(EVENTS, answer.query_time, [event.take(order), pa.array(time).take(order)])


def _table(schema: pa.Schema, query_time: int, columns: list[Any]) -> pa.Table:
    return pa.table([pa.array(np.full(len(columns[0]), query_time)), *columns], schema=schema)


def _times(times: Ints, is_null: Bools) -> Any:
    return pa.array(times, mask=is_null) if is_null.any() else pa.array(times)


def _ranks(texts: Any) -> Ints:
    """The alphabetical rank of each text; equal texts have equal ranks."""
    encoded = texts.dictionary_encode()
    ranks = np.empty(len(encoded.dictionary), np.int64)
    ranks[pc.array_sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(ranks))
    found: Ints = ranks[encoded.indices.to_numpy()]
    return found


def _stable_order(keys: Ints) -> Ints:
    """The stable order of small keys. The low bits contain row numbers: a plain sort is far faster than argsort."""
    bits = max(1, (len(keys) - 1).bit_length())
    if int(keys.max()).bit_length() + bits > 62:
        return np.argsort(keys, kind="stable")
    return np.sort((keys << bits) | np.arange(len(keys))) & ((1 << bits) - 1)


def interval_rows(answers: Iterable[Answer], dictionary: Dictionary) -> list[IntervalRow]:
    """The intervals of all answers, sorted."""
    texts = Texts(dictionary)
    return sorted(row for answer in answers for row in rows_of(interval_table(answer, texts)))


def rows_of(table: pa.Table) -> Iterator[IntervalRow]:
    """The rows of a table of intervals."""
    from holdsfor.reference import IntervalRow

    for query_time, fluent, value, start, end in zip(*(column.to_pylist() for column in table.columns), strict=True):
        yield IntervalRow(
            query_time, fluent, value, -math.inf if start is None else start, math.inf if end is None else end
        )


def event_rows(answers: Iterable[Answer], dictionary: Dictionary) -> list[EventRow]:
    """The derived events of all answers, sorted."""
    from holdsfor.reference import EventRow

    texts = Texts(dictionary)
    tables = (event_table(answer, texts) for answer in answers)
    return sorted(EventRow(*row.values()) for table in tables for row in table.to_pylist())


def interval_rows_table(rows: Iterable[IntervalRow]) -> pa.Table:
    """Rows of intervals as a table."""
    listed = [(r.query_time, r.fluent, r.value, _finite(r.start), _finite(r.end)) for r in rows]
    return pa.Table.from_pylist([dict(zip(INTERVALS.names, row, strict=True)) for row in listed], INTERVALS)


def event_rows_table(rows: Iterable[EventRow]) -> pa.Table:
    """Rows of derived events as a table."""
    listed = [(r.query_time, r.event, r.time) for r in rows]
    return pa.Table.from_pylist([dict(zip(EVENTS.names, row, strict=True)) for row in listed], EVENTS)


def _finite(time: float) -> int | None:
    return None if math.isinf(time) else int(time)
