"""Predicates with different numbers of arguments (HF611)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.metric.checks.uses import body_atoms
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Span
from holdsfor.ir.metric import MetricProgram


def check_arities(program: MetricProgram) -> Iterator[Diagnostic]:
    """Checks that a predicate has the same number of arguments everywhere; heads and facts determine the number."""
    first: dict[str, tuple[int, Span]] = {}
    for name, arity, span in _occurrences(program):
        expected, where = first.setdefault(name, (arity, span))
        if arity == expected:
            continue
        message = f"{name} has {_arguments(arity)} here and {_arguments(expected)} elsewhere"
        hint = f"give it {_arguments(expected)}, or another name"
        yield Diagnostic(
            "HF611", Severity.ERROR, message, span, hint, (RelatedSpan(where, f"{_arguments(expected)} here"),)
        )


def _occurrences(program: MetricProgram) -> Iterator[tuple[str, int, Span]]:
    """Predicates with their numbers of arguments, definitions first."""
    for rule in program.rules:
        yield *rule.head.signature, rule.head.span
    for fact in program.facts:
        yield fact.predicate, len(fact.args), fact.span
    for rule in program.rules:
        for atom in body_atoms(rule):
            yield *atom.signature, atom.span


def _arguments(number: int) -> str:
    return f"{number or 'no'} argument{'' if number == 1 else 's'}"
