"""What the page is told: findings, proposals, runs and explanations, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import islice
from typing import Any

from holdsfor.diagnostics import Diagnostic, HoldsforError, Span, errors_of
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.ir.metric import Atom
from holdsfor.metric import MetricReasoner
from holdsfor.metric.result import MetricResult
from holdsfor.result import Result
from holdsfor.syntax.terms import Const
from holdsfor.workbench.desk import Desk, Run
from holdsfor.workbench.reasons import reasons

_SHOWN_INTERVALS = 1_000
_MOST_LABELS = 100_000


# Rules


def checked(desk: Desk, texts: Mapping[str, str]) -> dict[str, Any]:
    """What is wrong with the rules, and what they read and make if they can be planned."""
    reasoner = desk.reasoner(texts)
    found: dict[str, Any] = {"findings": [finding(one) for one in reasoner.diagnostics], "inputs": [], "outputs": []}
    if errors_of(reasoner.diagnostics):
        return found
    if isinstance(reasoner, MetricReasoner):
        return found | {"outputs": sorted({rule.head.predicate for rule in reasoner.program.rules})}
    return found | {"inputs": list(map(str, reasoner.plan.inputs)), "outputs": list(map(str, reasoner.plan.outputs))}


def finding(found: Diagnostic) -> dict[str, Any]:
    """A finding, with places as offsets into their files."""
    return {
        "code": found.code,
        "severity": str(found.severity),
        "message": found.message,
        "hint": found.hint,
        **place(found.span),
        "labels": [{"message": label.message, **place(label.span)} for label in found.labels],
    }


def place(span: Span) -> dict[str, Any]:
    """Where something stands; browsers count in units of UTF-16."""
    return {"file": span.source.name, "from": _units(span, span.start), "to": _units(span, span.end), "line": span.line}


def _units(span: Span, offset: int) -> int:
    return len(span.source.text[:offset].encode("utf-16-le", errors="replace")) // 2


def offset_of(text: str, units: int) -> int:
    """The offset of a character that stands after so many units of UTF-16.

    >>> offset_of("🚪ab", 3)
    2
    """
    return len(text.encode("utf-16-le", errors="replace")[: 2 * units].decode("utf-16-le", errors="ignore"))


def completions(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> list[dict[str, str]]:
    """Words that may be meant at a place."""
    document = desk.document(texts, name)
    found = proposals(document, offset_of(document.source.text, units))
    return [{"label": one.text, "detail": one.detail} for one in found]


def hover(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> dict[str, Any] | None:
    """What is told of the name at a place."""
    document = desk.document(texts, name)
    found = document.name_at(offset_of(document.source.text, units))
    if found is None:
        return None
    text = hover_text(document, found)
    return {"text": text, **place(found.span)} if text else None


def formatted(desk: Desk, texts: Mapping[str, str], name: str) -> str:
    """A file in the house style."""
    return desk.document(texts, name).formatted()


# Runs


def run_data(desk: Desk, run: Run) -> dict[str, Any]:
    """A run in numbers, and its first intervals."""
    result, summary = run.result, run.result.summary
    return {
        "run": run.number,
        "intervals": len(result),
        "read": summary.read,
        "unknown": summary.unknown,
        "malformed": summary.malformed,
        "first_malformed": [
            {"file": desk.samples.original(one.file), "line": one.line, "text": one.text, "reason": one.reason}
            for one in summary.first_malformed
        ],
        "cut": desk.samples.cut,
        "sample": desk.setting.sample,
        **(_metric_rows(result) if isinstance(result, MetricResult) else _rows(result)),
    }


def _rows(result: Result) -> dict[str, Any]:
    """The first intervals as text, each with the question that it is the answer to."""
    table = result.to_arrow()
    found = [
        {
            "cells": [str(row["query_time"]), row["fluent"], row["value"], _time(row["start"], "-"), _time(row["end"])],
            "question": f"{row['fluent']}={row['value']}",
            "at": str(_inside(row["start"], row["end"], row["query_time"])),
        }
        for row in table.slice(0, _SHOWN_INTERVALS).to_pylist()
    ]
    return {"columns": ["query time", "fluent", "value", "start", "end"], "rows": found}


def _inside(start: int | None, end: int | None, query_time: int) -> int:
    """A time-point of an interval."""
    if start is not None:
        return start
    return query_time if end is None else min(end - 1, query_time)


def _time(time: object, sign: str = "") -> str:
    return f"{sign}inf" if time is None else str(time)


def _metric_rows(result: MetricResult) -> dict[str, Any]:
    found = []
    for row in islice(result, _SHOWN_INTERVALS):
        opening, closing = "[" if row.start_closed else "(", "]" if row.end_closed else ")"
        during = f"{opening}{_number(row.start, '-')}, {_number(row.end)}{closing}"
        question = _metric_question(row.predicate, row.args)
        found.append({"cells": [question, during], "question": question, "at": _metric_inside(row)})
    return {"columns": ["fact", "interval"], "rows": found}


def _metric_question(predicate: str, args: tuple[str | int | float, ...]) -> str:
    return metric_text(Atom(predicate, tuple(map(Const, args))))


def _number(time: Fraction | None, sign: str = "") -> str:
    return f"{sign}inf" if time is None else number_text(time)


def _metric_inside(row: Any) -> str:
    """A point of time of an interval."""
    if row.start is None:
        return _number(Fraction(0) if row.end is None else row.end - 1)
    if row.start_closed:
        return _number(row.start)
    return _number(row.start + 1 if row.end is None else (row.start + row.end) / 2)


# Questions


def explained(desk: Desk, number: int, question: str, at: str) -> dict[str, Any]:
    """Why something holds at a time, or why it does not."""
    result = desk.run(number).result
    if isinstance(result, MetricResult):
        found = result.explain(_metric_label(result, question), at.strip())
    else:
        found = result.explain(question, _time_point(at))
    return reasons(found, desk.samples.original)


def _metric_label(result: MetricResult, text: str) -> str:
    """The question that a lane of a timeline stands for: its name may have constants that need quotes in a question."""
    for row in islice(result, _MOST_LABELS):
        if text == f"{row.predicate}({','.join(map(str, row.args))})":
            return _metric_question(row.predicate, row.args)
    return text


def _time_point(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        shown = f"{text!r} is no time-point" if text.strip() else "the time-point is missing"
        raise HoldsforError(f"{shown}; write a whole number") from None
