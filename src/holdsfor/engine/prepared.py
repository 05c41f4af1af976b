"""What is worked out once for a plan and a dictionary, and used in every window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.instant import Moment
from holdsfor.compiler.plan import Method, Plan, Stratum
from holdsfor.engine.cyclic.component import Component, component_of
from holdsfor.engine.dictionary import Dictionary, value_of
from holdsfor.engine.fingerprint import fingerprint
from holdsfor.engine.kernels import Ints
from holdsfor.engine.retention import Retention, retention
from holdsfor.engine.variants import Variant, variants
from holdsfor.ir import (
    Body,
    Boundary,
    DelayRule,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    FindAll,
    Happens,
    Holds,
    Instance,
    IntervalRule,
    variable_names,
    walk,
)
from holdsfor.logic.solver import Solver
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, variables

Facts = tuple[tuple[Ints, ...], int]
"""The columns of a fact table, and its number of rows."""


class Prepared:
    """A plan with the codes of its run."""

    def __init__(self, plan: Plan, dictionary: Dictionary) -> None:
        self.plan = plan
        self.analysis: Analysis = plan.analysis
        self.dictionary = dictionary
        self.kept: Retention = retention(plan)
        self._facts: dict[tuple[str, int], Facts | None] = {}
        self._variants: dict[int, list[Variant]] = {}
        self._components: dict[tuple[Symbol, ...], Component] = {}
        self._swept: dict[tuple[Symbol, ...], bool] = {}
        self._needed: dict[int, tuple[Symbol, ...]] = {}

    def facts(self, name: tuple[str, int]) -> Facts | None:
        """The facts of a background predicate, rules included; None if any value belongs to it."""
        if name not in self._facts:
            is_open = name in self.analysis.background.open_domains
            self._facts[name] = None if is_open else self._fact_table(name)
        return self._facts[name]

    def _fact_table(self, name: tuple[str, int]) -> Facts:
        args = tuple(Var(f"X{place}") for place in range(name[1]))
        pattern: Term = Compound(name[0], args) if args else Const(name[0])
        answers = dict.fromkeys(self.solver.answers(name, pattern))
        rows = [[self.dictionary.code(value_of(arg)) for arg in arguments(answer)] for answer in answers]
        table = np.array(rows, np.int64).reshape(len(rows), name[1])
        return tuple(np.ascontiguousarray(table[:, place]) for place in range(name[1])), len(rows)

    def component(self, stratum: Stratum) -> Component:
        """The rules of a stratum that is swept, taken apart."""
        if stratum.members not in self._components:
            self._components[stratum.members] = component_of(self.analysis, stratum, self.openly_ended)
        return self._components[stratum.members]

    def is_swept(self, stratum: Stratum) -> bool:
        """Whether a stratum depends on itself or has delayed effects."""
        found = self._swept.get(stratum.members)
        if found is None:
            triggers = (rule.trigger.fluent for rule in stratum.rules if isinstance(rule, DelayRule))
            has_delays = any(self.analysis.entities.fluent(trigger) in stratum.members for trigger in triggers)
            found = self._swept[stratum.members] = stratum.method is Method.SWEEP or has_delays
        return found

    def needed(self, rule: EffectRule | EventRule) -> tuple[Symbol, ...]:
        """What must happen, hold, begin or end at all for a rule to fire."""
        found = self._needed.get(id(rule))
        if found is None:
            found = self._needed[id(rule)] = tuple(dict.fromkeys(_conditions(self.analysis.body(rule), self.analysis)))
        return found

    def variants(self, rule: IntervalRule) -> list[Variant]:
        """The ways through a `holdsFor` body."""
        if id(rule) not in self._variants:
            self._variants[id(rule)] = variants(replace(rule, body=self.analysis.body(rule)))
        return self._variants[id(rule)]

    @cached_property
    def roles(self) -> dict[Symbol, Role]:
        """The role of every event and fluent."""
        return {entity.symbol: entity.role for entity in self.analysis.entities}

    @cached_property
    def input_fluents(self) -> tuple[Symbol, ...]:
        """The fluents that come from the stream."""
        return tuple(symbol for symbol, role in self.roles.items() if role is Role.INPUT_FLUENT)

    @cached_property
    def fingerprint(self) -> str:
        """A short name for the rules."""
        return fingerprint(self.plan)

    @cached_property
    def counted(self) -> frozenset[Symbol]:
        """Events and initiations that rules count, so that repeated reports must be told from repeated events."""
        goals = (lit for rule in self.analysis.program.rules for lit in walk(rule.body) if isinstance(lit, FindAll))
        entities = self.analysis.entities
        return frozenset(
            entities.event(literal.event) if isinstance(literal, Happens) else entities.fluent(literal.fvp.fluent)
            for goal in goals
            for literal in walk(goal.body)
            if isinstance(literal, Happens | Effect)
        )

    @cached_property
    def openly_ended(self) -> frozenset[Symbol]:
        """Fluents with a termination that leaves arguments or the value open, or asks each instance there is to end."""
        found = set()
        for rule in self.analysis.program.effects:
            head = {v.name for term in (rule.fvp.fluent, rule.fvp.value) for v in variables(term)}
            body = self.analysis.body(rule)
            is_open = not head <= variable_names(body) or any(isinstance(lit, Instance) for lit in body)
            if rule.kind is EffectKind.TERMINATED and is_open:
                found.add(self.analysis.entities.fluent(rule.fvp.fluent))
        return frozenset(found)

    @cached_property
    def solver(self) -> Solver:
        """A solver for background predicates that cannot be tabulated."""
        return self.analysis.background.solver()

    @cached_property
    def ranks(self) -> dict[Moment, int]:
        """The place of every moment in the order inside a time-point."""
        groups = self.analysis.instant.components()
        return {moment: place for place, group in enumerate(groups) for moment in group}


def _conditions(body: Body, analysis: Analysis) -> Iterator[Symbol]:
    """The events and fluents that the conditions of a body are about, those inside of others left aside."""
    for literal in body:
        if isinstance(literal, Happens):
            yield analysis.entities.event(literal.event)
        elif isinstance(literal, Holds | Boundary):
            yield analysis.entities.fluent(literal.fvp.fluent)
