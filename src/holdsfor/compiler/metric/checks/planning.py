"""Finds conditions that have a meaning but no plan (HF617)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.metric.checks.safety import check_safety
from holdsfor.compiler.metric.normal import normalise
from holdsfor.diagnostics import Diagnostic, ProgramError
from holdsfor.ir.metric import MetricProgram


def check_planning(program: MetricProgram) -> Iterator[Diagnostic]:
    """Normalises each rule separately and reports constructs that a run would reject."""
    for rule in program.rules:
        alone = MetricProgram((rule,))
        if any(check_safety(alone)):
            continue
        try:
            normalise(alone)
        except ProgramError as problem:
            yield from problem.diagnostics
