"""Finds endless cycles of delayed effects (HF406)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.dependencies import Vertex
from holdsfor.compiler.analysis.entities import show_fvp
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.analysis.places import head_span
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.ir import DelayRule, EffectKind, EffectRule
from holdsfor.syntax.terms import Const


def check_delay_cycles(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds cycles of `fi` without an exit between the values of one instance."""
    edges = {ends: rule for ends, rule in analysis.graph.f_edges.items() if _is_certain(rule)}
    successors: dict[Vertex, list[Vertex]] = {vertex: [] for ends in edges for vertex in ends}
    for source, target in edges:
        successors[source].append(target)
    for members in strong_components(successors):
        if len(members) > 1 and not _has_exit(members, analysis):
            inside = [rule for (source, target), rule in edges.items() if source in members and target in members]
            yield _finding(sorted(inside, key=lambda rule: rule.span.start))


def _is_certain(rule: DelayRule) -> bool:
    """Whether an effect occurs for every instance of a rule: trigger and effect are about the same instance."""
    effect, trigger = rule.effect, rule.trigger
    if effect is None or effect.fluent != trigger.fluent:
        return False
    return isinstance(effect.value, Const) and isinstance(trigger.value, Const)


def _has_exit(members: tuple[Vertex, ...], analysis: Analysis) -> bool:
    """Whether any rule ends a value of the cycle other than by the next value."""
    graph, symbol = analysis.graph, members[0].symbol
    for source, target in graph.f_edges:
        if target.symbol == symbol and target not in members:
            return True
        # An effect from other fluents or instances may occur at any time.
        if target in members and source.symbol != symbol:
            return True
    for rule in analysis.entities[symbol].rules:
        match rule:
            case EffectRule(kind=EffectKind.INITIATED, fvp=fvp):
                is_open = not isinstance(fvp.value, Const)
                if is_open or any(vertex not in members for vertex in graph.of_fvp(fvp)):
                    return True
            case EffectRule(fvp=fvp) | DelayRule(effect=None, trigger=fvp):
                if any(vertex in members for vertex in graph.of_fvp(fvp)):
                    return True
            case _:
                continue
    return False


def _finding(rules: list[DelayRule]) -> Diagnostic:
    first, *others = rules
    shown = ", ".join(dict.fromkeys(show_fvp(rule.trigger) for rule in rules))
    labels = tuple(RelatedSpan(head_span(rule), "on the same cycle") for rule in others)
    message = f"these delayed effects form an endless cycle ({shown}), and no rule ends it"
    hint = "add a terminatedAt or ft for one of the values; a run stops after --max-delayed-effects of them in a row"
    return Diagnostic("HF406", Severity.WARNING, message, head_span(first), hint, labels)
