"""The rules of a component as the sweep needs them: worked out once per plan."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.cyclic.growth import Growth, Split
from holdsfor.engine.cyclic.residual import Splitter, SweptRule
from holdsfor.engine.variants import NotSupported
from holdsfor.ir import (
    Boundary,
    DelayRule,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Happens,
    Holds,
    Instance,
    Literal,
    PostponeRule,
    head_terms,
    variable_names,
    walk,
)
from holdsfor.syntax.terms import Term


@dataclass(frozen=True)
class PlannedWay:
    """One way through a rule: its body, and the negations that ask about the component."""

    rule: SweptRule
    symbol: Symbol
    split: Split
    negations: tuple[Split, ...]
    reads: tuple[Symbol, ...]
    """The members of the component that the body asks about."""

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
    def is_termination(self) -> bool:
        """Whether the rule ends something."""
        return isinstance(self.rule, EffectRule) and self.rule.kind is EffectKind.TERMINATED


@dataclass
class Component:
    """A component: its members, the ways through its rules, and its delayed effects."""

    members: tuple[Symbol, ...]
    splitter: Splitter
    ways: list[PlannedWay]
    delays: list[DelayRule]
    postpones: list[PostponeRule]
    growing: frozenset[Symbol]
    asked_ends: frozenset[Symbol]
    """Fluents of which some rule asks whether they are terminated."""
    wants_log: bool
    """Whether any rule asks when something is initiated or terminated."""
    asks_moments: bool
    """Whether rules of the component are driven by what happens inside it."""
    _numbers: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        asked = (id(lit) for way in self.ways for split in (way.split, *way.negations) for lit in split.body)
        self._numbers = {literal: number for number, literal in enumerate(dict.fromkeys(asked))}

    def number(self, literal: Literal) -> int:
        """A number for each condition on the component, to name its columns by."""
        return self._numbers[id(literal)]


def component_of(analysis: Analysis, stratum: Stratum, openly_ended: frozenset[Symbol]) -> Component:
    """Take the rules of a stratum apart. `openly_ended` are the fluents that a rule ends for many instances at once."""
    splitter = Splitter(analysis, stratum.members)
    rules = [rule for rule in stratum.rules if isinstance(rule, EffectRule | EventRule)]
    ways = [way for rule in rules for way in splitter.ways(rule)]
    growth = Growth(analysis, splitter, ways)
    planned = []
    for way in ways:
        head = {name for term in head_terms(way.rule) for name in names(term)}
        inside = variable_names(way.negated)
        split = growth.split(way.body, (), head | inside)
        growth.refuse_open_head(way, split)
        bound = variable_names(split.body) - {name for read in split.reads for name in names(read.fvp.value)}
        if any(variable_names((negation,)) & (variable_names(way.body) - bound) for negation in way.negated):
            raise NotSupported(f"{way.rule.span.location}: a negation with a value that is computed in its own cycle")
        negations = []
        for negation in way.negated:
            outside = variable_names(way.body) | head
            part = growth.split(negation.body, bound, outside)
            if len(part.reads) > 1:
                raise NotSupported(f"{negation.span.location}: two values that grow, in one negation")
            negations.append(part)
        asked = (*split.body, *(literal for part in negations for literal in part.body))
        reads = tuple({symbol_of(analysis, lit): None for lit in asked if _is_own(analysis, splitter, lit)})
        planned.append(PlannedWay(way.rule, head_symbol(analysis, way.rule), split, tuple(negations), reads))
    everywhere = [literal for rule in analysis.program.rules for literal in walk(rule.body)]
    effects = [literal for literal in everywhere if isinstance(literal, Effect)]
    own_effects = [effect for effect in effects if symbol_of(analysis, effect) in stratum.members]
    asked_ends = [effect for effect in own_effects if effect.kind is EffectKind.TERMINATED]
    for effect in asked_ends:
        symbol = symbol_of(analysis, effect)
        if symbol in openly_ended:
            raise NotSupported(
                f"{effect.span.location}: terminatedAt as a condition on {symbol}, which a rule ends for all its "
                "instances at once"
            )
    entities = analysis.entities
    return Component(
        members=stratum.members,
        splitter=splitter,
        ways=planned,
        delays=[
            rule
            for rule in stratum.rules
            if isinstance(rule, DelayRule) and entities.fluent(rule.trigger.fluent) in stratum.members
        ],
        postpones=[rule for rule in analysis.program.postpones if entities.fluent(rule.fvp.fluent) in stratum.members],
        growing=growth.growing,
        asked_ends=frozenset(symbol_of(analysis, effect) for effect in asked_ends),
        wants_log=bool(own_effects),
        asks_moments=any(
            splitter.asks_component(literal) and not isinstance(literal, Holds)
            for way in planned
            for literal in walk((*way.split.body, *(lit for part in way.negations for lit in part.body)))
        ),
    )


def symbol_of(analysis: Analysis, literal: Literal) -> Symbol:
    """What a temporal literal is about."""
    if isinstance(literal, Happens):
        return analysis.entities.event(literal.event)
    assert isinstance(literal, Holds | Boundary | Effect | Instance)
    return analysis.entities.fluent(literal.fvp.fluent)


def _is_own(analysis: Analysis, splitter: Splitter, literal: Literal) -> bool:
    is_temporal = isinstance(literal, Happens | Holds | Boundary | Effect | Instance)
    return is_temporal and splitter.owns(symbol_of(analysis, literal))


def head_symbol(analysis: Analysis, rule: SweptRule) -> Symbol:
    """What a rule is about."""
    if isinstance(rule, EventRule):
        return analysis.entities.event(rule.event)
    return analysis.entities.fluent(rule.fvp.fluent)
