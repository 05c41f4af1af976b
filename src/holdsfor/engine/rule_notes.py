"""What the engine works out from the rules alone: once for a plan, however many runs there are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.instant import Moment
from holdsfor.compiler.analysis.variants import variants
from holdsfor.compiler.plan import Method, Plan, Stratum, once_per_plan
from holdsfor.engine.asked import Asked, AskedPair, Stage, asked_of, stages
from holdsfor.engine.dictionary import Value
from holdsfor.engine.expressions import Computed, computed
from holdsfor.engine.facts import fact_columns
from holdsfor.engine.folding import Folding, with_once
from holdsfor.engine.heads import Head
from holdsfor.engine.prefixes import Named, PointRule, Prefixes, named
from holdsfor.engine.sliding import Window, window_of
from holdsfor.engine.ways import Way
from holdsfor.ir import (
    Assign,
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
    Intervals,
    Literal,
    Rule,
    head_terms,
    variable_names,
    walk,
)
from holdsfor.logic.failures import Failures
from holdsfor.syntax.terms import variables

if TYPE_CHECKING:
    from holdsfor.engine.cyclic.component import Component

_MOST_BODIES = 1 << 12


@once_per_plan
def rule_notes(plan: Plan) -> RuleNotes:
    """The notes on the rules of a plan."""
    return RuleNotes(plan.analysis)


class RuleNotes:
    """What the rules of a program mean for its runs; it is found when it is first asked for."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        # By identity, together with what it is about: that must not go away.
        self._components: dict[int, tuple[Stratum, Component]] = {}
        self._swept: dict[int, tuple[Stratum, bool]] = {}
        self._ways: dict[int, tuple[IntervalRule, list[Way]]] = {}
        self._needed: dict[int, tuple[Symbol, ...]] = {}
        self._names: dict[int, tuple[Body, frozenset[str]]] = {}
        self._bodies: dict[int, tuple[Rule, Named]] = {}
        self._paths: dict[int, tuple[PointRule, list[tuple[int, Stage]]]] = {}
        self._heads: dict[int, tuple[Rule, Head]] = {}
        self._stages: dict[int, tuple[Body, tuple[Stage, ...]]] = {}
        self._expressions: dict[int, tuple[Assign, Computed]] = {}
        self._asked: dict[int, tuple[Literal, Asked]] = {}
        self._windows: dict[int, tuple[FindAll, Window | None]] = {}
        self._facts: dict[tuple[str, int], tuple[list[list[Value]], int]] = {}
        self._folding = Folding(analysis.background)
        self.failures = Failures()
        """Conditions of background rules that failed for want of a value."""

    def component(self, stratum: Stratum) -> Component:
        """The rules of a stratum that is swept, taken apart."""
        found = self._components.get(id(stratum))
        if found is None:
            from holdsfor.engine.cyclic.component import component_of

            made = component_of(self.analysis, stratum, self.openly_ended)
            found = self._components[id(stratum)] = stratum, made
        return found[1]

    def is_swept(self, stratum: Stratum) -> bool:
        """Whether a stratum depends on itself or has delayed effects."""
        found = self._swept.get(id(stratum))
        if found is None:
            triggers = (rule.trigger for rule in stratum.rules if isinstance(rule, DelayRule))
            has_delays = any(self.analysis.entities.fluent(trigger) in stratum.members for trigger in triggers)
            found = self._swept[id(stratum)] = stratum, stratum.method is Method.SWEEP or has_delays
        return found[1]

    def body(self, rule: Rule) -> Body:
        """The body of a rule as it is run, with what facts say in any case put in."""
        return self._named(rule).body

    def _named(self, rule: Rule) -> Named:
        found = self._bodies.get(id(rule))
        if found is None:
            head = head_terms(rule)
            body = with_once(self._folding.folded(self.analysis.body(rule), head), head)
            made = named(body, head) if isinstance(rule, EffectRule | EventRule) else Named(body, head)
            found = self._bodies[id(rule)] = rule, made
        return found[1]

    def names_in(self, rule: Rule) -> Mapping[str, str]:
        """What the variables of a body are called in the text of its rule."""
        return self._named(rule).names if isinstance(rule, EffectRule | EventRule) else {}

    def head(self, rule: PointRule) -> Head:
        """The columns of a rule's head."""
        found = self._heads.get(id(rule))
        if found is None:
            made = Head(rule, self._named(rule).head, self.analysis.entities)
            found = self._heads[id(rule)] = rule, made
        return found[1]

    def path(self, rule: PointRule) -> list[tuple[int, Stage]]:
        """The stages of a rule's body, with numbers for those that rules share which begin alike."""
        found = self._paths.get(id(rule))
        if found is None:
            found = self._paths[id(rule)] = rule, self._prefixes.of(self.body(rule))
        return found[1]

    @cached_property
    def _prefixes(self) -> Prefixes:
        rules = [rule for rule in self.analysis.program.rules if isinstance(rule, EffectRule | EventRule)]
        return Prefixes(self.body(rule) for rule in rules if id(rule) in self.analysis.bodies)

    def facts(self, name: tuple[str, int]) -> tuple[list[list[Value]], int]:
        """The columns of what is known of a background predicate, rules included, and the number of rows."""
        found = self._facts.get(name)
        if found is None:
            found = self._facts[name] = fact_columns(self.analysis.background.solver(self.failures), name)
        return found

    def stages(self, body: Body) -> tuple[Stage, ...]:
        """A body as it is run."""
        found = self._stages.get(id(body))
        if found is None:
            # Some bodies are put together for one evaluation only.
            _make_room(self._stages)
            found = self._stages[id(body)] = body, stages(body)
        return found[1]

    def expression(self, literal: Assign) -> Computed:
        """What a literal computes."""
        found = self._expressions.get(id(literal))
        if found is None:
            _make_room(self._expressions)
            found = self._expressions[id(literal)] = literal, computed(literal.expression)
        return found[1]

    def window(self, literal: FindAll) -> Window | None:
        """The window of time that a `findall` is about."""
        found = self._windows.get(id(literal))
        if found is None:
            _make_room(self._windows)
            found = self._windows[id(literal)] = literal, window_of(literal.body)
        return found[1]

    def asked(self, literal: Literal) -> Asked:
        """What a literal asks for."""
        found = self._asked.get(id(literal))
        if found is None:
            _make_room(self._asked)
            asked = asked_of(literal, self.analysis.entities)
            assert asked is not None
            found = self._asked[id(literal)] = literal, asked
        return found[1]

    def asked_pair(self, literal: Holds | Intervals) -> AskedPair:
        """What a literal on a fluent asks for."""
        asked = self.asked(literal)
        assert isinstance(asked, AskedPair)
        return asked

    def needed(self, rule: EffectRule | EventRule) -> tuple[Symbol, ...]:
        """What must happen, hold, begin or end at all for a rule to fire."""
        found = self._needed.get(id(rule))
        if found is None:
            # Rules with executable bodies are kept by the analysis.
            found = self._needed[id(rule)] = tuple(dict.fromkeys(_conditions(self.analysis.body(rule), self.analysis)))
        return found

    def ways(self, rule: IntervalRule) -> list[Way]:
        """The ways through a `holdsFor` body."""
        found = self._ways.get(id(rule))
        if found is None:
            folded = replace(rule, body=self._folding.folded(self.analysis.body(rule), head_terms(rule)))
            ways = [Way(folded, variant, self.analysis, self.asked_pair) for variant in variants(folded)]
            found = self._ways[id(rule)] = rule, ways
        return found[1]

    def names(self, body: Body) -> frozenset[str]:
        """The names of all variables in a body."""
        found = self._names.get(id(body))
        if found is None:
            _make_room(self._names)
            found = self._names[id(body)] = body, frozenset(variable_names(body))
        return found[1]

    @cached_property
    def roles(self) -> dict[Symbol, Role]:
        """The role of every event and fluent."""
        return {entity.symbol: entity.role for entity in self.analysis.entities}

    @cached_property
    def input_fluents(self) -> tuple[Symbol, ...]:
        """The fluents that come from the stream."""
        return tuple(symbol for symbol, role in self.roles.items() if role is Role.INPUT_FLUENT)

    @cached_property
    def counted(self) -> frozenset[Symbol]:
        """Events and initiations that rules count, so that repeated reports must be told from repeated events."""
        goals = (lit for rule in self.analysis.program.rules for lit in walk(rule.body) if isinstance(lit, FindAll))
        entities = self.analysis.entities
        return frozenset(
            entities.event(literal.event) if isinstance(literal, Happens) else entities.fluent(literal.fvp)
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
                found.add(self.analysis.entities.fluent(rule.fvp))
        return frozenset(found)

    @cached_property
    def ranks(self) -> dict[Moment, int]:
        """The place of every moment in the order inside a time-point."""
        groups = self.analysis.instant.components()
        return {moment: place for place, group in enumerate(groups) for moment in group}


def _make_room(kept: dict[int, Any]) -> None:
    """Forget everything if there is too much of it."""
    if len(kept) >= _MOST_BODIES:
        kept.clear()


def _conditions(body: Body, analysis: Analysis) -> Iterator[Symbol]:
    """The events and fluents that the conditions of a body are about, those inside of others left aside."""
    for literal in body:
        if isinstance(literal, Happens):
            yield analysis.entities.event(literal.event)
        elif isinstance(literal, Holds | Boundary):
            yield analysis.entities.fluent(literal.fvp)
