"""Explanations as plain data for the page: a tree in which everything is text, with places to jump to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdsfor.explain.explanation import Explanation
from holdsfor.explain.nodes import Happening, Holding, Node, RuleUse, shown_bindings
from holdsfor.explain.wording import pair_text, times_in
from holdsfor.syntax.printer import print_term
from holdsfor.workbench.moments import Moments

Rename = Callable[[str], str]


def reasons(explanation: Explanation, rename: Rename = str, moments: Moments = Moments()) -> dict[str, Any]:  # noqa: B008
    """An explanation; `rename` replaces the names of temporary copies by those of the original files."""
    with times_in(explanation.time_scale):
        root = _node(explanation.root, set(), rename, moments)
    return {
        "question": explanation.question,
        "at": explanation.at,
        "holds": explanation.holds,
        "query_time": explanation.known_at,
        "notes": list(explanation.notes),
        "root": root,
        "text": explanation.text(),
    }


def _node(node: Node, seen: set[int], rename: Rename, moments: Moments) -> dict[str, Any]:
    """A step. Shared steps are written once: repeated at every place, they could be too many."""
    found: dict[str, Any] = {"kind": str(node.kind), "holds": node.holds, "text": node.text}
    if node.children and id(node) in seen:
        return found | {"again": True}
    seen.add(id(node))
    if node.use is not None and node.use.place is not None:
        found["rule"] = _rule(node.use)
    if node.rows:
        found["rows"] = [
            {"text": row.text, "file": rename(row.file), "line": row.line} for row in node.rows if row.file is not None
        ]
    if node.more:
        found |= {"more": True, **_next_question(node, moments)}
    elif node.children:
        found["children"] = [_node(child, seen, rename, moments) for child in node.shown]
    return found


def _rule(use: RuleUse) -> dict[str, Any]:
    span = use.span
    before = span.source.text[: span.start].encode("utf-16-le", errors="replace")
    inside = span.text.encode("utf-16-le", errors="replace")
    place = {"from": len(before) // 2, "to": (len(before) + len(inside)) // 2, "line": span.line}
    return {"file": span.source.name, **place, "text": span.text, "values": shown_bindings(use)}


def _next_question(node: Node, moments: Moments) -> dict[str, str]:
    """The next question, where an explanation stops."""
    match node.claim:
        case Holding(pair, time):
            return {"question": pair_text(pair), "at": moments.time(time)}
        case Happening(event, time):
            return {"question": print_term(event), "at": moments.time(time)}
        case _:
            return {}
