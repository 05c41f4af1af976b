"""Sorts tables, components and rules in one canonical order for all programs with the same meaning.

The order of clauses has no meaning, with two exceptions. Of the `holdsFor` rules of one fluent, the first that succeeds
counts. Background rules give their answers in the written order. The canonical order ensures that moving clauses
changes neither the plan nor its fingerprint.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.analysis.instant import Moment
from holdsfor.frontend.rtec.unparse import literal_term, rule_clause
from holdsfor.ir import Algebra, Body, EffectKind, EffectRule, Guard, IntervalRule, Intervals, Or, Rule, walk
from holdsfor.physical.knowledge import plain_text
from holdsfor.syntax.terms import Compound, Const, ListTerm

_R = TypeVar("_R", bound=Rule)
_N = TypeVar("_N", Symbol, Moment)

by_name = attrgetter("kind", "name", "arity", "inner", "part")
"""Sorts symbols. Symbols are comparable, but comparing tuples of their parts is faster."""


def component_order(analysis: Analysis, *, is_traced: bool = False) -> list[tuple[Symbol, ...]]:
    """The components of fluents and events that depend on each other, in dependency order.

    In a plan to be traced, metric predicates are input.
    """
    graph = analysis.graph
    given = (Role.INPUT_FLUENT, Role.METRIC_FLUENT) if is_traced else (Role.INPUT_FLUENT,)
    derived = (one for one in graph.fluent_components if analysis.entities[one[0]].role not in given)
    members = (tuple(sorted(one, key=by_name)) if len(one) > 1 else one for one in derived)
    return sorted(members, key=lambda one: (graph.symbol_levels[one[0]], by_name(one[0])))


def static_order(members: Iterable[Symbol], analysis: Analysis) -> list[Symbol]:
    """The statically determined fluents of a component, in dependency order."""
    static = [symbol for symbol in members if analysis.entities[symbol].role is Role.STATIC_FLUENT]
    if len(static) < 2:
        return static
    graph = {symbol: [one for one in analysis.graph.fluent_graph[symbol] if one in static] for symbol in static}
    return [symbol for component in _components(graph, by_name) for symbol in component]


def moment_order(analysis: Analysis) -> list[tuple[Moment, ...]]:
    """The groups that are decided together at a time-point, in dependency order."""
    found = _components(analysis.instant.needs, lambda one: (by_name(one.vertex.symbol), one.what, one.vertex.value))
    return found[::-1]


def _components(graph: Mapping[_N, Iterable[_N]], key: object) -> list[tuple[_N, ...]]:
    return strong_components({node: sorted(graph[node], key=key) for node in sorted(graph, key=key)})  # type: ignore[call-overload]


def rule_order(rules: Iterable[_R]) -> list[_R]:
    """Sorts rules by content, initiations before terminations."""
    found = sorted(rules, key=_kind)
    if len({_kind(rule) for rule in found}) == len(found):
        return found
    return sorted(found, key=lambda rule: (_kind(rule), _text(rule)))


def body_order(body: Body) -> Body:
    """Sorts the branches of the disjunctions in a body by content. Groundings are disjunctions in written order.

    Disjunctions among interval lists keep their order, because it may have a meaning there.
    """
    if not any(isinstance(literal, Or) for literal in body):
        return body
    return tuple(_with_ordered_branches(literal) if isinstance(literal, Or) else literal for literal in body)


def _with_ordered_branches(literal: Or) -> Or:
    if any(isinstance(one, Intervals | Algebra | Guard) for one in walk((literal,))):
        return literal
    return replace(literal, branches=tuple(sorted(literal.branches, key=_branch_text)))


def _branch_text(branch: Body) -> str:
    return plain_text(ListTerm(tuple(map(literal_term, branch))))


def _kind(rule: Rule) -> int:
    return int(isinstance(rule, EffectRule) and rule.kind is EffectKind.TERMINATED)


def _text(rule: Rule) -> str:
    if isinstance(rule, IntervalRule):
        return ""
    clause = rule_clause(rule)
    assert clause.head is not None
    return plain_text(Compound(":-", (clause.head, clause.body or Const("true"))))
