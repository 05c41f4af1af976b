"""Checks mixed programs: cycles through both languages (HF690), double definitions (HF691), pairs never true (HF692).

It also reports mistakes in the metric rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entity, EntityKind, Symbol
from holdsfor.compiler.analysis.languages import mixed_cycles
from holdsfor.compiler.analysis.mixing import TRUE, read_atoms
from holdsfor.compiler.analysis.places import head_span
from holdsfor.compiler.checks.spelling import place_of
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Span
from holdsfor.ir import Literal
from holdsfor.ir.metric import MetricRule
from holdsfor.syntax.printer import print_term


def check_mixing(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks the metric rules among event rules."""
    metric = analysis.program.metric
    if not metric.rules and not metric.facts:
        return
    # Imported here because most programs have no metric rules.
    from holdsfor.compiler.metric.checks import CHECKS
    from holdsfor.compiler.metric.checks.names import check_names

    for check in CHECKS:
        # Names that no metric rule defines may belong to event rules, which have their own check.
        yield from check(metric) if check is not check_names else ()
    defined_twice = [entity for entity in analysis.entities if entity.rules and entity.metric]
    yield from map(_two_languages, defined_twice)
    graph = analysis.graph
    for component in mixed_cycles(graph.fluent_graph, graph.metric):
        yield _cycle(component, analysis)
    for rule in metric.rules:
        yield from _never_true(rule, analysis)


def _two_languages(entity: Entity) -> Diagnostic:
    message = f"{entity.symbol} is defined by metric rules and by event rules"
    labels = (RelatedSpan(head_span(entity.rules[0]), "defined by event rules here"),)
    hint = "keep one of the two, or give one of them another name"
    return Diagnostic("HF691", Severity.ERROR, message, _defining_span(entity), hint, labels)


def _defining_span(entity: Entity) -> Span:
    first = entity.metric[0]
    return first.head.span if isinstance(first, MetricRule) else first.span


def _cycle(component: tuple[Symbol, ...], analysis: Analysis) -> Diagnostic:
    """A finding at the first condition of a metric rule that closes the cycle."""
    metric = [symbol for symbol in component if symbol in analysis.graph.metric]
    others = [symbol for symbol in component if symbol not in metric]
    spans = [
        atom.span
        for symbol in metric
        for rule in analysis.entities[symbol].metric
        if isinstance(rule, MetricRule)
        for atom in read_atoms(rule)
        if any(meant in others for meant in analysis.entities.meant(atom.signature))
    ]
    labels = [
        RelatedSpan(place_of(use), "on the same cycle")
        for source, target in analysis.graph.symbol_edges
        if source in metric and target in others
        for use in _uses(source, target, analysis)
    ]
    shown = f"{_listed(metric)} and {_listed(others)} depend on each other"
    hint = "metric rules read final results: remove one of the conditions, or write the whole cycle in one language"
    return Diagnostic("HF690", Severity.ERROR, shown, spans[0], hint, tuple(labels[:1]))


def _uses(source: Symbol, target: Symbol, analysis: Analysis) -> Iterator[Literal]:
    for (one, other), literals in analysis.graph.i_edges.items():
        if (one.symbol, other.symbol) == (source, target):
            yield from literals


def _listed(symbols: list[Symbol]) -> str:
    return ", ".join(map(str, symbols))


def _never_true(rule: MetricRule, analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds a metric predicate that refers to the value true of a fluent that only has other values."""
    for atom in read_atoms(rule):
        for symbol in analysis.entities.meant(atom.signature):
            entity = analysis.entities[symbol]
            if symbol.kind is EntityKind.FLUENT and entity.rules and not entity.has_variable_value:
                values = [print_term(value) for value in entity.values]
                if values and TRUE not in entity.values:
                    message = f"{symbol} is never true, so this never holds: its values are {', '.join(values)}"
                    hint = f"define a boolean fluent by {symbol.label}={values[0]}, and read that"
                    yield Diagnostic("HF692", Severity.WARNING, message, atom.span, hint)
