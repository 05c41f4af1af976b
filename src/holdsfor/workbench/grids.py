"""The tables of a run: result intervals, and input events or facts."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.report import Row as Fact
from holdsfor.columns.metric.report import rows as facts_of
from holdsfor.columns.report import INTERVALS, interval_table
from holdsfor.columns.tables import FOREVER
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import Atom
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.syntax.terms import Const
from holdsfor.workbench.moments import Moments
from holdsfor.workbench.tables import Column, Grid, Row, exact_key, text_key


def found_grid(result: Result | MetricResult, moments: Moments) -> Grid:
    """The results of a run."""
    if isinstance(result, MetricResult):
        return _facts(list(result), moments)
    return _intervals(result, moments)


def given_grid(result: Result | MetricResult, moments: Moments) -> Grid:
    """The input of a run, as far as rules can use it."""
    if isinstance(result, MetricResult):
        explainer = result.given_input()
        return _facts(list(facts_of(explainer.facts, explainer.dictionary)), moments)
    return _events(result, moments)


# Intervals


def _intervals(result: Result, moments: Moments) -> Grid:
    tables = [interval_table(answer, result.texts) for answer in result.answers]
    table = pa.concat_tables([INTERVALS.empty_table(), *tables]).combine_chunks()
    query, start, end = (_ticks(table[name], infinite) for name, infinite in _SIDES)
    length = _lengths(start, end)
    windowed = len(result.answers) > 1
    names = ["query_time", "fluent", "value", "start", "end"]

    def rows(at: Ints) -> list[Row]:
        some = table.take(pa.array(at))
        found = []
        for row, lasts in zip(some.to_pylist(), length[at].tolist(), strict=True):
            first, last = moments.time(row["start"], "-"), moments.time(row["end"])
            when = [moments.time(row["query_time"])] if windowed else []
            cells = [*when, row["fluent"], row["value"], first, last, _duration(lasts, moments)]
            point = _inside(row["start"], row["end"], row["query_time"])
            found.append({"cells": cells, "question": f"{row['fluent']}={row['value']}", "at": moments.time(point)})
        return found

    def export(at: Ints) -> pa.Table:
        some = table.take(pa.array(at))
        lasts = pa.array(length[at], mask=length[at] >= FOREVER)
        columns = [_exported(some[name], moments) if name in _TIMES else some[name] for name in names]
        return pa.table([*columns, lasts], names=[*names, "duration"])

    keys = [query, text_key(table["fluent"]), text_key(table["value"]), start, end, length]
    shown = ["query time", "fluent", "value", "start", "end", "duration"]
    columns = [Column(name, key) for name, key in zip(shown, keys, strict=True)]
    words = pc.binary_join_element_wise(table["fluent"], table["value"], "=").combine_chunks()
    return Grid(columns if windowed else columns[1:], words, rows, export)


_TIMES = frozenset({"query_time", "start", "end", "time", "until", "arrival"})
_SIDES = (("query_time", 0), ("start", -int(FOREVER)), ("end", int(FOREVER)))


def _ticks(column: Any, infinite: int) -> Ints:
    found: Ints = pc.fill_null(column, infinite).to_numpy().astype(np.int64)
    return found


def _lengths(start: Ints, end: Ints) -> Ints:
    """The lengths of intervals; FOREVER if they have no start or no end."""
    is_open = (start <= -FOREVER) | (end >= FOREVER)
    found: Ints = np.where(is_open, FOREVER, np.where(is_open, 0, end) - np.where(is_open, 0, start))
    return found


def _duration(length: int, moments: Moments) -> str:
    return moments.duration(None if length >= FOREVER else length)


def _exported(column: Any, moments: Moments) -> Any:
    """Times in the form of files: numbers, or dates where the unit is known. Infinite times are null."""
    if moments.scale is None:
        return column
    return pa.array([None if time is None else moments.time(time) for time in column.to_pylist()], pa.string())


def _inside(start: int | None, end: int | None, query_time: int) -> int:
    """A time-point of an interval."""
    if start is not None:
        return start
    return query_time if end is None else min(end - 1, query_time)


# Events


def _events(result: Result, moments: Moments) -> Grid:
    """Events, and reported intervals of input fluents, in order of time."""
    what, time, end, arrival = _given(result)
    has_spans, has_late = bool((end > time).any()), bool((arrival > end).any())
    columns = [Column("time", time), Column("event", text_key(what))]
    columns += [Column("until", end)] if has_spans else []
    columns += [Column("arrival", arrival)] if has_late else []

    def rows(at: Ints) -> list[Row]:
        found = []
        words = what.take(pa.array(at)).to_pylist()
        numbers = zip(words, time[at].tolist(), end[at].tolist(), arrival[at].tolist(), strict=True)
        for word, begin, until, came in numbers:
            cells = [moments.time(begin, "-"), word]
            if has_spans:
                cells.append(moments.time(None if until >= FOREVER else until) if until > begin else "")
            if has_late:
                cells.append(moments.time(came))
            found.append({"cells": cells, "question": word, "at": moments.time(begin)})
        return found

    def export(at: Ints) -> pa.Table:
        found = {"time": pa.array(time[at]), "event": what.take(pa.array(at))}
        if has_spans:
            found["until"] = pa.array(end[at], mask=(end[at] >= FOREVER) | (end[at] <= time[at]))
        if has_late:
            found["arrival"] = pa.array(arrival[at])
        return pa.table(
            {name: _exported(column, moments) if name in _TIMES else column for name, column in found.items()}
        )

    return Grid(columns, what, rows, export)


def _given(result: Result) -> tuple[Any, Ints, Ints, Ints]:
    """Texts, times, ends and arrivals of all input; the end of an event is its time."""
    stream, texts = result.given_input().stream, result.texts
    parts: list[tuple[Any, Ints, Ints, Ints]] = []
    for symbol, events in stream.events.items():
        term = texts.terms(symbol, events.args, len(events.time))
        parts.append((term, events.time, events.time, events.arrival))
    for symbol, reports in stream.fluents.items():
        fluent = texts.terms(symbol, reports.args, len(reports.start))
        term = pc.binary_join_element_wise(fluent, texts.values(reports.value), "=")
        parts.append((term, reports.start, np.where(reports.is_point, reports.start, reports.end), reports.arrival))
    what = pa.concat_arrays([pa.array([], pa.string()), *(_whole(part[0]) for part in parts)])
    none = np.zeros(0, np.int64)
    time, end, arrival = (np.concatenate([none, *(part[place] for part in parts)]) for place in (1, 2, 3))
    order = np.argsort(time, kind="stable")
    return what.take(pa.array(order)), time[order], end[order], arrival[order]


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


# Facts


def fact_text(predicate: str, args: Iterable[str | int | float]) -> str:
    """A fact as a question writes it."""
    return metric_text(Atom(predicate, tuple(map(Const, args))))


def _facts(facts: list[Fact], moments: Moments) -> Grid:
    what = pa.array([fact_text(fact.predicate, fact.args) for fact in facts], pa.string())
    lengths = [None if fact.start is None or fact.end is None else fact.end - fact.start for fact in facts]

    def rows(at: Ints) -> list[Row]:
        found = []
        for number in at.tolist():
            fact, question = facts[number], what[number].as_py()
            opening, closing = "[" if fact.start_closed else "(", "]" if fact.end_closed else ")"
            during = f"{opening}{moments.time(fact.start, '-')}, {moments.time(fact.end)}{closing}"
            cells = [question, during, moments.duration(lengths[number])]
            found.append({"cells": cells, "question": question, "at": moments.time(_point_inside(fact))})
        return found

    def export(at: Ints) -> pa.Table:
        some = [facts[number] for number in at.tolist()]
        start, end = (
            pa.array([None if time is None else moments.time(time) for time in times], pa.string())
            for times in ([fact.start for fact in some], [fact.end for fact in some])
        )
        closed = [pa.array([fact.start_closed for fact in some]), pa.array([fact.end_closed for fact in some])]
        names = ["fact", "start", "start_closed", "end", "end_closed", "duration"]
        lasts = [lengths[number] for number in at.tolist()]
        shown = pa.array([None if length is None else Moments().duration(length) for length in lasts], pa.string())
        return pa.table([what.take(pa.array(at)), start, closed[0], end, closed[1], shown], names=names)

    columns = [
        Column("fact", text_key(what)),
        Column("interval", exact_key([fact.start for fact in facts], -np.inf)),
        Column("duration", exact_key(lengths, np.inf)),
    ]
    return Grid(columns, what, rows, export)


def _point_inside(fact: Fact) -> Fraction:
    """A point of time of an interval."""
    if fact.start is None:
        return Fraction(0) if fact.end is None else fact.end - 1
    if fact.start_closed:
        return fact.start
    return fact.start + 1 if fact.end is None else (fact.start + fact.end) / 2
