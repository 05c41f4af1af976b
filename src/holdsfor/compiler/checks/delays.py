"""Delayed effects (HF401-HF405)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.diagnostics import Diagnostic, Label, Severity
from holdsfor.ir import DelayRule, EffectRule, Fvp, InitiallyRule
from holdsfor.logic.arithmetic import EvaluationError, evaluate
from holdsfor.logic.unify import is_ground, resolve, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables


def check_delays(analysis: Analysis) -> Iterator[Diagnostic]:
    """`fi`, `ft` and `p`."""
    seen: dict[Fvp, DelayRule] = {}
    for rule in analysis.program.delays:
        yield from _check_delay(rule)
        yield from _check_fluents(rule, analysis)
        if rule.body:
            continue
        other = seen.setdefault(rule.trigger, rule)
        if other is not rule and _stays_on_fluent(rule) and _stays_on_fluent(other):
            yield _two_delays(rule, other)
    for postpone in analysis.program.postpones:
        if not any(_may_be(postpone.fvp, rule.trigger) for rule in analysis.program.delays):
            message = f"{_show(postpone.fvp)} has no delayed effect to postpone"
            yield Diagnostic(
                "HF404", Severity.WARNING, message, postpone.span, "add a fi or ft for it, or remove this p"
            )


def _stays_on_fluent(rule: DelayRule) -> bool:
    return rule.effect is None or rule.effect.fluent == rule.trigger.fluent


def _check_delay(rule: DelayRule) -> Iterator[Diagnostic]:
    if not is_ground(rule.delay):
        return
    try:
        value = evaluate(rule.delay, {})
    except EvaluationError:
        value = 0.5
    if value != int(value) or value < 1:
        message = f"a delay must be a positive whole number of time-points, not {print_term(rule.delay)}"
        hint = (
            "round it, or express it in a finer time unit"
            if value > 0
            else "an effect without delay is an initiatedAt rule"
        )
        yield Diagnostic(
            "HF403", Severity.ERROR, message, rule.delay.span if rule.delay.span.source.text else rule.span, hint
        )


def _check_fluents(rule: DelayRule, analysis: Analysis) -> Iterator[Diagnostic]:
    effect = rule.effect
    if effect is None:
        return
    if effect.fluent == rule.trigger.fluent:
        if effect.value == rule.trigger.value and isinstance(effect.value, Const):
            message = f"{_show(effect)} already holds when this delayed effect takes place"
            yield Diagnostic(
                "HF405", Severity.WARNING, message, rule.span, "give the effect another value, or use ft to end it"
            )
        return
    entity = analysis.entities[analysis.entities.fluent(effect.fluent)]
    if not any(_ends_or_sets(other, rule) for other in entity.rules):
        message = f"this delayed effect goes from {_show(rule.trigger)} to another fluent, {_show(effect)}, which no rule ever ends"
        hint = f"add a terminatedAt or another value for {print_term(effect.fluent)}, or name the same fluent twice"
        yield Diagnostic("HF401", Severity.WARNING, message, rule.span, hint)


def _ends_or_sets(other: object, rule: DelayRule) -> bool:
    """Whether a rule makes it meaningful that the fluent is set: it can lose the value again."""
    if other is rule:
        return False
    return isinstance(other, EffectRule | InitiallyRule) or (
        isinstance(other, DelayRule) and other.trigger.fluent is not rule.trigger.fluent
    )


def _two_delays(rule: DelayRule, other: DelayRule) -> Diagnostic:
    late, early = (rule, other) if _length(rule) >= _length(other) else (other, rule)
    message = f"{_show(rule.trigger)} has two delayed effects; only the shorter delay can take place"
    hint = "the first effect already breaks it: remove one, or give one of them a condition"
    return Diagnostic("HF402", Severity.WARNING, message, late.span, hint, (Label(early.span, "takes place first"),))


def _length(rule: DelayRule) -> float:
    value = rule.delay.value if isinstance(rule.delay, Const) else 0
    return 0 if isinstance(value, str) else value


def _may_be(pattern: Fvp, fvp: Fvp) -> bool:
    return unify(_term(pattern, "~"), _term(fvp, ""), {}) is not None


def _term(fvp: Fvp, suffix: str) -> Term:
    pair = Compound("=", (fvp.fluent, fvp.value))
    return resolve(pair, {v.name: Var(v.name + suffix) for v in variables(pair)}) if suffix else pair


def _show(fvp: Fvp) -> str:
    return print_term(Compound("=", (fvp.fluent, fvp.value)))
