"""Combines the analyses of a program for later stages and checks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from holdsfor.compiler.analysis.dependencies import DependencyGraph
from holdsfor.compiler.analysis.domains import Filling, fillings
from holdsfor.compiler.analysis.entities import Entities, Role, Symbol
from holdsfor.compiler.analysis.fluent_parts import find_fluent_parts
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.analysis.instant import InstantGraph
from holdsfor.compiler.analysis.names import Names
from holdsfor.compiler.analysis.safety import Safety
from holdsfor.compiler.background import Background
from holdsfor.compiler.metric.durations import in_units
from holdsfor.compiler.passes.calendar import with_calendar
from holdsfor.compiler.passes.called_groundings import with_called_groundings
from holdsfor.compiler.passes.durations import in_time_points, one_of_units
from holdsfor.compiler.passes.filters import replace_filters
from holdsfor.compiler.passes.local_names import rename_local_variables
from holdsfor.compiler.passes.own_levels import unfold_own_levels
from holdsfor.compiler.passes.separate import separate_values
from holdsfor.compiler.passes.sliding import lower_sliding
from holdsfor.compiler.passes.ticks import in_ticks
from holdsfor.compiler.passes.undeclared import without_undeclared
from holdsfor.compiler.passes.unfold import unfold_temporal_helpers
from holdsfor.compiler.passes.universal_facts import without_universal_calls
from holdsfor.diagnostics import Diagnostic
from holdsfor.ir import BackgroundRule, Body, Program, Rule


@dataclass
class Analysis:
    """A program with its symbol table, graphs, background knowledge and executable bodies.

    `written` is the program before sliding aggregates were lowered, variables renamed, helpers unfolded and times
    converted to clock ticks. `skipped` contains the ids of rules with unknown predicates, which are not analysed
    further. `unread` are names in clauses that could not be parsed. `fillings` say which input fills which domains of
    the program.
    """

    program: Program
    written: Program
    entities: Entities
    graph: DependencyGraph
    background: Background
    bodies: dict[int, Body] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    skipped: frozenset[int] = frozenset()
    unread: frozenset[str] = frozenset()
    fillings: tuple[Filling, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        """The pickled state. Bodies are stored by rule position, because rules have other ids in another process."""
        rules = self.program.rules
        bodies = {place: self.bodies[id(rule)] for place, rule in enumerate(rules) if id(rule) in self.bodies}
        skipped = [place for place, rule in enumerate(rules) if id(rule) in self.skipped]
        names = [one.name for one in fields(self)]
        return {name: getattr(self, name) for name in names} | {"bodies": bodies, "skipped": skipped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        rules = state["program"].rules
        state["bodies"] = {id(rules[place]): body for place, body in state["bodies"].items()}
        state["skipped"] = frozenset(id(rules[place]) for place in state["skipped"])
        self.__dict__.update(state)

    @cached_property
    def resolved(self) -> Program:
        """The program as written, with durations as numbers and calendar conditions as arithmetic."""
        return with_calendar(in_time_points(self.written)[0])[0]

    def is_static(self, members: tuple[Symbol, ...]) -> bool:
        """Whether a component is one statically determined fluent that does not depend on itself."""
        symbol = members[0]
        alone = len(members) == 1 and (symbol, symbol) not in self.graph.symbol_edges
        return alone and self.entities[symbol].role is Role.STATIC_FLUENT

    def static_order(self, members: tuple[Symbol, ...]) -> list[Symbol]:
        """The statically determined fluents of a component, in dependency order."""
        static = [symbol for symbol in members if self.entities[symbol].role is Role.STATIC_FLUENT]
        graph = {symbol: [s for s in self.graph.fluent_graph[symbol] if s in static] for symbol in static}
        return [symbol for component in strong_components(graph) for symbol in component]

    def body(self, rule: Rule) -> Body:
        """The executable body of a rule."""
        return self.bodies[id(rule)]

    @cached_property
    def instant(self) -> InstantGraph:
        """The dependencies inside a time-point."""
        return InstantGraph(self.graph, self.bodies)


def analyse(written: Program) -> Analysis:
    """Analyses a program. Errors are reported as findings."""
    resolved, of_durations = in_time_points(written)
    resolved, of_calendar = with_calendar(resolved)
    metric_rules, of_metric = in_units(resolved.metric, written.time_scale, written.time_goals)
    resolved = replace(resolved, metric=metric_rules)
    with_groundings = with_called_groundings(lower_sliding(resolved))
    known = Names(with_groundings)
    declared, undeclared = without_undeclared(without_universal_calls(rename_local_variables(with_groundings)))
    if declared.forgets:
        # Imported here because most programs do not use `forget`.
        from holdsfor.compiler.passes.forgetting import lower_forgetting

        declared = lower_forgetting(declared)
    program = in_ticks(replace_filters(unfold_own_levels(unfold_temporal_helpers(declared))))
    entities = Entities(program)
    graph = DependencyGraph(program, entities)
    parts = find_fluent_parts(graph)
    if parts:
        program = separate_values(program, entities, parts)
        entities = Entities(program, parts)
        graph = DependencyGraph(program, entities)
    skipped = frozenset(id(rule) for rule in program.rules if known.calls_unknown(rule))
    background = Background(program)
    analysis = Analysis(program, written, entities, graph, background, skipped=skipped, unread=known.unread)
    analysis.fillings = fillings(program, entities, background)
    safety = Safety(entities, background)
    for rule in program.rules:
        if id(rule) in skipped:
            continue
        if isinstance(rule, BackgroundRule):
            safety.check_background(rule)
            continue
        body = safety.order(rule)
        if body is not None:
            analysis.bodies[id(rule)] = body
    metric = program.metric.diagnostics
    of_time = one_of_units([*of_durations, *of_calendar, *of_metric])
    analysis.findings = [*program.diagnostics, *of_time, *metric, *known.findings(), *undeclared, *safety.diagnostics]
    return analysis
