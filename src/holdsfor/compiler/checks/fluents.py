"""Fluents that never get a value, values nobody reads, two kinds of definition (HF302, HF303, HF308, HF503)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entity, Role
from holdsfor.compiler.analysis.names import suggest
from holdsfor.diagnostics import Diagnostic, Label, Severity, Span
from holdsfor.ir import (
    BackgroundRule,
    Boundary,
    Declaration,
    DelayRule,
    Effect,
    EffectKind,
    EffectRule,
    Fvp,
    Holds,
    IntervalRule,
    Intervals,
    Rule,
    rule_variables,
)
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Var


def check_fluents(analysis: Analysis) -> Iterator[Diagnostic]:
    """Everything about how fluents are defined and read."""
    for entity in analysis.entities.with_role(Role.SIMPLE_FLUENT, Role.STATIC_FLUENT):
        yield from _two_definitions(entity)
        yield from _never_initiated(entity)
        yield from _never_read(entity)
    for rule in analysis.program.rules:
        yield from _singletons(rule)


def _two_definitions(entity: Entity) -> Iterator[Diagnostic]:
    static = next((rule for rule in entity.rules if isinstance(rule, IntervalRule)), None)
    simple = next((rule for rule in entity.rules if not isinstance(rule, IntervalRule)), None)
    if static is not None and simple is not None:
        message = f"{entity.symbol} is defined by holdsFor and by events"
        hint = "keep one of the two, or give one of them another name"
        labels = (Label(simple.span, "defined by events here"),)
        yield Diagnostic("HF503", Severity.ERROR, message, static.span, hint, labels)


def _never_initiated(entity: Entity) -> Iterator[Diagnostic]:
    if entity.has_variable_value:
        return
    if not entity.values:
        message = f"{entity.symbol} is never initiated, so it never holds"
        hint = "add an initiatedAt rule, an initially fact or a fi for it"
        yield Diagnostic("HF302", Severity.WARNING, message, entity.rules[0].span, hint)
        return
    known = [print_term(value) for value in entity.values]
    seen: set[str] = set()
    for fvp, span in _mentions(entity):
        shown = print_term(fvp.value)
        if isinstance(fvp.value, Const) and fvp.value not in entity.values and shown not in seen:
            seen.add(shown)
            close = suggest(shown, known, cutoff=0.6)
            hint = f"did you mean {close}?" if close else f"rules give it {', '.join(known)} only"
            message = f"{entity.symbol} is never {shown}"
            yield Diagnostic("HF302", Severity.WARNING, message, span, hint)


def _mentions(entity: Entity) -> Iterator[tuple[Fvp, Span]]:
    """Places that only make sense if the pair can hold."""
    for literal in entity.uses:
        if isinstance(literal, Holds | Boundary | Intervals | Effect):
            yield literal.fvp, literal.span
    for rule in entity.rules:
        if isinstance(rule, EffectRule) and rule.kind is EffectKind.TERMINATED:
            yield rule.fvp, rule.span
        if isinstance(rule, DelayRule):
            yield rule.trigger, rule.span


def _never_read(entity: Entity) -> Iterator[Diagnostic]:
    """A value that is set while rules read only the others. `false` is there to break `true`."""
    read = [literal.fvp.value for literal in entity.uses if isinstance(literal, Holds | Boundary | Intervals | Effect)]
    read += [rule.trigger.value for rule in entity.rules if isinstance(rule, DelayRule)]
    if not read or any(isinstance(value, Var) for value in read):
        return
    for value in entity.values:
        if value not in read and value != Const("false"):
            message = f"no rule reads {entity.symbol.label}={print_term(value)}; it is only reported"
            yield Diagnostic(
                "HF303", Severity.NOTE, message, _where_set(entity, value), "ignore this if that is what you want"
            )


def _where_set(entity: Entity, value: object) -> Span:
    for rule in entity.rules:
        target = rule.effect if isinstance(rule, DelayRule) else getattr(rule, "fvp", None)
        if isinstance(target, Fvp) and target.value == value:
            return rule.span
    return entity.rules[0].span


def _singletons(rule: Rule) -> Iterator[Diagnostic]:
    if isinstance(rule, Declaration | BackgroundRule):
        return
    found: dict[str, list[Var]] = {}
    for variable in rule_variables(rule):
        found.setdefault(variable.name, []).append(variable)
    for name, occurrences in found.items():
        if len(occurrences) == 1 and not name.startswith("_") and occurrences[0].span.source.text:
            message = f"{name} occurs only once in this rule"
            hint = f"write _{name} if that is meant, or check the spelling"
            yield Diagnostic("HF308", Severity.WARNING, message, occurrences[0].span, hint)
