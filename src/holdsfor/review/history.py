"""All intervals and events of a run, as columns by which two runs are compared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from holdsfor.columns.frames import row_keys
from holdsfor.columns.kernels import EMPTY, Bools, Ints
from holdsfor.columns.known import DecisiveAnswers, known_answers, known_intervals, known_occurrences
from holdsfor.columns.metric.report import Row
from holdsfor.columns.report import Texts
from holdsfor.compiler.analysis.definitions import EVENT, FLUENT, Node
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.constants import argument_text
from holdsfor.ir.metric import Atom
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.review.timeline_scale import FAR, TimeLine
from holdsfor.syntax.terms import Const


class Subject(NamedTuple):
    """A fluent with a value, a metric predicate or a derived event (both without a value), of some entities."""

    name: str
    entity: tuple[str, ...]
    term: str
    value: str = ""
    is_event: bool = False

    def __str__(self) -> str:
        return f"{self.term}={self.value}" if self.value else self.term

    @property
    def shown_entity(self) -> str:
        """The arguments as text."""
        return ", ".join(self.entity)


@dataclass(frozen=True)
class History:
    """Intervals of subjects, by the number of the subject; those of one subject do not overlap."""

    subjects: Sequence[Subject]
    key: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.key)

    def take(self, rows: Ints) -> History:
        """Some of the intervals."""
        return History(self.subjects, self.key[rows], self.start[rows], self.end[rows])


def history_of(result: Result, wanted: Collection[Node] | None = None) -> History:
    """The results of a run: for every time-point, those of the last query time whose window contains it."""
    window = None if result.windows is None else result.windows.size
    known = known_answers(result.answers, window)
    texts = result.texts
    found: list[History] = []
    for symbol in dict.fromkeys(symbol for answer, _, _ in known for symbol in answer.fluents):
        if wanted is None or Node(FLUENT, symbol.name, symbol.arity) in wanted:
            table = known_intervals(known, symbol, -FAR, FAR)
            found.append(history_of_symbol(symbol, table.args, table.value, (table.start, table.end), texts))
    for symbol in dict.fromkeys(symbol for answer, _, _ in known for symbol in answer.events):
        if wanted is None or Node(EVENT, symbol.name, symbol.arity) in wanted:
            args, time = known_occurrences(known, symbol, -FAR, FAR, texts.dictionary)
            found.append(history_of_symbol(symbol, args, None, (time, time + 1), texts))
    return stacked(found)


def changed_histories(old: Result, new: Result, wanted: Collection[Node]) -> tuple[History, History]:
    """The results that only one of two runs over the same dictionary has; texts are created for these only."""
    assert old.texts.dictionary is new.texts.dictionary
    sides: tuple[list[History], list[History]] = ([], [])
    known = [
        known_answers(result.answers, None if result.windows is None else result.windows.size) for result in (old, new)
    ]
    kinds = [(symbol, FLUENT) for side in known for answer, _, _ in side for symbol in answer.fluents]
    kinds += [(symbol, EVENT) for side in known for answer, _, _ in side for symbol in answer.events]
    for symbol, kind in dict.fromkeys(kinds):
        if Node(kind, symbol.name, symbol.arity) not in wanted:
            continue
        both = [_columns(side, symbol, kind, old.texts) for side in known]
        for place, (columns, rows) in enumerate(zip(both, only_one_has(*both), strict=True)):
            *args, start, end = (column[rows] for column in columns)
            value = args.pop() if kind == FLUENT and args else None
            sides[place].append(history_of_symbol(symbol, args, value, (start, end), old.texts))
    return stacked(sides[0]), stacked(sides[1])


def _columns(known: DecisiveAnswers, symbol: Symbol, kind: str, texts: Texts) -> list[Ints]:
    """Arguments, the value of a fluent, starts and ends; no columns but times if there are no rows."""
    if kind == FLUENT:
        table = known_intervals(known, symbol, -FAR, FAR)
        return [*table.args, table.value, table.start, table.end] if len(table.start) else [EMPTY, EMPTY]
    args, time = known_occurrences(known, symbol, -FAR, FAR, texts.dictionary)
    return [*args, time, time + 1]


def only_one_has(old: list[Ints], new: list[Ints]) -> tuple[Ints, Ints]:
    """The rows of each table that the other has not."""
    sizes = len(old[-1]), len(new[-1])
    if not all(sizes):
        return np.arange(sizes[0]), np.arange(sizes[1])
    columns = [np.concatenate(pair) for pair in zip(old, new, strict=True)]
    order = np.lexsort(columns)
    same: Bools = np.ones(len(order) - 1, np.bool_)
    for column in columns:
        ordered = column[order]
        same &= ordered[1:] == ordered[:-1]
    is_common: Bools = np.zeros(len(order), np.bool_)
    is_common[order[1:][same]] = True
    is_common[order[:-1][same]] = True
    return np.flatnonzero(~is_common[: sizes[0]]), np.flatnonzero(~is_common[sizes[0] :])


def history_of_symbol(
    symbol: Symbol, args: Sequence[Ints], value: Ints | None, times: tuple[Ints, Ints], texts: Texts
) -> History:
    """Intervals of one fluent or event as columns, with its subjects."""
    start, end = times
    if not len(start):
        return History([], EMPTY, EMPTY, EMPTY)
    columns = [*args] if value is None else [*args, value]
    keys = row_keys(columns) if columns else np.zeros(len(start), np.int64)
    _, first, key = np.unique(keys, return_index=True, return_inverse=True)
    terms = texts.terms(symbol, [column[first] for column in args], len(first)).to_pylist()
    entities = [texts.values(column[first]).to_pylist() for column in args]
    values = [""] * len(first) if value is None else texts.values(value[first]).to_pylist()
    rows = zip(terms, values, zip(*entities, strict=True) if entities else [()] * len(first), strict=True)
    is_event = value is None
    subjects = [Subject(symbol.name, entity, term, shown, is_event) for term, shown, entity in rows]
    return History(subjects, key.reshape(-1).astype(np.int64), start, end)


def stacked(parts: Iterable[History]) -> History:
    """Histories of different subjects as one."""
    listed = [part for part in parts if len(part)]
    subjects: list[Subject] = []
    keys = []
    for part in listed:
        keys.append(part.key + len(subjects))
        subjects += part.subjects
    start, end = (np.concatenate([EMPTY, *(getattr(part, name) for part in listed)]) for name in ("start", "end"))
    return History(subjects, np.concatenate([EMPTY, *keys]), start, end)


def metric_scale(results: Iterable[MetricResult]) -> int:
    """The ticks per time unit that all times of some results need."""
    times = (time for result in results for row in result for time in (row.start, row.end) if time is not None)
    return lcm(1, *{time.denominator for time in times})


def metric_history_of(result: MetricResult, scale: int, wanted: Collection[Node] | None = None) -> History:
    """The results of a metric program, in cells."""
    numbers: dict[Subject, int] = {}
    rows = [row for row in result if wanted is None or Node(FLUENT, row.predicate, len(row.args)) in wanted]
    key = [numbers.setdefault(metric_subject(row.predicate, row.args), len(numbers)) for row in rows]
    columns = np.array([key, *zip(*(_cells(row, scale) for row in rows), strict=True)], np.int64).reshape(-1, len(rows))
    if not rows:
        return History([], EMPTY, EMPTY, EMPTY)
    return History(list(numbers), columns[0], columns[1], columns[2])


def metric_subject(predicate: str, args: Sequence[str | int | float]) -> Subject:
    """The subject of a fact."""
    entity = tuple(argument_text(arg) for arg in args)
    return Subject(predicate, entity, metric_text(Atom(predicate, tuple(Const(arg) for arg in args))))


def _cells(row: Row, scale: int) -> tuple[int, int]:
    return cell_span(row.start, row.end, scale, start_closed=row.start_closed, end_closed=row.end_closed)


def cell_span(
    start: Fraction | None, end: Fraction | None, scale: int, *, start_closed: bool, end_closed: bool
) -> tuple[int, int]:
    """An interval of rational time in cells.

    >>> cell_span(Fraction(3), Fraction(5), 1, start_closed=True, end_closed=False)
    (6, 10)
    """
    low = -FAR if start is None else int(2 * start * scale) + (not start_closed)
    return low, FAR if end is None else int(2 * end * scale) + end_closed


def together(old: History, new: History) -> tuple[list[Subject], History, History]:
    """Two histories with the same numbers for the same subjects."""
    numbers = {subject: number for number, subject in enumerate(old.subjects)}
    place = np.array([numbers.setdefault(subject, len(numbers)) for subject in new.subjects], np.int64)
    subjects = list(numbers)
    moved = place[new.key] if len(new) else EMPTY
    return subjects, History(subjects, old.key, old.start, old.end), History(subjects, moved, new.start, new.end)


def histories(
    results: Sequence[Result | MetricResult], wanted: Collection[Node] | None
) -> tuple[list[History], TimeLine]:
    """The results of several runs on one time-line."""
    metric = [one for one in results if isinstance(one, MetricResult)]
    scale = results[0].time_scale
    if metric:
        ticks = metric_scale(metric)
        return [metric_history_of(one, ticks, wanted) for one in metric], TimeLine(scale, ticks)
    return [history_of(one, wanted) for one in results if isinstance(one, Result)], TimeLine(scale)
