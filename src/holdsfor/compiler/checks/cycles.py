"""Cycles without a meaning (HF501, HF502, HF504, HF505)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.diagnostics import Diagnostic, Severity
from holdsfor.ir import POINTWISE, Algebra, Guard, IntervalOperator, IntervalRule, walk
from holdsfor.logic.solver import describe


def check_cycles(analysis: Analysis) -> Iterator[Diagnostic]:
    """Cycles through statically determined fluents, inside a time-point, and in background knowledge."""
    for members in analysis.graph.fluent_components:
        yield from _static_in_cycle(members, analysis)
    yield from _instant_loops(analysis)
    for rule, problem in analysis.background.problems:
        name = describe(rule.head)
        if problem == "recursion":
            message = f"{name} is defined through its own negation"
            yield Diagnostic(
                "HF504", Severity.ERROR, message, rule.span, "break the loop: no answer would be consistent"
            )
        else:
            message = f"{name} has no end: its rules give ever new facts"
            yield Diagnostic("HF505", Severity.ERROR, message, rule.span, "bound the recursion with a comparison")


def _static_in_cycle(members: tuple[Symbol, ...], analysis: Analysis) -> Iterator[Diagnostic]:
    """Inside a cycle a statically determined fluent must be decided time-point by time-point."""
    static = [symbol for symbol in members if analysis.entities[symbol].role is Role.STATIC_FLUENT]
    is_loop = len(members) > 1 or (members[0], members[0]) in analysis.graph.symbol_edges
    if not static or not is_loop:
        return
    for symbol in static:
        rule = next(rule for rule in analysis.entities[symbol].rules if isinstance(rule, IntervalRule))
        shown = ", ".join(str(member) for member in members)
        if _depends_on_itself_at_once(symbol, static, analysis):
            message = f"{symbol} is defined by itself at the same time-point"
            hint = "a statically determined fluent cannot be its own condition; use initiatedAt/terminatedAt"
            yield Diagnostic("HF501", Severity.ERROR, message, rule.span, hint)
            continue
        blocking = _not_pointwise(symbol, analysis)
        if blocking is not None:
            message = f"{symbol} lies on a cycle ({shown}) and {blocking} needs whole intervals, which a cycle does not have yet"
            hint = "inside a cycle use union_all, intersect_all and relative_complement_all only"
            yield Diagnostic("HF501", Severity.ERROR, message, rule.span, hint)


def _depends_on_itself_at_once(symbol: Symbol, static: list[Symbol], analysis: Analysis) -> bool:
    graph = {one: [two for two in static if (one, two) in analysis.graph.symbol_edges] for one in static}
    component = next(found for found in strong_components(graph) if symbol in found)
    return len(component) > 1 or symbol in graph[symbol]


def _not_pointwise(symbol: Symbol, analysis: Analysis) -> str | None:
    for rule in analysis.entities[symbol].rules:
        for literal in walk(rule.body):
            if isinstance(literal, Algebra) and (
                literal.operator not in POINTWISE or literal.operator is IntervalOperator.COMPLEMENT
            ):
                return literal.operator.value
            if isinstance(literal, Guard):
                return "a test for the empty list"
    return None


def _instant_loops(analysis: Analysis) -> Iterator[Diagnostic]:
    seen: set[int] = set()
    for moment, needed in analysis.instant.negative_loops():
        rule = analysis.instant.rules.get((moment, needed))
        if rule is None or id(rule) in seen:
            continue
        seen.add(id(rule))
        message = f"{moment.vertex.label} depends at one and the same time-point on its own absence"
        hint = "read the past instead: holdsAt sees the state before the events of T"
        yield Diagnostic("HF502", Severity.ERROR, message, rule.span, hint)
