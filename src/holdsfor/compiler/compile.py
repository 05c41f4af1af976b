"""Checks a program: the single entry point for user interfaces and engines."""

from __future__ import annotations

from holdsfor.compiler.analyse import Analysis, analyse
from holdsfor.compiler.checks import CHECKS
from holdsfor.compiler.checks.consequences import without_consequences
from holdsfor.diagnostics import Diagnostic, in_reading_order
from holdsfor.ir import Program


def check(program: Program) -> tuple[Analysis, list[Diagnostic]]:
    """Analyses a program and returns all findings, in reading order."""
    analysis = analyse(program)
    found = [*analysis.findings, *(finding for one in CHECKS for finding in one(analysis))]
    return analysis, in_reading_order(without_consequences(found, program))
