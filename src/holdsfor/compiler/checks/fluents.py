"""Finds fluents that never get a value, values without readers, and double definitions (HF302, HF303, HF503)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entity, Role, Symbol, show_fvp
from holdsfor.compiler.analysis.fluent_parts import values_by_events
from holdsfor.compiler.analysis.places import head_span, other_name, other_text, span_of
from holdsfor.compiler.analysis.similar import Similar, suggest
from holdsfor.diagnostics import Diagnostic, Fix, RelatedSpan, Severity, Span
from holdsfor.logic.unify import may_equal
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var

_SHOWN = 5


class Mention(NamedTuple):
    """A use that only makes sense if a pair can hold, and the consequence if it cannot."""

    fvp: ir.Fvp
    rule: ir.Rule
    consequence: str = ""
    reads: bool = True


def check_fluents(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks how fluents are defined and read."""
    mentions: dict[Symbol, list[Mention]] = {}
    for rule in analysis.program.rules:
        for mention in _mentions(rule):
            mentions.setdefault(analysis.entities.fluent(mention.fvp), []).append(mention)
    for entity in analysis.entities.with_role(Role.SIMPLE_FLUENT, Role.STATIC_FLUENT):
        yield from _two_definitions(entity)
        if entity.symbol.name in analysis.unread:
            continue
        mentioned = mentions.get(entity.symbol, [])
        missing = list(_never_initiated(entity, mentioned, analysis))
        yield from missing or _never_read(entity, mentioned, analysis)


def _two_definitions(entity: Entity) -> Iterator[Diagnostic]:
    """Reports a value that both `holdsFor` and events define."""
    simple = [(rule, value) for rule in entity.rules for value in values_by_events(rule)]
    for static in (rule for rule in entity.rules if isinstance(rule, ir.IntervalRule)):
        clash = next((rule for rule, value in simple if may_equal(value, static.fvp.value)), None)
        if clash is not None or (any(not isinstance(rule, ir.IntervalRule) for rule in entity.rules) and not simple):
            other = clash or next(rule for rule in entity.rules if not isinstance(rule, ir.IntervalRule))
            message = f"{show_fvp(static.fvp)} is defined by holdsFor and by events"
            hint = "keep one of the two, or give one of them another name or another value"
            labels = (RelatedSpan(head_span(other), "defined by events here"),)
            yield Diagnostic("HF503", Severity.ERROR, message, head_span(static), hint, labels)
            return


# Pairs that never hold


def _never_initiated(entity: Entity, mentions: list[Mention], analysis: Analysis) -> Iterator[Diagnostic]:
    if entity.has_variable_value:
        return
    if not entity.values:
        message = f"{entity.symbol} is never initiated, so it never holds"
        place = _first_place(entity)
        hint, fix = _initiate_advice(entity, analysis, place)
        yield Diagnostic("HF302", Severity.WARNING, message, place, hint, fix=fix)
        return
    known = {_plain(value): value for value in entity.values}
    similar = Similar(known)
    seen: set[str] = set()
    for mention in mentions:
        shown = print_term(mention.fvp.value)
        if any(may_equal(mention.fvp.value, value) for value in entity.values):
            continue
        close = similar.to(_plain(mention.fvp.value), cutoff=0.6)
        # A misspelt value must be corrected at each use, but a missing rule is one mistake.
        if close is None and shown in seen:
            continue
        seen.add(shown)
        message = f"{entity.symbol.label} is never {shown}{mention.consequence}"
        hint = f"did you mean {close}?" if close else f"the rules make it {_alternatives(list(known))} only"
        fix = other_text(mention.fvp.value.span, print_term(known[close])) if close else None
        place = _value_place(mention.fvp, mention.rule)
        yield Diagnostic("HF302", Severity.WARNING, message, place, hint, fix=fix)


def _alternatives(values: list[str]) -> str:
    return " or ".join(values) if len(values) <= _SHOWN else f"{', '.join(values[:_SHOWN])}, …"


def _plain(value: Term) -> str:
    return str(value.value) if isinstance(value, Const) else print_term(value)


def _initiate_advice(entity: Entity, analysis: Analysis, place: Span) -> tuple[str, Fix | None]:
    others = [other.symbol for other in analysis.entities.with_role(Role.SIMPLE_FLUENT) if other.values]
    namesake = next((other for other in others if other.name == entity.symbol.name), None)
    if namesake is not None:
        return f"{namesake} is initiated; did you mean that?", None
    close = suggest(entity.symbol.name, [other.name for other in others], cutoff=0.8)
    if close is None:
        return "add an initiatedAt rule, an initially fact or a fi for it", None
    return f"did you mean {close}?", other_name(place, close)


def _first_place(entity: Entity) -> Span:
    rule = entity.rules[0]
    fvp = getattr(rule, "fvp", None) or getattr(rule, "trigger", None)
    return fvp.span if isinstance(fvp, ir.Fvp) and fvp.span.source.text else head_span(rule)


def _value_place(fvp: ir.Fvp, rule: ir.Rule) -> Span:
    return span_of(fvp.value, fvp.span if fvp.span.source.text else head_span(rule))


def _mentions(rule: ir.Rule) -> Iterator[Mention]:
    if isinstance(rule, ir.EffectRule) and rule.kind is ir.EffectKind.TERMINATED:
        yield Mention(rule.fvp, rule, ", so there is nothing to end", reads=False)
    if isinstance(rule, ir.DelayRule):
        yield Mention(rule.trigger, rule, ", so this delayed effect never happens")
    for literal in rule.body:
        match literal:
            case ir.Holds() | ir.Boundary() | ir.Effect(kind=ir.EffectKind.INITIATED):
                yield Mention(literal.fvp, rule, ", so this rule can never fire")
            case ir.Intervals(fvp=fvp, out=out):
                yield Mention(fvp, rule, f", so {print_term(out)} is always empty")
            case ir.Not(body=(ir.Holds(fvp=fvp),)):
                yield Mention(fvp, rule, ", so this condition always holds")
            case _:
                yield from (Mention(fvp, rule) for fvp in _read_inside(literal))


def _read_inside(literal: ir.Literal) -> Iterator[ir.Fvp]:
    for inner in ir.walk((literal,)):
        if isinstance(inner, ir.Holds | ir.Boundary | ir.Intervals | ir.Effect):
            yield inner.fvp


# Values without readers


def _never_read(entity: Entity, mentions: list[Mention], analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds unread values of a fluent if other rules read some of its values individually.

    The last two conditions suppress findings about intended programs. A fluent that is a result is there to be
    reported, and the second of two values is there to end the first.
    """
    reads = [mention for mention in mentions if mention.reads]
    if len(entity.values) < 3 or any(isinstance(mention.fvp.value, Var) for mention in reads):
        return
    if not any(_defines_another(mention.rule, entity.symbol, analysis) for mention in reads):
        return
    unread = [
        value
        for value in entity.values
        if value != Const("false") and not any(may_equal(mention.fvp.value, value) for mention in reads)
    ]
    if unread:
        shown = " or ".join(f"{entity.symbol.label}={print_term(value)}" for value in unread)
        hint = "read it in a rule, or leave it if it is only there to end the other values"
        yield Diagnostic("HF303", Severity.NOTE, f"no rule reads {shown}", _where_set(entity, unread[0]), hint)


def _defines_another(rule: ir.Rule, symbol: Symbol, analysis: Analysis) -> bool:
    match rule:
        case ir.EffectRule(fvp=fvp) | ir.IntervalRule(fvp=fvp) | ir.InitiallyRule(fvp=fvp):
            return analysis.entities.fluent(fvp) != symbol
        case ir.DelayRule():
            return False
        case _:
            return True


def _where_set(entity: Entity, value: Term) -> Span:
    for rule in entity.rules:
        target = rule.effect if isinstance(rule, ir.DelayRule) else getattr(rule, "fvp", None)
        if isinstance(target, ir.Fvp) and target.value == value:
            return _value_place(target, rule)
    return head_span(entity.rules[0])
