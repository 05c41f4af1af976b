"""Reads streams as records, one row at a time, for the reference evaluator."""

from __future__ import annotations

import math
from collections.abc import Iterator

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.stream import Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.reference.history import InputInterval, Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, Term


def records(stream: Stream, dictionary: Dictionary) -> list[Record]:
    """All rows of a stream as records."""
    return [*_occurrences(stream, dictionary), *_intervals(stream, dictionary)]


def _occurrences(stream: Stream, dictionary: Dictionary) -> Iterator[Occurrence]:
    for symbol, columns in stream.events.items():
        for *args, time, arrival in _rows(*columns.args, columns.time, columns.arrival):
            yield Occurrence(_term(symbol, args, dictionary), time, arrival)


def _intervals(stream: Stream, dictionary: Dictionary) -> Iterator[InputInterval]:
    for symbol, columns in stream.fluents.items():
        others = (columns.value, columns.start, columns.end, columns.arrival, columns.is_point)
        for *args, value, start, end, arrival, is_point in _rows(*columns.args, *others):
            until = math.inf if end >= FOREVER else end
            term = _term(symbol, args, dictionary)
            yield InputInterval(term, dictionary.term(value), start, until, arrival, bool(is_point))


def _rows(*columns: Ints | Bools) -> Iterator[tuple[int, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _term(symbol: Symbol, args: list[int], dictionary: Dictionary) -> Term:
    return Compound(symbol.name, tuple(dictionary.terms(args))) if args else Const(symbol.name)
