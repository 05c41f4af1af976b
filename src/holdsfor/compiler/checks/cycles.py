"""Finds cycles without a meaning (HF501, HF502, HF504, HF505)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.analysis.instant import Moment, may_loop
from holdsfor.compiler.analysis.places import head_span
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Span
from holdsfor.ir import POINTWISE, Algebra, Guard, IntervalOperator, IntervalRule, Literal, Rule, walk
from holdsfor.logic.solver import describe
from holdsfor.syntax.printer import print_term


def check_cycles(analysis: Analysis) -> Iterator[Diagnostic]:
    """Cycles through statically determined fluents, inside a time-point, and in background knowledge."""
    for members in analysis.graph.fluent_components:
        yield from _static_in_cycle(members, analysis)
    yield from _instant_loops(analysis)
    for rule, problem in analysis.background.problems:
        name = describe(rule.head)
        if problem == "recursion":
            code, message, hint = (
                "HF504",
                f"{name} is defined through its own negation",
                "remove the negation: no answer fits it",
            )
        else:
            code, message = "HF505", f"the recursion of {name} does not end: each answer gives another one"
            hint = "bound it with a comparison, or write the facts out"
        yield Diagnostic(code, Severity.ERROR, message, head_span(rule), hint)


def _static_in_cycle(members: tuple[Symbol, ...], analysis: Analysis) -> Iterator[Diagnostic]:
    """Inside a cycle, a statically determined fluent must be evaluated pointwise."""
    static = [symbol for symbol in members if analysis.entities[symbol].role is Role.STATIC_FLUENT]
    is_loop = len(members) > 1 or (members[0], members[0]) in analysis.graph.symbol_edges
    if not static or not is_loop:
        return
    graph = {one: [two for two in static if (one, two) in analysis.graph.symbol_edges] for one in static}
    for component in strong_components(graph):
        if len(component) > 1 or component[0] in graph[component[0]]:
            yield _defined_by_itself(component, analysis)
            continue
        blocking = _not_pointwise(component[0], analysis)
        if blocking is not None:
            yield _needs_whole_intervals(component[0], members, blocking)


def _defined_by_itself(component: tuple[Symbol, ...], analysis: Analysis) -> Diagnostic:
    rules = [_interval_rule(symbol, analysis) for symbol in component]
    rules.sort(key=lambda rule: rule.span.start)
    shown = ", ".join(_shown(symbol, analysis) for symbol in component)
    message = f"{shown} is defined by itself" if len(component) == 1 else f"{shown} are defined by each other"
    hint = "define one of them by events: initiatedAt and terminatedAt may look back at themselves"
    if len(component) == 1:
        hint = "define it by events: initiatedAt and terminatedAt may look back at themselves"
    labels = tuple(RelatedSpan(head_span(rule), "on the same cycle") for rule in rules[1:])
    return Diagnostic("HF501", Severity.ERROR, message, head_span(rules[0]), hint, labels)


def _shown(symbol: Symbol, analysis: Analysis) -> str:
    """The name of a fluent; if its values are evaluated separately, with the value."""
    alike = [entity for entity in analysis.entities if entity.symbol.signature == symbol.signature]
    if all(entity.symbol == symbol or entity.symbol.kind is not symbol.kind for entity in alike):
        return str(symbol)
    rule = _interval_rule(symbol, analysis)
    assert isinstance(rule, IntervalRule)
    return f"{symbol.signature}={print_term(rule.fvp.value)}"


def _needs_whole_intervals(symbol: Symbol, members: tuple[Symbol, ...], blocking: Literal) -> Diagnostic:
    what = blocking.operator.value if isinstance(blocking, Algebra) else "a test for the empty list"
    others = ", ".join(str(member) for member in members if member != symbol)
    message = f"{symbol} and {others} depend on each other, and {what} needs whole intervals"
    hint = "inside a cycle only union_all, intersect_all and relative_complement_all work"
    return Diagnostic("HF501", Severity.ERROR, message, blocking.span, hint)


def _interval_rule(symbol: Symbol, analysis: Analysis) -> Rule:
    return next(rule for rule in analysis.entities[symbol].rules if isinstance(rule, IntervalRule))


def _not_pointwise(symbol: Symbol, analysis: Analysis) -> Literal | None:
    for rule in analysis.entities[symbol].rules:
        for literal in walk(rule.body):
            if isinstance(literal, Guard):
                return literal
            if isinstance(literal, Algebra) and (
                literal.operator not in POINTWISE or literal.operator is IntervalOperator.COMPLEMENT
            ):
                return literal
    return None


def _instant_loops(analysis: Analysis) -> Iterator[Diagnostic]:
    """One finding per loop, with all its negated conditions."""
    loops = list(analysis.instant.negative_loops()) if may_loop(analysis.graph) else []
    if not loops:
        return
    places: dict[tuple[Moment, ...], dict[Span, Moment]] = {}
    home = {moment: component for component in analysis.instant.components for moment in component}
    for moment, needed in loops:
        rule = analysis.instant.rules.get((moment, needed))
        if rule is not None:
            places.setdefault(home[moment], {}).setdefault(_reading(rule, needed, analysis), moment)
    for found in places.values():
        (span, moment), *others = found.items()
        labels = tuple(RelatedSpan(other, "on the same loop") for other, _ in others)
        message = f"{moment.vertex.label} depends on its own absence at the same time-point"
        hint = "read the state before instead, with holdsAt"
        if moment.vertex.symbol.kind is EntityKind.EVENT:
            hint = "let one of the rules depend on input events or on holdsAt only"
        yield Diagnostic("HF502", Severity.ERROR, message, span, hint, labels)


def _reading(rule: Rule, needed: Moment, analysis: Analysis) -> Span:
    """The condition of a rule that reads a moment, or the head if no condition does."""
    found = [item for item in conditions(rule.body, analysis.entities) if item.symbol == needed.vertex.symbol]
    negated = next((item.literal.span for item in found if not item.positive), None)
    return negated or next((item.literal.span for item in found), head_span(rule))
