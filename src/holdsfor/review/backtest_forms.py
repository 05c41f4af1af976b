"""A backtest as text, Markdown, plain data and a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.result_tables import counted
from holdsfor.review.diff_data import bound_data, time_data
from holdsfor.review.diff_markdown import code, escaped, fenced, table
from holdsfor.review.diff_text import aligned
from holdsfor.review.scoring import Score
from holdsfor.review.timeline_scale import TimeLine

if TYPE_CHECKING:
    from holdsfor.review.backtest import Backtest, Mistake, ScoreRow

HEAD = [
    "",
    "labels",
    "found",
    "precision",
    "recall",
    "F1",
    "time precision",
    "time recall",
    "time F1",
    "start lag",
    "end lag",
]


def percent(part: float) -> str:
    """A part of a whole for people.

    >>> percent(0.5), percent(math.nan)
    ('50.0 %', '–')
    """
    return "–" if math.isnan(part) else f"{100 * part:.1f} %"


def lag_text(lag: float, line: TimeLine) -> str:
    """A lag for people: `+5` is late, `-5` early."""
    if math.isnan(lag):
        return "–"
    whole = round(lag)
    return f"{'+' if whole > 0 else '-' if whole < 0 else ''}{line.length_text(abs(whole) // (2 if line.is_metric else 1))}"


def score_cells(found: Score) -> list[str]:
    """A score as cells of a table."""
    parts = found.precision, found.recall, found.f1, found.time_precision, found.time_recall, found.time_f1
    return [f"{found.labelled:,}", f"{found.found:,}", *map(percent, parts)]


def score_rows(rows: Sequence[ScoreRow], line: TimeLine, what: str) -> list[list[str]]:
    """Scores as rows of text, a head first."""
    body = [
        [row.name, *score_cells(row.score), lag_text(row.start_lag, line), lag_text(row.end_lag, line)] for row in rows
    ]
    return [[what, *HEAD[1:]], *body]


def mistake_text(one: Mistake, line: TimeLine) -> str:
    """`slow(tern)=true [11, 40): 20 not labelled`"""
    what = "not labelled" if one.kind == "false alarm" else "not found"
    return f"{one.subject} {line.interval_text(one.start, one.end)}: {line.length_text(one.wrong)} {what}"


def headline(found: Backtest) -> str:
    """The backtest in a sentence."""
    score = found.score
    time = "" if score.points else f", by time {percent(score.time_precision)} and {percent(score.time_recall)}"
    return (
        f"precision {percent(score.precision)}, recall {percent(score.recall)} by episode{time}; "
        f"{counted(len(found.false_alarms), 'false alarm')}, {counted(len(found.misses), 'miss').replace('misss', 'misses')}"
    )


def backtest_text(found: Backtest, limit: int, why: int) -> str:
    """Scores and the worst mistakes, for a terminal."""
    return "\n".join(_text_lines(found, limit, why)) + "\n"


def _text_lines(found: Backtest, limit: int, why: int) -> Iterator[str]:
    yield headline(found)
    yield from (f"note: {note}" for note in found.notes)
    yield ""
    yield from aligned(score_rows(found.by_fluent, found.line, "fluent"))
    if len(found.by_entity) > 1:
        yield ""
        yield from aligned(score_rows(found.by_entity[:limit], found.line, "entity"))
        if len(found.by_entity) > limit:
            yield f"… and {len(found.by_entity) - limit:,} more entities"
    for title, mistakes in (("false alarms", found.false_alarms), ("misses", found.misses)):
        if mistakes:
            yield ""
            yield f"{title}, the worst first:"
        for one in mistakes[:limit]:
            yield f"{one.number:>3} {mistake_text(one, found.line)}"
            if one.number <= why:
                yield from (f"    {text}" for text in found.why(one).text().rstrip("\n").split("\n"))
        if len(mistakes) > limit:
            yield f"… and {len(mistakes) - limit:,} more"


def backtest_markdown(found: Backtest, limit: int, why: int) -> str:
    """The same as Markdown."""
    return "\n".join(_markdown_lines(found, limit, why)) + "\n"


def _markdown_lines(found: Backtest, limit: int, why: int) -> Iterator[str]:
    yield "### How well the rules agree with the labels"
    yield ""
    yield f"**{headline(found)}**"
    for note in found.notes:
        yield f"\n{note}"
    yield ""
    yield from table(score_rows(found.by_fluent, found.line, "fluent"))
    for title, mistakes in (("False alarms", found.false_alarms), ("Misses", found.misses)):
        if not mistakes:
            continue
        yield ""
        yield f"{title}, the worst first:"
        yield ""
        for one in mistakes[:limit]:
            yield f"{one.number}. {code(mistake_text(one, found.line))}"
        if len(mistakes) > limit:
            yield f"\n… and {len(mistakes) - limit:,} more."
        for one in mistakes[:why]:
            yield ""
            yield f"<details><summary>Why: <code>{escaped(mistake_text(one, found.line))}</code></summary>\n"
            yield from fenced(found.why(one).text())
            yield "</details>"


def backtest_data(found: Backtest, why: int) -> dict[str, Any]:
    """Everything as plain data."""
    from holdsfor.review.backtest import SCHEMA

    line = found.line
    return {
        "schema": SCHEMA,
        "unit": None if line.time_scale is None else line.time_scale.unit,
        "tolerance": time_data(line, found.rules.tolerance // (2 if line.is_metric else 1)),
        "overlap": found.rules.overlap,
        "span": [bound_data(line.start(found.span[0]), line), bound_data(line.end(found.span[1]), line)],
        "notes": found.notes,
        "score": score_data(found.score, line),
        "by_fluent": [_row_data(row, "fluent", line) for row in found.by_fluent],
        "by_entity": [_row_data(row, "entity", line) for row in found.by_entity],
        "false_alarms": [_mistake_data(one, found, why) for one in found.false_alarms],
        "misses": [_mistake_data(one, found, why) for one in found.misses],
    }


def score_data(found: Score, line: TimeLine) -> dict[str, Any]:
    """A score as plain data; a missing value is null."""
    return {
        "labelled": found.labelled,
        "found": found.found,
        "labelled_agreed": found.labelled_agreed,
        "found_agreed": found.found_agreed,
        "labelled_time": time_data(line, found.labelled_time),
        "found_time": time_data(line, found.found_time),
        "labelled_shared": time_data(line, found.labelled_shared),
        "found_shared": time_data(line, found.found_shared),
        "precision": _number(found.precision),
        "recall": _number(found.recall),
        "f1": _number(found.f1),
        "time_precision": _number(found.time_precision),
        "time_recall": _number(found.time_recall),
        "time_f1": _number(found.time_f1),
    }


def _number(part: float) -> float | None:
    return None if math.isnan(part) else part


def _row_data(row: ScoreRow, what: str, line: TimeLine) -> dict[str, Any]:
    per = 2 * line.scale if line.is_metric else 1
    lags = {"start_lag": _number(row.start_lag / per), "end_lag": _number(row.end_lag / per)}
    return {what: row.name, **score_data(row.score, line), **lags}


def _mistake_data(one: Mistake, found: Backtest, why: int) -> dict[str, Any]:
    line = found.line
    data = {
        "number": one.number,
        "fluent": one.subject.term,
        "value": one.subject.value or None,
        "start": bound_data(line.start(one.start), line),
        "end": bound_data(line.end(one.end), line),
        "wrong": time_data(line, one.wrong),
    }
    return data | ({"why": found.why(one).as_json()} if one.number <= why else {})


def backtest_table(found: Backtest) -> pa.Table:
    """A row for all, for each fluent and for each entity."""
    line = found.line
    rows = [{"kind": "all", "name": "", **score_data(found.score, line), "start_lag": None, "end_lag": None}]
    for kind, listed in (("fluent", found.by_fluent), ("entity", found.by_entity)):
        for row in listed:
            data = _row_data(row, "name", line)
            rows.append({"kind": kind, **data})
    for row_data in rows:
        for name in ("labelled_time", "found_time", "labelled_shared", "found_shared"):
            row_data[name] = float(row_data[name]) if line.is_metric else row_data[name]
    return pa.Table.from_pylist(rows)
