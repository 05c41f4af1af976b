"""Finds conditions that background rules bring into the wrong kind of rule, and effects without a rule (HF111)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.syntax.printer import print_term

_AT_TIME_POINTS = ir.Happens | ir.Boundary | ir.Holds | ir.Effect
_ON_INTERVALS = ir.Intervals | ir.Algebra


def check_context(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds conditions in rules of the wrong kind. The parser reports those that the rule itself contains."""
    seen: set[tuple[str, int]] = set()
    for rule in analysis.program.rules:
        if id(rule) in analysis.skipped:
            continue
        for literal in ir.walk(rule.body):
            reason = _misplaced(literal, rule)
            place = (literal.span.source.name, literal.span.start)
            if reason is not None and place not in seen:
                seen.add(place)
                yield _brought(literal, rule, reason)
            elif isinstance(literal, ir.Effect) and place not in seen:
                seen.add(place)
                yield from _check_effect(literal, analysis)


def _misplaced(literal: ir.Literal, rule: ir.Rule) -> str | None:
    """The reason why a rule cannot have a condition."""
    match rule:
        case ir.EffectRule() | ir.EventRule():
            return "is about a time-point" if isinstance(literal, _ON_INTERVALS) else None
        case ir.IntervalRule():
            return "is about intervals" if isinstance(literal, _AT_TIME_POINTS) else None
        case ir.BackgroundRule():
            # Helpers that are not recursive are unfolded into the rules that call them.
            return "calls itself" if isinstance(literal, _AT_TIME_POINTS | _ON_INTERVALS) else None
        case ir.InitiallyRule() | ir.DelayRule() | ir.PostponeRule() | ir.Declaration():
            return "is about all of time" if isinstance(literal, _AT_TIME_POINTS | _ON_INTERVALS) else None


def _brought(literal: ir.Literal, rule: ir.Rule, reason: str) -> Diagnostic:
    if isinstance(rule, ir.BackgroundRule):
        message = f"{_name(literal)} cannot be a condition here: the predicate {reason}"
        hint = "define a fluent with rules that depend on each other instead"
        return Diagnostic("HF111", Severity.ERROR, message, literal.span, hint)
    message = f"{_name(literal)} cannot be a condition here: a rule that calls this one {reason}"
    hint = "write the condition for the kind of rule that needs it, or do not call the predicate there"
    labels = (RelatedSpan(rule.span, "this rule calls it"),)
    return Diagnostic("HF111", Severity.ERROR, message, literal.span, hint, labels)


def _name(literal: ir.Literal) -> str:
    match literal:
        case ir.Happens() | ir.Boundary():
            return "happensAt"
        case ir.Holds():
            return "holdsAt"
        case ir.Effect(kind=kind):
            return kind.value
        case ir.Intervals():
            return "holdsFor"
        case ir.Algebra(operator=operator):
            return operator.value
        case _:
            raise AssertionError(literal)


def _check_effect(literal: ir.Effect, analysis: Analysis) -> Iterator[Diagnostic]:
    symbol = analysis.entities.fluent(literal.fvp)
    role = analysis.entities[symbol].role if symbol in analysis.entities.table else None
    if role not in (Role.STATIC_FLUENT, Role.INPUT_FLUENT):
        return
    pair, kind = _pair(literal.fvp), literal.kind
    what = "begins" if kind is ir.EffectKind.INITIATED else "ends"
    why = "holdsFor rules define it" if role is Role.STATIC_FLUENT else "it is input"
    edge = "start" if kind is ir.EffectKind.INITIATED else "end"
    message = f"no rule {what} {pair}: {why}, so {kind.value} is never true of it"
    hint = f"write happensAt({edge}({pair}), {print_term(literal.time)})"
    yield Diagnostic("HF111", Severity.ERROR, message, literal.span, hint)


def _pair(fvp: ir.Fvp) -> str:
    return print_term(fvp.term)
