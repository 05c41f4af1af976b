"""Checks: each reads an analysed program and yields diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.checks.cycles import check_cycles
from holdsfor.compiler.checks.delays import check_delays
from holdsfor.compiler.checks.firing import check_firing
from holdsfor.compiler.checks.fluents import check_fluents
from holdsfor.compiler.checks.shadowing import check_shadowing
from holdsfor.compiler.checks.spelling import check_spelling
from holdsfor.compiler.checks.time import check_time
from holdsfor.diagnostics import Diagnostic

Check = Callable[[Analysis], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    check_spelling,
    check_time,
    check_fluents,
    check_firing,
    check_shadowing,
    check_delays,
    check_cycles,
)
