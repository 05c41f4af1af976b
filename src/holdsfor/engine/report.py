"""Answers as rows of canonical text."""

from __future__ import annotations

import math
from collections.abc import Iterable

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.run import Answer
from holdsfor.engine.tables import FOREVER
from holdsfor.reference import EventRow, IntervalRow
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term


def interval_rows(answers: Iterable[Answer], dictionary: Dictionary) -> list[IntervalRow]:
    """The intervals of all answers, sorted."""
    rows = []
    for answer in answers:
        for symbol, table in answer.fluents.items():
            columns = zip(
                *(column.tolist() for column in (*table.args, table.value, table.start, table.end)), strict=True
            )
            for *args, value, start, end in columns:
                fluent = print_term(ground_term(symbol, dictionary.terms(args)))
                shown = print_term(dictionary.term(value))
                rows.append(IntervalRow(answer.query_time, fluent, shown, _time(start), _time(end)))
    return sorted(rows)


def event_rows(answers: Iterable[Answer], dictionary: Dictionary) -> list[EventRow]:
    """The derived events of all answers, sorted."""
    rows = []
    for answer in answers:
        for symbol, events in answer.events.items():
            columns = [codes_of(column, dictionary).tolist() for column in events.args]
            for *args, time in zip(*columns, events.time.tolist(), strict=True):
                rows.append(EventRow(answer.query_time, print_term(ground_term(symbol, dictionary.terms(args))), time))
    return sorted(rows)


def ground_term(symbol: Symbol, columns: list[Term]) -> Term:
    """The term of a symbol from its columns, inner terms put together again."""
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


def _time(time: int) -> float:
    return math.inf if time >= FOREVER else -math.inf if time <= -FOREVER else time
