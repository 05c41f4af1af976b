"""The reasons of differences between two programs: the clauses of the edit that cause them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from holdsfor.compiler.analysis.definitions import Definitions
from holdsfor.explain.explanation import Explanation

_MOST_CONDITIONS = 3


@dataclass(frozen=True)
class ClauseReason:
    """A clause of the edit, on the `side` that has it, and its effect at the examined time."""

    side: str
    file: str
    line: int
    text: str
    does: str
    """The clause, or those of its conditions that fail."""

    @property
    def place(self) -> str:
        """`file:line`"""
        return f"{self.file}:{self.line}"

    def as_json(self) -> dict[str, Any]:
        """The cause as plain data."""
        return {"side": self.side, "file": self.file, "line": self.line, "text": self.text, "does": self.does}


@dataclass(frozen=True)
class Reason:
    """The reasons of a difference, at a time at which the programs disagree."""

    at: str
    holds_in: str
    why: Explanation
    why_not: Explanation | None
    """None if the other program has nothing of this name."""
    causes: tuple[ClauseReason, ...]

    def as_json(self) -> dict[str, Any]:
        """The reason as plain data."""
        return {
            "at": self.at,
            "holds_in": self.holds_in,
            "causes": [cause.as_json() for cause in self.causes],
            "why": self.why.as_json(),
            "why_not": None if self.why_not is None else self.why_not.as_json(),
        }


Place = tuple[str, int]
"""A file and a line of it."""


def edited_places(old: Definitions, new: Definitions) -> tuple[dict[Place, str], dict[Place, str]]:
    """The clauses that only one of two programs has, with their positions and texts."""
    return _only(old, new), _only(new, old)


def _only(one: Definitions, other: Definitions) -> dict[Place, str]:
    found: dict[Place, str] = {}
    for node, clauses in one.clauses.items():
        for clause in clauses - other.clauses.get(node, type(clauses)()):
            span = getattr(clause, "span", None)
            if span is not None and span.source.text:
                found[span.source.name, span.source.line_column(span.start)[0]] = span.text
    return found


@dataclass(frozen=True)
class _Use:
    """A clause of the edit where an explanation uses it."""

    place: Place
    bindings: frozenset[tuple[str, str]]
    does: str


def causes(trees: Mapping[str, Mapping[str, Any]], places: Mapping[str, Mapping[Place, str]]) -> Iterator[ClauseReason]:
    """The clauses of an edit that explanations use, by side; of several uses, the one most like those of the other side.

    So a clause that fires for many and fails for one is shown for the one.
    """
    uses = {side: list(_uses(tree, places[side])) for side, tree in trees.items()}
    for side, mine in uses.items():
        others = [use.bindings for other, theirs in uses.items() if other != side for use in theirs]
        for place in dict.fromkeys(use.place for use in mine):
            here = [use for use in mine if use.place == place]
            best = max(here, key=lambda use: max((len(use.bindings & other) for other in others), default=0))
            yield ClauseReason(side, *place, places[side][place], best.does)


def _uses(tree: Mapping[str, Any], places: Mapping[Place, str]) -> Iterator[_Use]:
    for node, above in _nodes(tree):
        rule = node.get("rule")
        if rule is not None and (rule["file"], rule["line"]) in places:
            bindings = frozenset(rule["bindings"].items())
            yield _Use((rule["file"], rule["line"]), bindings, _does(node, above))


def _nodes(
    tree: Mapping[str, Any], above: Mapping[str, Any] | None = None
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    yield tree, above
    for child in tree.get("children", ()):
        yield from _nodes(child, tree)


def _does(node: Mapping[str, Any], above: Mapping[str, Any] | None) -> str:
    """The text of a step with a rule; if it fails, of the conditions that fail."""
    if node["holds"]:
        # A fact is there; what fails is a condition beside it.
        beside = [] if above is None or above["holds"] or node.get("children") else list(_failing(above))
        return "; ".join([str(node["text"]), *beside[:_MOST_CONDITIONS]])
    failing = list(dict.fromkeys(_failing(node)))[:_MOST_CONDITIONS]
    return "; ".join(failing) or str(node["text"] if above is None else above["text"])


def _failing(node: Mapping[str, Any]) -> Iterator[str]:
    """The first steps below that fail and have nothing failing right below them but notes."""
    for child in node.get("children", ()):
        if not child["holds"]:
            yield str(child["text"])
