"""Combines answers: for each time-point, the last query time whose window contains it decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.frames import codes_of, row_keys
from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.entities import Symbol

DecisiveAnswers: TypeAlias = Sequence[tuple[Answer, int, int]]
"""Answers with the time-points for which each is decisive, from the first to before the second."""


class KnownIntervals(NamedTuple):
    """The intervals of one fluent, with a column of codes for each argument."""

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints


def known_answers(answers: Sequence[Answer], window: int | None) -> DecisiveAnswers:
    """Answers with the time-points for which each is the last one."""
    if not answers:
        return []
    if window is None:
        return [(answers[-1], -int(FOREVER), int(FOREVER))]
    cuts = [-int(FOREVER), *(answer.query_time - window + 1 for answer in answers[1:]), int(FOREVER)]
    return list(zip(answers, cuts[:-1], cuts[1:], strict=True))


def known_intervals(known: DecisiveAnswers, symbol: Symbol, low: int, high: int) -> KnownIntervals:
    """The intervals of a fluent between two times, combined from all answers."""
    parts = []
    for answer, begin, stop in known:
        table = answer.fluents.get(symbol)
        if table is None or not len(table):
            continue
        start, end = np.maximum(table.start, begin), np.minimum(table.end, stop)
        rows = np.flatnonzero((start < end) & (start < high) & (end > low))
        parts.append((*(column[rows] for column in (*table.args, table.value)), start[rows], end[rows]))
    if not parts:
        return KnownIntervals((), EMPTY, EMPTY, EMPTY)
    *args, value, start, end = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    found = KnownIntervals(tuple(args), value, start, end)
    return found if len(known) == 1 else _joined(found)


def _joined(table: KnownIntervals) -> KnownIntervals:
    """Joins intervals that were cut at the border between two windows."""
    keys = row_keys([*table.args, table.value])
    order = np.lexsort((table.start, keys))
    key, start, end = keys[order], table.start[order], table.end[order]
    begins = np.ones(len(key), np.bool_)
    begins[1:] = (key[1:] != key[:-1]) | (start[1:] > end[:-1])
    heads = np.flatnonzero(begins)
    if not len(heads):
        return table
    rows = order[heads]
    lasts = np.append(heads[1:], len(key)) - 1
    return KnownIntervals(tuple(column[rows] for column in table.args), table.value[rows], start[heads], end[lasts])


def known_occurrences(
    known: DecisiveAnswers, symbol: Symbol, low: int, high: int, dictionary: Dictionary
) -> tuple[list[Ints], Ints]:
    """The arguments and times of a derived event between two times, combined from all answers."""
    parts = []
    for answer, begin, stop in known:
        events = answer.events.get(symbol)
        if events is not None and len(events):
            rows = np.flatnonzero((events.time >= max(begin, low)) & (events.time < min(stop, high)))
            args = [codes_of(column, dictionary)[rows] for column in events.args]
            parts.append((*args, events.time[rows]))
    if not parts:
        return [], EMPTY
    *args, time = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return args, time
