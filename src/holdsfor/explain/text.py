"""Renders explanations as indented text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.explain.nodes import Kind, Node, RuleUse, shown_bindings

if TYPE_CHECKING:
    from holdsfor.explain.explanation import Explanation

_LONGEST = 160
_QUIET = frozenset({Kind.CONDITION, Kind.WINDOW, Kind.BACKGROUND, Kind.NOTE})


def tree_text(explanation: Explanation, depth: int | None = None) -> str:
    """An explanation as an indented tree with the source lines of its rules."""
    root = explanation.root
    lines = [root.text, *_about(root, "  ")]
    seen: set[int] = set()
    for child, is_last in _marked(root.shown):
        lines += _tree(child, "", seen, 1, depth, is_last=is_last)
    lines += [f"note: {note}" for note in explanation.notes]
    return "\n".join(lines)


def _tree(node: Node, indent: str, seen: set[int], level: int, depth: int | None, *, is_last: bool) -> Iterator[str]:
    branch, bar = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
    mark = "✗ " if not node.holds and node.kind is not Kind.NOTE else ""
    again = node.children and id(node) in seen
    yield f"{indent}{branch}{mark}{node.text}" + (" (see above)" if again else "")
    seen.add(id(node))
    if again:
        return
    inside = indent + bar
    yield from _about(node, inside)
    if node.more or (node.children and depth is not None and level >= depth):
        yield f"{inside}└─ … more"
        return
    for child, last in _marked(node.shown):
        yield from _tree(child, inside, seen, level + 1, depth, is_last=last)


def _marked(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, bool]]:
    for place, node in enumerate(nodes):
        yield node, place == len(nodes) - 1


def _about(node: Node, indent: str) -> Iterator[str]:
    """The rule and the rows of a node, each on its own line."""
    if node.use is not None:
        yield from _rule(node, node.use, indent)
    for row in node.rows:
        if row.location:
            yield f"{indent}· {row.location}: {row.text}"


def _rule(node: Node, use: RuleUse, indent: str) -> Iterator[str]:
    if use.place is None:
        return
    text = " ".join(use.span.text.split())
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    yield f"{indent}· {use.place[0]}:{use.place[1]}: {shown}"
    values = shown_bindings(use)
    if values and node.kind not in _QUIET:
        yield f"{indent}  with {', '.join(f'{name}={value}' for name, value in values.items())}"
