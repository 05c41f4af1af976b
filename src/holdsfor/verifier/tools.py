"""Functions on rules and events that are given as text; results are plain data.

Events are written one to a line: `10 comes(ann, kitchen)`, `[10,20) light(hall)=dim` for input fluents. Nothing is read
from files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.explain.explanation import Explanation
from holdsfor.frontend.rtec import format_source
from holdsfor.loading import Reasoner, from_sources
from holdsfor.result import Result
from holdsfor.review.backtest import backtest as scored
from holdsfor.review.diff import diff as compared
from holdsfor.testing.checking import differences
from holdsfor.testing.engines import found_at
from holdsfor.testing.notation import events as event_tables
from holdsfor.testing.notation import expectations
from holdsfor.verifier import reference

MOST_TEXT = 2_000_000
"""Characters of rules or events that one question may have."""
MOST_ROWS = 1_000


def language(topic: str = "") -> dict[str, Any]:
    """The language of rules: its topics, or the text of one of them."""
    return {"topics": reference.topics()} if not topic.strip() else {"topic": topic, "text": reference.about(topic)}


def check(rules: str) -> dict[str, Any]:
    """The errors and suspicions in rules, with line, column and advice."""
    found = _read(rules)
    listed = [one.as_json() | {"text": one.render()} for one in found.diagnostics]
    inputs, outputs = ([], []) if _errors(found) else (found.plan.inputs, found.plan.outputs)
    return {
        "ok": not _errors(found),
        "findings": listed,
        "inputs": [f"{one.name}/{one.arity}" for one in inputs],
        "outputs": [f"{one.name}/{one.arity}" for one in outputs],
    }


def fmt(rules: str) -> dict[str, Any]:
    """The rules in the usual layout."""
    return {"rules": format_source(Source("rules.prolog", _bounded(rules, "rules")))}


def run(rules: str, events: str, window: str = "", step: str = "", limit: int = 200) -> dict[str, Any]:
    """The results of rules for events: intervals of fluents, times of derived events."""
    result = _result(rules, events, window, step)
    return _shown(result, max(1, min(limit, MOST_ROWS)))


def test(rules: str, events: str, expected: str) -> dict[str, Any]:
    """Whether the results of rules for events are as expected: lines such as `inRoom(ann)=true [21,41)`, `gone(ann) at 30`."""
    reasoner = _opened(rules)
    result = _result(rules, events)
    found = found_at(None, result.to_arrow(points=True), result.derived_event_points, reasoner.time_scale)
    wrong = differences(expectations(expected, scale=reasoner.time_scale), found, "expected")
    listed = [{"what": one.what, "expected": list(one.wanted), "found": list(one.found)} for one in wrong]
    return {"passed": not wrong, "differences": listed}


def explain(rules: str, events: str, question: str, at: str) -> dict[str, Any]:
    """Why something holds at a time: `inRoom(ann)=true` at `25`; down to the rules and the events. An error if it does not."""
    return _explained(_result(rules, events).why(question, _time(at)))


def why_not(rules: str, events: str, question: str, at: str) -> dict[str, Any]:
    """Why something does not hold at a time: which condition fails, and how near it comes. An error if it does hold."""
    return _explained(_result(rules, events).why_not(question, _time(at)))


def diff(old: str, new: str, events: str, limit: int = 20) -> dict[str, Any]:
    """The effect of an edit of rules on their results for events."""
    found = compared(_opened(old), _opened(new), _events(events, _opened(new)))
    return {"text": found.text(max(1, min(limit, MOST_ROWS)))} | found.as_json()


def backtest(rules: str, events: str, labels: str, tolerance: int = 0) -> dict[str, Any]:
    """The agreement of the results of rules with labels, in the notation of expected results of a test: precision, recall, F1, and
    the worst mistakes.
    """
    reasoner = _opened(rules)
    rows = [row for one in expectations(labels, "<labels>", reasoner.time_scale) for row in _label(one.what, one.times)]
    if not rows:
        raise HoldsforError("there are no labels; write lines such as inRoom(ann)=true [21,41)")
    found = scored(reasoner, _events(events, reasoner), rows, tolerance=tolerance)
    return {"text": found.text()} | found.as_json()


# Texts


def _bounded(text: str, what: str) -> str:
    if len(text) > MOST_TEXT:
        raise HoldsforError(f"the {what} have {len(text)} characters; give at most {MOST_TEXT}, a sample is enough")
    return text


def _refuse(path: Path) -> Source:
    raise HoldsforError(f"rules that are given as text cannot load a file: put what {path} has into them")


def _read(rules: str) -> Reasoner:
    return from_sources([Source("rules.prolog", _bounded(rules, "rules"))], _refuse)


def _errors(reasoner: Reasoner) -> bool:
    return any(str(one.severity) == "error" for one in reasoner.diagnostics)


def _opened(rules: str) -> Reasoner:
    found = _read(rules)
    found.require_no_errors()
    return found


def _events(events: str, reasoner: Reasoner) -> dict[str, list[dict[str, Any]]]:
    scale = reasoner.time_scale
    return event_tables(_bounded(events, "events"), unit=None if scale is None else scale.unit)


def _result(rules: str, events: str, window: str = "", step: str = "") -> Result:
    reasoner = _opened(rules)
    sizes = [_duration(given) for given in (window, step)]
    return reasoner.recognise(_events(events, reasoner), window=sizes[0], step=sizes[1])


def _duration(given: str) -> int | str | None:
    text = str(given).strip()
    return None if not text else int(text) if text.isdigit() else text


def _time(given: str) -> int | str:
    text = str(given).strip()
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _label(what: str, times: Iterable[str]) -> Iterable[tuple[Any, ...]]:
    for text in times:
        span = re.fullmatch(r"\[(.+),(.+)\)", text)
        if span is None:
            yield what, _time(text)
        else:
            yield what, _edge(span[1]), _edge(span[2])


def _edge(text: str) -> int | str | None:
    return None if text in ("inf", "-inf") else _time(text)


def _shown(result: Result, limit: int) -> dict[str, Any]:
    found = found_at(
        result.query_times[-1] if len(result.query_times) > 1 else None,
        result.to_arrow(points=True),
        result.derived_event_points,
        result.time_scale,
    )
    listed = [{"what": what, "times": times} for what, times in list(found.items())[:limit]]
    return {"found": listed, "left_out": max(0, len(found) - limit), "events": result.summary.used}


def _explained(found: Explanation) -> dict[str, Any]:
    return {"headline": found.headline, "text": found.text()}
