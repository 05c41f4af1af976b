"""Rules of the program IR: one class for each kind of head."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from holdsfor.diagnostics import Span
from holdsfor.ir.literals import Body, EffectKind, Fvp, literal_variables, span_field
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Term, Var, variables

INITIAL = -1
"""The time-point at which `initially` initiates its values."""


@record
class EffectRule:
    """`initiatedAt(F=V, T) :- …` or `terminatedAt(F=V, T) :- …`"""

    kind: EffectKind
    fvp: Fvp
    time: Term
    body: Body
    span: Span = span_field()


@record
class InitiallyRule:
    """`initially(F=V) :- …`: F=V holds from time-point 0 on, as if initiated just before it, and has no start event."""

    fvp: Fvp
    body: Body = ()
    span: Span = span_field()


@record
class IntervalRule:
    """`holdsFor(F=V, I) :- …`: a statically determined fluent."""

    fvp: Fvp
    out: Term
    body: Body
    span: Span = span_field()


@record
class EventRule:
    """`happensAt(E, T) :- …`: a derived event."""

    event: Term
    time: Term
    body: Body
    span: Span = span_field()


@record
class DelayRule:
    """`fi(F=V, F=V2, R)` (effect given) or `ft(F=V, R)` (effect None)."""

    trigger: Fvp
    effect: Fvp | None
    delay: Term
    body: Body = ()
    span: Span = span_field()


@record
class PostponeRule:
    """`p(F=V)`: re-initiation postpones the delayed effects of F=V."""

    fvp: Fvp
    body: Body = ()
    span: Span = span_field()


@record
class BackgroundRule:
    """A background fact (no body) or rule."""

    head: Term
    body: Body = ()
    span: Span = span_field()


class DeclarationKind(StrEnum):
    """Declarations. Those of existing programs are optional; `forget` ends the fluents of silent entities."""

    GROUNDING = "grounding"
    DYNAMIC_DOMAIN = "dynamicDomain"
    COLLECT_INTERVALS = "collectIntervals"
    BUILD_FROM_POINTS = "buildFromPoints"
    POINTS = "points"
    INDEX = "index"
    CACHING_ORDER = "cachingOrder"
    NEEDS_GROUNDING = "needsGrounding"
    INPUT_ENTITY = "inputEntity"
    OUTPUT_ENTITY = "outputEntity"
    FORGET = "forget"
    DIRECTIVE = "directive"


@record
class Declaration:
    """A declaration as written. `body` restricts a `grounding` or a `forget`."""

    kind: DeclarationKind
    args: tuple[Term, ...]
    body: Body = ()
    span: Span = span_field()


Rule: TypeAlias = (
    EffectRule | InitiallyRule | IntervalRule | EventRule | DelayRule | PostponeRule | BackgroundRule | Declaration
)


@record
class Forgetting:
    """The meaning of a `forget`, found by the compiler.

    `mentions` are conditions on input at a time-point `time`, each of which gives the variables of `entity` values; those
    on fluents are met as long as the input goes on. D after the last mention, the pairs in `ends` are terminated; D
    is the delay of `deadline`, whose trigger is a fluent that is not reported.
    """

    entity: tuple[Var, ...]
    time: Var
    mentions: Body
    ends: tuple[Fvp, ...]
    deadline: DelayRule
    declaration: Declaration

    @property
    def hidden(self) -> str:
        """The name of the fluent that holds while the entity is not silent."""
        fluent = self.deadline.trigger.fluent
        assert isinstance(fluent, Compound)
        return fluent.name


def head_terms(rule: Rule) -> tuple[Term, ...]:
    """The terms of a rule's head."""
    match rule:
        case EffectRule(fvp=fvp, time=time):
            return (fvp.fluent, fvp.value, time)
        case InitiallyRule(fvp=fvp) | PostponeRule(fvp=fvp):
            return (fvp.fluent, fvp.value)
        case IntervalRule(fvp=fvp, out=out):
            return (fvp.fluent, fvp.value, out)
        case EventRule(event=event, time=time):
            return (event, time)
        case DelayRule(trigger=trigger, effect=effect, delay=delay):
            target = (effect.fluent, effect.value) if effect else ()
            return (trigger.fluent, trigger.value, *target, delay)
        case BackgroundRule(head=head):
            return (head,)
        case Declaration(args=args):
            return args


def rule_variables(rule: Rule) -> Iterator[Var]:
    """All variables of a rule, head first, repetitions included."""
    for term in head_terms(rule):
        yield from variables(term)
    for literal in rule.body:
        yield from literal_variables(literal)
