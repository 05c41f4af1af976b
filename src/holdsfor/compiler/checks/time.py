"""The time variable of a rule (HF202-HF207)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.lookback import reach
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir import Body, Boundary, Effect, EffectRule, EventRule, Happens, Holds, Literal, Or, walk
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var


def check_time(analysis: Analysis) -> Iterator[Diagnostic]:
    """Every effect and event rule: one time variable, driven by an event, looking back only."""
    for rule in analysis.program.rules:
        if isinstance(rule, EffectRule | EventRule) and id(rule) not in analysis.skipped:
            yield from _check_rule(rule)


def _check_rule(rule: EffectRule | EventRule) -> Iterator[Diagnostic]:
    now = rule.time
    if not isinstance(now, Var):
        yield _error("HF202", f"the time of a rule must be a variable, not {print_term(now)}", rule.span, "write T")
        return
    temporal = [literal for literal in walk(rule.body) if isinstance(literal, Happens | Boundary | Holds | Effect)]
    wrong = next((lit for lit in temporal if not isinstance(lit.time, Var)), None)
    if wrong is not None:
        shown = print_term(wrong.time)
        yield _error("HF202", f"{shown} stands where the time variable belongs", wrong.span, f"write {now.name}")
        return
    others = [lit for lit in temporal if isinstance(lit.time, Var) and lit.time.name != now.name]
    yield from _check_others(rule, now.name, others)
    if not _is_driven(rule.body, now.name):
        yield _not_driven(rule, now.name, others)


def _check_others(
    rule: EffectRule | EventRule, now: str, others: list[Happens | Boundary | Holds | Effect]
) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for literal in others:
        assert isinstance(literal.time, Var)
        other = literal.time.name
        if other in seen:
            continue
        seen.add(other)
        found = reach(rule.body, now, other)
        shown = "_" if literal.time.is_anonymous else other
        if not found.related:
            message = f"{shown} and {now} are two different time-points, and nothing relates them"
            hint = f"write {now} in both places, or say how far back {shown} may lie, such as {shown} < {now}, {now} - {shown} =< 10"
            yield _error("HF203", message, literal.span, hint)
        elif not found.is_past:
            message = f"{shown} may lie after {now}: a rule cannot depend on what happens later"
            yield _error("HF205", message, literal.span, f"add {shown} =< {now}")
        elif found.most == math.inf and not isinstance(literal, Holds):
            message = f"nothing says how far back {shown} may lie, so every such event is kept for ever"
            yield Diagnostic(
                "HF207", Severity.WARNING, message, literal.span, f"add a bound such as {now} - {shown} =< 3600"
            )


def _is_driven(body: Body, now: str) -> bool:
    return any(_drives(literal, now) for literal in body)


def _drives(literal: Literal, now: str) -> bool:
    if isinstance(literal, Or):
        return all(_is_driven(branch, now) for branch in literal.branches)
    return isinstance(literal, Happens | Boundary | Effect) and _is_at(literal.time, now)


def _is_at(time: Term, now: str) -> bool:
    return isinstance(time, Var) and time.name == now


def _not_driven(
    rule: EffectRule | EventRule, now: str, others: list[Happens | Boundary | Holds | Effect]
) -> Diagnostic:
    uses_now = any(
        isinstance(lit, Happens | Boundary | Holds | Effect) and _is_at(lit.time, now) for lit in walk(rule.body)
    )
    if not uses_now:
        message = f"no condition is about {now}, so nothing says when this rule fires"
        hint = (
            f"add an event: happensAt(…, {now})"
            if not others
            else f"write {now} where {print_term(others[0].time)} stands"
        )
        return _error("HF202", message, rule.span, hint)
    fluent = next((lit for lit in walk(rule.body) if isinstance(lit, Holds)), None)
    example = f"start({print_term(fluent.fvp.fluent)}={print_term(fluent.fvp.value)})" if fluent else "…"
    message = "no event says when this rule fires: a condition that holds is not a moment"
    return _error("HF204", message, rule.span, f"add an event, such as happensAt({example}, {now})")


def _error(code: str, message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, hint)
