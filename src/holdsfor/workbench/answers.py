"""Answers to the page as plain data: findings, completions, runs and explanations."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from holdsfor.diagnostics import Diagnostic, HoldsforError, Span, errors_of, in_reading_order
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.metric import MetricReasoner
from holdsfor.metric.result import MetricResult
from holdsfor.workbench.benches import Bench
from holdsfor.workbench.desk import Desk, SampleRun
from holdsfor.workbench.grids import fact_text
from holdsfor.workbench.reasons import reasons
from holdsfor.workbench.tables import MEDIA, Grid, View

_MOST_QUESTIONS = 200
_MOST_LABELS = 100_000


# Rules


def checked(bench: Bench, texts: Mapping[str, str]) -> dict[str, Any]:
    """The findings about the rules, and about rules and sample together; and the input and output of valid rules."""
    reasoner = bench.desk.reasoner(texts)
    findings = list(reasoner.diagnostics)
    made: dict[str, list[str]] = {"inputs": [], "outputs": []}
    if not errors_of(findings):
        if isinstance(reasoner, MetricReasoner):
            made["outputs"] = sorted({rule.head.predicate for rule in reasoner.program.rules})
        else:
            findings = in_reading_order([*findings, *bench.data_findings.of(reasoner)])
            made = {"inputs": list(map(str, reasoner.plan.inputs)), "outputs": list(map(str, reasoner.plan.outputs))}
    return {"findings": [finding(one) for one in findings], **made}


def finding(found: Diagnostic) -> dict[str, Any]:
    """A finding, with spans as offsets into their files."""
    return {
        "code": found.code,
        "severity": str(found.severity),
        "message": found.message,
        "hint": found.hint,
        **place(found.span),
        "labels": [{"message": label.message, **place(label.span)} for label in found.labels],
    }


def place(span: Span) -> dict[str, Any]:
    """A span as a file and two offsets; browsers count in units of UTF-16."""
    return {"file": span.source.name, "from": _units(span, span.start), "to": _units(span, span.end), "line": span.line}


def _units(span: Span, offset: int) -> int:
    return len(span.source.text[:offset].encode("utf-16-le", errors="replace")) // 2


def offset_of(text: str, units: int) -> int:
    """The offset of a character, from its offset in units of UTF-16.

    >>> offset_of("🚪ab", 3)
    2
    """
    return len(text.encode("utf-16-le", errors="replace")[: 2 * units].decode("utf-16-le", errors="ignore"))


def completions(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> list[dict[str, str]]:
    """Completions at an offset."""
    document = desk.document(texts, name)
    found = proposals(document, offset_of(document.source.text, units))
    return [{"label": one.text, "detail": one.detail} for one in found]


def hover(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> dict[str, Any] | None:
    """The hover text of the name at an offset."""
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


def run_data(desk: Desk, run: SampleRun) -> dict[str, Any]:
    """The counts of a run."""
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
        "questions": _questions(run),
        "has_dates": run.time_scale is not None,
    }


def _questions(run: SampleRun) -> list[str]:
    """Some questions that can be explained."""
    some = run.found.row(np.arange(min(len(run.found), _MOST_QUESTIONS)))
    return list(dict.fromkeys(row["question"] for row in some))


def rows(run: SampleRun, which: str, view: View, offset: int, limit: int) -> dict[str, Any]:
    """Some rows of the results or the input."""
    return _grid(run, which).page(view, offset, limit)


def exported(run: SampleRun, which: str, view: View, style: str) -> str:
    """All rows of the results or the input that match the view, as a file."""
    if style not in MEDIA:
        raise HoldsforError(f"tables are exported as {' or '.join(MEDIA)}, not {style!r}")
    return _grid(run, which).written(view, style)


def _grid(run: SampleRun, which: str) -> Grid:
    if which not in {"found", "given"}:
        raise HoldsforError(f"there is no table {which!r}")
    return run.found if which == "found" else run.given


# Questions


def explained(desk: Desk, number: int, question: str, at: str) -> dict[str, Any]:
    """The explanation why something holds at a time, or why not."""
    run = desk.run(number)
    result = run.result
    if not at.strip():
        raise HoldsforError("the time-point is missing; write one, or choose an interval")
    with warnings.catch_warnings(record=True) as warned:
        # The page shows the warning about a date without a zone.
        warnings.simplefilter("always", UserWarning)
        question_text = _metric_label(result, question) if isinstance(result, MetricResult) else question
        found = result.explain(question_text, at.strip())
    answer = reasons(found, desk.samples.original, run.moments)
    return answer | {"notes": [*(str(one.message) for one in warned), *answer["notes"]]}


def _metric_label(result: MetricResult, text: str) -> str:
    """The question that a lane of a timeline stands for: its name may have constants that need quotes in a question."""
    for row in islice(result, _MOST_LABELS):
        if text == f"{row.predicate}({','.join(map(str, row.args))})":
            return fact_text(row.predicate, row.args)
    return text
