"""From program to checked analysis: the one entry that surfaces and engines use."""

from __future__ import annotations

from holdsfor.compiler.analyse import Analysis, analyse
from holdsfor.compiler.checks import CHECKS
from holdsfor.compiler.checks.consequences import without_consequences
from holdsfor.diagnostics import Diagnostic, in_reading_order
from holdsfor.ir import Program


def check(program: Program) -> tuple[Analysis, list[Diagnostic]]:
    """Analyse a program and collect everything there is to say about it, in reading order."""
    analysis = analyse(program)
    found = [*analysis.findings, *(finding for one in CHECKS for finding in one(analysis))]
    return analysis, in_reading_order(without_consequences(found, program))
