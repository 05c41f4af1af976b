"""Builds the dependency graphs of fluent-value pairs, fluents and events, and contracts them.

The definitions follow the literature on delayed effects and on arbitrary specifications. *i-edges* come from rule
conditions, *f-edges* from `fi`. Derived events are vertices too: a rule that reads an event depends on the dependencies
of the event.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from holdsfor import ir
from holdsfor.compiler.analysis.entities import Entities, Entity, EntityKind, Role, Symbol
from holdsfor.compiler.analysis.graphs import contract, levels, strong_components, weak_components
from holdsfor.compiler.analysis.languages import grouped
from holdsfor.compiler.analysis.mixing import TRUE, as_happens, as_holds, read_atoms
from holdsfor.ir.literals import Body
from holdsfor.ir.metric import MetricRule
from holdsfor.logic.unify import is_ground, may_equal
from holdsfor.records import record
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, ListTerm, Term, Var

_V = TypeVar("_V", Symbol, "Vertex")

ANY = "*"
"""The value of a fluent whose rules have a variable as value."""


@dataclass(frozen=True, slots=True, order=True)
class Vertex:
    """A fluent-value pair, or a derived event (with no value)."""

    symbol: Symbol
    value: str = ""

    def __hash__(self) -> int:
        return hash((self.symbol._hash, self.value))  # noqa: SLF001 -- saves a call

    @property
    def label(self) -> str:
        """The label `quote=true`, or the name of an event."""
        return f"{self.symbol.label}={self.value}" if self.symbol.kind is EntityKind.FLUENT else self.symbol.label

    def __str__(self) -> str:
        return f"{self.symbol.signature}={self.value}" if self.symbol.kind is EntityKind.FLUENT else str(self.symbol)


@record
class TemporalCondition:
    """A temporal condition of a rule: its reads, and whether all its uses are positive."""

    literal: ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Intervals
    symbol: Symbol
    positive: bool


def _ended_for_others(entity: Entity) -> Iterator[Term]:
    """The terminated values of a fluent with readers of the end of any value: they may never hold."""
    is_read = any(isinstance(use, ir.Effect) and use.kind is ir.EffectKind.TERMINATED for use in entity.uses)
    for rule in entity.rules if is_read else ():
        if (
            isinstance(rule, ir.EffectRule)
            and rule.kind is ir.EffectKind.TERMINATED
            and not isinstance(rule.fvp.value, Var)
        ):
            yield rule.fvp.value


def _read_values(entity: Entity) -> Iterator[Term]:
    """The values that rules read."""
    for literal in entity.uses:
        if isinstance(literal, ir.Boundary | ir.Holds | ir.Effect | ir.Intervals) and not isinstance(
            literal.fvp.value, Var
        ):
            yield literal.fvp.value


def _general(value: Term, numbers: Iterator[int] | None = None) -> Term:
    """A value with all its variables distinct and unbound: `pos(X,X)` becomes `pos(_,_)`."""
    numbers = itertools.count() if numbers is None else numbers
    match value:
        case Var():
            return Var(f"{ANONYMOUS_PREFIX}{ANY}{next(numbers)}")
        case Compound(name=name, args=args):
            return Compound(name, tuple(_general(arg, numbers) for arg in args))
        case ListTerm(items=items, tail=tail):
            rest = None if tail is None else _general(tail, numbers)
            return ListTerm(tuple(_general(item, numbers) for item in items), rest)
        case _:
            return value


def conditions(body: Body, entities: Entities, *, positive: bool = True) -> Iterator[TemporalCondition]:
    """The temporal conditions of a body. Conditions that are negated, counted or tested first are not positive."""
    for literal in body:
        match literal:
            case ir.Happens(event=event):
                yield TemporalCondition(literal, entities.event(event), positive)
            case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp) | ir.Intervals(fvp=fvp):
                yield TemporalCondition(literal, entities.fluent(fvp), positive)
            case ir.Not(body=inner) | ir.FindAll(body=inner):
                yield from conditions(inner, entities, positive=False)
            case ir.Or(branches=branches):
                for branch in branches:
                    yield from conditions(branch, entities, positive=positive)
            case ir.IfThenElse(condition=test, then=then, otherwise=otherwise):
                yield from conditions(test, entities, positive=False)
                yield from conditions(then, entities, positive=positive)
                yield from conditions(otherwise or (), entities, positive=positive)
            case _:
                continue


class DependencyGraph:
    """The dependencies of a program at the three granularities that the plan and the checks need."""

    def __init__(self, program: ir.Program, entities: Entities) -> None:
        self.program = program
        self.entities = entities
        self.i_edges: dict[tuple[Vertex, Vertex], list[ir.Literal]] = {}
        self.f_edges: dict[tuple[Vertex, Vertex], ir.DelayRule] = {}
        self.values: dict[Vertex, Term] = {}
        """The value of each vertex that stands for one value, or for terms of one form."""
        self._compounds: dict[Vertex, Term] = {}
        """The values of vertices that are compound terms. Their variables match anything."""
        self.vertices: list[Vertex] = list(self._all_vertices())
        self._by_symbol: dict[Symbol, list[Vertex]] = {}
        for vertex in self.vertices:
            self._by_symbol.setdefault(vertex.symbol, []).append(vertex)
        for rule in program.rules:
            self._add_rule(rule)
        for metric in program.metric.rules:
            self._add_metric(metric)

    # Fluent-value pairs

    def of_symbol(self, symbol: Symbol) -> list[Vertex]:
        """The vertices of one fluent or event."""
        return self._by_symbol.get(symbol, [])

    def _all_vertices(self) -> Iterator[Vertex]:
        for entity in self.entities:
            if entity.role is Role.INPUT_EVENT:
                continue
            if entity.symbol.kind is EntityKind.EVENT:
                yield Vertex(entity.symbol)
                continue
            values = {print_term(general): general for general in map(_general, entity.values)}
            # Compound values may be instances of others. Which of them get a vertex must not depend on the order of
            # rules.
            others = (*_read_values(entity), *_ended_for_others(entity))
            for value in sorted(others, key=lambda one: "" if isinstance(one, Const) else print_term(_general(one))):
                if not any(may_equal(general, value) for general in values.values()):
                    values.setdefault(print_term(general := _general(value)), general)
            for shown, general in values.items():
                vertex = Vertex(entity.symbol, shown)
                self.values[vertex] = general
                if not isinstance(general, Const):
                    self._compounds[vertex] = general
                yield vertex
            if entity.has_variable_value or not values:
                yield Vertex(entity.symbol, ANY)

    def matching(self, symbol: Symbol, value: Term) -> list[Vertex]:
        """The vertices that a value in a rule can match; a variable matches all."""
        everything = self.of_symbol(symbol)
        if isinstance(value, Var):
            return everything
        shown = print_term(value)
        return [
            vertex
            for vertex in everything
            if vertex.value in (shown, ANY)
            or (
                not isinstance(value, Const) and vertex in self._compounds and may_equal(self._compounds[vertex], value)
            )
        ]

    def has_several_values(self, vertex: Vertex) -> bool:
        """Whether a vertex stands for several values of its fluent, which break each other."""
        return vertex.value == ANY or (vertex in self._compounds and not is_ground(self._compounds[vertex]))

    def heads(self, rule: ir.Rule) -> list[Vertex]:
        """The vertices that a rule defines."""
        match rule:
            case ir.EffectRule(fvp=fvp) | ir.IntervalRule(fvp=fvp):
                return self.of_fvp(fvp)
            case ir.EventRule(event=event):
                return self.of_symbol(self.entities.event(event))
            case _:
                return []

    def of_fvp(self, fvp: ir.Fvp) -> list[Vertex]:
        """The vertices that a pair in a rule can match."""
        return self.matching(self.entities.fluent(fvp), fvp.value)

    def _add_rule(self, rule: ir.Rule) -> None:
        if isinstance(rule, ir.DelayRule):
            self._add_delay(rule)
            return
        heads = self.heads(rule)
        if not heads:
            return
        for condition in conditions(rule.body, self.entities):
            for source in self.sources(condition):
                for head in heads:
                    self.i_edges.setdefault((source, head), []).append(condition.literal)

    def _add_metric(self, rule: MetricRule) -> None:
        heads = self.matching(self.entities.metric_fluent(rule.head.signature), TRUE)
        for atom in read_atoms(rule):
            for symbol in self.entities.meant(atom.signature):
                is_fluent = symbol.kind is EntityKind.FLUENT
                for source in self.matching(symbol, TRUE) if is_fluent else self.of_symbol(symbol):
                    for head in heads:
                        condition = as_holds(atom) if is_fluent else as_happens(atom)
                        self.i_edges.setdefault((source, head), []).append(condition)

    def sources(self, condition: TemporalCondition) -> list[Vertex]:
        """The vertices that a condition reads."""
        if isinstance(condition.literal, ir.Happens):
            return self.of_symbol(condition.symbol)
        return self.matching(condition.symbol, condition.literal.fvp.value)

    def _add_delay(self, rule: ir.DelayRule) -> None:
        if rule.effect is None or self._is_superseded(rule):
            return
        for source in self.of_fvp(rule.trigger):
            for target in self.of_fvp(rule.effect):
                self.f_edges.setdefault((source, target), rule)

    def _is_superseded(self, rule: ir.DelayRule) -> bool:
        """Of two `fi` of one pair to the same fluent, only the shorter delay can take effect."""
        delay = _number(rule.delay)
        shortest = self._shortest_delay.get(rule.trigger)
        return delay is not None and shortest is not None and shortest < delay

    @cached_property
    def _shortest_delay(self) -> dict[ir.Fvp, float]:
        shortest: dict[ir.Fvp, float] = {}
        for rule in self.program.delays:
            delay = _number(rule.delay)
            same_fluent = rule.effect is not None and rule.effect.fluent == rule.trigger.fluent
            if delay is not None and same_fluent and not rule.body:
                shortest[rule.trigger] = min(delay, shortest.get(rule.trigger, delay))
        return shortest

    @cached_property
    def postponed(self) -> frozenset[Vertex]:
        """The pairs whose delayed effects can be postponed."""
        return frozenset(vertex for rule in self.program.postpones for vertex in self.of_fvp(rule.fvp))

    # Contractions of the graph of fluent-value pairs

    @cached_property
    def f_components(self) -> list[tuple[Vertex, ...]]:
        """Vertices that f-edges connect."""
        return weak_components(self.vertices, self.f_edges)

    @cached_property
    def cd_components(self) -> list[tuple[Vertex, ...]]:
        """Vertices that are processed together: cycles of f-components, in processing order."""
        home = {vertex: position for position, members in enumerate(self.f_components) for vertex in members}
        graph: dict[int, list[int]] = {position: [] for position in range(len(self.f_components))}
        for source, target in self.i_edges:
            if home[source] != home[target]:
                graph[home[source]].append(home[target])
        return [
            tuple(vertex for position in members for vertex in self.f_components[position])
            for members in strong_components(graph)
        ]

    @cached_property
    def vertex_levels(self) -> dict[Vertex, int]:
        """The level of every fluent-value pair by its cd-component."""
        return _component_levels(self.cd_components, self.i_edges)

    # Fluents

    @cached_property
    def symbols(self) -> list[Symbol]:
        """Fluents and derived events."""
        return list(dict.fromkeys(vertex.symbol for vertex in self.vertices))

    @cached_property
    def symbol_edges(self) -> dict[tuple[Symbol, Symbol], None]:
        """Edges between fluents and events, self-dependencies included, as an ordered set."""
        edges = dict.fromkeys((source.symbol, target.symbol) for source, target in self.i_edges)
        delayed = ((source.symbol, target.symbol) for source, target in self.f_edges)
        return edges | dict.fromkeys(edge for edge in delayed if edge[0] != edge[1])

    @cached_property
    def fluent_graph(self) -> dict[Symbol, list[Symbol]]:
        """Each fluent with those that depend on it."""
        graph: dict[Symbol, list[Symbol]] = {symbol: [] for symbol in self.symbols}
        for source, target in self.symbol_edges:
            if source != target:
                graph[source].append(target)
        return graph

    @cached_property
    def fluent_components(self) -> list[tuple[Symbol, ...]]:
        """Fluents that are evaluated together, in order; metric predicates with those that they read."""
        return strong_components(grouped(self.fluent_graph, self.metric) if self.metric else self.fluent_graph)

    @cached_property
    def metric(self) -> frozenset[Symbol]:
        """The metric predicates."""
        return frozenset(entity.symbol for entity in self.entities.with_role(Role.METRIC_FLUENT))

    def with_metric_sources(self, members: Iterable[Symbol]) -> tuple[Symbol, ...]:
        """Metric predicates, and all metric predicates that they read in rational time."""
        found = [symbol for symbol in members if symbol in self.metric]
        for symbol in found:
            rules = (rule for rule in self.entities[symbol].metric if isinstance(rule, MetricRule))
            read = (
                meant for rule in rules for atom in read_atoms(rule) for meant in self.entities.meant(atom.signature)
            )
            found += [other for other in dict.fromkeys(read) if other in self.metric and other not in found]
        return tuple(found)

    @cached_property
    def symbol_levels(self) -> dict[Symbol, int]:
        """The level of every fluent and derived event; all values of a fluent share it."""
        return _component_levels(self.fluent_components, (edge for edge in self.symbol_edges if edge[0] != edge[1]))

    @cached_property
    def component_of(self) -> dict[Symbol, tuple[Symbol, ...]]:
        """The component that each fluent or event belongs to."""
        return {symbol: members for members in self.fluent_components for symbol in members}


def _component_levels(components: list[tuple[_V, ...]], edges: Iterable[tuple[_V, _V]]) -> dict[_V, int]:
    graph: dict[_V, list[_V]] = {node: [] for members in components for node in members}
    for source, target in edges:
        graph[source].append(target)
    contracted = contract(graph, components)
    found = levels(contracted, range(len(components)))
    return {node: found[position] for position, members in enumerate(components) for node in members}


def _number(term: Term) -> float | None:
    return term.value if isinstance(term, Const) and not isinstance(term.value, str) else None
