"""Predicates that depend on their own negation, or on an aggregate of themselves (HF613)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise

from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.metric.checks.uses import metric_atoms
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Span
from holdsfor.ir.metric import Aggregate, Condition, MetricProgram, atoms

_Signature = tuple[str, int]
_Edges = Mapping[_Signature, Mapping[_Signature, Span]]
"""The sources of each predicate, with the span of the rule."""


def check_cycles(program: MetricProgram) -> Iterator[Diagnostic]:
    """Finds cycles through negation or aggregation: a predicate must be complete before either is applied."""
    sources = _sources(program)
    components = strong_components(sources)
    home = {signature: place for place, members in enumerate(components) for signature in members}
    reported: set[tuple[_Signature, _Signature]] = set()
    for rule in program.rules:
        head = rule.head.signature
        for literal, metric_atom in metric_atoms(rule):
            if isinstance(literal, Condition) and not literal.negated:
                continue
            for atom in atoms(metric_atom):
                edge = head, atom.signature
                if home[head] == home[atom.signature] and edge not in reported:
                    reported.add(edge)
                    what = f"{literal.function} of" if isinstance(literal, Aggregate) else "not"
                    yield _finding(sources, head, atom.signature, f"{what} {atom.predicate}", literal.span)


def _sources(program: MetricProgram) -> _Edges:
    found: dict[_Signature, dict[_Signature, Span]] = {}
    for rule in program.rules:
        edges = found.setdefault(rule.head.signature, {})
        for _, metric_atom in metric_atoms(rule):
            for atom in atoms(metric_atom):
                edges.setdefault(atom.signature, atom.span)
                found.setdefault(atom.signature, {})
    return found


def _finding(sources: _Edges, head: _Signature, read: _Signature, what: str, span: Span) -> Diagnostic:
    path = _path(sources, read, head)
    labels = tuple(
        RelatedSpan(sources[above][below], f"{above[0]} depends on {below[0]} here") for above, below in pairwise(path)
    )
    cycle = " → ".join(name for name, _ in (head, *path))
    itself = " itself" if head == read else f", which depends on {head[0]}: {cycle}"
    message = f"{head[0]} depends on {what}{itself}"
    hint = "break the cycle: what is negated or aggregated must be settled before"
    return Diagnostic("HF613", Severity.ERROR, message, span, hint, labels)


def _path(sources: _Edges, start: _Signature, goal: _Signature) -> list[_Signature]:
    """A shortest path from a predicate to one that it is derived from."""
    before: dict[_Signature, _Signature | None] = {start: None}
    waiting = deque([start])
    while goal not in before:
        node = waiting.popleft()
        for successor in sources[node]:
            if successor not in before:
                before[successor] = node
                waiting.append(successor)
    path: list[_Signature] = []
    node_or_none: _Signature | None = goal
    while node_or_none is not None:
        path.append(node_or_none)
        node_or_none = before[node_or_none]
    return path[::-1]
