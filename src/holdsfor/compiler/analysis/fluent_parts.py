"""Determines which values of a fluent are evaluated separately.

Dependencies relate fluent-value pairs. The values that events initiate break each other, so they form one unit. A value
that `holdsFor` rules define breaks no other value, and no value breaks it. So `f=false` may be the complement of
`f=true`, and events may define one value while intervals define another. Such a fluent is split: the values that events
initiate are one part, and each value with `holdsFor` rules is another. Every other fluent stays whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.dependencies import DependencyGraph
from holdsfor.compiler.analysis.entities import Entity, FluentParts, Role, Symbol
from holdsfor.ir import DelayRule, EffectKind, EffectRule, InitiallyRule, IntervalRule, Rule
from holdsfor.logic.unify import may_equal
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var


def find_fluent_parts(graph: DependencyGraph) -> FluentParts:
    """The fluents that must be split, each with the values of its parts. The first part has no name."""
    found: dict[Symbol, dict[str, list[Term]]] = {}
    for entity in graph.entities.with_role(Role.STATIC_FLUENT):
        if _is_mixed(entity) or _is_on_cycle(entity, graph):
            groups = _groups(entity)
            if len(groups) > 1:
                found[entity.symbol] = {_name(group, position): group for position, group in enumerate(groups)}
    return found


def _is_mixed(entity: Entity) -> bool:
    return any(not isinstance(rule, IntervalRule) for rule in entity.rules)


def _is_on_cycle(entity: Entity, graph: DependencyGraph) -> bool:
    """Whether a fluent depends on itself if its values are not distinguished."""
    symbol = entity.symbol
    return len(graph.component_of[symbol]) > 1 or (symbol, symbol) in graph.symbol_edges


def _groups(entity: Entity) -> list[list[Term]]:
    """Groups the values of a fluent that must be evaluated together; those that events initiate come first."""
    by_events = list(dict.fromkeys(value for rule in entity.rules for value in values_by_events(rule)))
    groups = [by_events] if by_events else []
    for rule in entity.rules:
        if not isinstance(rule, IntervalRule):
            continue
        value = rule.fvp.value
        joined = [group for group in groups if any(may_equal(value, other) for other in group)]
        apart = [group for group in groups if group not in joined]
        if joined:
            merged = [other for group in joined for other in group]
            position = groups.index(joined[0])
            apart.insert(min(position, len(apart)), [*merged, *([] if value in merged else [value])])
            groups = apart
        else:
            groups.append([value])
    return groups


def values_by_events(rule: Rule) -> Iterator[Term]:
    """The values that a rule initiates or terminates. `terminatedAt(f=_, T)` terminates the values of other rules."""
    match rule:
        case EffectRule(kind=kind, fvp=fvp):
            if kind is EffectKind.INITIATED or not isinstance(fvp.value, Var):
                yield fvp.value
        case InitiallyRule(fvp=fvp):
            yield fvp.value
        case DelayRule(trigger=trigger, effect=effect):
            yield from (fvp.value for fvp in (trigger, effect) if fvp is not None)
        case _:
            return


def _name(group: list[Term], position: int) -> str:
    return print_term(group[0]) if position else ""
