"""What the page is told: findings, proposals, runs and explanations, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdsfor.diagnostics import Diagnostic, HoldsforError, Span, errors_of
from holdsfor.editing.completing import proposals
from holdsfor.editing.hovering import hover_text
from holdsfor.metric import MetricReasoner
from holdsfor.metric.result import MetricResult
from holdsfor.workbench.desk import Desk, Run

_SHOWN_INTERVALS = 1_000


def findings(desk: Desk, texts: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is wrong with the rules, with places as offsets into their files."""
    return [_finding(found) for found in desk.reasoner(texts).diagnostics]


def _finding(found: Diagnostic) -> dict[str, Any]:
    return {
        "code": found.code,
        "severity": str(found.severity),
        "message": found.message,
        "hint": found.hint,
        **_place(found.span),
        "labels": [{"message": label.message, **_place(label.span)} for label in found.labels],
    }


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.source.name, "from": _units(span, span.start), "to": _units(span, span.end), "line": span.line}


def _units(span: Span, offset: int) -> int:
    """Browsers count in units of UTF-16."""
    return len(span.source.text[:offset].encode("utf-16-le")) // 2


def offset_of(text: str, units: int) -> int:
    """The offset of a character that stands after so many units of UTF-16.

    >>> offset_of("🚪ab", 3)
    2
    """
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", errors="ignore"))


def completions(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> list[dict[str, str]]:
    """Words that may be meant at a place."""
    document = desk.document(texts, name)
    found = proposals(document, offset_of(document.source.text, units))
    return [{"label": one.text, "detail": one.detail} for one in found]


def hover(desk: Desk, texts: Mapping[str, str], name: str, units: int) -> dict[str, Any] | None:
    """What is told of the name at a place."""
    document = desk.document(texts, name)
    found = document.name_at(offset_of(document.source.text, units))
    return None if found is None else {"text": hover_text(document, found), **_place(found.span)}


def formatted(desk: Desk, texts: Mapping[str, str], name: str) -> str:
    """A file in the house style."""
    return desk.document(texts, name).formatted()


def program(desk: Desk, texts: Mapping[str, str]) -> dict[str, Any]:
    """What the rules read and make, if they can be planned."""
    reasoner = desk.reasoner(texts)
    if errors_of(reasoner.diagnostics):
        return {"inputs": [], "outputs": []}
    if isinstance(reasoner, MetricReasoner):
        return {"inputs": [], "outputs": sorted({rule.head.predicate for rule in reasoner.program.rules})}
    return {"inputs": list(map(str, reasoner.plan.inputs)), "outputs": list(map(str, reasoner.plan.outputs))}


def run_data(run: Run) -> dict[str, Any]:
    """A run in numbers, and its first intervals."""
    result = run.result
    summary = result.summary
    shown = result.to_arrow(exact=True) if isinstance(result, MetricResult) else result.to_arrow()
    return {
        "run": run.number,
        "intervals": len(result),
        "read": summary.read,
        "unknown": summary.unknown,
        "malformed": summary.malformed,
        "first_malformed": [
            {"file": one.file, "line": one.line, "text": one.text, "reason": one.reason}
            for one in summary.first_malformed
        ],
        "columns": shown.column_names,
        "rows": [list(map(_cell, row.values())) for row in shown.slice(0, _SHOWN_INTERVALS).to_pylist()],
    }


def _cell(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def explained(desk: Desk, question: str, at: str) -> dict[str, Any]:
    """Why something holds at a time, or why it does not."""
    if desk.run is None:
        raise HoldsforError("nothing has been run yet")
    result = desk.run.result
    found = result.explain(question, at) if isinstance(result, MetricResult) else result.explain(question, _time(at))
    return {"holds": found.holds, "text": found.text(), "tree": found.as_json(), "html": found.fragment()}


def _time(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise HoldsforError(f"{text!r} is no time-point; write a whole number") from None
