"""Puts the analyses together: everything that later stages and checks need to know of a program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.compiler.analysis.dependencies import DependencyGraph
from holdsfor.compiler.analysis.entities import Entities
from holdsfor.compiler.analysis.instant import InstantGraph
from holdsfor.compiler.analysis.safety import Safety
from holdsfor.compiler.background import Background
from holdsfor.diagnostics import Diagnostic
from holdsfor.ir import BackgroundRule, Body, Program, Rule


@dataclass
class Analysis:
    """A program with its symbol table, graphs, background knowledge and executable bodies."""

    program: Program
    entities: Entities
    graph: DependencyGraph
    background: Background
    bodies: dict[int, Body] = field(default_factory=dict)
    unsafe: list[Diagnostic] = field(default_factory=list)

    def body(self, rule: Rule) -> Body:
        """The executable body of a rule."""
        return self.bodies[id(rule)]

    @cached_property
    def instant(self) -> InstantGraph:
        """Dependencies inside a time-point."""
        return InstantGraph(self.graph)


def analyse(program: Program, skip: Iterable[Rule] = ()) -> Analysis:
    """Analyse a program; rules in `skip` are already known to be wrong and get no body."""
    entities = Entities(program)
    background = Background(program)
    analysis = Analysis(program, entities, DependencyGraph(program, entities), background)
    safety = Safety(entities, background)
    skipped = {id(rule) for rule in skip}
    for rule in program.rules:
        if isinstance(rule, BackgroundRule) or id(rule) in skipped:
            continue
        body = safety.order(rule)
        if body is not None:
            analysis.bodies[id(rule)] = body
    analysis.unsafe = safety.diagnostics
    return analysis
