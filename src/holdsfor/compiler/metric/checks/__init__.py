"""Checks of metric programs: each reads a program and yields diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdsfor.compiler.checks.scale import scale_findings
from holdsfor.compiler.metric.checks.arities import check_arities
from holdsfor.compiler.metric.checks.cycles import check_cycles
from holdsfor.compiler.metric.checks.extremes import check_extremes
from holdsfor.compiler.metric.checks.names import check_names
from holdsfor.compiler.metric.checks.planning import check_planning
from holdsfor.compiler.metric.checks.safety import check_safety
from holdsfor.compiler.metric.checks.streams import check_boxes, check_streaming
from holdsfor.diagnostics import Diagnostic, in_reading_order
from holdsfor.ir.metric import MetricProgram

Check = Callable[[MetricProgram], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    check_arities,
    check_safety,
    check_cycles,
    check_names,
    check_boxes,
    check_extremes,
    check_planning,
)


def check_metric(program: MetricProgram) -> list[Diagnostic]:
    """All findings about a program, except those that the front end has already reported."""
    found = (finding for check in CHECKS for finding in check(program))
    return in_reading_order([*scale_findings(program.time_goals), *found])


def streaming_findings(program: MetricProgram) -> list[Diagnostic]:
    """All findings that prevent a program from running on a stream: it looks into the future, or derives the past."""
    return in_reading_order(check_streaming(program))


__all__ = ["CHECKS", "check_metric", "streaming_findings"]
