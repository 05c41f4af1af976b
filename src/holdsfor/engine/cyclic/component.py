"""The rules of a component as the sweep needs them: worked out once per plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from weakref import ReferenceType

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.cyclic.conditions import Part, Parts, symbol_of
from holdsfor.engine.cyclic.deadlines import Deadlines, deadlines_of
from holdsfor.engine.cyclic.growth import Growth, Split
from holdsfor.engine.cyclic.residual import Splitter, SweptRule
from holdsfor.engine.dictionary import Dictionary, Value, value_of
from holdsfor.engine.kernels import Ints
from holdsfor.ir import (
    Body,
    DelayRule,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Happens,
    Holds,
    PostponeRule,
    head_terms,
    variable_names,
    walk,
)
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Term


@dataclass(frozen=True)
class PlannedWay:
    """One way through a rule: its body, and the negations that ask about the component."""

    rule: SweptRule
    symbol: Symbol
    part: Part
    negations: tuple[Part, ...]
    is_asked_end: bool
    """Whether it ends something of which some rule asks whether it is ended."""
    events: tuple[Symbol, ...]
    """Events outside the component without which it cannot fire."""
    about: int
    """As in conditions, what the head is about."""

    @cached_property
    def reads(self) -> tuple[Symbol, ...]:
        """The members of the component that are enumerated when the body is solved."""
        return tuple({condition.symbol: None for condition in self.part.joined})

    @cached_property
    def head(self) -> tuple[tuple[Term, ...], Term | None]:
        """The arguments and the value of the rule's head; an event has no value."""
        rule = self.rule
        if isinstance(rule, EventRule):
            return self.symbol.columns(rule.event), None
        return self.symbol.columns(rule.fvp.fluent), rule.fvp.value

    @cached_property
    def argument_names(self) -> frozenset[str]:
        """The variables in the arguments of the rule's head."""
        return frozenset(name for term in self.head[0] for name in names(term))

    @cached_property
    def value_names(self) -> frozenset[str]:
        """The variables in the value of the rule's head."""
        return frozenset() if self.head[1] is None else frozenset(names(self.head[1]))

    @cached_property
    def fixed_value(self) -> Value | None:
        """The value of the rule's head, if it is a constant."""
        value = self.head[1]
        return None if value is None or not is_ground(value) else value_of(value)

    @cached_property
    def dynamic_names(self) -> frozenset[str]:
        """The variables that only the sweep gives a value."""
        split = self.part.split
        return frozenset({name for read in split.reads for name in names(read.fvp.value)} | variable_names(split.tail))

    @cached_property
    def is_termination(self) -> bool:
        """Whether the rule ends something."""
        return isinstance(self.rule, EffectRule) and self.rule.kind is EffectKind.TERMINATED

    @property
    def gives_instances(self) -> bool:
        """Whether what its head is about has to be known before the sweep."""
        return not self.is_termination or self.is_asked_end


@dataclass(frozen=True)
class Stage:
    """A piece of a body. With a number it does not ask about the component, nor does what comes before it, and bodies
    whose pieces have the same numbers begin in the same way.
    """

    body: Body
    number: int | None


@dataclass
class Component:
    """A component: its members, the ways through its rules, and its delayed effects."""

    members: tuple[Symbol, ...]
    simple: frozenset[Symbol]
    """Those of them that are simple fluents."""
    static: tuple[Symbol, ...]
    """Those that are statically determined, which are worked out in the end."""
    ways: list[PlannedWay]
    delays: list[DelayRule]
    postpones: list[PostponeRule]
    deadlines: Deadlines
    growing: frozenset[Symbol]
    order: tuple[Symbol, ...] | None
    """Its members and what its delayed effects are about, each after those that are enumerated to find its instances;
    None if that goes in circles.
    """
    wants_log: bool
    """Whether any rule asks when something is initiated or terminated."""
    asks_moments: bool
    """Whether rules of the component are driven by what happens inside it."""
    stages: dict[int, tuple[Stage, ...]] = field(init=False)
    """By the identity of a way, its body in pieces."""
    records: tuple[ReferenceType[Dictionary], Ints] | None = field(init=False, default=None)
    """The records of its deadlines, for the dictionary they were last written for."""
    ranks: dict[tuple[str, int], int] = field(init=False, default_factory=dict)
    """Places of rules, by their identity, in the order inside a time-point, as far as they were asked for."""

    def __post_init__(self) -> None:
        cuts = _common_beginnings([way.part.outside for way in self.ways])
        numbers: dict[Body, int] = {}
        self.stages = {id(way): _cut(way.part, ends, numbers) for way, ends in zip(self.ways, cuts, strict=True)}

    @cached_property
    def ways_of(self) -> dict[Symbol, list[PlannedWay]]:
        """The ways that say which instances of a symbol there may be."""
        found: dict[Symbol, list[PlannedWay]] = {}
        for way in self.ways:
            if way.gives_instances:
                found.setdefault(way.symbol, []).append(way)
        return found


def _common_beginnings(bodies: Sequence[Body]) -> list[set[int]]:
    """For each of some bodies, the places up to which it is the same as another one."""
    found: list[set[int]] = [set() for _ in bodies]
    for one, first in enumerate(bodies):
        for other in range(one):
            second, place = bodies[other], 0
            while place < min(len(first), len(second)) and first[place] == second[place]:
                place += 1
            if place:
                found[one].add(place)
                found[other].add(place)
    return found


def _cut(part: Part, places: set[int], numbers: dict[Body, int]) -> tuple[Stage, ...]:
    """A body in pieces that end at some places, and where it first asks about the component."""
    ends = sorted({0, *places, len(part.outside), len(part.body)})
    return tuple(
        Stage(
            part.body[begin:end],
            numbers.setdefault(part.body[:end], len(numbers)) if end <= len(part.outside) else None,
        )
        for begin, end in pairwise(ends)
    )


def component_of(analysis: Analysis, stratum: Stratum, openly_ended: frozenset[Symbol]) -> Component:
    """Take the rules of a stratum apart. `openly_ended` are the fluents that a rule ends for many instances at once."""
    splitter = Splitter(analysis, stratum.members)
    rules = [rule for rule in stratum.rules if isinstance(rule, EffectRule | EventRule)]
    ways = [way for rule in rules for way in splitter.ways(rule)]
    growth = Growth(analysis, splitter, ways)
    taken_apart: list[tuple[SweptRule, Split, list[Split]]] = []
    for way in ways:
        head = {name for term in head_terms(way.rule) for name in names(term)}
        inside = variable_names(way.negated)
        split = growth.split(way.body, (), head | inside)
        growth.refuse_open_head(way, split)
        bound = variable_names(split.body) - {name for read in split.reads for name in names(read.fvp.value)}
        if any(variable_names((negation,)) & (variable_names(way.body) - bound) for negation in way.negated):
            raise NotSupported("a negation with a value that is computed in its own cycle", way.rule.span)
        negations = []
        for negation in way.negated:
            outside = variable_names(way.body) | head
            part = growth.split(negation.body, bound, outside)
            if len(part.reads) > 1:
                raise NotSupported("two values that grow, in one negation", negation.span)
            negations.append(part)
        taken_apart.append((way.rule, split, negations))
    everywhere = [literal for rule in analysis.program.rules for literal in walk(rule.body)]
    effects = [literal for literal in everywhere if isinstance(literal, Effect)]
    own_effects = [effect for effect in effects if symbol_of(analysis, effect) in stratum.members]
    asked_ends = [effect for effect in own_effects if effect.kind is EffectKind.TERMINATED]
    for effect in asked_ends:
        symbol = symbol_of(analysis, effect)
        if symbol in openly_ended:
            raise NotSupported(
                f"terminatedAt as a condition on {symbol}, which a rule ends for all its instances at once", effect.span
            )
    entities = analysis.entities
    delays = [
        rule
        for rule in stratum.rules
        if isinstance(rule, DelayRule) and entities.fluent(rule.trigger) in stratum.members
    ]
    postpones = [rule for rule in analysis.program.postpones if entities.fluent(rule.fvp) in stratum.members]
    deadlines = deadlines_of(analysis, delays, postpones)
    asks_moments = any(
        splitter.asks_component(literal) and not isinstance(literal, Holds)
        for _, split, negations in taken_apart
        for literal in walk((*split.body, *(lit for part in negations for lit in part.body)))
    )
    ended = frozenset(symbol_of(analysis, effect) for effect in asked_ends)
    # Where one can say in which order instances are found, conditions that enumerate nothing wait until all are known.
    for may_wait in (False,) if asks_moments else (True, False):
        planned = _planned(Parts(analysis, may_wait=may_wait), taken_apart, stratum.members, ended)
        order = None if not may_wait else _order(analysis, stratum.members, planned, delays, deadlines)
        if order is not None:
            break
    return Component(
        members=stratum.members,
        simple=frozenset(symbol for symbol in stratum.members if entities[symbol].role is Role.SIMPLE_FLUENT),
        static=tuple(symbol for symbol in stratum.members if entities[symbol].role is Role.STATIC_FLUENT),
        ways=planned,
        delays=delays,
        postpones=postpones,
        deadlines=deadlines,
        growing=growth.growing,
        order=order,
        wants_log=bool(own_effects),
        asks_moments=asks_moments,
    )


def _planned(
    parts: Parts,
    taken_apart: Sequence[tuple[SweptRule, Split, list[Split]]],
    members: tuple[Symbol, ...],
    asked_ends: frozenset[Symbol],
) -> list[PlannedWay]:
    found = []
    for rule, split, negations in taken_apart:
        symbol = head_symbol(parts.analysis, rule)
        whole = parts.whole(split)
        inner = tuple(parts.inner(negation, split) for negation in negations)
        body = parts.analysis.body(rule)
        needed = (parts.analysis.entities.event(lit.event) for lit in body if isinstance(lit, Happens))
        events = tuple(dict.fromkeys(event for event in needed if event not in members))
        head = rule.event if isinstance(rule, EventRule) else rule.fvp.fluent
        about = parts.about(symbol, symbol.columns(head))
        found.append(PlannedWay(rule, symbol, whole, inner, symbol in asked_ends, events, about))
    return found


def _order(
    analysis: Analysis,
    members: tuple[Symbol, ...],
    ways: Sequence[PlannedWay],
    delays: Sequence[DelayRule],
    deadlines: Deadlines,
) -> tuple[Symbol, ...] | None:
    needs: dict[Symbol, set[Symbol]] = {symbol: set() for symbol in members}
    for way in ways:
        if way.gives_instances:
            needs[way.symbol].update(way.reads)
    for rule in delays:
        trigger = analysis.entities.fluent(rule.trigger)
        if rule.effect is not None and trigger not in deadlines.own:
            needs.setdefault(analysis.entities.fluent(rule.effect), set()).add(trigger)
    try:
        return tuple(TopologicalSorter(needs).static_order())
    except CycleError:
        return None


def head_symbol(analysis: Analysis, rule: SweptRule) -> Symbol:
    """What a rule is about."""
    if isinstance(rule, EventRule):
        return analysis.entities.event(rule.event)
    return analysis.entities.fluent(rule.fvp)
