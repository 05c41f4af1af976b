"""Checks delayed effects (HF401-HF405)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import show_fvp
from holdsfor.compiler.analysis.places import head_span, other_text, span_of
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Span
from holdsfor.ir import DelayRule, EffectKind, EffectRule, Fvp, PostponeRule, Rule
from holdsfor.logic.arithmetic import EvaluationError, evaluate
from holdsfor.logic.unify import apart, is_ground, substitute, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var, variables


def check_delays(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks `fi`, `ft` and `p`."""
    hidden, entities = analysis.program.hidden, analysis.entities
    delays = tuple(rule for rule in analysis.program.delays if entities.fluent(rule.trigger).name not in hidden)
    for rule in delays:
        yield from _check_delay(rule)
        yield from _check_effect(rule, analysis)
    yield from _check_pairs(delays)
    for postpone in analysis.program.postpones:
        name = analysis.entities.fluent(postpone.fvp).name
        if name in hidden:
            continue
        if name not in analysis.unread and not any(_overlap(postpone.fvp, rule.trigger) for rule in delays):
            yield _nothing_to_postpone(postpone, delays)


def _check_delay(rule: DelayRule) -> Iterator[Diagnostic]:
    if not is_ground(rule.delay):
        return
    shown, hint = print_term(rule.delay), "write a number of time-points, or compute it in a body"
    try:
        value = evaluate(rule.delay, {})
    except EvaluationError:
        value = None
    if value is not None and value >= 1 and value % 1 == 0:
        return
    if value is not None and math.isfinite(value) and value % 1 != 0:
        hint = "round it, or use a finer unit of time"
    elif value == 0:
        hint = "an effect without delay is an initiatedAt or terminatedAt rule"
    elif value is not None and value < 0:
        hint = "an effect comes after its cause: write a positive number"
    message = f"a delay is a positive whole number of time-points, not {shown}"
    yield Diagnostic("HF403", Severity.ERROR, message, span_of(rule.delay, head_span(rule)), hint)


def _check_effect(rule: DelayRule, analysis: Analysis) -> Iterator[Diagnostic]:
    effect = rule.effect
    if effect is None:
        return
    if effect.fluent == rule.trigger.fluent:
        if effect.value == rule.trigger.value and isinstance(effect.value, Const):
            message = f"{show_fvp(effect)} already holds when this delayed effect takes place"
            hint = "give the effect another value, or end it with ft"
            yield Diagnostic("HF405", Severity.WARNING, message, _place(effect, rule), hint)
        return
    entity = analysis.entities[analysis.entities.fluent(effect)]
    if entity.symbol.name not in analysis.unread and not any(_ends(other, effect) for other in entity.rules):
        message = f"the delayed effect is on another fluent, {show_fvp(effect)}, and no rule ever ends it"
        hint = f"add a terminatedAt for {show_fvp(effect)}, or name {print_term(rule.trigger.fluent)} in both places"
        yield Diagnostic("HF401", Severity.WARNING, message, _place(effect, rule), hint)


def _ends(rule: Rule, fvp: Fvp) -> bool:
    """Whether a rule can break a fluent-value pair, by a termination or by another value."""
    match rule:
        case EffectRule(kind=EffectKind.TERMINATED, fvp=target):
            return _overlap(target, fvp)
        case EffectRule(fvp=target) | DelayRule(effect=Fvp() as target):
            return _same_fluent(target, fvp) and (isinstance(target.value, Var) or target.value != fvp.value)
        case DelayRule(effect=None, trigger=target):
            return _overlap(target, fvp)
        case _:
            return False


def _check_pairs(delays: tuple[DelayRule, ...]) -> Iterator[Diagnostic]:
    """Finds two delayed effects of one pair that both break it, so that only the first can occur."""
    by_name: dict[str, list[DelayRule]] = {}
    for rule in delays:
        if not rule.body and (rule.effect is None or rule.effect.fluent == rule.trigger.fluent):
            by_name.setdefault(print_term(_canonical(rule.trigger)), []).append(rule)
    for rules in by_name.values():
        for one, two in combinations(rules, 2):
            yield _two_delays(one, two)
            break


def _two_delays(one: DelayRule, two: DelayRule) -> Diagnostic:
    late, early = (two, one) if _length(two) >= _length(one) else (one, two)
    if _length(one) == _length(two):
        message = f"{show_fvp(late.trigger)} has two delayed effects at the same time, and they break each other"
    else:
        message = f"{show_fvp(late.trigger)} has two delayed effects, and only the one with the shorter delay happens"
    hint = "remove one, or give it a body that restricts it"
    labels = (RelatedSpan(head_span(early), "the other one"),)
    return Diagnostic("HF402", Severity.WARNING, message, head_span(late), hint, labels)


def _nothing_to_postpone(rule: PostponeRule, delays: tuple[DelayRule, ...]) -> Diagnostic:
    message = f"{show_fvp(rule.fvp)} has no delayed effect to postpone"
    close = next((delay.trigger for delay in delays if _same_fluent(delay.trigger, rule.fvp)), None)
    hint = f"did you mean {show_fvp(close)}?" if close else "add a fi or ft for it, or remove this p"
    fix = other_text(rule.fvp.value.span, print_term(close.value)) if close else None
    return Diagnostic("HF404", Severity.WARNING, message, _place(rule.fvp, rule), hint, fix=fix)


def _length(rule: DelayRule) -> float:
    value = rule.delay.value if isinstance(rule.delay, Const) else 0
    return 0 if isinstance(value, str) else value


def _place(fvp: Fvp, rule: Rule) -> Span:
    return fvp.span if fvp.span.source.text else head_span(rule)


def _same_fluent(one: Fvp, two: Fvp) -> bool:
    return unify(apart(one.fluent), two.fluent, {}) is not None


def _overlap(one: Fvp, two: Fvp) -> bool:
    return unify(apart(one.term), two.term, {}) is not None


def _canonical(fvp: Fvp) -> Term:
    """A pair with numbered variables, so that renamed copies are equal."""
    numbered: dict[str, Term] = {}
    for variable in variables(fvp.term):
        numbered.setdefault(variable.name, Var(f"V{len(numbered)}"))
    return substitute(fvp.term, numbered)
