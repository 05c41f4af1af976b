"""Checks: each reads an analysed program and yields diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.checks.arithmetic import check_arithmetic
from holdsfor.compiler.checks.context import check_context
from holdsfor.compiler.checks.cycles import check_cycles
from holdsfor.compiler.checks.delay_cycles import check_delay_cycles
from holdsfor.compiler.checks.delays import check_delays
from holdsfor.compiler.checks.directives import check_directives
from holdsfor.compiler.checks.domains import check_domains
from holdsfor.compiler.checks.firing import check_firing
from holdsfor.compiler.checks.fluents import check_fluents
from holdsfor.compiler.checks.intervals import check_intervals
from holdsfor.compiler.checks.mixing import check_mixing
from holdsfor.compiler.checks.redundancy import check_redundancy
from holdsfor.compiler.checks.scale import check_scale
from holdsfor.compiler.checks.shadowing import check_shadowing
from holdsfor.compiler.checks.sliding import check_sliding
from holdsfor.compiler.checks.spelling import check_spelling
from holdsfor.compiler.checks.time import check_time
from holdsfor.compiler.checks.unification import check_unification
from holdsfor.compiler.checks.variables import check_variables
from holdsfor.diagnostics import Diagnostic

Check = Callable[[Analysis], Iterator[Diagnostic]]


def _check_forgetting(analysis: Analysis) -> Iterator[Diagnostic]:
    if analysis.written.forgets:
        # Imported here: most programs do not use `forget`.
        from holdsfor.compiler.checks.forgetting import check_forgetting

        yield from check_forgetting(analysis)


CHECKS: tuple[Check, ...] = (
    check_spelling,
    check_directives,
    check_scale,
    check_time,
    check_variables,
    check_arithmetic,
    check_sliding,
    check_unification,
    check_context,
    check_intervals,
    check_fluents,
    check_domains,
    check_firing,
    check_shadowing,
    check_redundancy,
    check_delays,
    check_delay_cycles,
    _check_forgetting,
    check_cycles,
    check_mixing,
)
