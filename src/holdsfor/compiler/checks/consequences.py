"""Drops findings that follow from another finding, so that one mistake gives one finding."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from holdsfor.diagnostics import Diagnostic, Severity, Source
from holdsfor.ir import Program

_BINDING_UNCLEAR = frozenset({"HF202", "HF203", "HF204", "HF206"})
"""Until it is clear when a rule fires or what it computes, its bindings are unclear too."""

Clause = tuple[Source, int]


def without_consequences(findings: Iterable[Diagnostic], program: Program) -> list[Diagnostic]:
    """The findings without warnings about clauses that have errors, and without errors that follow from others."""
    clauses = _Clauses(program)
    by_clause: dict[Clause | None, list[Diagnostic]] = {}
    for finding in findings:
        by_clause.setdefault(clauses.of(finding), []).append(finding)
    return [kept for clause, found in by_clause.items() for kept in (found if clause is None else _causes(found))]


def _causes(found: list[Diagnostic]) -> Iterator[Diagnostic]:
    has_errors = any(finding.severity is Severity.ERROR for finding in found)
    binding_unclear = any(finding.code in _BINDING_UNCLEAR for finding in found)
    for finding in found:
        if has_errors and finding.severity is not Severity.ERROR:
            continue
        if finding.code == "HF308" and any(_lies_in(finding, other) for other in found):
            continue
        if binding_unclear and finding.code == "HF201":
            continue
        yield finding


def _lies_in(finding: Diagnostic, other: Diagnostic) -> bool:
    return other is not finding and other.span.start <= finding.span.start and finding.span.end <= other.span.end


class _Clauses:
    """Finds the clause at a position."""

    def __init__(self, program: Program) -> None:
        self._spans: dict[Source, list[tuple[int, int]]] = {}
        for rule in program.rules:
            if rule.span.source.text:
                self._spans.setdefault(rule.span.source, []).append((rule.span.start, rule.span.end))
        for spans in self._spans.values():
            spans.sort()

    def of(self, finding: Diagnostic) -> Clause | None:
        source, start, _ = finding.span
        spans = self._spans.get(source, [])
        position = bisect_right(spans, start, key=lambda span: span[0]) - 1
        if position < 0 or start >= spans[position][1]:
            return None
        return source, spans[position][0]
