"""Finds dependencies *at one time-point*: the order inside a time-point, and loops without an order.

`holdsAt` reads the past and never relates two rules at one time-point. Neither does a condition with a time-point
before that of its rule. `start`/`end` events, derived events and `initiatedAt`/`terminatedAt` conditions do. A loop of
such dependencies has a least solution if it contains no negation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from holdsfor import ir
from holdsfor.compiler.analysis.dependencies import ANY, DependencyGraph, TemporalCondition, Vertex, conditions
from holdsfor.compiler.analysis.entities import EntityKind, Role
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.analysis.lookback import reach, surroundings
from holdsfor.syntax.terms import Const, Var


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """Something that is decided at a time-point: an effect on a pair, the next state of a pair, or an event."""

    what: str
    vertex: Vertex


INITIATED, DELAYED, TERMINATED, NEXT, EVENT = "initiated", "initiated after a delay", "terminated", "next", "event"


class InstantGraph:
    """The same-time dependencies of a program: maps a moment to the moments it needs, with the sign of the need."""

    def __init__(self, graph: DependencyGraph, bodies: Mapping[int, ir.Body]) -> None:
        self._graph = graph
        self._bodies = bodies
        self.needs: dict[Moment, dict[Moment, bool]] = {}
        self.rules: dict[tuple[Moment, Moment], ir.Rule] = {}
        self._renewing = {
            vertex
            for rule in graph.program.delays
            if rule.effect is not None and rule.effect.value == rule.trigger.value
            for vertex in {*graph.of_fvp(rule.trigger)} & {*graph.of_fvp(rule.effect)}
        }
        """Pairs that a delayed effect initiates again while they hold."""
        for vertex in graph.vertices:
            self._add_vertex(vertex)
        for rule in graph.program.rules:
            self._add_rule(rule)

    @cached_property
    def components(self) -> list[tuple[Moment, ...]]:
        """Moments that must be solved together, in dependency order."""
        found = strong_components({moment: list(needs) for moment, needs in self.needs.items()})
        found.reverse()
        return found

    def negative_loops(self) -> Iterator[tuple[Moment, Moment]]:
        """Negated needs on a loop. Such a program has no meaning."""
        if all(positive for needs in self.needs.values() for positive in needs.values()):
            return
        for component in self.components:
            inside = set(component)
            for moment in component:
                for needed, positive in self.needs[moment].items():
                    if needed in inside and not positive:
                        yield moment, needed

    def _need(self, moment: Moment, needed: Moment, rule: ir.Rule | None, *, positive: bool = True) -> None:
        self.needs.setdefault(needed, {})
        known = self.needs.setdefault(moment, {})
        known[needed] = positive and known.get(needed, True)
        if rule is not None:
            self.rules.setdefault((moment, needed), rule)

    def _add_vertex(self, vertex: Vertex) -> None:
        if vertex.symbol.kind is EntityKind.EVENT:
            self.needs.setdefault(Moment(EVENT, vertex), {})
            return
        if self._graph.entities[vertex.symbol].role is Role.SIMPLE_FLUENT:
            self._need(Moment(DELAYED, vertex), Moment(INITIATED, vertex), None)
            self.needs.setdefault(Moment(TERMINATED, vertex), {})

    def _add_rule(self, rule: ir.Rule) -> None:
        match rule:
            case ir.EffectRule(kind=kind):
                what = INITIATED if kind is ir.EffectKind.INITIATED else TERMINATED
                heads = [Moment(what, vertex) for vertex in self._graph.heads(rule)]
                self._add_instances(rule)
            case ir.EventRule():
                heads = [Moment(EVENT, vertex) for vertex in self._graph.heads(rule)]
            case ir.IntervalRule():
                self._add_static(rule)
                return
            case ir.DelayRule():
                self._add_postponed(rule)
                return
            case _:
                return
        for condition in conditions(rule.body, self._graph.entities):
            if _is_about_the_past(condition.literal, rule):
                continue
            for needed, positive in self._read(condition):
                for head in heads:
                    self._need(head, needed, rule, positive=positive)

    def _add_instances(self, rule: ir.EffectRule) -> None:
        """Adds the needs of a termination with open instances: the pairs that are being initiated at the time-point."""
        if any(isinstance(literal, ir.Instance) for literal in self._bodies.get(id(rule), ())):
            for vertex in self._graph.heads(rule):
                self._need(Moment(TERMINATED, vertex), Moment(DELAYED, vertex), rule)

    def _add_static(self, rule: ir.IntervalRule) -> None:
        operators = {literal.operator for literal in ir.walk(rule.body) if isinstance(literal, ir.Algebra)}
        grows = operators <= {ir.IntervalOperator.UNION, ir.IntervalOperator.INTERSECTION}
        for condition in conditions(rule.body, self._graph.entities):
            for source in self._graph.sources(condition):
                self._add_next(source)
                for head in self._graph.heads(rule):
                    self._need(Moment(NEXT, head), Moment(NEXT, source), rule, positive=grows and condition.positive)

    def _add_next(self, vertex: Vertex) -> None:
        """Adds the next state of a simple fluent: it holds if it is initiated and nothing breaks it."""
        following = Moment(NEXT, vertex)
        if following in self.needs or self._graph.entities[vertex.symbol].role is not Role.SIMPLE_FLUENT:
            return
        self._need(following, Moment(TERMINATED, vertex), None, positive=False)
        is_one = not self._graph.has_several_values(vertex)
        for other in self._graph.of_symbol(vertex.symbol):
            self._need(following, Moment(DELAYED, other), None, positive=other == vertex and is_one)

    def _add_postponed(self, rule: ir.DelayRule) -> None:
        """Adds a postponable effect: it takes place unless its trigger is initiated again at the same time-point."""
        what = DELAYED if rule.effect is not None else TERMINATED
        sources = self._graph.of_fvp(rule.trigger)
        if isinstance(rule.trigger.value, Const):
            # A rule that can initiate a constant needs what the vertex of that constant needs.
            sources = [source for source in sources if source.value != ANY] or sources
        for source in sources:
            if source not in self._graph.postponed:
                continue
            # `ft` terminates the same pair that triggers it.
            for target in [source] if rule.effect is None else self._graph.of_fvp(rule.effect):
                self._need(Moment(what, target), Moment(INITIATED, source), rule, positive=False)
                if source in self._renewing and (what, target) != (DELAYED, source):
                    self._need(Moment(what, target), Moment(DELAYED, source), rule, positive=False)

    def _read(self, condition: TemporalCondition) -> Iterator[tuple[Moment, bool]]:
        literal, positive = condition.literal, condition.positive
        match literal:
            case ir.Happens():
                for vertex in self._graph.of_symbol(condition.symbol):
                    yield Moment(EVENT, vertex), positive
            case ir.Effect(kind=kind):
                what = DELAYED if kind is ir.EffectKind.INITIATED else TERMINATED
                for vertex in self._graph.sources(condition):
                    yield Moment(what, vertex), positive
            case ir.Boundary(edge=edge):
                for vertex in self._graph.sources(condition):
                    yield from self._boundary(vertex, edge, positive)
            case _:
                return

    def _boundary(self, vertex: Vertex, edge: ir.Edge, positive: bool) -> Iterator[tuple[Moment, bool]]:
        """Adds the needs of a boundary: `end` needs a break of the pair; `start` needs an initiation and no break."""
        role = self._graph.entities[vertex.symbol].role
        if role is Role.STATIC_FLUENT:
            yield Moment(NEXT, vertex), positive and edge is ir.Edge.START
        if role is not Role.SIMPLE_FLUENT:
            return
        breaking = positive and edge is ir.Edge.END
        yield Moment(TERMINATED, vertex), breaking
        for other in self._graph.of_symbol(vertex.symbol):
            if other != vertex or self._graph.has_several_values(vertex):
                yield Moment(DELAYED, other), breaking
        if edge is ir.Edge.START:
            yield Moment(DELAYED, vertex), positive and not self._graph.has_several_values(vertex)


def _is_about_the_past(literal: ir.Literal, rule: ir.EffectRule | ir.EventRule) -> bool:
    """Whether a condition has its own time-point before that of its rule."""
    if not isinstance(literal, ir.Happens | ir.Effect | ir.Boundary) or literal.time == rule.time:
        return False
    if not isinstance(literal.time, Var) or not isinstance(rule.time, Var):
        return False
    return reach(surroundings(rule.body, literal), rule.time.name, literal.time.name).least >= 1


def may_loop(graph: DependencyGraph) -> bool:
    """Whether any rule reads its own time-point in a way that could close a loop. Most programs have no such rule."""
    if graph.program.postpones:
        return True
    derived = {entity.symbol for entity in graph.entities.with_role(Role.DERIVED_EVENT)}
    return any(
        isinstance(condition.literal, ir.Boundary | ir.Effect) or condition.symbol in derived
        for rule in graph.program.rules
        if isinstance(rule, ir.EffectRule | ir.EventRule)
        for condition in conditions(rule.body, graph.entities)
    )
