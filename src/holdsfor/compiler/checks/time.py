"""Checks the time variable of a rule (HF202-HF205, HF207)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import zip_longest

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.lookback import LookBackRange, reach, surroundings
from holdsfor.compiler.analysis.places import head_span, span_of
from holdsfor.diagnostics import Diagnostic, Severity, Span, errors_of
from holdsfor.ir.sliding import TOP, is_implied
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var, arguments, functor, variables

_UNDRIVEN = {"HF202", "HF204"}


def check_time(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks that effect and event rules have one time variable, triggered by an event, and only look back."""
    rules = analysis.program.rules
    for rule, following in zip_longest(rules, rules[1:]):
        if not isinstance(rule, ir.EffectRule | ir.EventRule) or id(rule) in analysis.skipped:
            continue
        found = list(_check_rule(rule))
        # The missing event follows a full stop that should be a comma.
        if not (
            isinstance(following, ir.EventRule) and not following.body and {one.code for one in found} <= _UNDRIVEN
        ):
            yield from found


def _check_rule(rule: ir.EffectRule | ir.EventRule) -> Iterator[Diagnostic]:
    now = rule.time
    if not isinstance(now, Var):
        message = f"the time of a rule must be a variable, not {print_term(now)}"
        is_initial = isinstance(rule, ir.EffectRule) and rule.kind is ir.EffectKind.INITIATED and now == Const(-1)
        hint = (
            "write initially(…) for what holds from the beginning"
            if is_initial
            else "write T here and in the conditions"
        )
        yield _error("HF202", message, span_of(now, head_span(rule)), hint)
        return
    temporal = [
        literal
        for literal in ir.walk(rule.body)
        if isinstance(literal, ir.Happens | ir.Boundary | ir.Holds | ir.Effect)
    ]
    wrong = next((literal for literal in temporal if not isinstance(literal.time, Var)), None)
    if wrong is not None:
        yield _not_a_variable(wrong, now)
        return
    others = [literal for literal in temporal if literal.time != now]
    found = list(_check_others(rule, now, others))
    yield from found
    if not errors_of(found) and not _is_driven(rule.body, now):
        yield _not_driven(rule, now)


def _not_a_variable(literal: ir.Temporal, now: Var) -> Diagnostic:
    shown = literal.time.span.text or print_term(literal.time)
    message = f"{shown} is in place of the time variable"
    is_computed = any(True for _ in variables(literal.time))
    hint = (
        f"compute it before: {now.name}0 is {shown}, and write {now.name}0 here" if is_computed else f"write {now.name}"
    )
    return _error("HF202", message, span_of(literal.time, literal.span), hint)


def _check_others(rule: ir.EffectRule | ir.EventRule, now: Var, others: list[ir.Temporal]) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for literal in others:
        assert isinstance(literal.time, Var)
        finding = _check_other(rule, now.name, literal, literal.time) if literal.time.name not in seen else None
        if finding is not None:
            seen.add(literal.time.name)
            yield finding


def _check_other(rule: ir.EffectRule | ir.EventRule, now: str, literal: ir.Temporal, time: Var) -> Diagnostic | None:
    found = reach(surroundings(rule.body, literal), now, time.name)
    other = "_" if time.is_anonymous else time.name
    span = span_of(time, literal.span)
    if is_implied(time.name):
        return _check_window(rule, now, time.name, found)
    if not found.related:
        message = f"{other} and {now} are different time-points, and no condition relates them"
        hint = f"write {now} for {other}"
        if isinstance(literal, ir.Happens | ir.Boundary) and not time.is_anonymous:
            hint += f", or say how far back it may lie, such as {other} < {now}, {now} - {other} =< 10"
        elif sum(variable == time for variable in ir.rule_variables(rule)) > 1:
            hint += f", or say that it lies in the past: {other} =< {now}"
        return _error("HF203", message, span, hint)
    if not found.is_past:
        message = f"{other} can be after {now}, and a rule cannot depend on later events"
        hint = "let the later event trigger the rule" if found.most < 0 else f"add {other} =< {now}"
        return _error("HF205", message, span, hint)
    if found.most == math.inf and not isinstance(literal, ir.Holds):
        message = f"the look-back to {other} has no limit, so all of these are kept for ever"
        return Diagnostic("HF207", Severity.WARNING, message, span, f"add a bound such as {now} - {other} =< 3600")
    return None


def _check_window(rule: ir.EffectRule | ir.EventRule, now: str, then: str, found: LookBackRange) -> Diagnostic | None:
    """The same check for a window; the times of its events have no name."""
    *_, length, end = arguments(_call_of(rule, then))
    shown, span = print_term(end), span_of(end, rule.span)
    if not found.related:
        message = f"the window ends at {shown}, which no condition binds"
        return _error("HF203", message, span, f"write {now}, the time of the rule")
    if not found.is_past:
        message = f"the window ends at {shown}, which can be after {now}, and a rule cannot depend on later events"
        return _error("HF205", message, span, f"write {now}, the time of the rule")
    if found.most == math.inf:
        message = "the length of the window is unknown, so all of these events are kept for ever"
        hint = "write its length as a number in the rule"
        return Diagnostic("HF207", Severity.WARNING, message, span_of(length, rule.span), hint)
    return None


def _call_of(rule: ir.EffectRule | ir.EventRule, then: str) -> Term:
    """The sliding aggregate whose window contains a time; `top` makes one of these times visible outside."""
    found = [one for one in ir.walk(rule.body) if isinstance(one, ir.FindAll) and one.sliding is not None]
    inside = [one for one in found if then in ir.variable_names(one.body)]
    tops = [one for one in found if one.sliding is not None and functor(one.sliding.call) == TOP]
    sliding = (*inside, *tops)[0].sliding
    assert sliding is not None
    return sliding.call


def _is_driven(body: ir.Body, now: Var) -> bool:
    return any(_drives(literal, now) for literal in body)


def _drives(literal: ir.Literal, now: Var) -> bool:
    if isinstance(literal, ir.Or):
        return all(_is_driven(branch, now) for branch in literal.branches)
    return isinstance(literal, ir.Happens | ir.Boundary | ir.Effect) and literal.time == now


def _not_driven(rule: ir.EffectRule | ir.EventRule, now: Var) -> Diagnostic:
    span = head_span(rule)
    at_now = [literal for literal in ir.walk(rule.body) if _is_about(literal, now)]
    window = next(
        (literal for literal in ir.walk(rule.body) if isinstance(literal, ir.FindAll) and literal.sliding), None
    )
    if not at_now and window is not None and window.sliding is not None:
        name = functor(window.sliding.call)
        message = f"no event triggers this rule: {name[0] if name else ''} has a value at every time-point"
        event = next(literal for literal in window.body if isinstance(literal, ir.Happens | ir.Boundary))
        shown = event.span.text or "…"
        return _error("HF204", message, span, f"add an event, such as happensAt({shown}, {now.name})")
    if not at_now:
        message = f"no condition is about {now.name}, so the rule has no time-point"
        hint = f"add an event: happensAt(…, {now.name})"
        if any(isinstance(literal, ir.Happens | ir.Boundary) for literal in rule.body):
            hint += ", or let something happen later with a delayed effect (fi)"
        elif isinstance(rule, ir.EventRule):
            hint = "if it is a condition of the rule before it, end that line with a comma, not a full stop"
        return _error("HF202", message, span, hint)
    if any(isinstance(literal, ir.Or) and _mentions_event(literal, now) for literal in rule.body):
        message = "not every alternative has an event that triggers this rule"
        return _error("HF204", message, span, f"add happensAt(…, {now.name}) to each, or write two rules")
    fluent = next((literal for literal in at_now if isinstance(literal, ir.Holds)), None)
    example = f"start({print_term(fluent.fvp.fluent)}={print_term(fluent.fvp.value)})" if fluent else "…"
    negated = fluent is None and any(isinstance(literal, ir.Not) for literal in rule.body)
    lasting = "a negation is true" if negated else "a fluent holds"
    message = f"no event triggers this rule: {lasting} for a while, not at one time-point"
    return _error("HF204", message, span, f"add an event, such as happensAt({example}, {now.name})")


def _mentions_event(literal: ir.Literal, now: Var) -> bool:
    return any(
        isinstance(inner, ir.Happens | ir.Boundary | ir.Effect) and inner.time == now for inner in ir.walk((literal,))
    )


def _is_about(literal: ir.Literal, now: Term) -> bool:
    return isinstance(literal, ir.Happens | ir.Boundary | ir.Holds | ir.Effect) and literal.time == now


def _error(code: str, message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, hint)
